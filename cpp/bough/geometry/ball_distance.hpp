// The distance of a ball from a shape, with the nearest points: closed forms, and for hulls (GE8).
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

// Of a ball (a sphere where it is) from a shape that is no plane.
Gap ball_distance(const PlacedShape& ball, const PlacedShape& b);

}  // namespace bough
