#include "bough/integrators/lane_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/step_limits.hpp"

namespace bough {
namespace {

using namespace limits;
using Opening = LaneHistory::Opening;

constexpr double regular = 1e12;  // inverse_pivots() up to which the mass matrix is regular beyond doubt
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

LaneStepper::LaneStepper(const Model& model, double alpha, const StepSettings& settings)
    : alpha_(alpha),
      settings_(settings),
      conservative_(model.elements.forces.empty()),
      equations_(model, alpha, settings),
      history_(model.n_variables) {
  for (auto* x : {&q_, &p_, &guess_, &given_}) x->assign(model.n_variables, Lane4{});
}

void LaneStepper::clear(double t) {
  t_ = t;
  dt_before_ = 0.0;
  for (int lane = 0; lane < lanes; ++lane) {
    runs_[lane] = {};
    stop(lane);
  }
}

// A lane without a run stands still.
void LaneStepper::stop(int lane) {
  for (LaneArray* x : {&q_, &p_, &given_})
    for (Lane4& number : *x) set_lane(number, lane, 0.0);
  history_.rest(lane);
}

void LaneStepper::start(int lane, const Model& model, const double* q, const double* p) {
  equations_.load(lane, model);
  if (alone_[lane].model != &model) alone_[lane].stepper.reset();
  alone_[lane].model = &model;
  put_lane(q_, lane, q);
  put_lane(p_, lane, p);
  past_[lane] = {};
  runs_[lane] = {.runs = true};
}

bool LaneStepper::begun(int lane) const { return equations_.beginning().inverse_pivots[lane] <= regular; }

void LaneStepper::begin(double dt, const double* const* u) {
  Lane4 largest{};
  for (const Lane4& p : p_) largest = max(largest, abs(p));
  bool any_moves = false, any_rests = false;
  for (int lane = 0; lane < lanes; ++lane) {
    any_moves |= runs_[lane].runs && largest[lane] > 0.0;
    any_rests |= runs_[lane].runs && largest[lane] == 0.0;
  }
  const LaneEquations::Beginning& found = equations_.begin({t_, dt, q_, p_, u}, any_moves, any_rests);
  for (int lane = 0; lane < lanes; ++lane) {
    const bool rests = largest[lane] == 0.0;
    if (!runs_[lane].runs) continue;
    if (!begun(lane))
      begin_alone(lane);
    else if (rests)
      history_.start(lane, q_, found.a, conservative_ ? Opening::reversible : Opening::resting);
    else
      history_.start(lane, q_, found.v, Opening::moving);
  }
}

void LaneStepper::begin_alone(int lane) {
  const Model& model = *alone_[lane].model;
  std::vector<double> q(q_.size()), p(q_.size()), v(q_.size());
  take_lane(q_, lane, q.data());
  take_lane(p_, lane, p.data());
  if (mass_solve(model, workspace(model), q.data(), p.data(), v.data()) >= 0) {
    runs_[lane] = {.status = StepStatus::singular};
    return stop(lane);
  }
  LaneArray velocity(v.size(), Lane4{});
  put_lane(velocity, lane, v.data());
  history_.start(lane, q_, velocity, Opening::moving);
}

bool LaneStepper::any() const {
  return std::any_of(std::begin(runs_), std::end(runs_), [](const Run& run) { return run.runs; });
}

void LaneStepper::step(double dt, const double* const* u) {
  history_.guess(dt, guess_);
  std::copy(guess_.begin(), guess_.end(), equations_.q1.begin());
  for (int lane = 0; lane < lanes; ++lane) {
    LaneEquations::Trial& trial = trials_[lane];
    trial.open = runs_[lane].runs;
    trial.little_history = history_.known(lane) < History::memory;
    trial.floor = past_[lane].floor;
  }
  equations_.solve({t_, dt, q_, p_, u}, trials_);
  energy_ = equations_.energy();
  judge_roots(dt);
  for (int lane = 0; lane < lanes; ++lane)
    if (runs_[lane].runs && !trusted_[lane]) step_alone(lane, dt, u[lane]);
  accept(dt);
  for (int lane = 0; lane < lanes; ++lane)
    if (runs_[lane].runs && !trusted_[lane]) take_up(lane);
}

// --- roots ---

LaneStepper::Lengths LaneStepper::lengths(double dt) const {
  const LaneArray &before = history_.row(1), &earlier = history_.row(2), &q1 = equations_.q1,
                  &unit = equations_.units();
  const Lane4 age = history_.age_of(1), further = dt * inverse(age),
              further_before = age * inverse(history_.age_of(2) - age);
  Lengths found{Lane4{}, Lane4{}, Lane4{}, Lane4{}};
  for (std::size_t i = 0; i < q1.size(); ++i) {
    const Lane4 way = q_[i] - before[i], move = further * way;
    found.step = max(found.step, unit[i] * abs(move));
    found.correction = max(found.correction, unit[i] * abs(q1[i] - q_[i] - move));
    found.guess = max(found.guess, unit[i] * abs(q1[i] - guess_[i]));
    found.last = max(found.last, unit[i] * abs(way - further_before * (before[i] - earlier[i])));
  }
  return found;
}

// What forces gave at q0, if they gave anything: RootChoice::force_work().
Lane4 LaneStepper::pushed(double dt) const {
  const LaneArray &before = history_.row(1), &q1 = equations_.q1, &force = equations_.force();
  const Lane4 per_age = inverse(history_.age_of(1)), per_dt = broadcast(1.0 / dt);
  Lane4 sum{};
  for (std::size_t i = 0; i < q1.size(); ++i) {
    const Lane4 v = 0.5 * ((q_[i] - before[i]) * per_age + (q1[i] - q_[i]) * per_dt);
    sum += max(Lane4{}, v * (given_[i] + force[i]));
  }
  return sum;
}

void LaneStepper::judge_roots(double dt) {
  const Lengths found = lengths(dt);
  bool rough = false;
  for (int lane = 0; lane < lanes; ++lane) {
    checked_[lane] = history_.known(lane) >= 3 && found.correction[lane] > skip_energy_check_below;
    rough |= checked_[lane];
    if (found.guess[lane] > found.correction[lane]) history_.choose_soon(lane);
  }
  if (rough && !conservative_) pushed_ = pushed(dt);
  for (int lane = 0; lane < lanes; ++lane) trusted_[lane] = trials_[lane].solved && plausible(lane, found);
}

// As RootChoice::plausible().
bool LaneStepper::plausible(int lane, const Lengths& found) const {
  const double now = found.correction[lane], step = found.step[lane];
  if (history_.known(lane) < 3) return now <= max_step_from_rest + 4.0 * step;
  if (checked_[lane] && !keeps_energy(lane)) return false;
  return now <= correction_growth * found.last[lane] + correction_of_step * step + rest_noise;
}

// As RootChoice::keeps_energy(); a step before of unknown energy is left to it.
bool LaneStepper::keeps_energy(int lane) const {
  const Past& past = past_[lane];
  if (!(conservative_ || (past.given_known && alpha_ == 0.5))) return true;
  if (!past.energy.known) return false;
  const auto& last = past.energy.value;
  const double rise = energy_.kinetic[lane] + energy_.potential[lane] - last.kinetic - last.potential;
  const double kinetic = std::max(energy_.kinetic[lane], last.kinetic);
  if (conservative_) return std::abs(rise) <= max_energy_jump * kinetic;
  return rise <= max_energy_jump * (std::max(kinetic, past.peak) + pushed_[lane]) + pushed_[lane];
}

// --- the state ---

void LaneStepper::accept(double dt) {
  const LaneArray &q1 = equations_.q1, &D2 = equations_.D2(), &f = equations_.f(), &force = equations_.force();
  Lane4 work{};
  for (std::size_t i = 0; i < q1.size(); ++i) {
    if (!conservative_) {
      work += (q1[i] - q_[i]) * force[i];
      given_[i] = force[i];
    }
    q_[i] = q1[i];
    p_[i] = D2[i] + f[i];
  }
  history_.add(q_, dt);
  t_ += dt;
  dt_before_ = dt;
  for (int lane = 0; lane < lanes; ++lane) {
    Run& run = runs_[lane];
    if (!run.runs || !trusted_[lane]) continue;
    Past& past = past_[lane];
    ++run.steps;
    run.iterations += trials_[lane].iterations;
    run.chord = alpha_ == 0.5 ? energy_.kinetic[lane] : unknown;
    past.floor = trials_[lane].floor;
    past.energy = {true, {energy_.kinetic[lane], energy_.potential[lane]}};
    if (!conservative_) {
      past.given_known = true;
      past.peak = std::max(peak_decay * past.peak, checked_[lane] ? energy_.kinetic[lane] : 0.0);
      run.work += 2.0 / dt * work[lane];  // (S6)
    }
    history_.accepted(lane);
  }
}

// --- steps alone ---

void LaneStepper::step_alone(int lane, double dt, const double* u) {
  const Past& past = past_[lane];
  Run& run = runs_[lane];
  auto& [model, own] = alone_[lane];
  if (!own) own = std::make_unique<Stepper>(*model, std::make_unique<Midpoint>(*model, alpha_), settings_);
  Stepper& stepper = *own;
  stepper.remember(memory_);
  VariationalState& x = memory_.state;
  x.t = t_;
  x.dt_before = dt_before_;
  take_lane(q_, lane, x.q.data());
  take_lane(p_, lane, x.p.data());
  std::fill(x.shift.begin(), x.shift.end(), 0.0);
  x.history = history_.of(lane);
  x.given_known = past.given_known;
  take_lane(given_, lane, x.given.data());
  x.peak = past.peak;
  x.work = run.work;
  memory_.equations.floor = past.floor;
  memory_.equations.detour = {};
  memory_.roots = {history_.points(lane), history_.age(lane), past.energy, false, {}};
  stepper.recall(memory_);
  const long iterations = stepper.iterations(), halvings = stepper.halvings, coarse = stepper.coarse();
  run.status = stepper.step(dt, nullptr, u);
  run.iterations += stepper.iterations() - iterations;
  run.halvings += stepper.halvings - halvings;
  run.coarse += stepper.coarse() - coarse;
  ++run.alone;
  if (run.status == StepStatus::fine)
    ++run.steps;
  else
    run.failure = stepper.failure;
}

// After a step alone.
void LaneStepper::take_up(int lane) {
  if (runs_[lane].status != StepStatus::fine) {
    runs_[lane].runs = false;
    return stop(lane);
  }
  alone_[lane].stepper->remember(memory_);
  const VariationalState& x = memory_.state;
  put_lane(q_, lane, x.q.data());
  put_lane(p_, lane, x.p.data());
  put_lane(given_, lane, x.given.data());
  history_.take(lane, x.history, memory_.roots.points, memory_.roots.age);
  past_[lane] = {memory_.equations.floor, x.peak, memory_.roots.last_energy, x.given_known};
  runs_[lane].work = x.work;
  runs_[lane].chord = unknown;
}

}  // namespace bough
