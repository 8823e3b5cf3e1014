// Accelerations from generalised forces in O(n): M a = tau - C with C from inverse dynamics at zero acceleration, and M
// inverted by articulated bodies in the world frame, where inertias add without any change of coordinates.
//
//   leaves to root:  P_i = I_i + sum over children (P_c - u_c u_c^T / D_c),  u_i = P_i J_i,  D_i = J_i . u_i   (D2)
//                    r_i = tau_i - J_i . (Fc_i + s_i),  s_parent += s_i + u_i r_i / D_i                        (D3)
//   root to leaves:  a_i = (r_i - u_i . E_parent) / D_i,  E_i = E_parent + J_i a_i                             (D4)
//
// A kinematic joint is not eliminated: its acceleration is given and enters through A in (D1).
// Where joints share a variable the mass matrix is formed and factored instead.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// A pivot below this fraction of the subtree's inertia is round-off: a few units in the last place of that inertia.
inline constexpr double least_pivot = 1e-15;

// tau over all variables (kinematic entries are ignored), without the potentials, which are added here; a: on entry the
// accelerations of the kinematic variables, on exit all of them. Returns -1, or a variable at which the mass matrix is
// singular in this configuration.
int forward_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau, double* a);

// Solves M x = r for the dynamic entries of x, its kinematic entries given: velocities from momenta. Returns as above.
int mass_solve(const Model& model, Workspace& ws, const double* q, const double* r, double* x);

// The inertia that each dynamic variable sees with all joints outboard of it free, D_i of (D2); where joints share a variable,
// the diagonal of the mass matrix. Zero where it is singular.
void joint_inertias(const Model& model, Workspace& ws, const double* q, double* out);

}  // namespace bough
