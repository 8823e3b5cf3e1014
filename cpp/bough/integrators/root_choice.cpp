#include "bough/integrators/root_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bough/integrators/step_limits.hpp"
#include "bough/spatial/fours.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

using namespace limits;

// Lengths in rad, or in sizes of the system.
constexpr double no_flip_below = 0.3;  // correction that turns no geometry over
constexpr double far_off = 1e-3;       // error of a polynomial in rough motion: less takes few iterations
constexpr int linear_iterations = 2;   // of Newton's method on linear equations: the second meets round-off
constexpr int few_rows = 5;  // of a history with contacts, which starts anew at every impact: less tell little
constexpr int nearly_linear_iterations = 3;  // of Newton's method on equations that are nearly linear

}  // namespace

RootChoice::RootChoice(const Model& model, StepEquations& equations, bool uneven)
    : model_(model), equations_(equations), uneven_(uneven) {
  const std::size_t n = model.n_variables;
  for (auto* x : {&guess_, &line_, &root_}) x->resize(n);
  for (auto* x : {&h_, &h_scale_}) x->resize(model.elements.n_constraints);
  for (const auto& c : model.elements.constraints) moved_ |= c->moves();
  conservative_ = model.n_variables == model.n_dynamic && model.elements.forces.empty() && !moved_;
}

void RootChoice::forget() {
  forget_energy();
  points_ = History::memory;
  age_ = 0;
  follows_ = recurrence_.known = false;
}

void RootChoice::forget_energy() { last_.known = false; }

// From the guess; if that fails or its root is not the expected one, from other places.
StepStatus RootChoice::solve(const VariationalState& state, const StepPart& part, bool halved, const double* first) {
  if (first)
    std::copy_n(first, model_.n_dynamic, guess_.begin());
  else if (follows_ && recurrence_.applies(state.history, 0, part.dt))
    recurrence_.extrapolate(state.history, 0, guess_.data());
  else
    state.history.extrapolate(part.dt, 0, uneven_ ? 2 : std::min(points_, state.history.known), guess_.data(),
                              !model_.balls.empty());
  halved &= conservative_ && state.history.real() > 2;  // energy tells whether halves do; before, a guess is rough
  const StepStatus status = attempt(state, part, false);
  if (status == StepStatus::fine && (equations_.stayed() || plausible(state, part.dt))) return status;
  equations_.forget_floor();
  if (halved && status != StepStatus::fine) return status;
  return solve_carefully(state, part, status == StepStatus::fine);
}

// From guess_.
StepStatus RootChoice::attempt(const VariationalState& state, const StepPart& part, bool damped) {
  now_.known = false;
  const bool little = state.history.known < (equations_.contacts() ? few_rows : History::memory);
  return equations_.solve({state.t, state.q.data(), state.p.data(), state.shift.data(), little,
                           state.history.real() > 1 ? state.history.row(1) : nullptr, state.lam.data()},
                          part, guess_.data(), damped);
}

// Of the roots found from the guess, along the line, from q0 and with damping, the one nearest to the line. A root that
// the motion does not lead to is accepted only if all of these agree on it, and it is near or the way to it straight.
StepStatus RootChoice::solve_carefully(const VariationalState& state, const StepPart& part, bool found) {
  const int nd = model_.n_dynamic;
  const double dt = part.dt;
  double step, best = found ? correction(state, dt, &step) : 0.0;
  if (found) std::copy_n(equations_.q1().begin(), nd, root_.begin());
  state.history.extrapolate(dt, 0, 2, line_.data());
  StepStatus status = StepStatus::no_convergence;
  bool agreed = found, linear = found;
  for (const bool damped : {false, true}) {
    if (found && damped) break;
    for (const std::vector<double>* first : {&std::as_const(line_), &state.q}) {
      std::copy_n(first->begin(), nd, guess_.begin());
      status = attempt(state, part, damped);
      if (status != StepStatus::fine) {
        agreed = linear = false;
        continue;
      }
      const double off = correction(state, dt, &step);
      const bool same = std::abs(off - best) <= 1e-6 * (off + best);
      agreed &= same && (equations_.attempted <= nearly_linear_iterations || off <= no_flip_below);
      linear &= same && equations_.attempted <= linear_iterations;
      if (found && off >= best) continue;
      found = true;
      best = off;
      std::copy_n(equations_.q1().begin(), nd, root_.begin());
    }
  }
  if (!found) return status;
  std::copy_n(root_.begin(), nd, guess_.begin());
  status = attempt(state, part, false);
  if (status != StepStatus::fine) return status;
  if (linear) {  // one root, however far
    if (best > no_flip_below && !keeps_energy(state, dt)) count_coarse(state.t);
    return status;
  }
  const bool near = correction(state, dt, &step) <= max_step_from_rest + 4.0 * step && keeps_energy(state, dt);
  const bool expected = plausible(state, dt);
  if (!near || !(agreed || expected)) return StepStatus::no_convergence;
  if (!expected && best > no_flip_below) count_coarse(state.t);
  return status;
}

