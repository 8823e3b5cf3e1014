#include "bough/control/rollout.hpp"

#include <algorithm>
#include <cmath>

#include "bough/integrators/step_derivatives.hpp"
#include "bough/solvers/products.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

// The move (variables, then momenta) from a state of the user to another, of a model with balls.
void set_difference(const Model& model, const double* from, const double* to, double* dx) {
  for (int i = 0; i < model.n_variables; ++i)
    if (const int at = model.place[i]; at >= 0) dx[i] = to[at] - from[at];
  for (const Ball& ball : model.balls) {
    const Ball in_user{0, 0, ball.place, 0};
    const Mat3 before = rotation(quaternion_of(in_user, from)), after = rotation(quaternion_of(in_user, to));
    set_ball_vector(ball, dx, rotation_vector(transpose(before) * after));
  }
  const int nq = model.n_coordinates();
  for (int i = 0; i < model.n_dynamic; ++i) dx[model.n_variables + i] = to[nq + i] - from[nq + i];
}

}  // namespace

Rollout::Rollout(const Model& model, int method, double alpha, const StepSettings& settings)
    : model_(model),
      nq_(model.n_variables),
      nd_(model.n_dynamic),
      nu_(model.elements.n_inputs),
      stepper_(model, make_rule(model, method, alpha), settings),
      space_(model),
      q_(model.width()),
      v_(model.n_variables),
      k1_(model.n_variables - model.n_dynamic) {
  stepper_.remember(fresh_);
}

Rollout::Ended Rollout::run(const About& about, const Motion& motion) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const int nx = numbers(), moved = moves(), nc = controls(), m = model_.elements.n_constraints;
  const int k_at = model_.n_coordinates() - nq_ + nd_;  // of the kinematic variables in x
  stepper_.recall(fresh_);
  std::fill(v_.begin(), v_.end(), 0.0);
  const double *q = q_.data(), *p = motion.x + model_.n_coordinates();
  if (model_.balls.empty())
    std::copy_n(motion.x, nq_, q_.begin());
  else
    to_core(model_, motion.x, q_.data());
  if (velocity_from_momentum(model_, workspace(model_), space_, q, p, about.t0, v_.data()) >= 0)
    return {StepStatus::singular, 0};
  stepper_.start(about.t0, q, p, v_.data());
  Eigen::VectorXd dx(moved);
  for (std::ptrdiff_t k = 0; k < about.count; ++k) {
    Eigen::Map<Eigen::VectorXd> c(motion.c + k * nc, nc);
    c = Vector(about.c + k * nc, nc);
    if (about.d) c += about.length * Vector(about.d + k * nc, nc);
    if (about.G) {  // (OR1)
      const double *now = motion.x + k * nx, *then = about.x + k * nx;
      if (model_.balls.empty())
        dx = Vector(now, nx) - Vector(then, nx);
      else
        set_difference(model_, then, now, dx.data());
      c.noalias() -= Eigen::Map<const RowMatrix>(about.G + k * nc * moved, nc, moved).lazyProduct(dx);
    }
    if (!c.allFinite()) return {StepStatus::not_finite, static_cast<int>(k)};
    for (std::size_t i = 0; i < k1_.size(); ++i) k1_[i] = motion.x[k * nx + k_at + i] + c[nu_ + i];
    if (const StepStatus status = stepper_.step(about.dt, k1_.data(), c.data()); status != StepStatus::fine)
      return {status, static_cast<int>(k)};
    stepper_.state.write(motion.x + (k + 1) * nx);
    std::copy_n(stepper_.state.lam.data(), m, motion.lam + k * m);
  }
  return {};
}

}  // namespace bough
