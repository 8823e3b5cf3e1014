#include "bough/integrators/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/dynamics/elements.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double exact = 1e-13;        // a residual of the guess that needs no iteration
constexpr double first_steps = 3e-2;   // with little history the guess is rough and one iteration leaves more behind:
                                       // those few steps are solved further, by this factor
constexpr double f_round_off = 1e-11;  // where a residual that does not fall any more is taken for round-off
constexpr double h_round_off = 1e-12;
constexpr double forgotten = 0.9;  // in each step, of the largest kinetic energy of a driven motion lately

double relative(double x, double size) { return std::abs(x) / (size + std::numeric_limits<double>::min()); }

// The largest |x| / size; NaN where there is one.
double largest(const std::vector<double>& x, const std::vector<double>& size) {
  double found = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ratio = relative(x[i], size[i]);
    found = std::max(found, ratio);
    sum += ratio;
  }
  return std::isnan(sum) ? sum : found;
}

int place_of_largest(const std::vector<double>& x, const std::vector<double>& size) {
  int place = 0;
  double found = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ratio = relative(x[i], size[i]);
    if (ratio <= found) continue;
    found = ratio;
    place = static_cast<int>(i);
    if (std::isnan(ratio)) break;
  }
  return place;
}

}  // namespace

std::vector<double> variable_units(const Model& model) {
  double size = 1.0;
  for (const FramePlace& place : model.frames) size = std::max(size, place.reach);
  std::vector<double> unit(model.n_dynamic, 1.0 / size);
  for (const Joint& joint : model.joints)
    if (joint.dynamic) unit[joint.variable] = std::abs(joint.ratio) / (is_zero(joint.S.w) ? size : 1.0);
  return unit;
}

Stepper::Stepper(const Model& model, std::unique_ptr<DiscreteLagrangian> method, const StepSettings& settings)
    : model_(model),
      rows_(model),
      method_(std::move(method)),
      matrix_(model, method_->along_tree()),
      settings_(settings) {
  settings_.tolerance *= std::max(1, model.n());
  const std::size_t n = model.n_variables, nd = model.n_dynamic, m = model.elements.n_constraints;
  for (auto* x : {&D1_, &D2_, &scale_}) x->resize(n);
  for (auto* x : {&f_, &delta_}) x->resize(nd);
  for (auto* x : {&mu_, &dmu_, &h_, &h_scale_, &resolution_}) x->resize(m);
  if (settings.order == 4 && !model.elements.forces.empty()) f_v_.resize(n * n);
  q1_.resize(n);
  trial_.resize(n);
  guess_.resize(n);
  line_.resize(n);
  root_.resize(n);
  k0_.resize(n - nd);
  k_.resize(n - nd);
  node_lam_.resize(m);
  Dh0_.resize(m * n);
  Dh1_.resize(m * n);
  for (const auto& c : model.elements.constraints) moved_ |= c->moves();
  conservative_ = n == nd && model.elements.forces.empty() && !moved_;
  unit_ = variable_units(model);
  state.q.resize(n);
  state.p.resize(nd);
  state.shift.resize(nd);
  state.lam.resize(m);
  state.given.resize(n);
  state.history.resize(n, nd);
  before_ = state;
  halves_.resize(settings.max_halvings);
  for (Half& half : halves_) {
    half.middle.resize(n - nd);
    half.impulse.resize(m);
  }
}

void Stepper::start(double t, const double* q, const double* p, const double* v) {
  state.t = t;
  state.dt_before = 0.0;
  std::copy_n(q, model_.n_variables, state.q.begin());
  std::copy_n(p, model_.n_dynamic, state.p.begin());
  std::fill(state.lam.begin(), state.lam.end(), 0.0);
  state.history.start(q, v);  // the first guess is q + dt v
  forget();
}

