// Rows without slip: a wheel or ball that rolls on a plane, and a skate.
//
// The plane is n . x = height. A ball with centre x touches it at p = x - r n; a wheel with axis a at
// p = x - r (n - (n . a) a) / |n - (n . a) a|. Rows on the twist of the body:
//
//   rolling:  velocity of the body at p is zero; along n with C = n . p - height, along the plane without position   (MN1)
//   skate:    d . velocity of the body at x is zero, d fixed to the body                                              (MN2)
#pragma once

#include "bough/tree/elements.hpp"

namespace bough {

struct NoSlip {
  bool rolling = true;
  FramePlace place;          // in the body space
  Vec3 axis = Vec3::zero();  // of the wheel, or the direction d of a skate, in the frame; zero for a ball
  double radius = 0.0;
  Vec3 normal = Vec3::unit(2);
  double height = 0.0;
  int rows() const { return rolling ? 3 : 1; }
};

// Rows over the body space, zeroed before, and their position errors and sizes.
void no_slip_rows(const NoSlip& at, const Pose& body, int columns, double* A, double* C, double* scale);

}  // namespace bough
