// Shapes that touch: their sizes, their farthest points, and the corners, edges and faces of those that have them. All but the
// ground of a heightfield are convex.
//
// All lengths are about the origin of the shape's own frame, as in bough/description/shapes.py; axes of cylinders and capsules
// are z, a plane is z = 0 with all that lies below it solid.
//
//   s(d) = argmax { d·x : x in the shape }                                                                        (GE1)
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bough/spatial/spatial.hpp"

namespace bough {

class Heightfield;

enum class ShapeKind { plane, sphere, capsule, cylinder, box, ellipsoid, hull, heightfield };

class ContactShape {
 public:
  struct Face {
    Vec3 normal;  // outwards
    double offset;
    std::vector<int> corners;  // against the clock, seen from outside
  };
  struct Edge {
    int from, to;
    int faces[2];
  };

  static ContactShape plane();
  static ContactShape sphere(double radius);
  static ContactShape capsule(double radius, double length);
  static ContactShape cylinder(double radius, double length);
  static ContactShape box(const Vec3& size);
  static ContactShape ellipsoid(const Vec3& radii);
  // What is within the ellipsoid by its least radius of curvature, which is then the radius around this core.
  static ContactShape core_of_ellipsoid(const Vec3& radii);
  // Of a closed convex surface: corners, and triangles with their corners against the clock seen from outside. Triangles in
  // one plane become one face. Throws std::invalid_argument if the surface is not closed or not convex.
  static ContactShape hull(const std::vector<Vec3>& corners, const std::vector<std::array<int, 3>>& triangles);
  static ContactShape heightfield(std::shared_ptr<const Heightfield> field);
  // Three corners, the first at the origin, that have no faces: for (GE8) alone.
  static ContactShape triangle();
  void set_triangle(const Vec3& second, const Vec3& third);

  ShapeKind kind() const { return kind_; }
  // What lies within `radius` of the core: a sphere is its centre, a capsule its axis.
  double radius() const { return radius_; }
  double half_length() const { return half_; }
  const Vec3& radii() const { return radii_; }  // of an ellipsoid; half the edges of a box; of a cylinder (r, r, half)
  // Of the core; of a cylinder `ring` points on the rim of its lower end, then those of the upper one.
  const std::vector<Vec3>& corners() const { return corners_; }
  static constexpr int ring = 6;
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Face>& faces() const { return faces_; }
  // (GE1) of the core, in its own frame; not of a plane or a heightfield.
  Vec3 farthest(const Vec3& d) const;
  // The largest distance of a point of the shape from its origin.
  double reach() const { return reach_; }
  bool polytope() const { return !faces_.empty(); }
  const Heightfield* field() const { return field_.get(); }

 private:
  void set_edges();

  ShapeKind kind_ = ShapeKind::plane;
  double radius_ = 0.0, half_ = 0.0, reach_ = 0.0;
  Vec3 radii_ = Vec3::zero();
  std::vector<Vec3> corners_;
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  std::shared_ptr<const Heightfield> field_;
};

// A shape where it is.
struct PlacedShape {
  const ContactShape& shape;
  Pose pose;

  Vec3 at(const Vec3& x) const { return pose.p + pose.R * x; }
  Vec3 corner(int i) const { return at(shape.corners()[i]); }
  Vec3 farthest(const Vec3& d) const { return at(shape.farthest(transpose_times(pose.R, d))); }
};

}  // namespace bough