void Stepper::start_from_configurations(double t0, const double* q0, double t1, const double* q1, const double* u) {
  const int n = model_.n_variables;
  method_->evaluate({t0, t1 - t0, q0, q1, u}, D1_.data(), D2_.data(), scale_.data());
  state.history.known = 0;
  state.history.made_up = false;
  state.history.add(q0, 0.0);
  std::fill(state.lam.begin(), state.lam.end(), 0.0);
  state.t = t1;
  state.dt_before = t1 - t0;
  std::copy_n(q1, n, state.q.begin());
  std::copy_n(D2_.begin(), model_.n_dynamic, state.p.begin());
  state.history.add(q1, t1 - t0);
  forget();
}

// Of the steps before, only configurations are known.
void Stepper::forget() {
  floor_ = 0.0;
  std::fill(state.shift.begin(), state.shift.end(), 0.0);
  last_energy_known_ = state.given_known = false;
  state.peak = state.work = 0.0;
  points_ = History::memory;
  age_ = 0;
  Dh0_known_ = false;
}

// Evaluates (S1) at q1 and the size of its residuals.
void Stepper::measure(const Interval& step) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  method_->evaluate(step, D1_.data(), D2_.data(), scale_.data());
  for (int i = 0; i < nd; ++i) {
    f_[i] = state.p[i] - state.shift[i] + D1_[i];
    scale_[i] += std::abs(state.p[i]);
  }
  if (m > 0) {
    Workspace& ws = workspace(model_);
    sweep_poses(model_, ws, step.q1);
    const Instant at{model_, ws.state, step.q1, nullptr, nullptr, step.t + step.dt};
    constraint(at, h_.data(), h_scale_.data());
    for (int r = 0; r < m; ++r) {
      h_scale_[r] = std::max(h_scale_[r], resolution_[r]);
      for (const int i : rows_.variables[r]) {
        if (i >= nd) break;
        const double impulse = Dh0_[r * n + i] * mu_[r];
        f_[i] -= impulse;
        scale_[i] += std::abs(impulse);
      }
    }
  }
  momentum_ = largest(f_, scale_);
  closure_ = largest(h_, h_scale_);
  residual = residual_in_tolerances();
}

// No q1 has a smaller h than the round-off of q leaves: of an angle of 2^15 rad, 7e-12 of the length that it moves.
void Stepper::set_resolution() {
  constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
  for (std::size_t r = 0; r < resolution_.size(); ++r) {
    double sum = 0.0;
    for (const int i : rows_.variables[r]) {
      if (i >= model_.n_dynamic) break;
      sum += std::abs(Dh0_[r * model_.n_variables + i] * state.q[i]);
    }
    resolution_[r] = digits / settings_.constraint_tolerance * sum;
  }
}

// Dh(q1), where q1 was measured last.
void Stepper::set_gradient(const Interval& step) {
  if (model_.elements.n_constraints == 0) return;
  const Instant at{model_, workspace(model_).state, step.q1, nullptr, nullptr, step.t + step.dt};
  constraint_dq(at, h_scale_.data(), rows_, Dh1_.data());
}

double Stepper::residual_in_tolerances() const {
  const double f = momentum_ / settings_.tolerance, h = closure_ / settings_.constraint_tolerance;
  return std::isnan(f) || std::isnan(h) ? f + h : std::max(f, h);
}

int Stepper::worst() const {
  const bool open = std::isnan(closure_) || closure_ / settings_.constraint_tolerance > momentum_ / settings_.tolerance;
  return open ? model_.n_dynamic + place_of_largest(h_, h_scale_) : place_of_largest(f_, scale_);
}

// (S2): the step dq in delta_ and dmu in dmu_.
bool Stepper::newton_direction(bool refactor) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  const Jacobians D{m, n, nd, Dh0_.data(), Dh1_.data()};
  for (int i = 0; i < nd; ++i) delta_[i] = -f_[i];
  for (int r = 0; r < m; ++r) dmu_[r] = -h_[r];
  if (refactor) {
    method_->choose_branches(delta_.data());
    return matrix_.factor(*method_, D, delta_.data(), dmu_.data());
  }
  matrix_.solve_again(D, delta_.data(), dmu_.data());
  return true;
}

