// Dense factors, each instantiated once: a file that names the templates of Eigen for them costs the compiler seconds.
// No call allocates after resize() but those of PseudoInverse and of left_singular_vectors.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <memory>

#include "bough/solvers/products.hpp"

namespace bough {

// P A = L U with partial pivoting.
class DenseLu {
 public:
  struct Pivots {
    double least, largest;  // by their size
  };

  explicit DenseLu(int n = 0) { resize(n); }
  void resize(int n);
  void factor(const Eigen::Ref<const Eigen::MatrixXd>& A);
  // Of a matrix that is not empty.
  Pivots pivots() const;
  // x of A x = b.
  void solve(const Eigen::VectorXd& b, double* x) const;
  // x of A^T x = b; b is overwritten.
  void solve_transposed(Eigen::VectorXd& b, double* x) const;
  // All columns.
  void solve_in_place(Eigen::MatrixXd& X) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

// A = L L^T.
class DenseCholesky {
 public:
  explicit DenseCholesky(int n = 0) { resize(n); }
  void resize(int n);
  // False if A is not positive definite.
  bool factor(const Eigen::Ref<const Eigen::MatrixXd>& A);
  double pivot(int i) const { return llt_.matrixLLT()(i, i); }
  void solve_in_place(Eigen::VectorXd& x) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

// The same for six rows and columns.
class Lu6 {
 public:
  using Matrix = Eigen::Matrix<double, 6, 6>;
  using Vector = Eigen::Matrix<double, 6, 1>;
  void factor(const Matrix& A);
  Vector solve(const Vector& b) const;
  Vector solve_transposed(const Vector& b) const;

 private:
  Eigen::PartialPivLU<Matrix> lu_;
};

class Cholesky6 {
 public:
  using Matrix = Eigen::Matrix<double, 6, 6>;
  using Vector = Eigen::Matrix<double, 6, 1>;
  // False if A is not positive definite.
  bool factor(const Matrix& A);
  double pivot(int i) const { return llt_.matrixLLT()(i, i); }
  Vector solve(const Vector& b) const;
  Matrix solve(const Matrix& B) const;

 private:
  Eigen::LLT<Matrix> llt_;
};

// The least x of least |A x - b|.
Eigen::Matrix<double, 6, 1> least_squares(const Eigen::Matrix<double, 6, 6>& A, const Eigen::Matrix<double, 6, 1>& b);

// Rank and pseudo-inverse by orthogonal factors with pivoting; pivots below `threshold` of the largest one count as zero.
class PseudoInverse {
 public:
  explicit PseudoInverse(double threshold);
  ~PseudoInverse();
  int rank(const Eigen::MatrixXd& A);
  Eigen::MatrixXd of(const Eigen::MatrixXd& A) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// The left singular vectors of A in columns, and the singular values, the largest first.
struct SingularVectors {
  Eigen::MatrixXd U;
  Eigen::VectorXd sizes;
};
SingularVectors left_singular_vectors(const Eigen::MatrixXd& A);

}  // namespace bough
