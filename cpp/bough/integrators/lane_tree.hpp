// L_q, L_v and Newton's matrix of the generalised midpoint rule for four systems of one structure at once, one in each
// lane of a register: docs/theory/lanes.md. Nothing here depends on a comparison, so that the numbers of a lane are the
// same whatever its neighbours hold.
//
// Newton's matrix is (N1) with gravity folded into the screws, so that the matrices along the tree have 6 x 6 entries:
//
//   G_i = (0, gravity x w(J_i)),  eps = -alpha (1 - alpha) dt^2,   y~_i = y_i + eps G_i,  w~_i = w_i - eps G_i     (RL1)
//   u_i = P_i y~_i - alpha e_i - (eps / dt) Ic_i G_i,   t_i = P_i^T w~_i - (1 - alpha) e_i + (eps / dt) Ic_i G_i
//   D_i = t_i . y~_i + d_i,     Ic_i (0, x) = (mc_i x x, m_i x)                                                    (RL2)
//
// and with these, (N3) and (N4).
#pragma once

#include "bough/spatial/lane_arrays.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

class LaneTree {
 public:
  // The structure of the model; its numbers are in no lane yet.
  explicit LaneTree(const Model& model);

  // Whether a model is made of what runs in lanes, and whether two such models have one structure.
  static bool fits(const Model& model);
  static bool alike(const Model& a, const Model& b);

  void load(int lane, const Model& model);

  // (L2), (L3) of the tree at q, v, without elements, over variables. Momenta and first moments are kept for
  // the functions below.
  void evaluate(const LaneArray& q, const LaneArray& v, LaneArray& L_q, LaneArray& L_v);
  // As evaluate(), with the sizes of what cancels in -L_v + duration L_q.
  void evaluate(const LaneArray& q, const LaneArray& v, double duration, LaneArray& L_q, LaneArray& L_v,
                LaneArray& size);

  // x = K^-1 x over variables, for K where evaluate() was last called with q = qm; d: d_i of (RL2).
  void solve(double dt, double alpha, const LaneArray& d, LaneArray& x);

  // After solve() with dt = 1 and alpha = 0 at rest, where -K is the mass matrix: the sum of the inverse pivots, each times
  // the inertia outboard of its joint, which is what forward_dynamics.cpp compares a pivot with.
  Lane4 inverse_pivots();

  // The potential energy of gravity, with masses that are fixed to the world.
  Lane4 potential_energy() const;

 private:
  // The numbers of a joint and its link.
  struct Numbers {
    Lane4 ratio, inverse_ratio, shift, mass, subtree_mass;
    LaneMat R;  // constant pose relative to the parent joint
    LaneVec p, com;
    Lane4 inertia[6];
  };
  enum { xx, yy, zz, xy, xz, yz };  // places in `inertia`
  struct Body {
    LanePose g;
    LaneTwist J, V, U;
    LaneVec c, mc;  // as of MidpointBody
    LaneWrench h;
  };
  struct Node {
    LaneTwist y, w, eta;
    LaneWrench t, s;
    Lane4 inverse_D, c;
  };
  struct Matrix {
    Lane4 entry[6][6];
  };
  struct Step {
    Lane4 inverse_dt, alpha_dt, beta_dt, alpha, beta, eps, eps_dt;
  };

  void sweep_out(const LaneArray& q, const LaneArray& v);
  template <JointKind kind>
  void place(int i, const Lane4& rate);
  template <bool sizes>
  void sweep_in(const Lane4& duration, LaneArray& L_q, LaneArray& L_v, LaneArray* size);
  template <bool isotropic>
  static void add_inertia(const Numbers& link, const Body& body, const Lane4& factor, Matrix& P);
  void eliminate(int i, const Step& step, const LaneArray& d, const LaneArray& x);
  void expand(LaneArray& x);
  LaneVec tree_origin(int joint) const;

  const std::vector<Joint> joints_;  // structure alone
  std::vector<Link> links_;          // structure alone
  std::vector<Numbers> numbers_;
  LaneVec gravity_;
  Lane4 base_;                    // potential energy of what is fixed to the world
  LaneArray s_, sn_, cs_;         // parameters of joints, their sines and cosines
  std::vector<Body> bodies_;      // by slot
  std::vector<LaneVec> origins_;  // by joint: minus tree_origin() of those that hang from the world
  std::vector<Node> nodes_;       // by slot
  std::vector<int> place_;        // by slot: of P among matrices_
  LaneArray traces_;              // by slot: of the inertias of the subtree
  std::vector<Matrix> matrices_;  // a first child's P becomes its parent's in place, so few are alive at a time
};

}  // namespace bough
