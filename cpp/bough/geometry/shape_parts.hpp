// Lines and faces of shapes as cylinders meet them: edges of polytopes and axes, faces, planes and caps.
#pragma once

#include <cmath>

#include "bough/geometry/shape.hpp"

namespace bough {

constexpr double on_border = 1e-9;  // of the sizes: what is on a border

inline double side_of(int end) { return end == 0 ? -1.0 : 1.0; }
inline bool has_caps(const ContactShape& s) { return s.kind() == ShapeKind::cylinder; }

// An edge of a polytope, or the axis of a capsule or cylinder.
struct Line {
  Vec3 x, e;  // its middle and direction, in the frame of the shape
  double half, radius;
};

inline Line line_of(const ContactShape& s, int i) {
  if (!s.polytope()) return {Vec3::zero(), Vec3(0, 0, 1), s.half_length(), has_caps(s) ? s.radii()[0] : s.radius()};
  const Vec3 from = s.corners()[s.edges()[i].from], to = s.corners()[s.edges()[i].to];
  const double length = norm(to - from);
  return {0.5 * (from + to), (to - from) / length, 0.5 * length, 0.0};
}

inline int lines_of(const ContactShape& s) {
  if (s.kind() == ShapeKind::plane) return 0;
  return s.polytope() ? static_cast<int>(s.edges().size()) : 1;
}

// Whether a unit direction, in the frame of the shape, is normal to it at an edge, or nearly; at an axis all are.
inline bool normal_at(const ContactShape& s, int edge, const Vec3& d, double nearly = on_border) {
  if (!s.polytope()) return true;
  const auto& e = s.edges()[edge];
  const Vec3 along = s.corners()[e.to] - s.corners()[e.from];
  const double close = nearly * norm(along);
  return dot(d, cross(s.faces()[e.faces[0]].normal, along)) <= close &&
         dot(d, cross(along, s.faces()[e.faces[1]].normal)) <= close;
}

// A face of a polytope, or a cap of a cylinder.
struct FacePlane {
  Vec3 normal, x;
};

inline FacePlane face_of(const ContactShape& s, int i) {
  if (s.kind() == ShapeKind::plane) return {Vec3(0, 0, 1), Vec3::zero()};
  if (s.polytope()) return {s.faces()[i].normal, s.corners()[s.faces()[i].corners[0]]};
  return {Vec3(0, 0, side_of(i)), Vec3(0, 0, side_of(i) * s.half_length())};
}

inline int faces_of(const ContactShape& s) {
  if (s.kind() == ShapeKind::plane) return 1;
  return s.polytope() ? static_cast<int>(s.faces().size()) : has_caps(s) ? 2 : 0;
}

inline bool covers(const ContactShape& s, int face, const Vec3& x) {
  if (s.kind() == ShapeKind::plane) return true;
  if (!s.polytope()) return std::hypot(x[0], x[1]) <= (1.0 + on_border) * s.radii()[0];
  const auto& c = s.faces()[face].corners;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Vec3 from = s.corners()[c[k]], along = s.corners()[c[(k + 1) % c.size()]] - from;
    if (dot(cross(along, x - from), s.faces()[face].normal) < -on_border * s.reach() * norm(along)) return false;
  }
  return true;
}

}  // namespace bough