// How far q1 is from where the last velocity leads, and how far that is from q0.
double RootChoice::correction(const VariationalState& state, double dt, double* step) {
  const double *before = state.history.row(1), further = dt / state.history.age_of(1);
  const double *q0 = state.q.data(), *q1 = equations_.q1().data(), *unit = equations_.units().data();
  const double* guess = guess_.data();
  const int nd = model_.n_dynamic;
  const double longest =
      largest_in_fours(nd, [=](auto i) { return i(unit) * absolute(further * (i(q0) - i(before))); });
  const double off =
      largest_in_fours(nd, [=](auto i) { return i(unit) * absolute(i(q1) - i(q0) - further * (i(q0) - i(before))); });
  const double guess_off = largest_in_fours(nd, [=](auto i) { return i(unit) * absolute(i(q1) - i(guess)); });
  if (guess_off > off) age_ = choice_interval;  // the polynomial did worse than the line: its points are chosen again
  *step = longest;
  return off;
}

// Whether q1 is a root that the motion before leads to: its correction should not jump from that of the last step, nor
// should the energy.
bool RootChoice::plausible(const VariationalState& state, double dt) {
  double step;
  const double now = correction(state, dt, &step);
  const History& past = state.history;
  if (past.real() < 3 || equations_.touching()) return now <= max_step_from_rest + 4.0 * step;
  if (now > skip_energy_check_below && !keeps_energy(state, dt)) return false;
  const double *q0 = state.q.data(), *unit = equations_.units().data(), *before = past.row(1), *earlier = past.row(2);
  const double further = past.age_of(1) / (past.age_of(2) - past.age_of(1));
  double last = largest_in_fours(model_.n_dynamic, [=](auto i) {
    return i(unit) * absolute(i(q0) - i(before) - further * (i(before) - i(earlier)));
  });
  if (uneven_) {  // corrections go with the length of a step and the way from its middle to that of the one before
    const double length = past.age_of(1), earlier_length = past.age_of(2) - past.age_of(1);
    last *= std::abs(dt * (dt + length) / (length * (length + earlier_length)));
  }
  return now <= correction_growth * last + correction_of_step * step + rest_noise;
}

// Whether the energy of a conservative motion is nearly that of the step before, and that of a driven one no more than
// what drives it gave (steps with closed contacts are not judged): it is, unless the step is too long for what happens in it, and without this an arm that whips
// round in a step may come out of it with any energy.
bool RootChoice::keeps_energy(const VariationalState& state, double dt) {
  DiscreteLagrangian& rule = equations_.rule();
  const History& past = state.history;
  if (past.real() < 3 || equations_.touching() || !(conservative_ || (state.given_known && rule.symmetric())))
    return true;
  if (!last_.known) last_.value = rule.energy({state.t, past.age_of(1), past.row(1), state.q.data(), nullptr});
  last_.known = true;
  now_.value = rule.energy({state.t, dt, state.q.data(), equations_.q1().data(), nullptr});
  now_.known = true;
  const auto &last = last_.value, &now = now_.value;
  const double rise = now.kinetic + now.potential - last.kinetic - last.potential;
  const double kinetic = std::max(now.kinetic, last.kinetic);
  if (conservative_) return std::abs(rise) <= max_energy_jump * kinetic;
  const double pushed = force_work(state, dt), drive = drive_work(state, dt);
  if (!std::isfinite(pushed + drive)) return true;  // a constraint that is not defined a step later: not known
  return rise <=
         max_energy_jump * (std::max(kinetic, state.peak) + pushed + std::abs(drive)) + pushed + std::max(0.0, drive);
}

