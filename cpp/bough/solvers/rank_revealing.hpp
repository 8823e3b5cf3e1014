// Solves S x = b for a small square S that may be singular: least squares, least norm.
//
// Rows and columns are scaled to a unit diagonal first. A well-conditioned S takes a pivoted LU; otherwise a complete
// orthogonal decomposition drops what is zero to round-off and nothing more, so that a motion may pass through a
// configuration where rank is lost.
#pragma once

#include <Eigen/LU>
#include <Eigen/QR>

namespace bough {

class RankRevealing {
 public:
  void fit(int m);
  void factor(const Eigen::MatrixXd& S);
  void solve(Eigen::VectorXd& x);
  int rank() const { return full_ ? static_cast<int>(scale_.size()) : static_cast<int>(cod_.rank()); }

 private:
  bool full_ = true;
  Eigen::VectorXd scale_, rhs_;
  Eigen::MatrixXd scaled_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod_;
};

}  // namespace bough
