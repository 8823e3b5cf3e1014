// Shapes on a heightfield b: spheres, capsules, boxes and hulls, each by the features of it and of the ground that are near. With
// x a corner of the core of a, ρ its radius, and y the foot of x on the ground,
//
//   region:  φ = n·(x - o) - ρ while y is on the region, |x - y| - ρ beyond a convex edge of it                     (GE19)
//   edge:    φ = |x - y| - ρ where x - y is normal to it (GE18), n_l·(x - y) - ρ or n_r·(x - y) - ρ beside that      (GE20)
//   vertex:  φ = least distance from the triangles around it, less ρ                                               (GE21)
//
// each with a continuous gradient where a ball rolls from one onto the other. Vertices under faces of a are (GE2), convex edges
// across edges of a or the axis of a capsule (GE5), vertices beside the axis (GE4).
//
// A valley touches a ball on both sides: a foot is a feature if the distance is least there among the points around it.
#pragma once

#include "bough/geometry/part_features.hpp"

namespace bough {

enum class FieldPart { corner_region, ball_region, ball_edge, ball_vertex, face_vertex, edge_edge, axis_vertex };

struct FieldFeatures : PartFeatures<FieldPart> {
  void add(const One& one);  // unless it is there; if there is no room, in the place of the farthest
};

// Whether a shape has features on the ground.
bool on_fields(const ContactShape& a);

// Those that are nearer than `within`.
void field_features(const PlacedShape& a, const PlacedShape& b, double within, FieldFeatures& out);
bool has_field_feature(const ContactShape& a, const ContactShape& b, FieldPart part, int i, int j);
Gap field_gap(FieldPart part, int i, int j, const PlacedShape& a, const PlacedShape& b);
// The signed distance.
Gap field_distance(const PlacedShape& a, const PlacedShape& b);

}  // namespace bough
