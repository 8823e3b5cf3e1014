// Newton's step for the generalised midpoint rule in O(n): factorisation of K = D2 D1 Ld along the tree, and solves with it.
//
// With y_i = J_i + alpha dt U_i,  w_i = (1 - alpha) dt U_i - J_i,  e_i = ad(J_i)^T hc_i  and Ic_i the inertia of the subtree,
//
//   K_ij = w_i . Ic_i y_j / dt - (1 - alpha) e_i . y_j    (row i, column j at or above i)                     (N1)
//   K_ji = w_j . Ic_i y_i / dt - alpha e_i . w_j          (row j, column i at or below j)
//
// plus gravity, alpha (1 - alpha) dt a_i . G_j on both, which is carried by y_j += eps G_j, w_j -= eps G_j,
// eps = -alpha (1 - alpha) dt^2, and kappa_i = alpha (1 - alpha) dt Ic_i G_i taken back where it would count twice; what is
// left out is O(dt^3) relative. Writing K delta = r by the twists eta accumulated outward and the wrenches zeta accumulated
// inward, and folding Ic_i / dt into the articulated P_i, nothing large cancels:
//
//   leaves to root:  P_i = I_i / dt + sum over children (P_c - u_c t_c^T / D_c)
//                    u_i = P_i y_i + kappa_i - alpha e_i,   t_i = P_i^T w_i - kappa_i - (1 - alpha) e_i         (N2)
//                    D_i = t_i . y_i + d_i                  (d_i: joint springs and dampers)
//                    c_i = (r_i - w_i . s_i) / D_i,         s_parent += s_i + u_i c_i                           (N3)
//   root to leaves:  delta_i = c_i - (t_i . eta_parent) / D_i,   eta_i = eta_parent + y_i delta_i               (N4)
//
// A joint that is not dynamic is passed through: delta_i = 0.
#pragma once

#include <vector>

#include "bough/tree/workspace.hpp"

namespace bough {

struct TreeNode {
  Mat6 P;           // sum of the children's reduced matrices
  Twist y, w, eta;  // (N2), (N4)
  Wrench u, t, s;   // (N2), (N3)
  double inverse_D, c, diagonal;
};

// What the residual sweep knows about the link behind a joint when the factorisation starts.
struct MidpointBody {
  Wrench h;  // momentum of the link, then of the subtree
  Vec3 c;    // world position of the link's centre of mass
  Vec3 mc;   // first moment of the link, then of the subtree
};

class TreeNewton {
 public:
  void fit(const Model& model);

  // (N2) with h and mc summed over subtrees. Returns false at a zero pivot.
  bool factor(const Model& model, const std::vector<JointState>& state, const std::vector<MidpointBody>& bodies,
              double dt, double alpha);

  // (N3), (N4): delta = K^-1 r over joints; delta may be r.
  void solve(const Model& model, const double* r, double* delta);

  // d_i of (N2).
  double& diagonal(int joint) { return nodes_[joint + 1].diagonal; }

 private:
  std::vector<TreeNode> nodes_;
};

}  // namespace bough
