// Newton's matrix of all stages along a tree, beside (GL10) written out with the Hessians of the Lagrangian.
#include "bough/solvers/tree_newton_stages.hpp"

#include "bough/dynamics/lagrangian.hpp"
#include "bough/integrators/gauss_stages.hpp"
#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

void compare(const std::vector<int>& parents, int s) {
  const Model model = tree(parents);
  const GaussTable& table = gauss_tables[s - 2];
  const int n = model.n();
  const double h = 0.2;
  Random random(static_cast<unsigned>(s));
  GaussState from;
  from.q.resize(n);
  from.q_rest.assign(n, 0.0);
  for (double& x : from.q) x = random();
  GaussStages stages(model, table);
  for (int i = 0; i < n; ++i)
    for (int b = 0; b < 4; ++b) set_lane(stages.v[i], b, b < s ? 2.0 * random() : stages.v[i][0]);
  const Drive drive{nullptr, nullptr, 0, 0};
  stages.evaluate({from, h, drive});
  stages.split(false);

  std::vector<std::vector<double>> F_q(s, std::vector<double>(n)),
      F_v = F_q;  // springs and dampers of single variables
  Matrix J(s * n, std::vector<double>(s * n, 0.0));
  std::vector<double> qq(n * n), qv(n * n), vv(n * n);
  for (int j = 0; j < s; ++j) {
    const Instant at = stages.instant(j, 0.0, nullptr);
    lagrangian_hessians(model, workspace(model), at.q, at.v, qq.data(), qv.data(), vv.data());
    for (int i = 0; i < n; ++i) {
      F_q[j][i] = -30.0 + random();
      F_v[j][i] = -2.0 + random();
      qq[i * n + i] += F_q[j][i];
    }
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        J[j * n + a][j * n + b] += vv[a * n + b];
        for (int i = 0; i < s; ++i) {
          const double damped = a == b ? F_v[j][a] : 0.0;
          J[i * n + a][j * n + b] -= h * table.a[i][j] * (qv[a * n + b] + damped);
          J[j * n + a][i * n + b] += h * table.a[j][i] * qv[b * n + a];
          for (int k = 0; k < s; ++k) J[i * n + a][k * n + b] -= h * h * table.a[i][j] * table.a[j][k] * qq[a * n + b];
        }
      }
  }
  TreeNewtonStages solver;
  solver.resize(model, table);
  for (int i = 0; i < n; ++i)
    for (int b = 0; b < s; ++b)
      for (int c = 0; c < s; ++c) {
        double sum = h * table.a[b][c] * F_v[c][i];
        for (int k = 0; k < s; ++k) sum += h * h * table.a[b][k] * table.a[k][c] * F_q[k][i];
        set_lane(solver.diagonal(i, b), c, -sum);
      }
  expect(solver.factor(model, h, stages.joints(), stages.bodies()), "J is regular");
  for (int trial = 0; trial < 2; ++trial) {
    std::vector<double> r(s * n);
    std::vector<Lane4> x(n, Lane4{});
    for (int b = 0; b < s; ++b)
      for (int i = 0; i < n; ++i) set_lane(x[i], b, r[b * n + i] = random());
    solver.solve(model, x);
    const std::vector<double> expected = gauss(J, r);
    for (int b = 0; b < s; ++b)
      for (int i = 0; i < n; ++i) near(x[i][b], expected[b * n + i], 1e-9, "stage " + std::to_string(b));
  }
}

}  // namespace

CASE(tree_newton_of_two_stages) { compare({-1, 0, 1, 1, 3, 0, -1, 6}, 2); }
CASE(tree_newton_of_three_stages) { compare({-1, 0, 1, 1, 3, 0, -1, 6}, 3); }
CASE(tree_newton_of_four_stages) { compare({-1, 0, 1, 2, 3, 4, 5}, 4); }
