// A model in maximal coordinates: free rigid bodies, what acts on them, the rows beyond their joints, and three ways to step.
// Derivation in docs/theory/maximal.md.
#pragma once

#include "bough/maximal/penalty_explicit.hpp"
#include "bough/maximal/penalty_implicit.hpp"
#include "bough/maximal/velocity_stepper.hpp"

namespace bough {

enum class MaximalMethod : int { velocity, penalty_explicit, penalty_implicit };

class MaximalEngine {
 public:
  MaximalEngine(const Model& model, const MaximalSettings& chosen);
  MaximalEngine(const MaximalEngine&) = delete;
  MaximalEngine& operator=(const MaximalEngine&) = delete;

  MaximalSettings settings;
  BodyState state;
  BodySpace space;
  AppliedForces forces;
  MaximalRows rows;

  void break_joint(int slot);
  // Of a constraint, or of a joint given as -slot.
  void break_above(int constraint, double force);

  void start(double t, const double* q, const double* v);
  void project_velocities() { velocity_.project_velocities(); }

  // Kinematic values at the end of the step, inputs during it. On failure the state is the one before the step. Joints and
  // constraints whose force was above their threshold are broken after it.
  StepStatus step(MaximalMethod method, double dt, const double* k1, const double* u);
  const std::vector<int>& broken_in_step() const { return breaks_.events; }  // constraints, or -slot of joints
  int failed_slot() const { return velocity_.failed_slot; }
  int iterations() const { return implicit_.iterations; }  // of the last step, if it was implicit

  // The largest eigenvalue of M^-1 A^T K A with K the penalty springs: see (MB1).
  double penalty_eigenvalue() { return springs_.largest_eigenvalue(); }
  // Mean square of the radius of gyration: what makes an angular stiffness of a linear one.
  double gyration() const;

  // One row of a record: variables and their rates (n each), positions (3 a body), quaternions (4), drift of the joints in metres
  // and radians (2).
  struct Row {
    double *t, *q, *v, *x, *o, *drift;
  };
  void record(const Row& row) const;

  // Slots of bodies that lack inertia, or mass; variables of the joint that holds each body.
  std::vector<int> lacking_inertia() const;
  std::vector<int> massless() const;
  std::vector<std::vector<int>> joint_variables() const;

 private:
  Breaks breaks_;
  PenaltySprings springs_;
  VelocityStepper velocity_;
  ExplicitPenaltyStepper explicit_;
  ImplicitPenaltyStepper implicit_;
};

}  // namespace bough
