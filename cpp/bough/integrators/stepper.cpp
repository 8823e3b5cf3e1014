#include "bough/integrators/stepper.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "bough/dynamics/energy.hpp"
#include "bough/spatial/fours.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr int searched_from = 3;             // halvings from which on other roots are looked for
constexpr double made_up_rows = 1.0 / 64.0;  // of a step: between the rows that stand for an acceleration

bool nothing_moves(const Elements& elements) {
  const auto none = [](const auto& kind) {
    return std::none_of(kind.begin(), kind.end(), [](const auto& e) { return e->moves(); });
  };
  return none(elements.potentials) && none(elements.forces) && none(elements.constraints) && none(elements.unilaterals);
}

}  // namespace

Stepper::Stepper(const Model& model, std::unique_ptr<DiscreteLagrangian> rule, const StepSettings& settings)
    : Substeps(settings.max_halvings, parts_of(settings.order)),
      model_(model),
      order_(settings.order),
      equations_(model, std::move(rule), settings),
      roots_(model, equations_, settings.order > 4),
      carried_(model) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, m = model.elements.n_constraints;
  state.q.resize(model.width());
  if (!model.balls.empty()) state.coordinates.resize(model.n_coordinates());
  state.p.resize(nd);
  state.shift.resize(nd);
  state.lam.resize(m);
  state.given.resize(n);
  state.history.resize(n, nd);
  if (model.elements.n_contacts > 0) {
    contacts_ = std::make_unique<ContactSteps>(model, equations_, state, static_cast<SmoothSteps&>(*this));
    timeless_ = nothing_moves(model.elements);
    rest_.end = state;
    rest_.u.resize(model.elements.n_inputs);
  }
  before_ = state;
  halves_.resize(settings.max_halvings);
  for (Half& half : halves_) {
    half.middle.resize(n - nd);
    half.impulse.resize(m);
    half.contact.resize(model.elements.n_contact_rows);
  }
  if (order_ == 2) return;
  for (auto* k : {&composition_.k0, &composition_.k}) k->resize(n - nd);
  composition_.lam.resize(m);
  if (model.elements.forces.empty()) return;
  composition_.q.resize(model.width());
  composition_.v.resize(n);
  composition_.f_v.resize(n * n);
}

bool Stepper::start(double t, const double* q, const double* p, const double* v) {
  state.t = t;
  state.dt_before = 0.0;
  std::copy_n(q, model_.width(), state.q.begin());
  std::copy_n(p, model_.n_dynamic, state.p.begin());
  std::fill(state.lam.begin(), state.lam.end(), 0.0);
  state.history.start(q, v);  // the first guess is q + dt v
  show_coordinates();
  forget();
  return !contacts_ || contacts_->start(v);
}

void Stepper::start_from_configurations(double t0, const double* q0, double t1, const double* q1, const double* u) {
  const int n = model_.n_variables;
  std::vector<double> D1(n), D2(n), scale(n), end(q1, q1 + model_.width());
  for (const Ball& ball : model_.balls) {
    const Mat3 from = rotation(quaternion_of(ball, q0)), to = rotation(quaternion_of(ball, q1));
    set_ball_vector(ball, end.data(), rotation_vector(transpose(from) * to));
    set_quaternion(ball, end.data(), quaternion_of(ball, q0));
  }
  q1 = end.data();
  equations_.rule().evaluate({t0, t1 - t0, q0, q1, u}, D1.data(), D2.data(), scale.data());
  state.history.known = 0;
  state.history.made_up = 0;
  state.history.add(q0, 0.0);
  std::fill(state.lam.begin(), state.lam.end(), 0.0);
  state.t = t1;
  state.dt_before = t1 - t0;
  std::copy_n(q1, model_.width(), state.q.begin());
  std::copy_n(D2.begin(), model_.n_dynamic, state.p.begin());
  settle_balls();
  state.history.add(state.q.data(), t1 - t0);
  forget();
  if (contacts_) contacts_->start_touching();
}

// Of the steps before, only configurations are known.
void Stepper::forget() {
  std::fill(state.shift.begin(), state.shift.end(), 0.0);
  state.given_known = false;
  state.peak = state.work = 0.0;
  rest_.known = false;
  equations_.forget();
  roots_.forget();
}

StepStatus Stepper::try_step(const StepPart& part) {
  if (contacts_ && !contacts_->far()) return step_on_contacts(part, false);
  const StepStatus status = solve_smooth(part, nullptr);
  if (status != StepStatus::fine) return status;
  if (contacts_ && !contacts_->passes(part)) return step_on_contacts(part, true);
  accept(part.dt);
  return status;
}

