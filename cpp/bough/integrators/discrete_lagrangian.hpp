// What the stepper needs of a method: the two derivatives of its discrete Lagrangian and Newton's matrix.
#pragma once

#include "bough/solvers/schur.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// One step from q0 at t to q1 at t + dt; q holds all variables, u the inputs during the step.
struct Interval {
  double t, dt;
  const double *q0, *q1, *u;
};

// Discrete forces are fd- = fd+ = dt f / 2.
class DiscreteLagrangian {
 public:
  virtual ~DiscreteLagrangian() = default;

  // D1 = D1 Ld + fd-,  D2 = D2 Ld + fd+, and the size of the terms that cancel in each row of D1, over all variables.
  virtual void evaluate(const Interval& step, double* D1, double* D2, double* scale) = 0;

  // -dLd/d(dt) of an interval: the energy that a conservative motion keeps nearly, in kinetic and potential part. What was
  // evaluated before is lost.
  struct Energy {
    double kinetic, potential;
  };
  virtual Energy energy(const Interval& step) = 0;

  // fd- and fd+ of the interval evaluated last, over all variables.
  virtual const double* forces_before() const = 0;
  virtual const double* forces_after() const = 0;

  // The part of the impulses of that interval that its method moves from D2 to D1, over all variables; null where it is zero.
  virtual const double* shifted() const { return nullptr; }

  // Whether the rule is the same seen backwards, and so of second order.
  virtual bool symmetric() const = 0;

  // With K = dD1/dq1 for the interval evaluated last, factors [K, -Dh0^T; Dh1, 0] over dynamic variables and solves with it for [x; y], in place;
  // false where K is singular.
  virtual bool factor(const Interval& step, const Jacobians& D, double* x, double* y) = 0;

  // The same with K factored last; with Dh1 too, unless it reads the rows of Dh1 again.
  virtual void solve(const Jacobians& D, double* x, double* y) = 0;
  virtual bool reads_rows() const = 0;
};

}  // namespace bough
