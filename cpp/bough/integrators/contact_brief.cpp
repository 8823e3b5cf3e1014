// Parts of a step that are too short for an implicit step, (EV6).
#include <algorithm>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double shortest = 1e-6;  // of a step: below, the node is moved

}  // namespace

bool ContactSteps::brief(double tau) const { return tau <= shortest * whole_.dt; }

// v at the node of the state, on all that is closed.
bool ContactSteps::set_drift() {
  if (way_.drifts) return true;
  if (!set_velocity()) return false;
  way_.drift = way_.v;
  return way_.drifts = true;
}

// The end of such a part, in the place of one that is solved for.
StepStatus ContactSteps::drift(double tau) {
  if (!set_drift()) return StepStatus::no_convergence;
  std::copy(state_.q.begin(), state_.q.end(), way_.q.begin());
  for (int i = 0; i < model_.n_dynamic; ++i) way_.q[i] += tau * way_.drift[i];
  const bool last = elapsed_ + tau >= whole_.dt;
  set_kinematic(elapsed_ + tau);
  std::copy_n(last ? whole_.k1 : way_.k.data(), way_.k.size(), way_.q.begin() + model_.n_dynamic);
  equations_.set_end(way_.q.data());
  return StepStatus::fine;
}

// The node goes to the end found last. What presses on closed contacts is in p for the whole part, not for half of it.
bool ContactSteps::make_brief(double tau) {
  double power;
  way_.drifts = false;  // for what friction takes
  if (!set_drift() || !node_.set(state_.t, state_.q.data())) return false;
  state_.contacts.friction_loss += node_.rubbed();
  std::fill(way_.a.begin(), way_.a.end(), 0.0);
  if (!node_.acceleration(way_.drift.data(), whole_.u, way_.a.data(), &power)) return false;
  for (int i = 0; i < model_.n_dynamic; ++i) way_.drift[i] += tau * way_.a[i];
  smooth_.move_node(tau, equations_.q1().data());
  state_.work += tau * power;
  elapsed_ += tau;
  known_ = way_.drifts = false;
  if (!node_.set(state_.t, state_.q.data())) return false;
  node_.momentum(way_.drift.data(), state_.p.data());
  smooth_.start_anew(way_.drift.data());
  state_.dt_before = 2.0 * tau;
  return true;
}

}  // namespace bough
