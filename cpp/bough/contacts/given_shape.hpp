// A shape as a record of an element has it: kind, three sizes, pose as 12 numbers by rows; a hull with the numbers of its corners and
// triangles as sizes and both at its end, a heightfield with the numbers of its x and y and then these and its heights.
#pragma once

#include "bough/geometry/shape.hpp"

namespace bough {

struct GivenShape {
  ContactShape shape;
  Pose pose;
};

// Reads one, and moves on to what follows it.
GivenShape given_shape(const double*& x);

}  // namespace bough
