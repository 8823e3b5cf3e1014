// The distance of a ball from a shape, with the nearest points: closed forms, and for hulls (GE8).
#pragma once

#include "bough/geometry/ellipsoid_distance.hpp"
#include "bough/geometry/feature.hpp"

namespace bough {

// The point of a cylinder about z that is nearest to x.
Nearest nearest_of_cylinder(const Vec3& x, double r, double half);

// Of a ball (a sphere where it is) from a shape that is no plane.
Gap ball_distance(const PlacedShape& ball, const PlacedShape& b);

}  // namespace bough
