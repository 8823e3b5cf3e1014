#include "bough/integrators/lane_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/dynamics/elements.hpp"
#include "bough/integrators/step_limits.hpp"

namespace bough {
namespace {

constexpr int most_iterations = 10;  // a lane that needs more is better off with a stepper of its own

}  // namespace

bool LaneEquations::fits(const Model& model) {
  const Elements& elements = model.elements;
  if (!LaneTree::fits(model) || !elements.constraints.empty()) return false;
  for (const auto& potential : elements.potentials)
    if (!potential->diagonal()) return false;
  for (const auto& force : elements.forces)
    if (!force->diagonal() || force->servo()) return false;
  return true;
}

LaneEquations::LaneEquations(const Model& model, double alpha, const StepSettings& settings)
    : alpha_(alpha),
      tolerance_(settings.tolerance * std::max(1, model.n())),
      max_iterations_(std::min(settings.max_iterations, most_iterations)),
      pulled_(!model.elements.potentials.empty()),
      forced_(!model.elements.forces.empty()),
      tree_(model) {
  const std::size_t n = model.n_variables;
  for (auto* x : {&q1, &at_.q, &at_.v, &at_.L_q, &at_.L_v, &f_, &D2_, &force_, &size_, &d_, &x_, &unit_, &zero_})
    x->assign(n, Lane4{});
  for (auto* x : {&beginning_.v, &beginning_.a}) x->assign(n, Lane4{});
  for (Single& single : single_)
    for (auto* x : {&single.q, &single.v, &single.out, &single.force}) x->assign(n, 0.0);
  for (int lane = 0; lane < lanes; ++lane) load(lane, model);
}

void LaneEquations::load(int lane, const Model& model) {
  if (single_[lane].model == &model) return;
  single_[lane].model = &model;
  tree_.load(lane, model);
  put_lane(unit_, lane, variable_units(model).data());
}

Instant LaneEquations::instant(const Single& of, double t, const double* u) const {
  return {*of.model, no_poses_, of.q.data(), of.v.data(), u, t};
}

// Gradients of potentials into L_q, and half of the impulses of forces.
void LaneEquations::add_elements(const Start& start) {
  for (int lane = 0; lane < lanes; ++lane) {
    Single& single = single_[lane];
    take_lane(at_.q, lane, single.q.data());
    take_lane(at_.v, lane, single.v.data());
    take_lane(at_.L_q, lane, single.out.data());
    std::fill(single.force.begin(), single.force.end(), 0.0);
    const Instant at = instant(single, start.t + alpha_ * start.dt, start.u[lane]);
    add_potential_gradient(at, -1.0, single.out.data());
    add_forces(at, 0.5 * start.dt, single.force.data());
    put_lane(at_.L_q, lane, single.out.data());
    put_lane(force_, lane, single.force.data());
  }
}

// d of (RL2): what elements add to K.
void LaneEquations::set_diagonal(const Start& start) {
  const double dt = start.dt, curved = -alpha_ * (1.0 - alpha_) * dt;
  for (int lane = 0; lane < lanes; ++lane) {
    Single& single = single_[lane];
    std::fill(single.out.begin(), single.out.end(), 0.0);
    const Instant at = instant(single, start.t + alpha_ * dt, start.u[lane]);
    for (const auto& e : single.model->elements.potentials) e->add_diagonal(at, curved, single.out.data());
    for (const auto& e : single.model->elements.forces) e->add_diagonal(at, 0.5 * alpha_ * dt, 0.5, single.out.data());
    put_lane(d_, lane, single.out.data());
  }
}

// M v = p, and M a = L_q + F at rest. With v = 0 in the tree, alpha = 0 and dt = 1, K is minus the mass matrix.
const LaneEquations::Beginning& LaneEquations::begin(const Start& start, bool any_moves, bool any_rests) {
  Beginning& found = beginning_;
  const std::size_t n = q1.size();
  std::copy(start.q.begin(), start.q.end(), at_.q.begin());
  std::fill(at_.v.begin(), at_.v.end(), Lane4{});
  tree_.evaluate(at_.q, at_.v, at_.L_q, at_.L_v);
  if (pulled_ || forced_) add_elements(start);
  found.potential = potential_energy();
  found.kinetic = Lane4{};
  std::fill(found.v.begin(), found.v.end(), Lane4{});
  if (any_moves) {
    for (std::size_t i = 0; i < n; ++i) found.v[i] = -start.p[i];
    tree_.solve(1.0, 0.0, zero_, found.v);
    for (std::size_t i = 0; i < n; ++i) found.kinetic += start.p[i] * found.v[i];
    found.kinetic = 0.5 * found.kinetic;
  }
  if (any_rests) {
    const Lane4 per_half = broadcast(2.0 / start.dt);  // of the impulses in force_
    for (std::size_t i = 0; i < n; ++i) found.a[i] = -(at_.L_q[i] + per_half * force_[i]);
    tree_.solve(1.0, 0.0, zero_, found.a);
  }
  found.inverse_pivots = tree_.inverse_pivots();
  return found;
}

// (S1) at q1, and its residuals; their sizes are those of the first evaluation.
void LaneEquations::evaluate(const Start& start, bool first, Trial* trials) {
  const std::size_t n = q1.size();
  const Lane4 a = broadcast(alpha_), b = broadcast(1.0 - alpha_), per_dt = broadcast(1.0 / start.dt);
  for (std::size_t i = 0; i < n; ++i) {
    at_.q[i] = b * start.q[i] + a * q1[i];
    at_.v[i] = (q1[i] - start.q[i]) * per_dt;
  }
  if (first)
    tree_.evaluate(at_.q, at_.v, start.dt, at_.L_q, at_.L_v, size_);
  else
    tree_.evaluate(at_.q, at_.v, at_.L_q, at_.L_v);
  if (pulled_ || forced_) add_elements(start);

  const Lane4 dt = broadcast(start.dt), a_dt = a * dt, b_dt = b * dt;
  const Lane4 least = broadcast(std::numeric_limits<double>::min());
  Lane4 largest{}, sum{};
  for (std::size_t i = 0; i < n; ++i) {
    const Lane4 L_q = at_.L_q[i], L_v = at_.L_v[i], force = force_[i];
    f_[i] = start.p[i] + b_dt * L_q - L_v + force;  // (M1)
    D2_[i] = a_dt * L_q + L_v + force;              // (M2)
    if (first) size_[i] = inverse(size_[i] + dt * abs(L_q) + abs(force) + abs(start.p[i]) + least);
    const Lane4 ratio = abs(f_[i]) * size_[i];
    largest = max(largest, ratio);
    sum += ratio;  // a comparison passes over NaN, a sum does not
  }
  for (int lane = 0; lane < lanes; ++lane) trials[lane].residual = std::isfinite(sum[lane]) ? largest[lane] : sum[lane];
}

// As StepEquations::judge() and solved().
void LaneEquations::judge(int iteration, Trial& trial) const {
  const double r = trial.residual;
  if (!std::isfinite(r)) {
    trial.open = false;
    return;
  }
  if (iteration > 0 && r > limits::stagnation * trial.before && r <= std::max(limits::f_round_off, 10.0 * tolerance_)) {
    trial.floor = std::max(trial.floor, 2.0 * r);
    trial.solved = true;
  } else {
    const double tolerance = std::max(tolerance_ * (trial.little_history ? limits::first_steps : 1.0), trial.floor);
    trial.solved = r <= (iteration == 0 ? limits::exact : tolerance);
    if (trial.solved) trial.floor *= 0.9;
  }
  const bool diverges = iteration > 1 && r > trial.before;
  trial.before = r;
  trial.open = !trial.solved && !diverges && iteration < max_iterations_;
}

void LaneEquations::solve(const Start& start, Trial* trials) {
  for (Trial* trial = trials; trial < trials + lanes; ++trial) {
    trial->solved = false;
    trial->iterations = 0;
  }
  for (int iteration = 0;; ++iteration) {
    evaluate(start, iteration == 0, trials);
    Lane4 open{};
    bool any = false;
    for (int lane = 0; lane < lanes; ++lane) {
      Trial& trial = trials[lane];
      if (!trial.open) continue;
      judge(iteration, trial);
      if (!trial.open) continue;
      any = true;
      ++trial.iterations;
      set_lane(open, lane, 1.0);
    }
    if (!any) return;
    if (pulled_ || forced_) set_diagonal(start);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = -f_[i];
    tree_.solve(start.dt, alpha_, d_, x_);
    for (std::size_t i = 0; i < x_.size(); ++i) q1[i] = select(open, q1[i] + x_[i], q1[i]);
  }
}

LaneEquations::Energy LaneEquations::energy() {
  Lane4 twice{};
  for (std::size_t i = 0; i < q1.size(); ++i) twice += at_.v[i] * at_.L_v[i];
  return {0.5 * twice, potential_energy()};
}

// Of the tree and the elements, where they were evaluated last.
Lane4 LaneEquations::potential_energy() const {
  Lane4 potential = tree_.potential_energy();
  if (pulled_)
    for (int lane = 0; lane < lanes; ++lane)
      set_lane(potential, lane, potential[lane] + elements_energy(instant(single_[lane], 0.0, nullptr)));
  return potential;
}

}  // namespace bough
