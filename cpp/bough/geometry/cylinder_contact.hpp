// Cylinders a on planes, boxes, hulls, capsules and cylinders b. A cylinder has an axis with its radius, two caps and two rims; what
// is new beside the features of feature.hpp are rims. With c the centre, u the axis and r the radius of a rim, a line through x
// along e that has the radius ρ around it, and m the normal of a cap outwards,
//
//   rim and edge:  φ = max over n·e = 0, |n| = 1 of  n·(c - x) - r |n × u| - ρ                                       (GE22)
//   rim and rim:   φ = max over |n| = 1 of  n·(c_a - c_b) - r_a |n × u_a| - r_b |n × u_b|                            (GE23)
//   chord:         φ = m·(y - c) - ρ  at the two points y of the line over the rim                                (GE24)
//   caps:          the same at the two points of the rim of b over the rim of a                                   (GE25)
//
// With n the normal of a face, u the axis of a cylinder, both at the start and the end of a step, and τ = u - (n·u) n, the step is short
// enough for a rim on the face if
//
//   |τ| >= 0.1 all the way,  or  τ turns by no more than 0.1 rad and the lowest point stays on its part of the rim      (GE26)
//
// A largest value changes to first order as if its n were fixed, so that (GE16) holds. (GE24) and (GE25) stand in for (GE22) and
// (GE23) where a line or a cap lies flat on a cap and touches it in more than a point.
#pragma once

#include "bough/geometry/part_features.hpp"

namespace bough {

enum class CylinderPart {
  rim_face,
  ring_face,
  cap_corner,
  axis_corner,
  axis_edge,
  rim_edge,
  chord,       // cap + 2 end of the chord, line of b
  axis_chord,  // end, cap of b
  whole,       // a number that all pairs have
  cap_rim,
  axis_rim,
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