StepStatus Stepper::step_on_contacts(const StepPart& part, bool solved) {
  if (repeats(part)) {
    state.t += part.dt;
    roots_.add_rest(state);
    return StepStatus::fine;
  }
  const bool continues = std::exchange(rest_.known, false);
  const StepStatus status = contacts_->step(part, solved);
  if (!timeless_ || status != StepStatus::fine || !equations_.stayed() || contacts_->divided()) return status;
  rest_.repeats = continues && state.goes_on_as(rest_.end);
  if (!rest_.repeats) rest_.end = state;
  rest_.known = true;
  rest_.dt = part.dt;
  std::copy_n(part.u, rest_.u.size(), rest_.u.begin());
  return status;
}

// Whether the step made last started from this state, and was given the same: it would do the same again.
bool Stepper::repeats(const StepPart& part) const {
  return rest_.known && rest_.repeats && part.dt == rest_.dt && std::equal(rest_.u.begin(), rest_.u.end(), part.u) &&
         std::equal(state.q.begin() + model_.n_dynamic, state.q.begin() + model_.n_variables, part.k1);
}

StepStatus Stepper::solve_smooth(const StepPart& part, const double* first) {
  StepStatus status = roots_.solve(state, part, order_ == 2 && divisible() && depth() < searched_from, first);
  if (status == StepStatus::fine && half_turns()) status = StepStatus::no_convergence;
  if (status != StepStatus::fine) failure = {equations_.residual(), equations_.worst_row(), equations_.attempted};
  return status;
}

// After an impact: momenta are those of v, and no step before tells anything.
void Stepper::start_anew(const double* v, const double* a, double dt) {
  const double work = state.work;
  state.dt_before = 0.0;
  if (a)
    state.history.start(state.q.data(), v, a, made_up_rows * dt);
  else
    state.history.start(state.q.data(), v);
  forget();
  state.work = work;
}

void Stepper::move_node(double dt, const double* q1) {
  std::copy_n(q1, state.q.size(), state.q.begin());
  if (!model_.balls.empty()) settle_balls();
  equations_.forget_start();
  state.t += dt;
}

void Stepper::undo_to(const VariationalState& before) {
  state = before;
  rest_.known = false;
  equations_.forget_start();
  roots_.forget_energy();
}

void Stepper::accept(double dt) {
  const double node_time = 0.5 * (state.dt_before + dt);
  roots_.add_work(state, dt);
  const double *D2 = equations_.D2().data(), *f = equations_.f().data();
  double* p = state.p.data();
  in_fours(model_.n_dynamic, [=](auto i) { i(p) = i(D2) + i(f); });
  if (const double* shift = equations_.rule().shifted())
    for (std::size_t i = 0; i < state.p.size(); ++i) state.p[i] += state.shift[i] = shift[i];
  carried_.add(model_, state.q.data(), equations_.q1().data(), equations_.f().data(), state.p.data());
  if (!model_.only_balls()) copy_fours(model_.n_variables, equations_.q1().data(), state.q.data());
  for (std::size_t r = 0; r < state.lam.size(); ++r) state.lam[r] = -equations_.mu()[r] / node_time;
  if (!model_.balls.empty()) {
    shift_history(equations_.q1().data());
    settle(model_, carried_.turns(), equations_.q1().data(), state.q.data());
    show_coordinates();
  }
  equations_.advance();
  state.t += dt;
  state.dt_before = dt;
  state.history.add(state.q.data(), dt);
  if (contacts_ && equations_.contacts()->accept(state.contacts)) {  // other forces act from here on
    state.history.keep(2);
    roots_.forget_energy();
  }
  if (!equations_.stayed()) roots_.accepted(state.history);  // rest tells nothing of how a motion is guessed
}

// The balls have their rotations in the quaternions alone, and so has the history: its rows are relative to the newest.
void Stepper::settle_balls() {
  shift_history(state.q.data());
  settle(model_, state.q.data());
  show_coordinates();
}

void Stepper::shift_history(const double* q) {
  History& past = state.history;
  if (model_.only_balls()) {  // rows as wholes
    past.shift(q);
  } else {
    for (const Ball& ball : model_.balls) past.shift(ball.variable, q + ball.variable);
  }
}

void Stepper::show_coordinates() {
  if (model_.quaternions_alone)
    copy_fours(model_.n_coordinates(), state.q.data() + model_.n_variables, state.coordinates.data());
  else if (!model_.balls.empty())
    to_user(model_, state.q.data(), state.coordinates.data());
}

// Whether a ball turns by more than a half turn in the step solved last: the shorter way is another one.
bool Stepper::half_turns() const {
  constexpr double most = std::numbers::pi * std::numbers::pi;
  for (const Ball& ball : model_.balls) {
    const double* phi = equations_.q1().data() + ball.variable;
    if (!(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2] <= most)) return true;
  }
  return false;
}

// --- halves ---

