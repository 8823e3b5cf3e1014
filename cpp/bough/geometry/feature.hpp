// Features: what of two shapes touches, as a gap that is a smooth function of both poses. With x_a, x_b points, e_a, e_b
// directions of edges or axes, n a normal of a face, all fixed in their bodies, and ρ the sum of the radii around them:
//
//   φ = n_b·(x_a - x_b) - ρ        point of a over a face of b, and the other way round                           (GE2)
//   φ = |x_a - x_b| - ρ            point and point                                                                 (GE3)
//   φ = |e_b × (x_a - x_b)| - ρ    point of a beside an edge of b, and the other way round                        (GE4)
//   φ = ±(e_a × e_b)/|e_a × e_b| · (x_a - x_b) - ρ    edge and edge                                                (GE5)
//   φ = n·(x - o) - r |n × e|      rim of a disk of radius r and axis e over a face, on one side of it              (GE6)
//   φ = n·(x - o) - |S Rᵀn|        ellipsoid of radii S over a face                                                (GE7)
//
// The lowest point of a rim goes to its other side in an instant where the disk passes its upright pose: of a disk that is almost
// upright (GE6) holds within an arc of its rim, and beyond that its point stays at the end of this arc.
//
// A point is on a material point for (GE2) and (GE3); it moves along the edge, round the rim or over the surface for the others:
// a capsule that rolls or slides along its axis keeps its feature.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "bough/geometry/shape.hpp"

