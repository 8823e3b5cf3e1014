// Two polytopes that touch: the direction in which they are the least deep, and where their faces overlap.
//
//   φ = max over n of ( min n·x_a - max n·x_b ) ,   n: normals of b, of a reversed, ±(e_a × e_b)                  (GE10)
//
// Of edges only those pairs count that cross on the sphere of normals. This holds where polytopes touch or overlap; it has no
// division by a distance, so a box at rest on another, at 1e-16 m, has its normal to round-off. Apart, φ is below the distance
// if corners or edges face each other, which gjk.hpp measures.
//
// If n is the normal of a face, the nearest face of the other is its partner; seen along n the two polygons meet in
//   corners of the one over the face of the other, and crossings of their edges                                   (GE11)
// each of which is a feature.
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

// Adds the features and returns (GE10) with its normal, from b to a.
std::pair<double, Vec3> polytope_features(const PlacedShape& a, const PlacedShape& b, Manifold& out);

}  // namespace bough
