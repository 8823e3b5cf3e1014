#include <Eigen/QR>
#include <Eigen/SVD>

#include "bough/solvers/dense.hpp"

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

Eigen::MatrixXd PseudoInverse::of(const Eigen::MatrixXd& A) const {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(factors_->threshold);
  cod.compute(A);
  return cod.pseudoInverse();
}

SingularVectors left_singular_vectors(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU);
  return {svd.matrixU(), svd.singularValues()};
}

}  // namespace bough
