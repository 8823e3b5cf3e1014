// Generalised forces that produce given accelerations, tau = d/dt dL/dv - dL/dq, in O(n).
//
//   A_i = A_parent + J_i a_i + U_i v_i,  A_world = (0, -gravity)     uniform gravity as an upward acceleration
//   F_i = I_i A_i - ad(V_i)^T h_i,  summed over the subtree to Fc_i
//   tau_i = J_i . Fc_i                                                                                        (D1)
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

void inverse_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* a,
                      double* tau);

}  // namespace bough
