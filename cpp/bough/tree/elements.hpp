// What acts on the tree, as tables of the model: one vector per kind, each kind's formulas in its own file.
#pragma once

#include <vector>

#include "bough/spatial/spatial.hpp"

namespace bough {

// A frame of the user: rigidly behind joint slot `joint`.
struct FramePlace {
  int joint;
  Pose X;
};

struct ConfigurationSpring {
  int variable;
  double stiffness, rest;
};

struct LinearSpring {
  FramePlace a, b;
  double stiffness, rest_length;
};

struct ConfigurationForce {
  int variable;
  int input;  // -1: constant
  double value;
};

struct PointConstraint {
  FramePlace a, b;
  Vec3 axis;
};

struct DistanceConstraint {
  FramePlace a, b;
  double length;
  int variable;  // >= 0: the length is this kinematic variable
};

struct Elements {
  std::vector<ConfigurationSpring> configuration_springs;
  std::vector<LinearSpring> linear_springs;
  std::vector<double> damping;  // per variable, or empty
  std::vector<ConfigurationForce> configuration_forces;
  std::vector<PointConstraint> point_constraints;
  std::vector<DistanceConstraint> distance_constraints;
  std::vector<int> row_order;  // row of the k-th constraint, kinds one after the other
  int n_inputs = 0, n_constraints = 0;

  bool has_potentials() const { return !configuration_springs.empty() || !linear_springs.empty(); }
  bool couples_joints() const { return !linear_springs.empty(); }
};

}  // namespace bough
