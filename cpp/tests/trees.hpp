// Trees of random links, and Newton's matrix of one in motion.
#pragma once

#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/compile.hpp"
#include "bough/tree/kinematics.hpp"
#include "tests/cases.hpp"

namespace bough::tests {

// Frames turn about their axes in turn, each a step away from its parent and with a mass of its own; or all of them move in the
// plane across one axis, where every fourth slides.
inline Model tree(const std::vector<int>& parents, int across = -1) {
  const int frames = 2 * static_cast<int>(parents.size()) + 1;
  std::vector<int> parent(frames, -1), kind(frames, 0), variable(frames, -1), place(parents.size());
  std::vector<double> value(frames, 0.0), ratio(frames, 1.0), offset(frames, 0.0), mass(frames, 0.0), gravity{1, 2, -9};
  std::vector<double> pose(16 * frames, 0.0), screw(6 * frames, 0.0), com(3 * frames, 0.0), inertia(9 * frames, 0.0);
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < 4; ++i) pose[16 * f + 5 * i] = 1.0;
  for (int j = 0, f = 1; f < frames; ++j, f += 2) {
    parent[f] = parents[j] < 0 ? 0 : place[parents[j]];
    kind[f] = across < 0 ? 4 + j % 3 : j % 4 == 3 ? 1 + (across + 1) % 3 : 4 + across;
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

  explicit Newton(const std::vector<int>& parents) : Newton(tree(parents)) {}
  explicit Newton(Model moved) : model(std::move(moved)) {
    Random random(static_cast<unsigned>(model.n()));
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

}  // namespace bough::tests