std::array<StepPart, 2> Stepper::halves(const StepPart& whole, int depth) {
  Half& half = halves_[depth - 1];
  const double* k0 = state.q.data() + model_.n_dynamic;
  for (std::size_t i = 0; i < half.middle.size(); ++i) half.middle[i] = 0.5 * (k0[i] + whole.k1[i]);
  for (auto* x : {&half.impulse, &half.contact}) std::fill(x->begin(), x->end(), 0.0);
  half.node_time = 0.0;
  const double dt = 0.5 * whole.dt;
  return {StepPart{dt, half.middle.data(), whole.u}, StepPart{dt, whole.k1, whole.u}};
}

// What a half that begins with the node of the state stands for: from the middle of the part before to that of its own last part.
void Stepper::begin_half(const StepPart& part, int depth) {
  halves_[depth - 1].weight = 0.5 * state.dt_before + part.dt;
}

void Stepper::end_half(const StepPart&, int depth) {
  Half& half = halves_[depth - 1];
  half.weight -= 0.5 * state.dt_before;
  half.node_time += half.weight;
  for (std::size_t r = 0; r < state.lam.size(); ++r) half.impulse[r] += half.weight * state.lam[r];
  const std::vector<double>& force = state.contacts.force;
  for (std::size_t r = 0; r < force.size(); ++r) half.contact[r] += half.weight * force[r];
}

void Stepper::end_halves(const StepPart&, int depth) {
  const Half& half = halves_[depth - 1];
  for (std::size_t r = 0; r < state.lam.size(); ++r) state.lam[r] = half.impulse[r] / half.node_time;
  std::vector<double>& force = state.contacts.force;
  for (std::size_t r = 0; r < force.size(); ++r) force[r] = half.contact[r] / half.node_time;
}

void Stepper::save() {
  before_ = state;
  whole_failure_ = failure;
  if (contacts_) hits_before_ = contacts_->hits();
}

void Stepper::restore() {
  undo_to(before_);
  failure = whole_failure_;
  if (contacts_) contacts_->restore(hits_before_);
}

void Stepper::finish(const StepPart& whole) { state.t = before_.t + whole.dt; }

// --- whole steps ---

StepStatus Stepper::step(double dt, const double* k1, const double* u) {
  begin_step();
  if (contacts_) contacts_->begin_step();
  if (order_ == 2) return advance({dt, k1, u});
  composition_.before = state;
  const auto undo = [&] { undo_to(composition_.before); };
  try {
    const StepStatus status = composed_step(dt, k1, u);
    if (status != StepStatus::fine) undo();
    return status;
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
}

// (S3), (S7); the kinematic variables are interpolated. The force at the node is that of the first part: the last part of the
// step before is as long, so that it stands for equal times on both sides.
StepStatus Stepper::composed_step(double dt, const double* k1, const double* u) {
  std::vector<double>&k0 = composition_.k0, &k = composition_.k, &lam = composition_.lam;
  const std::size_t nd = model_.n_dynamic;
  const double t = state.t;
  std::copy_n(state.q.begin() + nd, k0.size(), k0.begin());
  bool first = true;
  const StepStatus status = compose(order_, [&](double length, double end) {
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = k0[i] + end * (k1[i] - k0[i]);
    const StepStatus made = advance({length * dt, k.data(), u});
    if (made != StepStatus::fine) return made;
    if (length < 0.0 && fed_back(u)) return StepStatus::fed_back;
    if (first) lam = state.lam;
    first = false;
    return made;
  });
  if (status != StepStatus::fine) return status;
  state.lam = lam;
  std::copy_n(k1, k.size(), state.q.begin() + nd);
  state.t = t + dt;
  return status;
}

// (S5), for the step that was accepted last.
bool Stepper::fed_back(const double* u) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  auto& [whole, k0, k, lam, q, v, f_v] = composition_;
  if (f_v.empty()) return false;
  const double* before = state.history.row(1);
  const double dt = state.history.age_of(1);
  for (int i = 0; i < n; ++i) {
    q[i] = 0.5 * (before[i] + state.q[i]);
    v[i] = (state.q[i] - before[i]) / dt;
  }
  std::copy(state.q.begin() + n, state.q.end(), q.begin() + n);
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q.data(), v.data());
  std::fill(f_v.begin(), f_v.end(), 0.0);
  add_forces_dv({model_, ws.state, q.data(), v.data(), u, state.t - 0.5 * dt}, 0.5 * dt, f_v.data());
  double fed = 0.0;
  for (int i = 0; i < nd; ++i)
    for (int j = 0; j < nd; ++j) fed += v[i] * f_v[i * n + j] * v[j];
  return fed > most_fed_back * 2.0 * kinetic_energy(model_, ws, q.data(), v.data());
}

}  // namespace bough
