#include "bough/control/rollout.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "bough/integrators/step_derivatives.hpp"

namespace bough {

Rollout::Rollout(const Model& model, int method, double alpha, const StepSettings& settings)
    : model_(model),
      nq_(model.n_variables),
      nd_(model.n_dynamic),
      nu_(model.elements.n_inputs),
      stepper_(model, make_rule(model, method, alpha), settings),
      space_(model),
      v_(model.n_variables),
      k1_(model.n_variables - model.n_dynamic) {
  stepper_.remember(fresh_);
}

Rollout::Ended Rollout::run(const About& about, const Motion& motion) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const int nx = states(), nc = controls(), m = model_.elements.n_constraints;
  stepper_.recall(fresh_);
  std::fill(v_.begin(), v_.end(), 0.0);
  const double *q = motion.x, *p = motion.x + nq_;
  if (velocity_from_momentum(model_, workspace(model_), space_, q, p, about.t0, v_.data()) >= 0)
    return {StepStatus::singular, 0};
  stepper_.start(about.t0, q, p, v_.data());
  Eigen::VectorXd dx(nx);
  for (std::ptrdiff_t k = 0; k < about.count; ++k) {
    Eigen::Map<Eigen::VectorXd> c(motion.c + k * nc, nc);
    c = Vector(about.c + k * nc, nc);
    if (about.d) c += about.length * Vector(about.d + k * nc, nc);
    if (about.G) {  // (OR1)
      dx = Vector(motion.x + k * nx, nx) - Vector(about.x + k * nx, nx);
      c.noalias() -= Eigen::Map<const RowMatrix>(about.G + k * nc * nx, nc, nx).lazyProduct(dx);
    }
    if (!c.allFinite()) return {StepStatus::not_finite, static_cast<int>(k)};
    for (std::size_t i = 0; i < k1_.size(); ++i) k1_[i] = motion.x[k * nx + nd_ + i] + c[nu_ + i];
    if (const StepStatus status = stepper_.step(about.dt, k1_.data(), c.data()); status != StepStatus::fine)
      return {status, static_cast<int>(k)};
    double* x1 = motion.x + (k + 1) * nx;
    const auto& state = stepper_.state;
    std::copy(state.q.begin(), state.q.end(), x1);
    for (int i = 0; i < nd_; ++i) x1[nq_ + i] = state.p[i] - state.shift[i];
    std::copy_n(state.lam.data(), m, motion.lam + k * m);
  }
  return {};
}

}  // namespace bough
