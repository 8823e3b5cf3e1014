#include "bough/solvers/dense.hpp"

namespace bough {

void DenseLu::resize(int n) { lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n); }

void DenseLu::factor(const Eigen::Ref<const Eigen::MatrixXd>& A) { lu_.compute(A); }

DenseLu::Pivots DenseLu::pivots() const {
  const auto sizes = lu_.matrixLU().diagonal().cwiseAbs();
  return {sizes.minCoeff(), sizes.maxCoeff()};
}

void DenseLu::solve(const Eigen::VectorXd& b, double* x) const {
  Eigen::Map<Eigen::VectorXd>(x, b.size()) = lu_.solve(b);
}

// By the triangles: the transposed solve of Eigen allocates.
void DenseLu::solve_transposed(Eigen::VectorXd& b, double* x) const {
  lu_.matrixLU().transpose().triangularView<Eigen::Lower>().solveInPlace(b);
  lu_.matrixLU().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(b);
  Eigen::Map<Eigen::VectorXd>(x, b.size()) = lu_.permutationP().transpose() * b;
}

void DenseLu::solve_in_place(Eigen::MatrixXd& X) const {
  lu_.permutationP().applyThisOnTheLeft(X);
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(X);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(X);
}

void DenseCholesky::resize(int n) { llt_.compute(Eigen::MatrixXd::Identity(n, n)); }

bool DenseCholesky::factor(const Eigen::Ref<const Eigen::MatrixXd>& A) {
  llt_.compute(A);
  return llt_.info() == Eigen::Success;
}

void DenseCholesky::solve_in_place(Eigen::VectorXd& x) const { llt_.solveInPlace(x); }

void Lu6::factor(const Matrix& A) { lu_.compute(A); }
Lu6::Vector Lu6::solve(const Vector& b) const { return lu_.solve(b); }
Lu6::Vector Lu6::solve_transposed(const Vector& b) const { return lu_.transpose().solve(b); }

bool Cholesky6::factor(const Matrix& A) {
  llt_.compute(A);
  return llt_.info() == Eigen::Success;
}
Cholesky6::Vector Cholesky6::solve(const Vector& b) const { return llt_.solve(b); }
Cholesky6::Matrix Cholesky6::solve(const Matrix& B) const { return llt_.solve(B); }

}  // namespace bough
