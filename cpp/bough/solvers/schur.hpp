// Constraint rows on top of any solver for K:
//
//   [K, -Dh0^T; Dh1, 0] [x; y] = [r; g]:    Z = K^-1 Dh0^T,  S = Dh1 Z,  S y = g - Dh1 K^-1 r,  x = K^-1 r + Z y    (H1)
//   [K^T, Dh1^T; -Dh0, 0] [x; y] = [r; g]:  S^T y = g + Z^T r,  x = K^-T (r - Dh1^T y)                              (H2)
//
// Rank may be lost: y of (H1) is then the least one, and (H2) the transpose of that map.
#pragma once

#include <numeric>
#include <vector>

#include "bough/solvers/rank_revealing.hpp"

namespace bough {

// Rows over n variables, of which the first n_dynamic count.
struct Jacobians {
  int rows, n, n_dynamic;
  const double *Dh0, *Dh1;
};

class Schur {
 public:
  void resize(int rows, int n_dynamic) {
    Z_.resize(static_cast<std::size_t>(rows) * n_dynamic);
    S_.resize(rows, rows);
    y_.resize(rows);
    if (rows > 0) solver_.fit(rows);
  }

  // With solve(x): x = K^-1 x over dynamic variables.
  template <class Solve>
  void factor(const Jacobians& D, Solve&& solve) {
    for (int r = 0; r < D.rows; ++r) {
      double* z = Z_.data() + static_cast<std::size_t>(r) * D.n_dynamic;
      std::copy_n(D.Dh0 + static_cast<std::size_t>(r) * D.n, D.n_dynamic, z);
      solve(z);
    }
  }

  // S for the rows Dh1 as they are.
  void set_rows(const Jacobians& D) {
    if (D.rows == 0) return;
    const int nd = D.n_dynamic;
    for (int r = 0; r < D.rows; ++r) {
      const double* row = D.Dh1 + static_cast<std::size_t>(r) * D.n;
      for (int c = 0; c < D.rows; ++c) S_(r, c) = std::inner_product(row, row + nd, Z(c, nd), 0.0);
    }
    solver_.factor(S_);
  }

  // x is K^-1 r on entry, y is g.
  void solve(const Jacobians& D, double* x, double* y) {
    if (D.rows == 0) return;
    const int nd = D.n_dynamic;
    for (int r = 0; r < D.rows; ++r) {
      const double* row = D.Dh1 + static_cast<std::size_t>(r) * D.n;
      y_[r] = y[r] - std::inner_product(row, row + nd, x, 0.0);
    }
    solver_.solve(y_);
    for (int r = 0; r < D.rows; ++r) {
      y[r] = y_[r];
      for (int i = 0; i < nd; ++i) x[i] += Z(r, nd)[i] * y_[r];
    }
  }

  // (H2) but for K^-T: x is r on entry and r - Dh1^T y on return, y is g.
  void solve_transposed(const Jacobians& D, double* x, double* y) {
    if (D.rows == 0) return;
    const int nd = D.n_dynamic;
    for (int r = 0; r < D.rows; ++r) y_[r] = y[r] + std::inner_product(x, x + nd, Z(r, nd), 0.0);
    solver_.solve_transposed(y_);
    for (int r = 0; r < D.rows; ++r) {
      y[r] = y_[r];
      const double* row = D.Dh1 + static_cast<std::size_t>(r) * D.n;
      for (int i = 0; i < nd; ++i) x[i] -= row[i] * y_[r];
    }
  }

 private:
  const double* Z(int row, int n_dynamic) const { return Z_.data() + static_cast<std::size_t>(row) * n_dynamic; }

  std::vector<double> Z_;
  Eigen::MatrixXd S_;
  Eigen::VectorXd y_;
  RankRevealing solver_;
};

}  // namespace bough
