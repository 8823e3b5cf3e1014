#include "bough/integrators/reduced.hpp"

#include <algorithm>
#include <cmath>

#include "bough/integrators/composition.hpp"

namespace bough {

ReducedStepper::ReducedStepper(const Model& model, const ReducedSettings& settings)
    : Substeps(settings.max_halvings, parts_of(settings.order)),
      model_(model),
      layout_(reduced_layout(model)),
      order_(settings.order),
      equations_(model, layout_, settings) {
  state.r.resize(layout_.nr());
  state.p.resize(layout_.n_dynamic);
  state.past.resize(static_cast<std::size_t>(memory) * layout_.n());
  before_ = state;
  const std::vector<double> kinematic(layout_.nr() - layout_.n_dynamic);
  middle_.assign(settings.max_halvings, kinematic);
  composition_ = {state, kinematic, kinematic};
}

void ReducedStepper::start(double t, const Pose& g, const double* r, const Wrench& mu, const double* p,
                           const double* z) {
  state.t = t;
  state.dt_before = state.work = 0.0;
  state.g = g;
  state.mu = mu;
  std::copy_n(r, layout_.nr(), state.r.begin());
  std::copy_n(p, layout_.n_dynamic, state.p.begin());
  std::copy_n(z, layout_.n(), state.past.begin());
  state.known = 1;
  equations_.forget_start();
}

// The polynomial through the velocities of the last `points` steps of equal size: signed binomials as weights.
void ReducedStepper::extrapolate(int points) {
  const int n = layout_.n();
  equations_.z.setZero();
  double weight = points;
  for (int a = 0; a < points; ++a) {
    equations_.z += weight * Eigen::Map<const Eigen::VectorXd>(state.past.data() + (state.known - 1 - a) * n, n);
    weight *= -static_cast<double>(points - 1 - a) / (a + 2);
  }
}

void ReducedStepper::remember(double dt) {
  const int n = layout_.n();
  if (std::abs(dt - state.dt_before) > 1e-9 * dt) state.known = 0;
  if (state.known == memory) {
    std::copy(state.past.begin() + n, state.past.end(), state.past.begin());
    --state.known;
  }
  std::copy_n(equations_.z.data(), n, state.past.begin() + state.known * n);
  ++state.known;
  state.t += dt;
  state.dt_before = dt;
}

// From the polynomial guess; if that fails from the last velocity, with damping, and from rest.
StepStatus ReducedStepper::solve(const StepPart& part) {
  const ReducedStart start{state.t, state.g, state.r.data(), state.mu, state.p.data()};
  const double* last = state.past.data() + static_cast<std::ptrdiff_t>(state.known - 1) * layout_.n();
  if (!equations_.begin(start, last)) return StepStatus::singular;
  const bool same = std::abs(part.dt - state.dt_before) <= 1e-9 * part.dt;
  StepStatus status = StepStatus::no_convergence;
  for (int guess = 0; guess < 3 && status != StepStatus::fine; ++guess) {
    if (guess < 2)
      extrapolate(guess == 0 && same ? state.known : 1);
    else
      equations_.z.setZero();
    status = equations_.solve(start, part, guess > 0);
  }
  if (status != StepStatus::fine) return status;
  equations_.finish(state.g, state.r.data(), state.mu, state.p.data(), state.work);
  remember(part.dt);
  return status;
}

StepStatus ReducedStepper::try_step(const StepPart& part) {
  const StepStatus status = solve(part);
  if (status != StepStatus::fine) failure = {equations_.residual, equations_.worst_row, equations_.attempted};
  return status;
}

std::array<StepPart, 2> ReducedStepper::halves(const StepPart& whole, int depth) {
  std::vector<double>& middle = middle_[depth - 1];
  const double* k0 = state.r.data() + layout_.n_dynamic;
  for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = 0.5 * (k0[i] + whole.k1[i]);
  const double dt = 0.5 * whole.dt;
  return {StepPart{dt, middle.data(), whole.u}, StepPart{dt, whole.k1, whole.u}};
}

void ReducedStepper::save() {
  before_ = state;
  whole_failure_ = failure;
}

void ReducedStepper::restore() {
  state = before_;
  failure = whole_failure_;
  equations_.forget_start();
}

void ReducedStepper::finish(const StepPart& whole) { state.t = before_.t + whole.dt; }

StepStatus ReducedStepper::step(double dt, const double* k1, const double* u) {
  begin_step();
  if (order_ == 2) return advance({dt, k1, u});
  composition_.before = state;
  const auto undo = [&] {
    state = composition_.before;
    equations_.forget_start();
  };
  try {
    const StepStatus status = composed_step(dt, k1, u);
    if (status != StepStatus::fine) undo();
    return status;
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
}

// (S3), (S7); the kinematic variables are interpolated.
StepStatus ReducedStepper::composed_step(double dt, const double* k1, const double* u) {
  std::vector<double>&k0 = composition_.k0, &k = composition_.k;
  std::copy(state.r.begin() + layout_.n_dynamic, state.r.end(), k0.begin());
  const StepStatus status = compose(order_, [&](double length, double end) {
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = k0[i] + end * (k1[i] - k0[i]);
    const StepStatus made = advance({length * dt, k.data(), u});
    if (made != StepStatus::fine || length > 0.0) return made;
    const ReducedStart here{state.t, state.g, state.r.data(), state.mu, state.p.data()};
    return equations_.fed_back(here) ? StepStatus::fed_back : made;
  });
  if (status != StepStatus::fine) return status;
  std::copy_n(k1, k.size(), state.r.begin() + layout_.n_dynamic);
  state.t = composition_.before.t + dt;
  return status;
}

}  // namespace bough
