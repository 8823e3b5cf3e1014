// First and second derivatives of the Lagrangian L = T - V.
//
//   h_i = I_i V_i; hc_i, Ic_i sums of h, I over the subtree of joint i                                        (L1)
//   p_i = dL/dv_i = J_i . hc_i                                                                                (L2)
//   dL/dq_i = U_i . hc_i + J_i . Fc_i,  Fc_i = (mc_i x gravity, m_i gravity) of the subtree                   (L3)
//   a_i = Ic_i J_i,  b_i = Ic_i U_i - ad(J_i)^T hc_i                                                          (L4)
//   for j at or above i:
//   M_ij = a_i . J_j                                                                                          (L5)
//   dp_i/dq_j = a_i . U_j                                                                                     (L6)
//   dp_j/dq_i = b_i . J_j                                                                                     (L7)
//   d2L/dq_i dq_j = b_i . U_j + a_i . G_j,  G_j = (0, gravity x w(J_j))                                       (L8)
//
// Pairs on different branches are zero. The descendants of j are contiguous, so (L5)-(L8) run as loops over i with J_j,
// U_j, G_j constant, over a and b stored as structure of arrays.
#pragma once

#include "bough/dynamics/pairs.hpp"

namespace bough {

// (L2), (L3); either output may be null.
void lagrangian_gradient(const Model& model, Workspace& ws, const double* q, const double* v, double* L_dq,
                         double* L_dv);

// (L5)-(L8) as n x n row-major arrays; L_dqdv[i, j] = d2L/dq_i dv_j. Any output may be null.
void lagrangian_hessians(const Model& model, Workspace& ws, const double* q, const double* v, double* L_dqdq,
                         double* L_dqdv, double* L_dvdv);

// The same at a state with velocities, pair by pair of joints on one path: for models whose joints share variables this takes half
// the time.
void lagrangian_hessians_at(const Model& model, const std::vector<JointState>& state, Workspace& ws, const double* q,
                            double* L_dqdq, double* L_dqdv, double* L_dvdv);

// a and b of (L4) in the rows of the workspace, from a state with velocities, for pairs that are taken one by one below.
void set_pair_wrenches(const Model& model, const std::vector<JointState>& state, Workspace& ws);
inline WrenchRows momenta_of_pairs(Workspace& ws, int n) { return {ws.rows.data(), n}; }
inline WrenchRows rates_of_pairs(Workspace& ws, int n) { return {ws.rows.data() + 6 * n, n}; }

// Calls visit with all pairs of (L5)-(L8), without the potentials of elements and without balls, after set_pair_wrenches().
template <class Visit>
void for_lagrangian_pairs(const Model& model, const std::vector<JointState>& state, Workspace& ws, Visit visit) {
  const int n = model.n();
  const WrenchRows a = momenta_of_pairs(ws, n), b = rates_of_pairs(ws, n);
  for (int j = 0; j < n; ++j) {
    const JointState& x = state[j + 1];
    const Twist G{Vec3::zero(), cross(model.gravity, x.J.w)};
    const int end = model.joints[j].subtree_end;
    for (int i = j; i < end; i += 4)
      visit(PairBlock{j, i, std::min(4, end - i), pair_lanes(a, x.J, i), pair_lanes(a, x.U, i), pair_lanes(b, x.J, i),
                      pair_lanes(b, x.U, i) + pair_lanes(a, G, i)});
  }
}

}  // namespace bough
