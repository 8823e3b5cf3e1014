// Many right-hand sides along a tree, and few constraint rows on it, beside solves one by one and the matrix written out.
#include "bough/solvers/few_rows.hpp"
#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

const std::vector<int> branched{-1, 0, 1, 1, 3, 0, -1, 6};

// (H1) or (H2) with few rows over the joints given, along the tree and dense.
void compare(const std::vector<std::vector<int>>& joints, bool transpose) {
  Newton newton(branched);
  const int n = newton.model.n(), m = static_cast<int>(joints.size());
  Random random(23);
  std::vector<double> Dh0(m * n), Dh1(m * n), x(n), y(m), b(n + m);
  for (int r = 0; r < m; ++r)
    for (const int i : joints[r]) {
      Dh0[r * n + i] = random();
      Dh1[r * n + i] = random();
    }
  const Matrix K = newton.matrix();
  Matrix T(n + m, std::vector<double>(n + m, 0.0));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) T[i][j] = K[i][j];
    for (int r = 0; r < m; ++r) {
      T[i][n + r] = -Dh0[r * n + i];
      T[n + r][i] = Dh1[r * n + i];
    }
  }
  for (double& value : b) value = random();
  std::copy_n(b.begin(), n, x.begin());
  std::copy_n(b.begin() + n, m, y.begin());
  FewRows rows;
  rows.resize(newton.model, joints);
  std::vector<double> factored(n, 0.0);
  expect(newton.factor(factored.data()), "K is regular");
  newton.solver.reserve_columns();
  rows.factor(newton.model, newton.solver, {m, n, n, Dh0.data(), Dh1.data()});
  if (transpose) {
    rows.solve_transposed(newton.model, x.data(), y.data());
    newton.solver.solve_transposed(newton.model, x.data());
  } else {
    newton.solver.solve(newton.model, x.data());
    rows.solve(newton.model, x.data(), y.data());
  }
  const std::vector<double> expected = gauss(transpose ? transposed(T) : T, b);
  for (int i = 0; i < n; ++i) near(x[i], expected[i], 1e-9 * (1.0 + std::abs(expected[i])), "x");
  for (int r = 0; r < m; ++r) near(y[r], expected[n + r], 1e-9 * (1.0 + std::abs(expected[n + r])), "y");
}

const std::vector<std::vector<int>> three{{0, 1, 2}, {0, 1, 3, 4}, {6, 7}};
const std::vector<std::vector<int>> seven{{0, 1, 2}, {0, 1, 3, 4}, {6, 7}, {0, 5}, {2, 4}, {1, 6}, {0, 3, 7}};

}  // namespace

CASE(tree_columns_one_by_one) {
  Newton newton(branched);
  const int n = newton.model.n();
  std::vector<double> factored(n, 0.0);
  expect(newton.factor(factored.data()), "K is regular");
  newton.solver.reserve_columns();
  for (const int registers : {1, 2}) {
    Random random(5);
    std::vector<Lane4> x(n * registers);
    std::vector<std::vector<double>> alone(4 * registers, std::vector<double>(n));
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < 4 * registers; ++c)
        reinterpret_cast<double*>(&x[i * registers + c / 4])[c % 4] = alone[c][i] = random();
    newton.solver.solve_columns(newton.model, x.data(), registers);
    for (int c = 0; c < 4 * registers; ++c) {
      newton.solver.solve(newton.model, alone[c].data());
      for (int i = 0; i < n; ++i) near(x[i * registers + c / 4][c % 4], alone[c][i], 1e-12, "column");
    }
  }
}

// Joints with nothing dynamic at or above them are left out if there is no border: the rest has the same solutions.
CASE(tree_columns_below_joints_that_stand_still) {
  Newton newton(branched);
  const int n = newton.model.n();
  for (int i = 0; i < n; ++i)
    if (newton.model.joints[i].parent == 0) newton.model.joints[i].dynamic = false;
  Random random(7);
  std::vector<double> b(n), all(n), some(n);
  for (double& value : b) value = random();
  std::vector<Lane4> columns(n), fewer(n);
  for (int i = 0; i < n; ++i) columns[i] = fewer[i] = Lane4{b[i], 2.0 * b[i], random(), random()};
  all = some = b;
  newton.solver.reserve_columns();
  expect(newton.factor(all.data()), "K is regular");
  newton.solver.solve_columns(newton.model, columns.data(), 1);
  newton.solver.resize(newton.model, false);
  for (int i = 0; i < n; ++i) newton.solver.diagonal(i) = 3.0 + i;
  expect(newton.factor(some.data()), "K is regular");
  newton.solver.solve_columns(newton.model, fewer.data(), 1);
  for (int i = 0; i < n; ++i) {
    near(some[i], all[i], 0.0, "x");
    for (int c = 0; c < 4; ++c) near(fewer[i][c], columns[i][c], 0.0, "column");
  }
  newton.solver.solve_transposed(newton.model, some.data());
  newton.solver.resize(newton.model);
  for (int i = 0; i < n; ++i) newton.solver.diagonal(i) = 3.0 + i;
  std::vector<double> again = b;
  expect(newton.factor(again.data()), "K is regular");
  newton.solver.solve_transposed(newton.model, all.data());
  for (int i = 0; i < n; ++i) near(some[i], all[i], 0.0, "transposed");
}

CASE(tree_columns_three_rows) { compare(three, false); }
CASE(tree_columns_seven_rows) { compare(seven, false); }
CASE(tree_columns_three_rows_transposed) { compare(three, true); }
CASE(tree_columns_seven_rows_transposed) { compare(seven, true); }
