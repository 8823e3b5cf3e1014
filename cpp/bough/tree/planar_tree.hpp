// Trees that move in a plane: all joints turn about one axis a of the world or slide across it.
//
// With (a, b1, b2) the axes of the world in cyclic order, turns about a keep a, so that the directions of joints about and
// along a are those at zero, and what a joint adds to the pose of its parent is a turn about a and a shift that turns with
// the parent. The constants of a joint are therefore read off the poses with all parameters zero.
#pragma once

#include <vector>

namespace bough {

struct Model;

struct PlanarJoint {
  bool hinge;                  // or a slide
  double sign, inverse_ratio;  // S . a of a hinge, and 1 / ratio of the joint
  double d1, d2;               // from the origin of the parent to that of the joint, along b1 and b2
  double e1, e2;               // the direction of a slide; zero for a hinge
  double centre1, centre2;     // of mass of the link, from the origin of the joint
  double moment;               // of the link about a, at the centre of mass
};

struct PlanarTree {
  int axis = -1;  // 0 to 2; -1 if the tree does not move in a plane, and then there are no joints
  std::vector<PlanarJoint> joints;
};

PlanarTree planar_tree(const Model& model);

}  // namespace bough
