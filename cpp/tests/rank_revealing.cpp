// RankRevealing: what it solves solves the system, and is the least solution if there are many.
#include "bough/solvers/rank_revealing.hpp"

#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

std::vector<double> solved(const Matrix& S, const std::vector<double>& b, bool full) {
  const int m = static_cast<int>(b.size());
  Eigen::MatrixXd given(m, m);
  Eigen::VectorXd x(m);
  for (int i = 0; i < m; ++i) {
    x[i] = b[i];
    for (int j = 0; j < m; ++j) given(i, j) = S[i][j];
  }
  RankRevealing solver;
  solver.fit(m);
  solver.factor(given);
  expect(solver.full() == full, full ? "S has full rank" : "S is singular");
  solver.solve(x);
  return {x.data(), x.data() + m};
}

}  // namespace

CASE(rank_revealing_solves_a_regular_system) {
  for (int m = 1; m <= 12; ++m) {
    Matrix S = random_matrix(m, m, m);
    for (int i = 0; i < m; ++i) S[i][i] += 2.0 * m;
    const std::vector<double> expected = random_matrix(1, m, 100 + m)[0];
    near(distance(solved(S, times(S, expected), true), expected), 0.0, 1e-13, "x of size " + std::to_string(m));
  }
}

CASE(rank_revealing_is_independent_of_units) {
  const std::vector<double> units = {1e-3, 1.0, 1e2, 1e-2, 1e3, 10.0}, expected = random_matrix(1, 6, 8)[0];
  Matrix S = gram(random_matrix(6, 6, 7));
  for (int i = 0; i < 6; ++i) S[i][i] += 1.0;
  std::vector<double> b = times(S, expected);
  for (int i = 0; i < 6; ++i) {
    b[i] *= units[i];
    for (int j = 0; j < 6; ++j) S[i][j] *= units[i] * units[j];
  }
  std::vector<double> x = solved(S, b, true);
  for (int i = 0; i < 6; ++i) x[i] *= units[i];
  near(distance(x, expected), 0.0, 1e-12, "x in other units");
}

// S = B B^T of rows that depend on each other, as the Schur complement of redundant constraints. The least solution of
// S x = b is the one in the span of B: x = B c.
CASE(rank_revealing_takes_the_least_solution) {
  for (int m = 2; m <= 9; ++m)
    for (int rank = 1; rank < m; ++rank) {
      const Matrix B = random_matrix(m, rank, 10 * m + rank), S = gram(B);
      const std::vector<double> b = times(S, random_matrix(1, m, 500 + m)[0]), x = solved(S, b, false);
      const std::string what = " of rank " + std::to_string(rank) + " in " + std::to_string(m);
      near(distance(times(S, x), b), 0.0, 1e-11, "S x" + what);
      const Matrix Bt = transposed(B);
      const std::vector<double> c = gauss(gram(Bt), times(Bt, x));
      near(distance(times(B, c), x), 0.0, 1e-9, "x in the span" + what);
    }
}

CASE(rank_revealing_of_nothing_is_nothing) {
  const std::vector<double> x = solved(Matrix(3, std::vector<double>(3, 0.0)), {1.0, 1.0, 1.0}, false);
  near(distance(x, {0.0, 0.0, 0.0}), 0.0, 0.0, "x of a zero matrix");
}

// Flat up to twelve rows, by a library beyond: four columns at once, with rows apart, and the transpose, of matrices that
// need pivots.
CASE(rank_revealing_solves_columns_and_the_transpose) {
  for (const int m : {1, 2, 3, 7, 12, 13, 20}) {
    Matrix S = random_matrix(m, m, 40 + m);
    for (int i = 0; i < m; ++i) S[i][m - 1 - i] += 2.0 * m;
    const Matrix expected = random_matrix(4, m, 300 + m);
    Eigen::MatrixXd given(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) given(i, j) = S[i][j];
    RankRevealing solver;
    solver.fit(m);
    solver.factor(given);
    expect(solver.full(), "S has full rank");
    const std::string size = " of size " + std::to_string(m);
    Matrix b;
    for (const auto& x : expected) b.push_back(times(S, x));
    std::vector<Lane4> lanes(2 * static_cast<std::size_t>(m));
    for (int i = 0; i < m; ++i) lanes[2 * i] = Lane4{b[0][i], b[1][i], b[2][i], b[3][i]};
    solver.solve(lanes.data(), 2);
    for (int lane = 0; lane < 4; ++lane) {
      std::vector<double> x(m);
      for (int i = 0; i < m; ++i) x[i] = lanes[2 * i][lane];
      near(distance(x, expected[lane]), 0.0, 1e-12, "column" + size);
    }
    const std::vector<double> right = times(transposed(S), expected[0]);
    Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(right.data(), m);
    solver.solve_transposed(x);
    near(distance({x.data(), x.data() + m}, expected[0]), 0.0, 1e-12, "transposed" + size);
  }
}
