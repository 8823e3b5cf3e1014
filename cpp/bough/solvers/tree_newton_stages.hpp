// Newton's matrix (GL10) of all stages of a Gauss-Lobatto step along the tree, in O(n): as tree_newton.hpp, with a block of s
// unknowns for every joint. For stages b, c, with y_j, w_j of one column for each stage c, and Ic, e, sigma, gamma as there
// but without k,
//
//   y_j(b, c) = delta_bc J_jb + h a_bc U_jb,   w_j(b, c) = delta_bc J_jb - h a_cb U_jb                            (GN1)
//   and for gravity  h a_bc sigma_jb  in y,  h a_cb sigma_jb  in w
//   P_i = diag_b(I_ib, 0) + sum over children (P_c - u_c D_c^-1 t_c^T)
//   u_i = P_i y_i - (h a_bc e_ib, h a_bc gamma_ib),   t_i = P_i^T w_i + (h a_cb e_ib, -h a_cb gamma_ib)           (GN2)
//   D_i = t_i^T y_i - h a_bc f_v,ic - h^2 sum_k a_bk a_kc F_q,ik     (springs and dampers of single variables)
//
// and then (N3), (N4) with blocks. Components are registers with one number for each stage, so that P_i has a row for every
// component of every stage and eight registers in it.
#pragma once

#include <vector>

#include "bough/integrators/gauss_table.hpp"
#include "bough/spatial/lanes.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// What the stages know of a joint and of the link outboard of it.
struct StageJoint {
  LanePose g;
  LaneTwist J, V, U;
};
struct StageBody {
  LaneWrench h;   // momentum of the link, then of the subtree
  LaneVec c, mc;  // world position of the link's centre of mass; first moment of the link, then of the subtree
};

// I about the world's origin of a link with its centre of mass at c, added to P; the trace of it.
Lane4 add_inertia(const Link& link, const LanePose& g, const LaneVec& c, LaneInertia& P);

class TreeNewtonStages {
 public:
  void resize(const Model& model, const GaussTable& table);

  // What elements on single variables add to D_i, row b: over joint parameters.
  Lane4& diagonal(int joint, int row) { return nodes_[joint + 1].diagonal[row]; }
  // False at a singular block.
  bool factor(const Model& model, double h, const std::vector<StageJoint>& joints,
              const std::vector<StageBody>& bodies);
  // x = J^-1 x over joints, all stages in a register.
  void solve(const Model& model, std::vector<Lane4>& x);

 private:
  static constexpr int most = most_stages;
  struct Vector {  // six components and two of gravity
    Lane4 of[8];
  };
  struct Node {
    Vector y[most], w[most], u[most], t[most];  // by column
    Lane4 inverse_D[most];                      // by column
    Lane4 diagonal[most];                       // by row
    Lane4 c;
    Vector s, eta;
  };
  struct Matrix {
    Vector row[8][most];  // by component and stage
  };

  template <int s>
  bool factor_joint(const Model& model, int i, double h, const StageJoint& x, const StageBody& body);
  Lane4 stage_sums(const Vector* columns, const Vector& x) const;
  Lane4 by_inverse(const Node& node, const Lane4& x) const;

  int s_ = 0;
  GaussTable table_;
  Vec3 e_[2], g_e_[2];  // e0, e1 across gravity, and gravity x e0, e1
  std::vector<Node> nodes_;
  std::vector<Matrix> P_;
};

}  // namespace bough
