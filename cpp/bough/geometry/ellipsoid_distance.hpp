// Signed distances of an ellipsoid of radii S, all with a continuous gradient where they are zero.
//
//   point:     foot y = S² x / (t + S²) with |S⁻¹ y| = 1, normal along S⁻² y                                      (GE14)
//   segment:   least of (GE14) along it, where the normal is across it
//   polytope:  (GE7) over a face if the foot is on it, least over its edges if not
//   ellipsoid: max over |n| = 1 of  n·(p_a - p_b) - |S_a R_aᵀ n| - |S_b R_bᵀ n| , by Newton's method on the sphere   (GE15)
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

// The nearest point of a solid and the normal there, both in its frame; the distance is below zero inside.
struct Nearest {
  Vec3 point, normal;
  double distance;
};

Nearest nearest_of_ellipsoid(const Vec3& x, const Vec3& radii);

// Of an ellipsoid a from a capsule, a polytope or an ellipsoid.
Gap ellipsoid_distance(const PlacedShape& a, const PlacedShape& b);

}  // namespace bough
