// Forces of a step in which some are servos: the part of a stiff servo's impulse that moves from the end of the step to
// its start (VS4), and the branch of a servo of limited effort that each Newton iteration takes (VS3).
#pragma once

#include <vector>

#include "bough/tree/workspace.hpp"

namespace bough {

class ServoForces {
 public:
  ServoForces(const Model& model, double alpha);

  bool empty() const { return servos_.empty(); }

  // The rules for a step of dt from q0.
  void set_rules(double dt, const double* q0);

  // fd- and fd+ of all forces, with `half` for dt f / 2, all over variables.
  void evaluate(const Instant& at, double dt, double* half);
  const double* before() const { return before_.data(); }
  const double* after() const { return after_.data(); }
  const double* shift() const { return shift_.data(); }

  // (VS3); x gets what it lacks if the branch is not that of the present value.
  void choose_branches(Instant at, double dt, double* x);
  const std::vector<Limit>& branches() const { return limits_; }
  void recall(const std::vector<Limit>& branches);

  // Calls visit(force, instant, before, after) for every force of the model: its derivatives are those at the instant,
  // fd- is before * dt f and fd+ is after * dt f.
  template <class Visit>
  void for_each(Instant at, Visit visit) const {
    const auto& forces = at.model.elements.forces;
    for (std::size_t k = 0; k < forces.size(); ++k) {
      at.limit = limits_[k];
      at.lead = rules_[k].lead;
      visit(*forces[k], at, 0.5 * (1.0 + rules_[k].shift), 0.5 * (1.0 - rules_[k].shift));
    }
  }

 private:
  const Model& model_;
  const double alpha_;
  std::vector<std::size_t> servos_;  // which of the forces
  std::vector<Limit> limits_;        // of each force: the branch that Newton's method took last
  std::vector<ServoRule> rules_;     // of each force, for steps of rule_dt_ from rule_q_
  std::vector<double> rule_q_, inertia_, shift_, before_, after_;
  double rule_dt_ = 0.0;
};

}  // namespace bough
