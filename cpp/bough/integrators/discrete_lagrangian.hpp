// A rule for one step: the two derivatives of its discrete Lagrangian, and the derivatives of these.
#pragma once

#include "bough/solvers/step_matrix.hpp"

namespace bough {

// One step from q0 at t to q1 at t + dt; q holds all variables, u the inputs during the step.
struct Interval {
  double t, dt;
  const double *q0, *q1, *u;
};

// Discrete forces are fd- = fd+ = dt f / 2. What a rule says of forces and of K belongs to the interval evaluated last.
class DiscreteLagrangian : public StepTerms {
 public:
  // D1 = D1 Ld + fd-,  D2 = D2 Ld + fd+, and the size of the terms that cancel in each row of D1, over all variables.
  virtual void evaluate(const Interval& step, double* D1, double* D2, double* scale) = 0;

  // -dLd/d(dt) of an interval: the energy that a conservative motion keeps nearly, in kinetic and potential part. What
  // was evaluated before is lost.
  struct Energy {
    double kinetic, potential;
  };
  virtual Energy energy(const Interval& step) = 0;

  // fd- and fd+, over all variables.
  virtual const double* forces_before() const = 0;
  virtual const double* forces_after() const = 0;

  // The part of the impulses that the rule moves from D2 to D1, over all variables; null if it is zero.
  virtual const double* shifted() const { return nullptr; }

  // Forces with branches, such as servos of limited effort: chooses the branch of this Newton iteration, and adds to
  // the right-hand side x what it lacks if that is not the branch of the present value.
  virtual void choose_branches(double* /*x*/) {}
  // The branches chosen last, one for each force. Others than as many are those of another rule or model, and not recalled.
  virtual void remember_branches(std::vector<Limit>&) const {}
  virtual void recall_branches(const std::vector<Limit>&) {}

  // dD1/dq0, dD1/dq1 = K, dD2/dq0 and dD2/dq1 over all variables, by rows; those that are null are left out. The rules of
  // servos, which depend on q0 through inertias, are held.
  struct Slots {
    double *D1_0, *D1_1, *D2_0, *D2_1;
    // Whether they are zero but for pairs of joints on one path, and no two joints have one variable.
    bool cleared = false;
  };
  virtual void slot_derivatives(const Slots& out) = 0;
  void set_dense(double* K) final { slot_derivatives({nullptr, K, nullptr, nullptr}); }

  // Whether the rule is the same seen backwards, and so of second order.
  virtual bool symmetric() const = 0;
};

}  // namespace bough
