// The equations of a step may have several roots: which of them is believed. docs/theory/variational.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bough/integrators/stepper.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double turn = 6.283185307179586;  // rad, or sizes of the system: no step from rest is longer
constexpr double small = 0.3;               // rad, or sizes of the system: a correction that turns no geometry over
constexpr double noise = 1e-8;              // rad, or sizes of the system: where a motion has come to rest, round-off
constexpr double smooth = 0.03;       // rad, or sizes of the system: a correction that needs no look at the energy
constexpr double kept = 0.1;          // of the kinetic energy: a jump of energy that a rough step may have
constexpr int linear_iterations = 2;  // of Newton's method on linear equations: the second meets round-off
constexpr int straight = 3;           // iterations of Newton's method on equations that are nearly linear

}  // namespace

// How far q1 is from where the last velocity leads, and how far that is from q0.
double Stepper::correction(double dt, double* step) {
  const double *before = state.history.row(1), further = dt / state.history.age_of(1);
  double off = 0.0, guess_off = 0.0, longest = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i) {
    const double move = further * (state.q[i] - before[i]);
    longest = std::max(longest, unit_[i] * std::abs(move));
    off = std::max(off, unit_[i] * std::abs(q1_[i] - state.q[i] - move));
    guess_off = std::max(guess_off, unit_[i] * std::abs(q1_[i] - guess_[i]));
  }
  if (guess_off > off) age_ = choice_interval;  // the polynomial did worse than the line: choose its points anew
  *step = longest;
  return off;
}

// The equations of a step may have several roots. Is q1 one that the motion before leads to? Its correction should not
// jump from that of the last step, nor should the energy.
bool Stepper::plausible(double dt) {
  double step;
  const double now = correction(dt, &step);
  const History& past = state.history;
  if (past.known < 3) return now <= turn + 4.0 * step;
  if (now > smooth && !keeps_energy(dt)) return false;
  const double *before = past.row(1), *earlier = past.row(2);
  const double further = past.age_of(1) / (past.age_of(2) - past.age_of(1));
  double last = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i)
    last = std::max(last, unit_[i] * std::abs(state.q[i] - before[i] - further * (before[i] - earlier[i])));
  return now <= 4.0 * last + 0.1 * step + noise;
}

// Whether the energy of a conservative motion is nearly that of the step before, and that of a driven one no more than what
// drives it gave: it is, unless the step is too long for what happens in it, and without this an arm that whips round in a
// step may come out of it with any energy.
bool Stepper::keeps_energy(double dt) {
  const History& past = state.history;
  if (past.known < 3 || !(conservative_ || (state.given_known && method_->symmetric()))) return true;
  if (!last_energy_known_)
    last_energy_ = method_->energy({state.t, past.age_of(1), past.row(1), state.q.data(), nullptr});
  last_energy_known_ = true;
  now_energy_ = method_->energy({state.t, dt, state.q.data(), q1_.data(), nullptr});
  now_energy_known_ = true;
  const auto &last = last_energy_, &now = now_energy_;
  const double rise = now.kinetic + now.potential - last.kinetic - last.potential;
  const double kinetic = std::max(now.kinetic, last.kinetic);
  if (conservative_) return std::abs(rise) <= kept * kinetic;
  const double pushed = force_work(dt), drive = drive_work(dt);
  if (!std::isfinite(pushed + drive)) return true;  // as where a constraint is not defined a step later: not known
  return rise <= kept * (std::max(kinetic, state.peak) + pushed + std::abs(drive)) + pushed + std::max(0.0, drive);
}

// The mean of the velocities of a variable in the steps before and after q0.
double Stepper::mean_velocity(double dt, int i) const {
  const History& past = state.history;
  return 0.5 * ((state.q[i] - past.row(1)[i]) / past.age_of(1) + (q1_[i] - state.q[i]) / dt);
}

// What forces gave at q0 (S4), where they gave something.
double Stepper::force_work(double dt) const {
  if (model_.elements.forces.empty()) return 0.0;
  const double* now = method_->forces_before();
  double sum = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i) sum += std::max(0.0, mean_velocity(dt, i) * (state.given[i] + now[i]));
  return sum;
}

