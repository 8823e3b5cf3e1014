// Kinetic energy of a free-floating tree ([K] eq. 1, 2): locked inertia I, connection A, shape metric m and its rest S.
//
//   M = [I, N; N^T, m],  A = I^-1 N,  S = m - A^T I A                                                              (B7)
//   T = w^T I w / 2 + r'^T S r' / 2,   w = xi + A r'
//
// Derivatives by the shape, with K_j = dN_j - dI_j A:
//   dA_j = I^-1 K_j                                                                                                (B8)
//   dS_j = dm_j - dN_j^T A - A^T K_j                                                                               (B9)
//   ddA_jl = I^-1 (ddN_jl - ddI_jl A - dI_j dA_l - dI_l dA_j)                                                      (B10)
//   ddS_jl = ddm_jl - ddN_jl^T A - A^T ddN_jl + A^T ddI_jl A - K_j^T dA_l - K_l^T dA_j                             (B11)
#pragma once

#include "bough/dynamics/reduced_metric.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {

// I = L L^T, singular if a pivot is round-off beside the diagonal entry it is left of.
class LockedInertia {
 public:
  bool factor(const Eigen::MatrixXd& M);
  Cholesky6::Vector solve(const Cholesky6::Vector& x) const { return llt_.solve(x); }
  // The first six rows of x, by columns: a solve of all at once would allocate. Without a base there are none.
  template <class X>
  void solve_in_place(X& x) const {
    if (x.rows() < 6) return;
    for (Eigen::Index k = 0; k < x.cols(); ++k)
      x.col(k).template head<6>() = solve(Cholesky6::Vector(x.col(k).template head<6>()));
  }

 private:
  Cholesky6 llt_;
};

// Outputs, row-major, for order 0, 1 and 2; those of a higher order than asked for are null.
struct ReducedTensors {
  double *I, *m, *A, *S;              // (6, 6), (nr, nr), (6, nr), (nr, nr)
  double *I_dr, *m_dr, *A_dr, *S_dr;  // (nr, ...): derivative by r_j first
  double *I_drdr, *m_drdr, *A_drdr, *S_drdr;
};

// (B7)-(B11) at the shape r, up to the order given. False if I is singular.
bool reduced_tensors(const ReducedLayout& layout, ReducedMetric& metric, const double* r, int order,
                     const ReducedTensors& out);

}  // namespace bough
