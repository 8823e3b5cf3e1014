#include "bough/solvers/stagewise_newton.hpp"

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace bough {
namespace {

using Matrix = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const RowMatrix>;
using Out = Eigen::Map<RowMatrix>;

}  // namespace

int stagewise_newton(const StagewiseProblem& problem, double* x, double* u) {
  const std::ptrdiff_t K = problem.count, nx = problem.nx, nu = problem.nu, nz = nx + nu, m = problem.columns;
  std::vector<double> gains(K * nu * nx), offsets(K * nu * m);
  Matrix P = In(problem.S, nx, nx), s = In(problem.c, nx, m), Q(nz, nz), q(nz, m), PJ(nx, nz);
  Eigen::LLT<Matrix> factor(nu);
  for (std::ptrdiff_t k = K - 1; k >= 0; --k) {
    const In J(problem.J + k * nx * nz, nx, nz);
    PJ.noalias() = P * J;
    Q = In(problem.H + k * nz * nz, nz, nz);  // (CN1)
    Q.noalias() += J.transpose() * PJ;
    Q.diagonal().tail(nu).array() += problem.shift;
    q.noalias() = J.transpose() * s;
    q.col(0) += Eigen::Map<const Eigen::VectorXd>(problem.b + k * nz, nz);
    factor.compute(Q.bottomRightCorner(nu, nu));
    if (factor.info() != Eigen::Success) return static_cast<int>(k);
    Out G(gains.data() + k * nu * nx, nu, nx), w(offsets.data() + k * nu * m, nu, m);  // (CN2)
    G = factor.solve(Q.bottomLeftCorner(nu, nx));
    w = factor.solve(q.bottomRows(nu));
    P = Q.topLeftCorner(nx, nx);
    P.noalias() -= Q.topRightCorner(nx, nu) * G;
    P = (0.5 * (P + P.transpose())).eval();
    s = q.topRows(nx);
    s.noalias() -= Q.topRightCorner(nx, nu) * w;
  }
  Out(x, nx, m).setZero();
  Matrix z(nz, m);
  for (std::ptrdiff_t k = 0; k < K; ++k) {  // (CN3)
    const In J(problem.J + k * nx * nz, nx, nz), G(gains.data() + k * nu * nx, nu, nx),
        w(offsets.data() + k * nu * m, nu, m);
    z.topRows(nx) = Out(x + k * nx * m, nx, m);
    z.bottomRows(nu) = -w;
    z.bottomRows(nu).noalias() -= G * z.topRows(nx);
    Out(u + k * nu * m, nu, m) = z.bottomRows(nu);
    Out(x + (k + 1) * nx * m, nx, m).noalias() = J * z;
  }
  return -1;
}

}  // namespace bough
