#include "bough/control/stage.hpp"

#include "bough/control/step_derivatives.hpp"

namespace bough {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Vec6 body_momentum(const Steps& steps, const Pose& g) {
  if (steps.mu == nullptr) return Vec6::Zero();
  return vector(to_frame(g, {Vec3(steps.mu), Vec3(steps.mu + 3)}));
}

}  // namespace

bool has_free_base(const Model& model) {
  const ReducedLayout layout = reduced_layout(model);
  if (layout.base != 0 || model.joints[0].subtree_end != model.n()) return false;
  if (model.joints[0].rotated || model.joints[0].offset) return false;
  for (int k = 0; k < base_variables; ++k)
    if (model.joints[k].variable != k) return false;
  return true;
}

int reconstruct(const Steps& steps, double* g, const double* r, double* D1, double* D2) {
  const int n = steps.n();
  const ReducedLayout layout = reduced_layout(steps.model);
  ReducedNode nodes[2] = {{steps.model, layout}, {steps.model, layout}};
  DrivenStep step(layout);
  if (!nodes[0].set_shape(r)) return 1;
  for (int k = 0; k < steps.count; ++k) {
    ReducedNode &start = nodes[k % 2], &end = nodes[(k + 1) % 2];
    if (!end.set_shape(r + (k + 1) * n)) return k + 1;
    const Pose at = Pose::from_matrix(g + 16 * k);
    if (!step.evaluate(steps, start, end, steps.rates + k * n, body_momentum(steps, at))) return -(k + 1);
    (at * step.move).store(g + 16 * (k + 1));
    std::copy_n(step.D1.data(), n, D1 + k * n);
    std::copy_n(step.D2.data(), n, D2 + k * n);
  }
  return 0;
}

void differentiate(const Steps& steps, const double* g, const double* r, const double* gamma, const double* direct,
                   double* J, double* F, double* H, double* costate, double* gradient) {
  constexpr int nb = base_variables;
  const int n = steps.n(), nx = steps.state(), nz = steps.stage();
  const double per_force = -2.0 / steps.dt;  // f = -2 (p + D1)/dt
  const ReducedLayout layout = reduced_layout(steps.model);
  ReducedNode nodes[2] = {{steps.model, layout}, {steps.model, layout}};
  DrivenStep step(layout);
  StepDerivatives by(steps.model, layout);
  Eigen::VectorXd total(nz);
  nodes[steps.count % 2].set_shape(r + static_cast<std::size_t>(steps.count) * n);
  for (std::ptrdiff_t k = steps.count - 1; k >= 0; --k) {
    ReducedNode &start = nodes[k % 2], &end = nodes[(k + 1) % 2];
    const double *rates = steps.rates + k * n, *lambda = costate + (k + 1) * nx;
    start.set_shape(r + k * n);
    const Vec6 momentum = body_momentum(steps, Pose::from_matrix(g + 16 * k));
    step.evaluate(steps, start, end, rates, momentum);
    by.weights.lambda = lambda;
    if (steps.dynamic) {
      const Eigen::Map<const Eigen::VectorXd> lambda_p(lambda + nb + n, n), of_force(gamma + k * n, n);
      by.weights.w1 = per_force * of_force - lambda_p;
      by.weights.w2 = lambda_p;
    }
    by.evaluate(steps, step, start, end, rates, momentum);

    Eigen::Map<RowMatrix> Jk(J + k * nx * nz, nx, nz), Fk(F + k * n * nz, n, nz), Hk(H + k * nz * nz, nz, nz);
    Jk.setZero();
    Fk.setZero();
    Hk.setZero();
    const int y = nb + n;  // delta and r come first in z, r' last
    Jk.topLeftCorner(nb, y) = by.arrived.leftCols(y);
    Jk.topRightCorner(nb, n) = by.arrived.rightCols(n);
    Jk.block(nb, nb, n, n).setIdentity();  // r1 = r + dt r'
    Jk.block(nb, nb + 2 * n, n, n).diagonal().setConstant(steps.dt);
    Jk.block(y, 0, n, y) = by.D2.leftCols(y) - by.D1.leftCols(y);  // p' = D2 - D1 - p
    Jk.block(y, y, n, n).diagonal().setConstant(-1.0);
    Jk.block(y, nb + 2 * n, n, n) = by.D2.rightCols(n) - by.D1.rightCols(n);
    Fk.leftCols(y) = per_force * by.D1.leftCols(y);
    Fk.middleCols(y, n).diagonal().setConstant(per_force);
    Fk.rightCols(n) = per_force * by.D1.rightCols(n);
    Hk.topLeftCorner(y, y) = by.hessian.topLeftCorner(y, y);
    Hk.topRightCorner(y, n) = by.hessian.topRightCorner(y, n);
    Hk.bottomLeftCorner(n, y) = by.hessian.bottomLeftCorner(n, y);
    Hk.bottomRightCorner(n, n) = by.hessian.bottomRightCorner(n, n);

    total = Eigen::Map<const Eigen::VectorXd>(direct + k * nz, nz);
    total.noalias() += Fk.transpose().lazyProduct(Eigen::Map<const Eigen::VectorXd>(gamma + k * n, n));
    total.noalias() += Jk.transpose().lazyProduct(Eigen::Map<const Eigen::VectorXd>(lambda, nx));
    std::copy_n(total.data(), nx, costate + k * nx);
    std::copy_n(total.data() + nx, n, gradient + k * n);
  }
}

}  // namespace bough
