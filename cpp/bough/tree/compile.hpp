// Compiles a tree of frames into joints, links and frame places.
#pragma once

#include "bough/tree/model.hpp"

namespace bough {

// The description as parallel arrays over frames; frame 0 is the world, parents come before children, depth-first.
struct FrameTable {
  int n_frames;
  const int* parent;
  const int* kind;      // 0 fixed pose, 1..6 tx ty tz rx ry rz, 7 twist, 8 ball
  const int* variable;  // -1: the parameter is the constant `value`; the first of the three of a ball
  const double* value;
  const double* ratio;
  const double* offset;
  const double* pose;   // 4x4 row-major, for kind 0
  const double* screw;  // 6, (angular, linear), for kind 7
  const double* mass;
  const double* com;      // 3
  const double* inertia;  // 3x3 about com
  const double* gravity;
  int n_dynamic, n_variables;
};

// Throws std::invalid_argument if the arrays do not describe a tree in depth-first order.
Model compile(const FrameTable& table);

}  // namespace bough
