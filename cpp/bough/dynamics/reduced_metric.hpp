// The kinetic metric of a tree whose first body is free, in the axes of that body, and its derivatives by the shape r.
//
//   T = z^T M(r) z / 2,  z = (xi, r'): twist xi of the base in its own axes, r' = dr/dt
//
// The base is placed at the identity, and its six directions e_k stand in front of the screws: joints 0 to 5 with J_k = e_k.
// For joints a, b, j, l on one path from the root, d the deepest of them, Ic_d the inertia of what is outboard of d:
//
//   M_ab = J_a . Ic_d J_b                                                                                          (B1)
//   D_j J_a = [J_a, J_j] where a is above j, else 0                as seen from the frame of d                     (B2)
//   D_l D_j J_a = [[J_a, J_l], J_j] where a is above l, l at or above j                                            (B3)
//   dM_ab/dr_j = D_j J_a . Ic_d J_b + J_a . Ic_d D_j J_b                                                           (B4)
//   d2M_ab/dr_j dr_l = DD J_a . Ic_d J_b + D_l J_a . Ic_d D_j J_b + D_j J_a . Ic_d D_l J_b + J_a . Ic_d DD J_b     (B5)
//
// and zero where the joints are not on one path. With z given, (dM/dr_j) z for all j is O(n depth) by (L4), (L6), (L7):
//
//   G_ij = a_i . U_j for j at or above i,   G_ji = b_i . J_j for j above i                                         (B6)
#pragma once

#include "bough/solvers/products.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// How the variables of a model divide: the six of a free base, if there is one, and the shape.
struct ReducedLayout {
  int base = -1;              // its first joint
  std::vector<int> shape;     // variables, in the order of q
  std::vector<int> position;  // of a variable in (base twist, shape); -1 for those of the base
  int n_dynamic = 0;          // shape variables that are dynamic; they come first

  int nb() const { return base >= 0 ? 6 : 0; }
  int nr() const { return static_cast<int>(shape.size()); }
  int n() const { return nb() + nr(); }
  bool in_base(int joint) const { return base >= 0 && joint >= base && joint < base + 6; }
  int place(const Model& model, int joint) const {
    return in_base(joint) ? joint - base : position[model.joints[joint].variable];
  }
};

// The first tree that begins as `free` makes it: tx ty tz rz ry rx of six dynamic variables, one joint each, with no mass and
// no branch before the last.
ReducedLayout reduced_layout(const Model& model);

class ReducedMetric {
 public:
  ReducedMetric(const Model& model, const ReducedLayout& layout);

  // Geometry and inertias at the shape r; what follows is about it.
  void set_shape(const double* r);

  // (B1), n x n
  void metric(Eigen::MatrixXd& M) const;

  // (B6), n x nr: column j is (dM/dr_j) z
  void derivative(const double* z, Eigen::MatrixXd& G);

  // (B4), (B5), row-major: first[j, a, b], second[j, l, a, b]; both zeroed here. Second may be null.
  void derivatives(double* first, double* second) const;

  // Of a joint, in the axes of the base; the ratio is that of the joint parameter to its variable.
  const Pose& pose(int joint) const { return state_[joint + 1].g; }
  const Twist& screw(int joint) const { return state_[joint + 1].J; }
  const Inertia& composite(int joint) const { return inertia_[joint + 1]; }
  double ratio(int joint) const { return layout_.in_base(joint) ? 1.0 : model_.joints[joint].ratio; }

 private:
  struct Path;
  void add_derivatives(const Path& path, double* first, double* second) const;

  const Model& model_;
  const ReducedLayout& layout_;
  std::vector<double> q_;
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<Inertia> inertia_;  // composite
  std::vector<Wrench> momentum_;
};

}  // namespace bough
