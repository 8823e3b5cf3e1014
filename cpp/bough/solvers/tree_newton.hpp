// Newton's step for the generalised midpoint rule in O(n): factorisation of K = D2 D1 Ld along the tree, and solves with it.
//
// With y_i = J_i + alpha dt U_i,  w_i = (1 - alpha) dt U_i - J_i,  e_i = ad(J_i)^T hc_i  and Ic_i the inertia of the subtree,
//
//   K_ij = w_i . Ic_i y_j / dt - (1 - alpha) e_i . y_j    (row i, column j at or above i)                     (N1)
//   K_ji = w_j . Ic_i y_i / dt - alpha e_i . w_j          (row j, column i at or below j)
//
// plus gravity, k a_i . G_j on both with k = alpha (1 - alpha) dt. Only the component of w(J_j) across gravity enters that,
// so with e0, e1 an orthonormal pair across gravity and l_i the linear part of a_i = Ic_i J_i it is
//
//   gamma_i . sigma_j,   sigma_j = (e0 . w(J_j), e1 . w(J_j)),   gamma_i = k (l_i . gravity x e0, l_i . gravity x e1)
//
// Two more components of y, w, and of the wrenches paired with them: they ride in the free lanes of the registers.
// Writing K delta = r by the twists eta accumulated outward and the wrenches s accumulated inward, and folding Ic_i / dt
// into the articulated P_i (8x8), nothing large cancels:
//
//   leaves to root:  P_i = (I_i / dt, 0) + sum over children (P_c - u_c t_c^T / D_c)
//                    u_i = P_i y_i + (-alpha e_i, gamma_i),   t_i = P_i^T w_i + (-(1 - alpha) e_i, gamma_i)     (N2)
//                    D_i = t_i . y_i + d_i                    (d_i: joint springs and dampers)
//                    c_i = (r_i - w_i . s_i) / D_i,           s_parent += s_i + u_i c_i                         (N3)
//   root to leaves:  delta_i = c_i - (t_i . eta_parent) / D_i,   eta_i = eta_parent + y_i delta_i               (N4)
//
// A joint that is not dynamic is passed through: delta_i = 0. K^T delta = r takes the same with y and w, u and t
// exchanged in (N3) and (N4).                                                                                   (N5)
#pragma once

#include <vector>

#include "bough/solvers/tree_border.hpp"
#include "bough/spatial/geodesic.hpp"
#include "bough/spatial/lanes.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// An 8x8 matrix by rows: angular part with e0, linear part with e1.
struct Mat8 {
  Wrench row[8];
};

struct TreeNode {
  Twist y, w, eta;  // (N2), (N4)
  Wrench u, t, s;   // (N2), (N3)
  double inverse_D, c, diagonal;
  int place;  // of P among matrices_: a last child's P becomes its parent's in place, so few are alive at a time; < 0: left out
};

// What the residual sweep knows about the link outboard of a joint when the factorisation starts.
struct MidpointBody {
  Wrench h;  // momentum of the link, then of the subtree
  Vec3 c;    // world position of the link's centre of mass
  Vec3 mc;   // first moment of the link, then of the subtree
};

// The block of a ball in world axes: (BJ18), t times D^-1 of (BJ19).
struct BallFactor {
  Twist y[3], w[3];
  Wrench u[3], t[3];
  Mat3 cofactors;  // D^-T
  Vec3 c;          // a right-hand side, c of (N3), then a solution
  Mat3 I;          // inertia of the link, its first moment and its mass, over dt
  Vec3 mc;
  double m;
};

// Four balls at the middle of their ways, side by side and in world axes, as the residual sweep leaves them.
struct FourMiddles {
  LaneMat R;     // their axes
  LaneVec phi;   // in their own axes
  LaneVec p;     // their centres
  LaneVec w, v;  // the velocities of their parents, v at p
  LaneVec n, f;  // the momenta of their subtrees
  LaneVec l;     // n - p x f: L_v
  LaneVec L_q;   // with forces
  LaneVec arm;   // m p - mc of the subtree
  Lane4 c, k;    // c of (BJ17), k of (BJ20)
};

// What takes right-hand sides and solutions of four balls there and back: (BJ17) and (BJ20).
struct FourTurns {
  LaneMat R;
  LaneVec phi;
  Lane4 rows[2], column;  // factors of F and F^2 in A0^-T, of F^2 in C
};

// What the residual sweep leaves.
struct TreeSweep {
  const std::vector<JointState>& state;
  const std::vector<MidpointBody>& bodies;
  double dt;
};

// e0, e1 of (N1), and gravity x e0, e1.
void gravity_axes(const Vec3& gravity, Vec3 (&e)[2], Vec3 (&g_e)[2]);

class TreeNewton {
 public:
  // bordered: whether factor() is given borders. If not, joints that stand still, with nothing dynamic at or above, are left out.
  void resize(const Model& model, bool bordered = true);

  // (N2) with h and mc summed over subtrees, and (N3), (N4) for x = K^-1 x over joints. Returns false at a zero pivot. With
  // a border, the same for (TB1): x over joints, y over its rows.
  bool factor(const Model& model, const std::vector<JointState>& state, const std::vector<MidpointBody>& bodies,
              double dt, double alpha, double* x, TreeBorder* border = nullptr, double* y = nullptr);

  // The same for a tree with balls at alpha = 1/2: (BJ10), (BJ11).
  bool factor(const Model& model, const TreeSweep& sweep, const std::vector<FourMiddles>& balls, double* x);
  // With the last such factorisation: x = K^-1 x over joints, or K^-T x.
  template <bool transposed>
  void solve_blocks(const Model& model, double* x);

  // (N3), (N4): x = K^-1 x over joints.
  void solve(const Model& model, double* x, TreeBorder* border = nullptr, double* y = nullptr);

  // (N5): x = K^-T x over joints, and with a border the transpose of (TB1).
  void solve_transposed(const Model& model, double* x, TreeBorder* border = nullptr, double* y = nullptr);

  // (N3), (N4) for the columns of one register or of two: x over joints, the registers of a joint side by side.
  void reserve_columns() { between_.resize(nodes_.size() * 16); }
  void solve_columns(const Model& model, Lane4* x, int registers);

  // d_i of (N2).
  double& diagonal(int joint) { return nodes_[joint + 1].diagonal; }

 private:
  template <bool transposed>
  void solve_sides(const Model& model, double* x, TreeBorder* border, double* y);
  template <bool transposed>
  void reduce(int i, const Joint& joint, TreeNode& node, bool leaf, double r, TreeBorder* border);
  template <bool transposed>
  void expand(const Model& model, double* x, TreeBorder* border, double* y);

  void prepare_balls(const Model& model, const TreeSweep& sweep, const FourMiddles& of, std::size_t four);
  void prepare_balls_with_32(const Model& model, const TreeSweep& sweep, const FourMiddles& of, std::size_t four);
  void prepare_balls_inlined(const Model& model, const TreeSweep& sweep, const FourMiddles& of, std::size_t four);
  template <bool transposed>
  void turn_to_rows(const Model& model, const double* x);
  template <bool transposed>
  void turn_from_columns(const Model& model, double* x) const;

  std::vector<TreeNode> nodes_;
  std::vector<BallFactor> balls_;
  std::vector<FourTurns> turns_;
  std::vector<Mat8> matrices_;
  std::vector<Lane4> between_;  // s and eta of columns
  Vec3 e_[2], g_e_[2];          // e0, e1 and gravity x e0, e1
};

}  // namespace bough