StepStatus Stepper::attempt(double dt, const double* k1, const double* u, const double* first, bool damped) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  if (m > 0 && !Dh0_known_) {
    Workspace& ws = workspace(model_);
    sweep_poses(model_, ws, state.q.data());
    const Instant at{model_, ws.state, state.q.data(), nullptr, nullptr, state.t};
    constraint(at, h_.data(), h_scale_.data());
    constraint_dq(at, h_scale_.data(), rows_, Dh0_.data());
    Dh0_known_ = true;
  }
  set_resolution();
  std::copy_n(first, nd, q1_.begin());
  std::copy_n(k1, n - nd, q1_.begin() + nd);
  std::fill(mu_.begin(), mu_.end(), 0.0);

  const Interval step{state.t, dt, state.q.data(), q1_.data(), u};
  const double tolerance =
      std::max(settings_.tolerance * (state.history.known < History::memory ? first_steps : 1.0), floor_);
  const double closed = settings_.constraint_tolerance;
  now_energy_known_ = false;
  const auto solved = [&] {
    set_gradient(step);  // of the next q0
    return StepStatus::fine;
  };
  attempted = 0;
  measure(step);
  bool refactor = true;
  for (int k = 0; k <= settings_.max_iterations; ++k) {
    if (!std::isfinite(residual)) return StepStatus::not_finite;
    // One iteration is always made, unless the guess is exact to round-off: what it leaves is far below the tolerance.
    if (momentum_ <= (k == 0 ? exact : tolerance) && closure_ <= closed) {
      floor_ *= 0.9;
      return solved();
    }
    if (k == settings_.max_iterations) break;
    ++iterations;
    ++attempted;
    if (refactor || matrix_.reads_rows()) set_gradient(step);
    if (!newton_direction(refactor)) return StepStatus::no_convergence;
    const double before = residual;
    double factor = 1.0;
    std::copy_n(q1_.begin(), nd, trial_.begin());
    for (int tries = 0;; ++tries) {
      for (int i = 0; i < nd; ++i) q1_[i] = trial_[i] + factor * delta_[i];
      for (int r = 0; r < m; ++r) mu_[r] += factor * dmu_[r];
      measure(step);
      if (!damped || residual <= (1.0 - 0.1 * factor) * before || tries == 8) break;
      for (int r = 0; r < m; ++r) mu_[r] -= factor * dmu_[r];
      factor *= 0.5;
    }
    // Round-off: an iteration with a fresh matrix gains nothing, at a residual that only round-off explains, or there is no
    // better q1 because the correction was below its round-off (a slow motion far from q = 0).
    const bool stagnates = residual > 0.25 * before;
    if (stagnates && refactor && closure_ <= std::max(h_round_off, 10.0 * settings_.constraint_tolerance)) {
      if (momentum_ <= std::max(f_round_off, 10.0 * settings_.tolerance)) {
        floor_ = std::max(floor_, 2.0 * momentum_);
        return solved();
      }
      if (factor == 1.0 && below_round_off()) return solved();
    }
    refactor = residual > 0.02 * before;
  }
  return StepStatus::no_convergence;
}

// The size of the system: the round-off of its positions is that of a translation whose own variable is small, such as a
// body that starts at x = 0 or a node of a beam near its place at rest.
double Stepper::extent() const {
  double size = 0.0;
  for (const FramePlace& place : model_.frames) size = std::max(size, place.reach);
  for (const Link& link : model_.links) size = std::max(size, norm(link.com));
  for (const Joint& joint : model_.joints)
    if (is_zero(joint.S.w)) size += std::abs(joint.shift + joint.ratio * q1_[joint.variable]);
  return size;
}

