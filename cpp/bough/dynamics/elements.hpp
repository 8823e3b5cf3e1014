// Sums over the elements of a model. Poses (and velocities where v is taken) are already in `state`.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

using States = std::vector<JointState>;

double elements_energy(const Model& model, const States& state, const double* q);

// out += factor * dV/dq over variables.
void add_potential_gradient(const Model& model, const States& state, const double* q, double factor, double* out);

// H += factor * d2V/dq dq over variables.
void add_potential_hessian(const Model& model, const States& state, Workspace& ws, double factor, double* H);

// out += factor * force(v, u), and H += factor * its derivative by v.
void add_forces(const Model& model, const double* v, const double* u, double factor, double* out);
void add_forces_dv(const Model& model, double factor, double* H);

// h, its scale (the size of what cancels in it), dh/dq as rows of n_variables, d2h/dq dq, and d2h/dt2 at zero joint
// acceleration.
void constraint(const Model& model, const States& state, const double* q, double* h, double* scale);
void constraint_dq(const Model& model, const States& state, double* Dh);
void constraint_dqdq(const Model& model, const States& state, Workspace& ws, double* DDh);
void constraint_bias(const Model& model, Workspace& ws, const double* v, double* bias);

}  // namespace bough
