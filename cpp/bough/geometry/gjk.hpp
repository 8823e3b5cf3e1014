// The distance of two convex shapes by their farthest points: Gilbert, Johnson and Keerthi, and if they overlap how deep, by an
// expanding polytope. With w(d) = s_a(-d) - s_b(d), a point of the difference of the shapes,
//
//   v = argmin |x| over the hull of up to four w ,   next w(v) ;   |v|² - v·w(v) bounds the error of |v|²          (GE8)
//   depth: the facet of a polytope inside the difference that is nearest to the origin, split by w along its normal
//                                                                                                                  (GE9)
//
// The least norm over a simplex is the best of those over its faces that lie inside these: all 15 are tried, which has no case
// that round-off could decide wrongly. Both are of cores: radii are left out.
#pragma once

#include "bough/geometry/shape.hpp"

namespace bough {

struct Separation {
  double distance;  // below zero if the cores overlap
  Vec3 normal;      // from b to a
  Vec3 on_a, on_b;  // nearest points
  bool converged;
};

// Signed distance of the cores; neither is a plane.
Separation separation(const PlacedShape& a, const PlacedShape& b);

}  // namespace bough
