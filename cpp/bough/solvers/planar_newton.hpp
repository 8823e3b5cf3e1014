// (N1)-(N5) of tree_newton.hpp for trees that move in a plane, planar_tree.hpp.
//
// With (a, b1, b2) the axes of the world in cyclic order, twists have three components (w . a, v . b1, v . b2) and wrenches
// (n . a, f . b1, f . b2). Every w(J_j) is s_j a, so that one component more stands for gravity in place of two,
//
//   sigma_j = s_j,   gamma_i = k l_i . gravity x a                                                               (PN1)
//
// and the inertia of a link with its centre of mass at c is, with I_a its moment about a there, which never changes,
//
//   I = [I_a + m (c1^2 + c2^2), -m c2, m c1;  -m c2, m, 0;  m c1, 0, m]                                           (PN2)
//
// P_i is 4x4 in place of 8x8: a row is one register, and along a chain all of it stays in registers.
#pragma once

#include <vector>

#include "bough/solvers/tree_newton.hpp"

namespace bough {

class PlanarNewton {
 public:
  explicit PlanarNewton(const Model& model);

  // (N2) with h and mc summed over subtrees, and (N3), (N4) for x = K^-1 x over joints. Returns false at a zero pivot.
  bool factor(const Model& model, const TreeSweep& sweep, double alpha, double* x);
  // With the last factorisation: x = K^-1 x over joints, or K^-T x.
  template <bool transposed>
  void solve(const Model& model, double* x);

  // d_i of (N2).
  double& diagonal(int joint) { return nodes_[joint].diagonal; }

 private:
  struct Node {
    Lane4 y, w, u, t;  // (N2)
    double inverse_D, c, diagonal;
    double moment;  // I_a of (PN2)
  };
  // What joints hand on to others than their neighbours.
  struct Sum {
    Lane4 P[4], s, eta;
  };
  template <int axis>
  bool factor_about(const Model& model, const TreeSweep& sweep, double alpha, double* x);
  template <bool transposed>
  void expand(const Model& model, double* x);

  int axis_;
  std::vector<Node> nodes_;  // by joint
  std::vector<Sum> sums_;    // by slot
};

}  // namespace bough
