// A whole step: one of the rule, or five that make one of fourth order.
#include <algorithm>
#include <cmath>

#include "bough/dynamics/energy.hpp"
#include "bough/integrators/stepper.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double held = 0.8;  // of what inertia holds, by damping in a part that goes back in time: (S5) is 1

}  // namespace

// (S5), for the step that was accepted last.
bool Stepper::fed_back(const double* u) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  if (f_v_.empty()) return false;
  const double* before = state.history.row(1);
  const double dt = state.history.age_of(1);
  double *q = guess_.data(), *v = line_.data();  // free between two solves
  for (int i = 0; i < n; ++i) {
    q[i] = 0.5 * (before[i] + state.q[i]);
    v[i] = (state.q[i] - before[i]) / dt;
  }
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q, v);
  std::fill(f_v_.begin(), f_v_.end(), 0.0);
  add_forces_dv({model_, ws.state, q, v, u, state.t - 0.5 * dt}, 0.5 * dt, f_v_.data());
  double fed = 0.0;
  for (int i = 0; i < nd; ++i)
    for (int j = 0; j < nd; ++j) fed += v[i] * f_v_[i * n + j] * v[j];
  return fed > held * 2.0 * kinetic_energy(model_, ws, q, v);
}

// (S3); the kinematic variables are interpolated. The force at the node is that of the first part: the last part of the step
// before is as long, so that it stands for equal times on both sides.
StepStatus Stepper::compose(double dt, const double* k1, const double* u) {
  static const double b = 1.0 / (4.0 - std::cbrt(4.0));
  const int nd = model_.n_dynamic, nk = model_.n_variables - nd;
  const double t = state.t;
  double at = 0.0;
  std::copy_n(state.q.begin() + nd, nk, k0_.begin());
  for (const double part : {b, b, 1.0 - 4.0 * b, b, b}) {
    const bool first = at == 0.0;
    at += part;
    for (int i = 0; i < nk; ++i) k_[i] = k0_[i] + at * (k1[i] - k0_[i]);
    const StepStatus status = advance(part * dt, k_.data(), u);
    if (status != StepStatus::fine) return status;
    if (part < 0.0 && fed_back(u)) return StepStatus::fed_back;
    if (first) node_lam_ = state.lam;
  }
  state.lam = node_lam_;
  std::copy_n(k1, nk, state.q.begin() + nd);
  state.t = t + dt;
  return StepStatus::fine;
}

StepStatus Stepper::step(double dt, const double* k1, const double* u) {
  if (settings_.order == 2) return advance(dt, k1, u);
  whole_ = state;
  const auto undo = [&] {
    state = whole_;
    Dh0_known_ = last_energy_known_ = false;
  };
  try {
    const StepStatus status = compose(dt, k1, u);
    if (status != StepStatus::fine) undo();
    return status;
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
}

}  // namespace bough
