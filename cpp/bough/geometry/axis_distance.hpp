// The distance of two axes, p + s e with |s| at most half a length h, such as those of capsules, or of a capsule and an edge. With
// d = p_a - p_b and m = e_a x e_b,
//
//   s = (e_b x d).m / m.m  within h_a ;   t = e_b.(d + s e_a)  within h_b ;   s = e_a.(t e_b - d)  within h_a, if t was not
//   phi = |d + s e_a - t e_b| - rho                                                                              (GE27)
//
// The square of the distance is convex in (s, t), so that s and t are its least place in the rectangle of both axes, and unless the axes
// are parallel there is no other: the gradient is continuous also where an end of one of them becomes the nearest point.
//
// Axes at a small angle touch at a place that runs along both of them as one tilts over the other. A contact impulse acts where they
// touch at the start of a step, and does work on what the place has passed by at its end: a step is short enough if
//
//   |s1 - s0| <= h / 4   or   |t1 - t0| <= h / 4 ,   h the lesser of h_a and h_b                                   (GE28)
//
// Where a capsule slides along its axis over the other axis, the place stays where it is on the latter. A feature that is the
// crossing of two lines runs on beyond the ends of both, and so do s and t.
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

struct Axis {
  Vec3 middle, e;
  double half, radius;  // half of its length, and what is around it
};

// Of a capsule, and of an edge of a polytope.
Axis axis_of(const PlacedShape& capsule);
Axis axis_of_edge(const PlacedShape& polytope, int edge);

struct AxisDistance {
  double s, t;  // along the axes, from their middles
  Gap gap;
};

// Of axes that are not parallel.
AxisDistance axis_distance(const Axis& a, const Axis& b);
// (GE28), for the places at the start and at the end of a step; lines: of crossings beyond the ends, too.
bool axes_follow(const Axis (&a)[2], const Axis (&b)[2], bool lines);

}  // namespace bough