// Whether the last correction was smaller than q can tell, or the positions (and turns, of order one) that elements compare.
// What constraints couple follows the variable that tells least.
bool Stepper::below_round_off() const {
  constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon();
  const double shift = extent(), turn = 1.0;
  const auto told = [&](const Joint& joint) {
    const int i = joint.variable;
    const double place = (is_zero(joint.S.w) ? shift : turn) / std::abs(joint.ratio);
    return unit_[i] * std::max({std::abs(q1_[i]), std::abs(state.q[i]), place});
  };
  double least = 0.0;
  if (model_.elements.n_constraints > 0)
    for (const Joint& joint : model_.joints)
      if (joint.dynamic) least = std::max(least, told(joint));
  for (const Joint& joint : model_.joints)
    if (joint.dynamic &&
        !(unit_[joint.variable] * std::abs(delta_[joint.variable]) <= digits * std::max(least, told(joint))))
      return false;
  return true;
}

void Stepper::accept(double dt, double node_time) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  if (!conservative_) {
    std::copy_n(method_->forces_after(), nd, state.given.begin());
    std::copy_n(D2_.begin() + nd, n - nd, state.given.begin() + nd);
    state.given_known = true;
    state.peak = std::max(forgotten * state.peak, now_energy_known_ ? now_energy_.kinetic : 0.0);
    state.work += chord_work(dt);
  }
  last_energy_ = now_energy_;
  last_energy_known_ = now_energy_known_;
  std::copy(q1_.begin(), q1_.end(), state.q.begin());
  for (int i = 0; i < nd; ++i) state.p[i] = D2_[i] + f_[i];
  if (const double* shift = method_->shifted())
    for (int i = 0; i < nd; ++i) state.p[i] += state.shift[i] = shift[i];
  for (int r = 0; r < m; ++r) state.lam[r] = -mu_[r] / node_time;
  std::swap(Dh0_, Dh1_);
  state.t += dt;
  state.dt_before = dt;
  state.history.add(q1_.data(), dt);
  if (++age_ < choice_interval || state.history.known < History::memory) return;
  age_ = 0;
  points_ = state.history.best_points(trial_.data());
}

// The step in two halves, each halved again where it fails.
StepStatus Stepper::halve(double dt, const double* k1, const double* u, int depth) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  ++halvings;
  auto& [middle, impulse] = halves_[depth - 1];
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (int i = nd; i < n; ++i) middle[i - nd] = 0.5 * (state.q[i] + k1[i - nd]);
  const double node_time = 0.5 * (state.dt_before + dt);
  for (const double* k : {static_cast<const double*>(middle.data()), k1}) {
    const double weight = 0.5 * (state.dt_before + 0.5 * dt);
    StepStatus status = solve(0.5 * dt, k, u);
    if (status == StepStatus::fine)
      accept(0.5 * dt, weight);
    else if (depth > 1)
      status = halve(0.5 * dt, k, u, depth - 1);
    if (status != StepStatus::fine) return status;
    for (int r = 0; r < m; ++r) impulse[r] += weight * state.lam[r];
  }
  for (int r = 0; r < m; ++r) state.lam[r] = impulse[r] / (node_time + 0.25 * dt);
  return StepStatus::fine;
}

StepStatus Stepper::advance(double dt, const double* k1, const double* u) {
  StepStatus status = solve(dt, k1, u);
  if (status == StepStatus::fine) {
    accept(dt, 0.5 * (state.dt_before + dt));
    return status;
  }
  worst_row = worst();
  if (settings_.max_halvings == 0) return status;
  before_ = state;
  const double whole_residual = residual;
  const int whole_row = worst_row, whole_attempted = attempted;
  const auto undo = [&] {
    state = before_;
    Dh0_known_ = last_energy_known_ = false;
    residual = whole_residual;
    worst_row = whole_row;
    attempted = whole_attempted;
  };
  try {
    status = halve(dt, k1, u, settings_.max_halvings);
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
  if (status != StepStatus::fine)
    undo();
  else
    state.t = before_.t + dt;
  return status;
}

}  // namespace bough
