// The compiled system: flat arrays, immutable after compile().
//
// One joint per variable transform, numbered depth-first so that the descendants of joint i are the contiguous range
// (i, subtree_end). Slot 0 of every per-joint scratch array is the world, joint i lives in slot i + 1.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bough/spatial/spatial.hpp"
#include "bough/tree/elements.hpp"
#include "bough/tree/planar_tree.hpp"

namespace bough {

enum class JointKind : int { tx = 1, ty, tz, rx, ry, rz, twist, ball };

struct Joint {
  int parent;  // slot of the parent: 0 is the world
  int base;    // slot whose velocity turns the screw: the parent, or that of the ball
  JointKind kind;
  int variable;
  int subtree_end;          // one past the last joint outboard of this one
  bool dynamic;             // false: the variable is kinematic (prescribed)
  bool last_child;          // whether it is the last child, which reports first in an inward sweep
  bool rotated, offset;     // whether the constant pose X rotates, translates
  double ratio, shift;      // joint parameter s = shift + ratio * q[variable]
  Pose X;                   // constant pose of the joint relative to its parent joint
  Twist S;                  // screw in the joint's own frame; unit angular part, or unit linear part if that is zero
  int ball = -1, axis = 0;  // of a ball: its number, and which of its three axes
};

// A ball joint: three joints with one pose, the first of which turns, and three variables, its rates in the axes of the
// moved frame. In a configuration, its three entries are a rotation vector phi and the four at `quaternion` are Q = (w, x,
// y, z): the joint turns by Q exp(phi), and phi is zero outside of a step.
struct Ball {
  int joint, variable;  // the first ones
  int quaternion;       // in a configuration of the core
  int place;            // in a configuration of the user, where the quaternion stands in place of the variables
};

// Four neighbours among the balls, which are worked on side by side; beyond the last ball, that one again.
struct FourBalls {
  static constexpr std::size_t width = 4;
  // Where three numbers of each begin; in a row: those of one after those of another, twelve in all.
  struct Threes {
    std::ptrdiff_t at[width];
    bool in_a_row;
    std::ptrdiff_t operator[](std::size_t k) const { return at[k]; }
  };
  std::ptrdiff_t place[width];  // among the balls
  std::ptrdiff_t parent[width], quaternion[width];
  Threes joint, variable;
};

// Everything rigidly outboard of one joint.
struct Link {
  double mass = 0.0;
  Vec3 com = Vec3::zero();             // in the joint's frame
  Mat3 inertia = Mat3::zero();         // about com, in the joint's axes
  bool massless = true, point = true;  // point: no rotational inertia
  bool isotropic = true;               // inertia the same about every axis
};

struct Model {
  std::vector<Joint> joints;
  std::vector<Link> links;  // links[i] is moved by joints[i]
  Link base;                // masses fixed to the world
  std::vector<FramePlace> frames;
  Elements elements;
  std::vector<double> subtree_mass;  // by slot
  Vec3 gravity = Vec3::zero();
  int n_variables = 0, n_dynamic = 0;
  bool one_to_one = true;  // variable i drives joint i alone, with ratio 1: joint space is variable space
  bool shared = false;     // some variable drives several joints
  bool dynamic_only = true;
  PlanarTree plane;
  std::vector<Ball> balls;
  std::vector<FourBalls> fours;
  bool quaternions_alone = false;  // whether a configuration of the user is the quaternions of one of the core
  std::vector<int> place;  // by variable, in a configuration of the user; -1 for those of balls. Empty without balls
  // How many numbers a configuration has: in the core all variables, then the quaternions; of the user.
  int width() const { return n_variables + 4 * static_cast<int>(balls.size()); }
  int n_coordinates() const { return n_variables + static_cast<int>(balls.size()); }
  int n() const { return static_cast<int>(joints.size()); }
  // Whether there are balls and no other joints or variables.
  bool only_balls() const {
    const int three = 3 * static_cast<int>(balls.size());
    return three > 0 && three == n() && three == n_variables;
  }
};

}  // namespace bough
