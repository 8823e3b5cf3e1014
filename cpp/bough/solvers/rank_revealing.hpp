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
  void factor(const Eigen::MatrixXd& S);
  void solve(Eigen::VectorXd& x);
  void solve_transposed(Eigen::VectorXd& x);
  // Four right-hand sides, one in each lane, if S is full(): rows are `stride` apart.
  void solve(Lane4* x, int stride);
  bool full() const { return full_; }
  // Drops of a singular S what is below a part of the largest diagonal of R, larger than round-off: rows that depend on each other but
  // for errors of their own. False if that drops nothing.
  bool truncate(double part);

 private:
  void factor_singular();
  void set_null_space();
  void project(Eigen::VectorXd& x);

  bool full_ = true, flat_ = true;  // flat_: S is small
  int rank_ = 0;
  Eigen::VectorXd scale_, rhs_, tau_, norms_;
  Eigen::MatrixXd scaled_, R_, N_, G_, four_;  // R_: R above the diagonal, Householder vectors below
  std::vector<int> order_;
  FlatLu small_;
  DenseLu lu_;
};

}  // namespace bough
