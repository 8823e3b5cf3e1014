#include "bough/maximal/engine.hpp"

#include <algorithm>

namespace bough {

MaximalEngine::MaximalEngine(const Model& model, const MaximalSettings& chosen)
    : settings(chosen),
      state(model, settings),
      space(state.bodies),
      forces(state, space),
      rows(state, space),
      breaks_(state.n() + 1),
      springs_({state, forces, rows, breaks_}),
      velocity_({state, forces, rows, breaks_}),
      explicit_({state, forces, rows, breaks_}, springs_),
      implicit_({state, forces, rows, breaks_}, springs_) {}

void MaximalEngine::break_joint(int slot) {
  state.broken[slot] = true;
  rows.count();
}

void MaximalEngine::break_above(int constraint, double force) {
  if (constraint >= 0) return rows.break_above(constraint, force);
  breaks_.above[-constraint] = force;
  breaks_.watched = true;
}

void MaximalEngine::start(double t, const double* q, const double* v) {
  std::fill(rows.lam.begin(), rows.lam.end(), 0.0);
  state.start(t, q, v);
}

StepStatus MaximalEngine::step(MaximalMethod method, double dt, const double* k1, const double* u) {
  state.save();
  breaks_.events.clear();
  StepStatus status;
  try {
    status = method == MaximalMethod::velocity           ? velocity_.step(dt, k1, u)
             : method == MaximalMethod::penalty_explicit ? explicit_.step(dt, k1, u)
                                                         : implicit_.step(dt, k1, u);
  } catch (...) {  // of an element that a user wrote
    state.restore();
    throw;
  }
  if (status != StepStatus::fine) {
    state.restore();
    return status;
  }
  for (const int event : breaks_.events) {
    if (event >= 0)
      rows.enable(event, false);
    else
      break_joint(-event);
  }
  return status;
}

double MaximalEngine::gyration() const {
  double mass = 0.0, inertia = 0.0;
  for (int b = 1; b <= state.n(); ++b) {
    const Mat3 I = state.rotational_inertia(b);
    mass += state.model.links[state.bodies.body[b - 1].link].mass;
    inertia += 0.5 * (I(0, 0) + I(1, 1) + I(2, 2));
  }
  return inertia / mass;
}

void MaximalEngine::record(const Row& row) const {
  *row.t = state.t;
  std::copy(state.q.begin(), state.q.end(), row.q);
  std::copy(state.q_rate.begin(), state.q_rate.end(), row.v);
  for (int b = 1; b <= state.n(); ++b) {
    state.x[b].store(row.x + 3 * (b - 1));
    double* o = row.o + 4 * (b - 1);
    o[0] = state.o[b].w;
    state.o[b].v.store(o + 1);
    row.drift[2 * (b - 1)] = norm(state.drift(b).v);
    row.drift[2 * (b - 1) + 1] = norm(state.drift(b).w);
  }
}

std::vector<int> MaximalEngine::lacking_inertia() const {
  std::vector<int> slots;
  for (int b = 1; b <= state.n(); ++b)
    if (lacks_inertia(state.model.links[state.bodies.body[b - 1].link])) slots.push_back(b);
  return slots;
}

std::vector<int> MaximalEngine::massless() const {
  std::vector<int> slots;
  for (int b = 1; b <= state.n(); ++b)
    if (state.model.links[state.bodies.body[b - 1].link].massless) slots.push_back(b);
  return slots;
}

std::vector<std::vector<int>> MaximalEngine::joint_variables() const {
  std::vector<std::vector<int>> out(state.n());
  for (int b = 1; b <= state.n(); ++b) {
    const Body& body = state.bodies.body[b - 1];
    for (int c = body.chain; c < body.chain + body.length; ++c)
      out[b - 1].push_back(state.model.joints[state.bodies.chain[c]].variable);
  }
  return out;
}

}  // namespace bough
