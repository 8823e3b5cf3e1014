// What acts on bodies besides their joints and constraints. Elements between frames act on the bodies as they are; elements
// that know variables (springs and forces of a variable, what a user wrote) are evaluated at the recovered q and v and act
// along the joints: a generalised force tau of a variable is the pair of wrenches +-tau w_c / ratio of its joint (MK4).
#pragma once

#include <memory>

#include "bough/maximal/body_state.hpp"

namespace bough {

// The bodies as a model of their own: see body_space() in bodies.hpp.
struct BodySpace {
  explicit BodySpace(const Bodies& bodies);
  Model model;
  std::vector<JointState> state;
  std::vector<double> zero;
  Instant instant(const double* u, double t) const { return {model, state, zero.data(), zero.data(), u, t}; }
};

class AppliedForces {
 public:
  AppliedForces(BodyState& state, BodySpace& space);

  // Each element acts on bodies or on variables, in the order of the model; the other one is null.
  void add(std::shared_ptr<const Potential> on_bodies, std::shared_ptr<const Potential> on_variables);
  void add(std::shared_ptr<const Force> on_bodies, std::shared_ptr<const Force> on_variables);

  // Momenta after the applied forces of a step, M V0 + dt F with the gyroscopic term, by slot. Sets the inertias of the state.
  void momenta(double dt, const double* u, std::vector<Wrench>& f);

 private:
  Vec3 angular_momentum(int slot, double dt) const;  // after the gyroscopic term
  void add_to(std::vector<Wrench>& F, const double* u);
  void add_along_joints(const double* tau, std::vector<Wrench>& F) const;

  BodyState& state_;
  BodySpace& space_;
  std::vector<std::shared_ptr<const Potential>> potentials_;  // on variables
  std::vector<std::shared_ptr<const Force>> forces_;
  std::vector<Wrench> F_;
  std::vector<double> generalised_, on_bodies_;
};

}  // namespace bough
