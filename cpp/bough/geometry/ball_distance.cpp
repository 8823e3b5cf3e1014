#include "bough/geometry/ball_distance.hpp"

#include <algorithm>

#include "bough/geometry/gjk.hpp"

namespace bough {
namespace {

Nearest from_core(const Vec3& x, const Vec3& nearest) {
  const double distance = norm(x - nearest);
  return {nearest, distance > 0.0 ? (x - nearest) / distance : Vec3(0, 0, 1), distance};
}

Nearest of_segment(const Vec3& x, double half) { return from_core(x, Vec3(0, 0, std::clamp(x[2], -half, half))); }

Nearest of_box(const Vec3& x, const Vec3& h) {
  const Vec3 inside(std::clamp(x[0], -h[0], h[0]), std::clamp(x[1], -h[1], h[1]), std::clamp(x[2], -h[2], h[2]));
  if (!is_zero(x - inside)) return from_core(x, inside);
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (h[k] - std::abs(x[k]) < h[axis] - std::abs(x[axis])) axis = k;
  const double depth = h[axis] - std::abs(x[axis]);
  const Vec3 normal = (x[axis] < 0.0 ? -1.0 : 1.0) * Vec3::unit(axis);
  return {x + depth * normal, normal, -depth};
}

}  // namespace

Nearest nearest_of_cylinder(const Vec3& x, double r, double half) {
  const double across = std::hypot(x[0], x[1]), z = std::clamp(x[2], -half, half);
  const double shrink = across > r ? r / across : 1.0;
  const Vec3 inside(shrink * x[0], shrink * x[1], z);
  if (!is_zero(x - inside)) return from_core(x, inside);
  const double beside = r - across, above = half - std::abs(x[2]);
  if (above <= beside || !(across > 0.0)) {
    const Vec3 normal(0, 0, x[2] < 0.0 ? -1.0 : 1.0);
    return {x + above * normal, normal, -above};
  }
  const Vec3 normal(x[0] / across, x[1] / across, 0.0);
  return {x + beside * normal, normal, -beside};
}

Gap ball_distance(const PlacedShape& ball, const PlacedShape& b) {
  const Vec3 centre = ball.pose.p, x = transpose_times(b.pose.R, centre - b.pose.p);
  const double radius = ball.shape.radius();
  Nearest nearest{};
  switch (b.shape.kind()) {
    case ShapeKind::sphere:
      nearest = of_segment(x, 0.0);
      break;
    case ShapeKind::capsule:
      nearest = of_segment(x, b.shape.half_length());
      break;
    case ShapeKind::cylinder:
      nearest = nearest_of_cylinder(x, b.shape.radii()[0], b.shape.half_length());
      break;
    case ShapeKind::box:
      nearest = of_box(x, b.shape.radii());
      break;
    case ShapeKind::ellipsoid:
      nearest = nearest_of_ellipsoid(x, b.shape.radii());
      break;
    default: {
      const Separation s = separation(ball, b);
      return {s.distance - radius, s.normal, s.on_a - radius * s.normal, s.on_b};
    }
  }
  const Vec3 normal = b.pose.R * nearest.normal;
  const double outside = b.shape.radius();
  return {nearest.distance - radius - outside, normal, centre - radius * normal,
          b.at(nearest.point) + outside * normal};
}

}  // namespace bough
