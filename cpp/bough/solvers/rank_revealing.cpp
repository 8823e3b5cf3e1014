#include "bough/solvers/rank_revealing.hpp"

#include <cmath>

namespace bough {
namespace {

constexpr double well_conditioned = 1e-8;  // smallest pivot, relative, for the plain LU
constexpr double round_off = 1e-13;        // what counts as zero

}  // namespace

void RankRevealing::fit(int m) {
  scale_.resize(m);
  rhs_.resize(m);
  scaled_.resize(m, m);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(m);
  cod_ = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(m, m);
  cod_.setThreshold(round_off);
}

void RankRevealing::factor(const Eigen::MatrixXd& S) {
  const double largest = S.diagonal().cwiseAbs().maxCoeff();
  for (int i = 0; i < scale_.size(); ++i) {
    const double d = std::abs(S(i, i));
    scale_[i] = d > 1e-14 * largest ? 1.0 / std::sqrt(d) : (largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0);
  }
  scaled_ = scale_.asDiagonal() * S * scale_.asDiagonal();
  lu_.compute(scaled_);
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  full_ = pivots.minCoeff() > well_conditioned * pivots.maxCoeff();
  if (!full_) cod_.compute(scaled_);
}

void RankRevealing::solve(Eigen::VectorXd& x) {
  rhs_ = scale_.cwiseProduct(x);
  if (full_)
    x = lu_.solve(rhs_);
  else
    x = cod_.solve(rhs_);
  x = scale_.cwiseProduct(x);
}

}  // namespace bough
