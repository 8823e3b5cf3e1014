#include "bough/geometry/axis_distance.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

constexpr double part = 0.25;  // of half an axis: how far the place where two of them touch may run in a step

}  // namespace

Axis axis_of(const PlacedShape& capsule) {
  return {capsule.pose.p, capsule.pose.R * Vec3(0, 0, 1), capsule.shape.half_length(), capsule.shape.radius()};
}

Axis axis_of_edge(const PlacedShape& polytope, int edge) {
  const ContactShape::Edge& ends = polytope.shape.edges()[edge];
  const Vec3 from = polytope.corner(ends.from), to = polytope.corner(ends.to);
  const double length = norm(to - from);
  return {0.5 * (from + to), (to - from) / length, 0.5 * length, polytope.shape.radius()};
}

// (GE27); between the ends of both axes the normal is m itself, which no round-off of positions turns.
AxisDistance axis_distance(const Axis& a, const Axis& b) {
  const Vec3 d = a.middle - b.middle, across = cross(a.e, b.e);
  const double square = dot(across, across);
  const auto at = [&](double s, double t, double distance, const Vec3& normal) -> AxisDistance {
    return {s,
            t,
            {distance - a.radius - b.radius, normal, a.middle + s * a.e - a.radius * normal,
             b.middle + t * b.e + b.radius * normal}};
  };
  double s = square > 0.0 ? dot(cross(b.e, d), across) / square : 0.0;
  if (square > 0.0 && std::abs(s) < a.half && std::abs(dot(b.e, d + s * a.e)) < b.half) {
    const Vec3 normal = (dot(across, d) < 0.0 ? -1.0 : 1.0) / std::sqrt(square) * across;
    return at(s, dot(b.e, d + s * a.e), dot(normal, d), normal);
  }
  s = std::clamp(s, -a.half, a.half);
  double t = dot(b.e, d + s * a.e);
  if (std::abs(t) > b.half) {
    t = t < 0.0 ? -b.half : b.half;
    s = std::clamp(dot(a.e, t * b.e - d), -a.half, a.half);
  }
  const Vec3 between = d + s * a.e - t * b.e;
  const double distance = norm(between);
  return at(s, t, distance, distance > 0.0 ? between / distance : across / std::sqrt(square));
}

bool axes_follow(const Axis (&a)[2], const Axis (&b)[2], bool lines) {
  const auto place = [&](Axis x, Axis y) {
    if (lines) x.half = y.half = HUGE_VAL;
    return axis_distance(x, y);
  };
  const AxisDistance start = place(a[0], b[0]), end = place(a[1], b[1]);
  const double most = part * std::min(a[0].half, b[0].half);
  return std::min(std::abs(end.s - start.s), std::abs(end.t - start.t)) <= most;
}

}  // namespace bough
