// TreeBorder: rows and columns eliminated along a tree, beside the same matrix written out and solved dense.
#include "bough/solvers/tree_border.hpp"

#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/compile.hpp"
#include "bough/tree/kinematics.hpp"
#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// Frames turn about their axes in turn, each a step away from its parent and with a mass of its own.
Model tree(const std::vector<int>& parents) {
  const int frames = 2 * static_cast<int>(parents.size()) + 1;
  std::vector<int> parent(frames, -1), kind(frames, 0), variable(frames, -1), place(parents.size());
  std::vector<double> value(frames, 0.0), ratio(frames, 1.0), offset(frames, 0.0), mass(frames, 0.0), gravity{1, 2, -9};
  std::vector<double> pose(16 * frames, 0.0), screw(6 * frames, 0.0), com(3 * frames, 0.0), inertia(9 * frames, 0.0);
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < 4; ++i) pose[16 * f + 5 * i] = 1.0;
  for (int j = 0, f = 1; f < frames; ++j, f += 2) {
    parent[f] = parents[j] < 0 ? 0 : place[parents[j]];
    kind[f] = 4 + j % 3;
    variable[f] = j;
    parent[f + 1] = f;
    place[j] = f + 1;
    pose[16 * (f + 1) + 3] = 0.3;
    pose[16 * (f + 1) + 11] = -0.5;
    mass[f + 1] = 1.0 + 0.1 * j;
    for (int i = 0; i < 3; ++i) inertia[9 * (f + 1) + 4 * i] = 0.1 + 0.02 * i;
  }
  const int n = static_cast<int>(parents.size());
  return compile({frames, parent.data(), kind.data(), variable.data(), value.data(), ratio.data(), offset.data(),
                  pose.data(), screw.data(), mass.data(), com.data(), inertia.data(), gravity.data(), n, n});
}

// Newton's matrix of a tree in motion, with random momenta.
struct Newton {
  Model model;
  std::vector<JointState> state;
  std::vector<MidpointBody> bodies;
  TreeNewton solver;
  static constexpr double dt = 0.01, alpha = 0.4;

  explicit Newton(const std::vector<int>& parents) : model(tree(parents)) {
    Random random(static_cast<unsigned>(parents.size()));
    std::vector<double> q(model.n()), v(model.n());
    for (double& x : q) x = random();
    for (double& x : v) x = random();
    Workspace& ws = workspace(model);
    sweep_velocities(model, ws, q.data(), v.data());
    state.assign(ws.state.begin(), ws.state.begin() + model.n() + 1);
    bodies.resize(model.n() + 1);
    const auto vector = [&] { return Vec3(random(), random(), random()); };
    for (MidpointBody& body : bodies) body = {{vector(), vector()}, vector(), vector()};
    solver.resize(model);
    for (int i = 0; i < model.n(); ++i) solver.diagonal(i) = 3.0 + i;
  }

  bool factor(double* x, TreeBorder* border = nullptr, double* y = nullptr) {
    return solver.factor(model, state, bodies, dt, alpha, x, border, y);
  }

  // K by rows: the columns of K^-1 come from the tree without a border.
  Matrix matrix() {
    const int n = model.n();
    Matrix columns(n, std::vector<double>(n, 0.0)), K;
    for (int j = 0; j < n; ++j) {
      columns[j][j] = 1.0;
      if (j == 0)
        expect(factor(columns[j].data()), "K is regular");
      else
        solver.solve(model, columns[j].data());
    }
    for (int i = 0; i < n; ++i) {
      std::vector<double> unit(n, 0.0);
      unit[i] = 1.0;
      K.push_back(gauss(columns, unit));
    }
    return K;
  }
};

// (TB1) for rows over the joints given, along the tree and dense.
void compare(const std::vector<int>& parents, const std::vector<std::vector<int>>& joints, bool constraints) {
  Newton newton(parents);
  const int n = newton.model.n(), m = static_cast<int>(joints.size());
  Random random(17);
  TreeBorder border;
  border.resize(newton.model, joints);
  Matrix all = newton.matrix();
  for (auto& row : all) row.resize(n + m, 0.0);
  all.resize(n + m, std::vector<double>(n + m, 0.0));
  for (int s = 0; s < m; ++s) {
    for (std::size_t k = 0; k < joints[s].size(); ++k) {
      all[joints[s][k]][n + s] = border.column(s)[k] = random();
      all[n + s][joints[s][k]] = border.row(s)[k] = random();
    }
    all[n + s][n + s] = border.corner(s) = constraints ? 0.0 : -1.0;
  }
  for (int sample = 0; sample < 3; ++sample) {
    const std::vector<double> b = random_matrix(1, n + m, 40 + sample)[0], expected = gauss(all, b);
    std::vector<double> x(b.begin(), b.begin() + n), y(b.begin() + n, b.end());
    if (sample == 0)
      expect(newton.factor(x.data(), &border, y.data()), "the bordered matrix is regular");
    else
      newton.solver.solve(newton.model, x.data(), &border, y.data());
    x.insert(x.end(), y.begin(), y.end());
    near(distance(x, expected), 0.0, 1e-9 * distance(expected, std::vector<double>(n + m, 0.0)), "x and y");
  }
}

const std::vector<int> chain = {-1, 0, 1, 2, 3, 4, 5, 6}, forked = {-1, 0, 1, 2, 1, 4, 5, 0, 7},
                       forest = {-1, 0, 1, -1, 3, 4, -1, 6};

}  // namespace

CASE(tree_border_closes_rows_inside_a_chain) { compare(chain, {{0, 1, 2}, {3, 4}, {5, 6, 7}, {7}}, true); }
CASE(tree_border_closes_rows_at_a_fork) { compare(forked, {{2, 3, 4, 5}, {3, 6}, {7, 8}}, true); }
CASE(tree_border_leaves_rows_to_the_root) { compare(forest, {{0, 1, 3, 4}, {2, 7}, {5, 6, 7}}, true); }
CASE(tree_border_takes_rows_of_elements) {
  compare(forked, {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {2, 6, 8}, {0, 8}}, false);
}

CASE(tree_border_reports_a_singular_group) {
  Newton newton(chain);
  TreeBorder border;
  border.resize(newton.model, {{1, 2}, {1, 2}, {5, 6}});
  for (int s = 0; s < 3; ++s)
    for (int k = 0; k < 2; ++k) border.column(s)[k] = border.row(s)[k] = 1.0 + k;
  std::vector<double> x(newton.model.n(), 1.0), y(3, 0.0);
  expect(!newton.factor(x.data(), &border, y.data()), "two equal rows are refused");
}