// The mean of the velocities of a variable in the steps before and after q0.
double RootChoice::mean_velocity(const VariationalState& state, double dt, int i) const {
  const History& past = state.history;
  return 0.5 * ((state.q[i] - past.row(1)[i]) / past.age_of(1) + (equations_.q1()[i] - state.q[i]) / dt);
}

// What forces gave at q0 (S4), if they gave anything.
double RootChoice::force_work(const VariationalState& state, double dt) const {
  if (model_.elements.forces.empty()) return 0.0;
  const double* now = equations_.rule().forces_before();
  double sum = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i)
    sum += std::max(0.0, mean_velocity(state, dt, i) * (state.given[i] + now[i]));
  return sum;
}

// What moving kinematic variables and moving constraints gave at q0 (S4).
double RootChoice::drive_work(const VariationalState& state, double dt) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  const std::vector<double>&D1 = equations_.D1(), &mu = equations_.mu();
  double sum = 0.0;
  for (int i = nd; i < n; ++i) {
    double impulse = -state.given[i] - D1[i];
    for (int r = 0; r < m; ++r) impulse += equations_.constraints().Dh0(r, i) * mu[r];
    sum += mean_velocity(state, dt, i) * impulse;
  }
  if (!moved_) return sum;
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, state.q.data());
  const double before = state.history.age_of(1);
  for (const auto& [at, weight] :
       {std::pair{-before, -1.0 / before}, std::pair{0.0, 1.0 / before - 1.0 / dt}, std::pair{dt, 1.0 / dt}}) {
    constraint({model_, ws.state, state.q.data(), nullptr, nullptr, state.t + at}, h_.data(), h_scale_.data());
    for (int r = 0; r < m; ++r) sum += 0.5 * weight * mu[r] * h_[r];
  }
  return sum;
}

// The work of the forces in the step to q1 (S6).
double RootChoice::chord_work(const VariationalState& state, double dt) const {
  if (model_.elements.forces.empty()) return 0.0;
  const double *before = equations_.rule().forces_before(), *after = equations_.rule().forces_after();
  const std::vector<double>& q1 = equations_.q1();
  double sum = 0.0;
  for (int i = 0; i < model_.n_dynamic; ++i) sum += (q1[i] - state.q[i]) * (before[i] + after[i]);
  return sum / dt;
}

void RootChoice::count_coarse(double t) {
  if (coarse++ == 0) coarse_time = t;
}

void RootChoice::add_work(VariationalState& state, double dt) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  if (!conservative_) {
    std::copy_n(equations_.rule().forces_after(), nd, state.given.begin());
    std::copy_n(equations_.D2().begin() + nd, n - nd, state.given.begin() + nd);
    state.given_known = true;
    state.peak = std::max(peak_decay * state.peak, now_.known ? now_.value.kinetic : 0.0);
    state.work += chord_work(state, dt);
  }
  last_ = now_;
}

void RootChoice::add_rest(VariationalState& state) const {
  if (!conservative_) state.peak = std::max(peak_decay * state.peak, 0.0);
}

void RootChoice::accepted(const History& history) {
  if (++age_ < choice_interval || history.known < History::memory) return;
  age_ = 0;
  points_ = history.best_points(line_.data(), !model_.balls.empty());
  choose_recurrence(history);
}

// The recurrence takes the place of polynomials if they are far off, and it, as found at the choice before, would have told
// the newest row at least twice as well.
void RootChoice::choose_recurrence(const History& history) {
  const double* unit = equations_.units().data();
  const auto error = [&] {
    const double *found = line_.data(), *truth = history.row(0);
    return largest_in_fours(history.nd, [=](auto i) { return i(unit) * absolute(i(found) - i(truth)); });
  };
  history.extrapolate(0.0, 1, std::min(points_, History::memory - 1), line_.data(), !model_.balls.empty());
  const double off = error();
  follows_ = false;
  if (!(off > far_off)) {
    recurrence_.known = false;
    return;
  }
  if (recurrence_.applies(history, 1)) {
    recurrence_.extrapolate(history, 1, line_.data());
    follows_ = error() < 0.5 * off;
  }
  recurrence_.fit(history);
}

}  // namespace bough
