// Sums over the elements of a model. Outputs are over variables and are added to.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

double elements_energy(const Instant& at);
void add_potential_gradient(const Instant& at, double factor, double* out);
void add_potential_hessian(const Instant& at, double factor, double* H);
void add_potential_third(const Instant& at, double factor, double* T);  // all of them must have it
void add_forces(const Instant& at, double factor, double* out);
void add_forces_dq(const Instant& at, double factor, double* H);
void add_forces_dv(const Instant& at, double factor, double* H);

// The variables in each row of Dh where h = 0, and the fork of each constraint.
struct ConstraintRows {
  explicit ConstraintRows(const Model& model);
  std::vector<std::vector<int>> variables, joints;
  std::vector<int> fork;
};

// Constraints, all rows: h and its scale; dh/dq (n_constraints x n_variables), rows that are round-off at this scale set to
// zero (a wire that holds what the joints hold already); d2h/dq dq; d3h/dq dq dq, which all of them
// must have; dh/dt at fixed q; d2h/dt2 without accelerations.
void constraint(const Instant& at, double* h, double* scale);
void constraint_dq(const Instant& at, const double* scale, double* Dh);
// The same where h = 0, or nearly: only the variables of the rows; Dh is zero elsewhere, and is left so.
void constraint_dq(const Instant& at, const double* scale, const ConstraintRows& rows, double* Dh);
void constraint_dqdq(const Instant& at, double* DDh);
void constraint_dqdqdq(const Instant& at, double* DDDh);
void constraint_rate(const Instant& at, double* h_t);
void constraint_bias(const Instant& at, double* out);

}  // namespace bough
