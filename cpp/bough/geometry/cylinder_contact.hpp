// Cylinders a on planes, boxes, hulls, capsules and cylinders b. A cylinder has an axis with its radius, two caps and two rims; what
// is new beside the features of feature.hpp are rims. With c the centre, u the axis and r the radius of a rim, a line through x
// along e that has the radius ρ around it, and m the normal of a cap outwards,
//
//   rim and edge:  φ = |w| - ρ ,  w = y - x - (e·(y - x)) e ,  y on the rim with  w·t = 0 ,  t its tangent            (GE22)
//   rim and rim:   φ = max over |n| = 1 of  n·(c_a - c_b) - r_a |n × u_a| - r_b |n × u_b|                            (GE23)
//   caps:          the same at the two points of the rim of b over the rim of a                                   (GE25)
//
// With n the normal of a face, u the axis of a cylinder, both at the start and the end of a step, and τ = u - (n·u) n, the step is short
// enough for a rim on the face if
//
//   |τ| >= 0.1 all the way and τ turns by no more than 0.2 rad,
//   or it turns by no more than 0.1 rad and the lowest point stays on its part of the rim                          (GE26)
//
// With x_a and x_b the place where two lines or rims touch, in the frames of both, and s the lesser size, it is so for these if
//
//   |x_a1 - x_a0| <= s / 4   or   |x_b1 - x_b0| <= s / 4                                                          (GE30)
//
// A largest or least value changes to first order as if its n were fixed, so that (GE16) holds. (GE22) has a solution at both ends of the
// chord that the line is seen to have, each of which is a feature. (GE25) stands in for (GE23) where a cap lies flat on a cap.
#pragma once

#include "bough/geometry/part_features.hpp"

namespace bough {

enum class CylinderPart {
  rim_face,
  ring_face,
  cap_corner,
  axis_corner,
  axis_edge,
  rim_edge,   // rim + 2 side, line of b
  whole = 8,  // a number that all pairs have
  cap_rim,
  axis_rim,  // side, rim of b
  rim_rim,
  caps_first,
  caps_second,
  ball  // an end of a capsule
};

using CylinderFeatures = PartFeatures<CylinderPart>;

// Those that are nearer than `within`.
void cylinder_features(const PlacedShape& a, const PlacedShape& b, double within, CylinderFeatures& out);
bool has_cylinder_feature(const ContactShape& b, CylinderPart part, int i, int j);
Gap cylinder_gap(CylinderPart part, int i, int j, const PlacedShape& a, const PlacedShape& b);
// The point of a rim of a, as a part of it, where a gap of another part of it is.
int rim_point_of(const PlacedShape& a, int rim, const Gap& g);
// Whether a step between two poses of both is short enough for a feature, (GE26).
bool cylinder_follows(CylinderPart part, int i, int j, const PlacedShape (&a)[2], const PlacedShape (&b)[2]);
// The signed distance; of an ellipsoid b the one feature there is.
Gap cylinder_distance(const PlacedShape& a, const PlacedShape& b);

}  // namespace bough