namespace bough {

enum class FeatureKind {
  point_face,
  face_point,
  point_point,
  point_edge,
  edge_point,
  edge_edge,
  rim_face,
  ellipsoid_face
};

// Parts of a rim about the axis z: arcs, known by their middles k / 32 of a turn; the whole rim; all of it but for each arc; and
// single points k / 8000 of a turn.
constexpr int rim_arcs = 32, whole_rim = rim_arcs, beyond_arc = rim_arcs + 1, first_rim_point = beyond_arc + rim_arcs;
constexpr int rim_points = 8000, rim_parts = first_rim_point + rim_points;
constexpr double half_arc =
    0.3;  // rad; the middles are 0.2 apart, so that a node is at least 0.2 from both ends of its arc

inline double arc_middle(int k) { return 2.0 * std::numbers::pi / rim_arcs * k; }

// The arc whose middle is the nearest to a direction, and the nearest point.
inline int nearest_of(int count, const Vec3& d) {
  const int k = static_cast<int>(std::lround(std::atan2(d[1], d[0]) * count / (2.0 * std::numbers::pi)));
  return k < 0 ? k + count : k % count;
}
inline int rim_arc(const Vec3& d) { return nearest_of(rim_arcs, d); }

// Whether a direction is on a part of a rim. If not, it is turned to the nearer end of that part.
inline bool on_part(Vec3& d, int part) {
  if (part == whole_rim) return true;
  if (part >= first_rim_point) {
    const double angle = 2.0 * std::numbers::pi / rim_points * (part - first_rim_point);
    d = Vec3(std::cos(angle), std::sin(angle), 0.0);
    return false;
  }
  const bool beyond = part >= beyond_arc;
  const double middle = arc_middle(beyond ? part - beyond_arc : part);
  const double angle = std::remainder(std::atan2(d[1], d[0]) - middle, 2.0 * std::numbers::pi);
  if (beyond ? std::abs(angle) >= half_arc : std::abs(angle) <= half_arc) return true;
  const double end = middle + std::copysign(half_arc, angle);
  d = Vec3(std::cos(end), std::sin(end), 0.0);
  return false;
}

// A direction across z, as far as a part of the rim goes.
inline Vec3 on_rim(const Vec3& d, int part) {
  const double size = std::hypot(d[0], d[1]);
  Vec3 unit = size > 0.0 ? Vec3(d[0] / size, d[1] / size, 0.0) : Vec3(1, 0, 0);
  on_part(unit, part);
  return unit;
}

struct Feature {
  FeatureKind kind = FeatureKind::point_point;
  int a = 0,
      b = 0;  // which corner, edge, face or (end + 2 part) of a rim of each: the name of the contact from step to step
  Vec3 x_a = Vec3::zero(), x_b = Vec3::zero();  // in the frames of the bodies
  Vec3 d_a = Vec3::zero(), d_b = Vec3::zero();  // directions, likewise
  double radius_a = 0.0, radius_b = 0.0;
  double sign = 1.0;          // of (GE5)
  Vec3 radii = Vec3::zero();  // S of (GE7), r of (GE6)
};

// The gap, the normal from b to a, and the points of a and b that are nearest to each other.
struct Gap {
  double value;
  Vec3 normal, on_a, on_b;
};

inline Gap gap(const Feature& f, const Pose& A, const Pose& B) {
  const Vec3 xa = A.p + A.R * f.x_a, xb = B.p + B.R * f.x_b, apart = xa - xb;
  const double rho = f.radius_a + f.radius_b;
  const auto between = [&](const Vec3& n, const Vec3& pa, const Vec3& pb, double core) {
    return Gap{core - rho, n, pa - f.radius_a * n, pb + f.radius_b * n};
  };
  switch (f.kind) {
    case FeatureKind::point_face: {
      const Vec3 n = B.R * f.d_b;
      const double core = dot(n, apart);
      return between(n, xa, xa - core * n, core);
    }
    case FeatureKind::face_point: {
      const Vec3 n = -(A.R * f.d_a);
      const double core = dot(n, apart);
      return between(n, xb + core * n, xb, core);
    }
    case FeatureKind::point_point: {
      const double core = norm(apart);
      return between(core > 0.0 ? apart / core : Vec3(0, 0, 1), xa, xb, core);
    }
    case FeatureKind::point_edge: {
      const Vec3 e = B.R * f.d_b, foot = xb + dot(e, apart) * e;
      const double core = norm(xa - foot);
      return between(core > 0.0 ? (xa - foot) / core : Vec3(0, 0, 1), xa, foot, core);
    }
    case FeatureKind::edge_point: {
      const Vec3 e = A.R * f.d_a, foot = xa - dot(e, apart) * e;
      const double core = norm(foot - xb);
      return between(core > 0.0 ? (foot - xb) / core : Vec3(0, 0, 1), foot, xb, core);
    }
    case FeatureKind::edge_edge: {
      const Vec3 ea = A.R * f.d_a, eb = B.R * f.d_b, across = cross(ea, eb);
      const double square = dot(across, across);
      const Vec3 n = (f.sign / std::sqrt(square)) * across;
      // x_a + s ea and x_b + t eb differ by core n
      const double s = dot(cross(eb, apart), across) / square, t = dot(cross(ea, apart), across) / square;
      return between(n, xa + s * ea, xb + t * eb, dot(n, apart));
    }
    case FeatureKind::rim_face: {
      const Vec3 n = B.R * f.d_b, down = on_rim(-transpose_times(A.R, n), f.a / 2);
      const Vec3 low = xa + f.radii[0] * (A.R * down);
      const double core = dot(n, low - xb);
      return between(n, low, low - core * n, core);
    }
    case FeatureKind::ellipsoid_face: {
      const Vec3 n = B.R * f.d_b, scaled(f.radii.a * transpose_times(A.R, n).a);
      const double size = norm(scaled), core = dot(n, apart) - size;
      const Vec3 low = xa - A.R * (Vec3(f.radii.a * scaled.a) / size);
      return between(n, low, low - core * n, core);
    }
  }
  return {};
}

// Where two shapes are near each other: their signed distance with its normal from b to a, and the features there. Those
// beyond `count` are left as they are: to clear all took a third of the step of a humanoid that lies.
struct Manifold {
  static constexpr int most = 16;
  Manifold() {}
  Manifold(const Manifold& other) { *this = other; }
  Manifold& operator=(const Manifold& other) {
    gap = other.gap;
    normal = other.normal;
    on_a = other.on_a;
    on_b = other.on_b;
    count = other.count;
    std::uninitialized_copy_n(other.features, count, features);
    return *this;
  }
  double gap = HUGE_VAL;
  Vec3 normal = Vec3::zero();
  Vec3 on_a = Vec3::zero(), on_b = Vec3::zero();  // where they are nearest, or deepest in each other
  int count = 0;
  union {
    Feature features[most];
  };

  void add(const Feature& f) {
    if (count < most) std::construct_at(features + count++, f);
  }
};

}  // namespace bough