// The work of the forces in the step to q1 (S6).
double Stepper::chord_work(double dt) const {
  if (model_.elements.forces.empty()) return 0.0;
  const double *before = method_->forces_before(), *after = method_->forces_after();
  double sum = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i) sum += (q1_[i] - state.q[i]) * (before[i] + after[i]);
  return sum / dt;
}

void Stepper::count_coarse() {
  if (coarse++ == 0) coarse_time = state.t;
}

// What moving kinematic variables and moving constraints gave at q0 (S4).
double Stepper::drive_work(double dt) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  double sum = 0.0;
  for (int i = nd; i < n; ++i) {
    double impulse = -state.given[i] - D1_[i];
    for (int r = 0; r < m; ++r) impulse += Dh0_[r * n + i] * mu_[r];
    sum += mean_velocity(dt, i) * impulse;
  }
  if (!moved_) return sum;
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, state.q.data());
  const double before = state.history.age_of(1);
  double* h = dmu_.data();  // free between two solves
  for (const auto& [at, weight] :
       {std::pair{-before, -1.0 / before}, std::pair{0.0, 1.0 / before - 1.0 / dt}, std::pair{dt, 1.0 / dt}}) {
    constraint({model_, ws.state, state.q.data(), nullptr, nullptr, state.t + at}, h, h_scale_.data());
    for (int r = 0; r < m; ++r) sum += 0.5 * weight * mu_[r] * h[r];
  }
  return sum;
}

// From the polynomial guess; where that fails or its root is not the expected one, from other places.
StepStatus Stepper::solve(double dt, const double* k1, const double* u) {
  state.history.extrapolate(dt, 0, std::min(points_, state.history.known), guess_.data());
  const StepStatus status = attempt(dt, k1, u, guess_.data(), false);
  if (status == StepStatus::fine && plausible(dt)) return status;
  floor_ = 0.0;
  return solve_carefully(dt, k1, u, status == StepStatus::fine);
}

// Of the roots found from the guess, along the line, from q0 and with damping, the one nearest to the line. A root that the
// motion does not lead to is taken only where all of these agree on it, and it is near or the way to it straight.
StepStatus Stepper::solve_carefully(double dt, const double* k1, const double* u, bool found) {
  const int nd = model_.n_dynamic;
  double step, best = found ? correction(dt, &step) : 0.0;
  if (found) std::copy_n(q1_.begin(), nd, root_.begin());
  state.history.extrapolate(dt, 0, 2, line_.data());
  StepStatus status = StepStatus::no_convergence;
  bool agreed = found, linear = found;
  for (const bool damped : {false, true}) {
    if (found && damped) break;
    for (const std::vector<double>* first : {&line_, &state.q}) {
      std::copy_n(first->begin(), nd, guess_.begin());
      status = attempt(dt, k1, u, guess_.data(), damped);
      if (status != StepStatus::fine) {
        agreed = linear = false;
        continue;
      }
      const double off = correction(dt, &step);
      const bool same = std::abs(off - best) <= 1e-6 * (off + best);
      agreed &= same && (attempted <= straight || off <= small);
      linear &= same && attempted <= linear_iterations;
      if (found && off >= best) continue;
      found = true;
      best = off;
      std::copy_n(q1_.begin(), nd, root_.begin());
    }
  }
  if (!found) return status;
  std::copy_n(root_.begin(), nd, guess_.begin());
  status = attempt(dt, k1, u, guess_.data(), false);
  if (status != StepStatus::fine) return status;
  if (linear) {  // one root, however far
    if (best > small && !keeps_energy(dt)) count_coarse();
    return status;
  }
  const bool near = correction(dt, &step) <= turn + 4.0 * step && keeps_energy(dt);
  const bool expected = plausible(dt);
  if (!near || !(agreed || expected)) return StepStatus::no_convergence;
  if (!expected && best > small) count_coarse();
  return status;
}

}  // namespace bough
