#include "bough/integrators/servo_forces.hpp"

#include <algorithm>

#include "bough/dynamics/forward_dynamics.hpp"

namespace bough {

ServoForces::ServoForces(const Model& model, double alpha) : model_(model), alpha_(alpha) {
  limits_.assign(model.elements.forces.size(), Limit::by_value);
  rules_.resize(limits_.size());
  for (std::size_t k = 0; k < limits_.size(); ++k)
    if (model.elements.forces[k]->servo()) servos_.push_back(k);
  if (!servos_.empty())
    for (auto* x : {&shift_, &before_, &after_, &rule_q_, &inertia_}) x->resize(model.n_variables);
}

// By the inertias at q0: what articulated bodies see at each joint (D2), or the diagonal of the mass matrix if variables
// are shared.
void ServoForces::set_rules(double dt, const double* q0) {
  if (dt == rule_dt_ && std::equal(rule_q_.begin(), rule_q_.end(), q0)) return;
  rule_dt_ = dt;
  std::copy_n(q0, model_.n_variables, rule_q_.begin());
  std::fill(inertia_.begin(), inertia_.end(), 0.0);
  Workspace& ws = workspace(model_);
  joint_inertias(model_, ws, q0, inertia_.data());
  for (const std::size_t k : servos_) rules_[k] = model_.elements.forces[k]->servo_rule(dt, alpha_, inertia_.data());
}

void ServoForces::evaluate(const Instant& at, double dt, double* half) {
  std::fill(shift_.begin(), shift_.end(), 0.0);
  Instant of = at;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    of.lead = rules_[k].lead;
    model_.elements.forces[k]->add_force(of, 0.5 * dt, half);
    if (rules_[k].shift > 0.0) model_.elements.forces[k]->add_force(of, 0.5 * dt * rules_[k].shift, shift_.data());
  }
  for (std::size_t i = 0; i < shift_.size(); ++i) {
    before_[i] = half[i] + shift_[i];
    after_[i] = half[i] - shift_[i];
  }
}

void ServoForces::choose_branches(Instant at, double dt, double* x) {
  for (const std::size_t k : servos_) {
    const Force& force = *model_.elements.forces[k];
    const double half = 0.5 * dt * (1.0 + rules_[k].shift);
    at.lead = rules_[k].lead;
    at.limit = Limit::by_value;
    const Limit present = force.next_limit(at);
    at.limit = limits_[k];
    at.limit = limits_[k] = force.next_limit(at);
    if (at.limit == present) continue;
    force.add_force(at, -half, x);
    at.limit = Limit::by_value;
    force.add_force(at, half, x);
  }
}

void ServoForces::recall(const std::vector<Limit>& branches) {
  if (branches.size() == limits_.size())
    limits_ = branches;
  else
    std::fill(limits_.begin(), limits_.end(), Limit::by_value);
}

}  // namespace bough
