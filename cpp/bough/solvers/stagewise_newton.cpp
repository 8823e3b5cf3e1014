#include "bough/solvers/stagewise_newton.hpp"

#include <vector>

#include <Eigen/Cholesky>

#include "bough/solvers/products.hpp"

namespace bough {
namespace {

using Matrix = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const RowMatrix>;
using Out = Eigen::Map<RowMatrix>;

}  // namespace

int stagewise_backward(const StagewiseProblem& problem, const StagewiseGains& gains) {
  const std::ptrdiff_t K = problem.count, nx = problem.nx, nu = problem.nu, nz = nx + nu, m = problem.columns;
  // All by rows, as they are given.
  RowMatrix P = In(problem.S, nx, nx), Q(nz, nz), PJ(nx, nz), GQ(nx, nu);
  Matrix s = In(problem.c, nx, m), q(nz, m), G(nu, nx);
  Eigen::LLT<Matrix> factor(nu);
  for (std::ptrdiff_t k = K - 1; k >= 0; --k) {
    const In J(problem.J + k * nx * nz, nx, nz);
    Q = In(problem.H + k * nz * nz, nz, nz);
    PJ.noalias() = P * J;  // (CN1), its lower half
    Q.triangularView<Eigen::Lower>() += J.transpose() * PJ;
    Q.diagonal().tail(nu).array() += problem.shift;
    q.noalias() = J.transpose() * s;
    q.col(0) += Eigen::Map<const Eigen::VectorXd>(problem.b + k * nz, nz);
    factor.compute(Q.bottomRightCorner(nu, nu));
    if (factor.info() != Eigen::Success) return static_cast<int>(k);
    Out w(gains.w + k * nu * m, nu, m);  // (CN2)
    const auto Qux = Q.bottomLeftCorner(nu, nx);
    G = factor.solve(Qux);
    w = factor.solve(q.bottomRows(nu));
    Out(gains.G + k * nu * nx, nu, nx) = G;
    P = Q.topLeftCorner(nx, nx);
    GQ = Qux.transpose();
    P.triangularView<Eigen::Lower>() -= GQ * G;
    P.triangularView<Eigen::StrictlyUpper>() = P.transpose();
    s = q.topRows(nx);
    s.noalias() -= Qux.transpose() * w;
  }
  if (gains.P) Out(gains.P, nx, nx) = P;
  if (gains.s) Out(gains.s, nx, m) = s;
  return -1;
}

void stagewise_forward(const StagewiseProblem& problem, const StagewiseGains& gains, double* x, double* u) {
  const std::ptrdiff_t K = problem.count, nx = problem.nx, nu = problem.nu, nz = nx + nu, m = problem.columns;
  Matrix z(nz, m);
  for (std::ptrdiff_t k = 0; k < K; ++k) {  // (CN3)
    const In J(problem.J + k * nx * nz, nx, nz), G(gains.G + k * nu * nx, nu, nx), w(gains.w + k * nu * m, nu, m);
    z.topRows(nx) = Out(x + k * nx * m, nx, m);
    z.bottomRows(nu) = -w;
    z.bottomRows(nu).noalias() -= G * z.topRows(nx);
    Out(u + k * nu * m, nu, m) = z.bottomRows(nu);
    Out(x + (k + 1) * nx * m, nx, m).noalias() = J * z;
  }
}

}  // namespace bough
