#include <Eigen/QR>
#include <Eigen/SVD>

#include "bough/solvers/dense.hpp"
#include "bough/solvers/products.hpp"

namespace bough {

struct PseudoInverse::Factors {
  double threshold = 0.0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
};

PseudoInverse::PseudoInverse(double threshold) : factors_(std::make_unique<Factors>()) {
  factors_->threshold = threshold;
  factors_->qr.setThreshold(threshold);
}

PseudoInverse::~PseudoInverse() = default;

int PseudoInverse::rank(const Eigen::MatrixXd& A) { return static_cast<int>(factors_->qr.compute(A).rank()); }

namespace {

Eigen::MatrixXd solved(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  if (threshold > 0.0) cod.setThreshold(threshold);
  cod.compute(A);
  return cod.solve(B);
}

}  // namespace

Eigen::MatrixXd PseudoInverse::of(const Eigen::MatrixXd& A) const {
  return solved(A, Eigen::MatrixXd::Identity(A.rows(), A.rows()), factors_->threshold);
}

SingularVectors left_singular_vectors(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU);
  return {svd.matrixU(), svd.singularValues()};
}

Eigen::Matrix<double, 6, 1> least_squares(const Eigen::Matrix<double, 6, 6>& A, const Eigen::Matrix<double, 6, 1>& b) {
  return solved(A, b, 0.0);
}

}  // namespace bough
