// Solves S x = b for a small square S that may be singular: least squares, least norm. No call allocates after fit().
//
// Rows and columns are scaled to a unit diagonal, S' = D S D. A well-conditioned S' takes a pivoted LU, a flat one if it is
// small. Otherwise
//
//   S' P = Q [R11 R12; 0 0]            Householder with column pivoting; what is zero to round-off is dropped, nothing
//                                      more, so that a motion may pass through a configuration where rank is lost  (R1)
//   z = P [R11^-1 Q1^T D b; 0],  N = D P [-R11^-1 R12; 1]                                                          (R2)
//   x = D z - N y,  y = argmin |D z - N y|                                                                         (R3)
//
// That is a linear map x = A b; solve_transposed is A^T, which solves S^T x = b for every b that S^T can reach.
#pragma once

#include <vector>

#include "bough/solvers/dense.hpp"
#include "bough/solvers/flat_lu.hpp"
#include "bough/spatial/lane4.hpp"

namespace bough {

class RankRevealing {
 public:
  // Up to `most_flat` rows the LU is a flat one.
  void fit(int m, int most_flat = 12);
  // taken_singular: (R1) comes first, and an LU only if that finds no rows that depend on each other.
  void factor(const Eigen::MatrixXd& S, bool taken_singular = false);
  void solve(Eigen::VectorXd& x);
  void solve_transposed(Eigen::VectorXd& x);
  // Four right-hand sides, one in each lane, if S is full(): rows are `stride` apart.
  void solve(Lane4* x, int stride);
  bool full() const { return full_; }
  // Drops of a singular S what is below a part of the largest diagonal of R, larger than round-off: rows that depend on each other but
  // for errors of their own. False if that drops nothing.
  bool truncate(double part);
  // (R3): takes from x what lies along N, nothing if S is full(). What is left of x is in the range of Sᵀ.
  void project(Eigen::VectorXd& x);

 private:
  void factor_regular(const Eigen::MatrixXd& S);
  void factor_singular(const Eigen::MatrixXd& S);
  template <int registers>
  void reflect(int k, int first);
  void set_null_space();
  void solve_upper();
  template <class To>
  void set_scaled(const Eigen::MatrixXd& S, To& to) const;
  double& R(int i, int column) { return rows_[static_cast<std::size_t>(i) * width_ + column]; }
  double U(int i, int j) const { return rows_[static_cast<std::size_t>(i) * width_ + order_[j]]; }  // R P

  bool full_ = true, flat_ = true;  // flat_: S is small
  int rank_ = 0, width_ = 0;
  Eigen::VectorXd scale_, rhs_, tau_;
  Eigen::MatrixXd scaled_, V_, N_, G_, four_;  // V_: Householder vectors below the diagonal; G_: N made orthonormal
  // R by rows, as long as registers are, its columns where those of S' are; their squares below the rows of R that there are, and
  // whether they are left, 1 or 0.
  std::vector<double> rows_, squares_, left_;
  std::vector<int> order_;
  FlatLu small_;
  DenseLu lu_;
};

}  // namespace bough
