// The derivative of the Hessian of L = T - V along one direction (q, v) += e (sigma, tau): all third derivatives of the tree,
// contracted once, at about the price of the Hessian itself.
//
// A dot is that derivative; p is the parent of joint i, and sums over subtrees have an index c, as in lagrangian.hpp:
//
//   Sigma_i = Sigma_p + sigma_i J_i,   J'_i = ad(Sigma_p) J_i,   V'_i = V'_p + v_i J'_i + tau_i J_i,
//   U'_i = ad(V'_p) J_i + ad(V_p) J'_i                                                                          (LA1)
//   I'_i = -ad(Sigma_i)^T I_i - I_i ad(Sigma_i): of no mass, with Sigma = (w, x) of first moment m x + w x mc and of
//          rotational inertia W I + (W I)^T - (mc x^T + x mc^T) + 2 (x . mc) 1,  W y = w x y                    (LA2)
//   a'_i = Ic'_i J_i + Ic_i J'_i,   b'_i = Ic'_i U_i + Ic_i U'_i - ad(J'_i)^T hc_i - ad(J_i)^T hc'_i,
//   G'_j = (0, gravity x w(J'_j))                                                                               (LA3)
//   for j at or above i:  M'_ij = a'_i . J_j + a_i . J'_j,   (dp_i/dq_j)' = a'_i . U_j + a_i . U'_j,
//   (dp_j/dq_i)' = b'_i . J_j + b_i . J'_j,   (d2L/dq_i dq_j)' = b'_i . U_j + b_i . U'_j + a'_i . G_j + a_i . G'_j  (LA4)
//
// The axes of a ball turn together: for its three joints Sigma_p in J' is the Sigma of the last of them, and p in U' the parent
// of the first. What comes out is then the derivative of the matrices of (L4)-(L8), before they are ordered by (BJ6).
#pragma once

#include "bough/dynamics/pairs.hpp"

namespace bough {

class LagrangianAlong {
 public:
  explicit LagrangianAlong(const Model& model);

  struct Place {
    const double *q, *v, *sigma, *tau;
  };
  // (LA4) over variables, n x n by rows, without the potentials of elements; qv[i, j] = d2L/dq_i dv_j.
  void evaluate(const Place& at, double* qq, double* qv, double* vv);

  // The same pair by pair: visit is called with all pairs of (LA4) after sweep().
  void sweep(const Place& at);
  template <class Visit>
  void for_pairs(Visit visit) {
    const int n = model_.n();
    const std::vector<JointState>& state = workspace(model_).state;
    const WrenchRows a = rows(0), b = rows(1), da = rows(2), db = rows(3);
    for (int j = 0; j < n; ++j) {
      const JointState& x = state[j + 1];
      const Along& d = along_[j + 1];
      const Twist G{Vec3::zero(), cross(model_.gravity, x.J.w)}, dG{Vec3::zero(), cross(model_.gravity, d.J.w)};
      const int end = model_.joints[j].subtree_end;
      for (int i = j; i < end; i += 4)
        visit(PairBlock{j, i, std::min(4, end - i), pair_lanes(da, x.J, i) + pair_lanes(a, d.J, i),
                        pair_lanes(da, x.U, i) + pair_lanes(a, d.U, i), pair_lanes(db, x.J, i) + pair_lanes(b, d.J, i),
                        pair_lanes(db, x.U, i) + pair_lanes(b, d.U, i) + pair_lanes(da, G, i) + pair_lanes(a, dG, i)});
    }
  }

 private:
  struct Along {
    Twist Sigma, J, V, U;  // dots but for Sigma
    Inertia I;
    Wrench h;
  };
  void sweep_out(Workspace& ws, const Place& at);
  void sweep_in(Workspace& ws);
  WrenchRows rows(int which) { return {rows_.data() + 6 * which * model_.n(), model_.n()}; }

  const Model& model_;
  std::vector<Along> along_;
  std::vector<double> rows_;  // a, b, a', b' as structure of arrays: 24 rows of n, and the rest of a register
};

}  // namespace bough
