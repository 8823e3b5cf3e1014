#include "bough/geometry/ellipsoid_distance.hpp"

#include <algorithm>

#include "bough/geometry/support_ascent.hpp"

namespace bough {
namespace {

constexpr int most_iterations = 100;
constexpr double found = 1e-16;  // of the length of a segment, and of a change of the normal
constexpr int most_halvings = 30;

struct Segment {
  Vec3 from, to;
};

// The point of a segment that is nearest to the ellipsoid, all in the frame of the ellipsoid.
Nearest of_segment(const Vec3& radii, const Segment& s, Vec3& at) {
  const Vec3 e = s.to - s.from;
  const auto slope = [&](double t) { return dot(nearest_of_ellipsoid(s.from + t * e, radii).normal, e); };
  double a = 0.0, b = 1.0, at_a = slope(a), at_b = slope(b), t = 0.0;
  if (at_a >= 0.0)
    t = 0.0;
  else if (at_b <= 0.0)
    t = 1.0;
  else {
    int side = 0;
    for (int i = 0; i < most_iterations && b - a > found; ++i) {  // Illinois
      t = a + (b - a) * at_a / (at_a - at_b);
      if (!(t > a && t < b)) t = 0.5 * (a + b);
      const double now = slope(t);
      if (now == 0.0) break;
      if (now < 0.0) {
        a = t;
        at_a = now;
        if (side > 0) at_b *= 0.5;
        side = 1;
      } else {
        b = t;
        at_b = now;
        if (side < 0) at_a *= 0.5;
        side = -1;
      }
    }
  }
  at = s.from + t * e;
  return nearest_of_ellipsoid(at, radii);
}

// The normal of (GE14) leads out of the ellipsoid a; that of a gap from b to a.
Gap of_nearest(const PlacedShape& a, const Nearest& nearest, const Vec3& at, double radius) {
  const Vec3 n = -(a.pose.R * nearest.normal);
  return {nearest.distance - radius, n, a.at(nearest.point), a.at(at) + radius * n};
}

Gap of_capsule(const PlacedShape& a, const PlacedShape& b) {
  const auto local = [&](int i) { return transpose_times(a.pose.R, b.corner(i) - a.pose.p); };
  Vec3 at;
  const Nearest nearest = of_segment(a.shape.radii(), {local(0), local(1)}, at);
  return of_nearest(a, nearest, at, b.shape.radius());
}

Gap of_polytope(const PlacedShape& a, const PlacedShape& b) {
  // the face that separates most
  const auto& faces = b.shape.faces();
  Gap best{-HUGE_VAL, Vec3::zero(), Vec3::zero(), Vec3::zero()};
  int face = 0;
  for (int i = 0; i < static_cast<int>(faces.size()); ++i) {
    Feature f;
    f.kind = FeatureKind::ellipsoid_face;
    f.radii = a.shape.radii();
    f.x_b = b.shape.corners()[faces[i].corners[0]];
    f.d_b = faces[i].normal;
    const Gap g = gap(f, a.pose, b.pose);
    if (g.value <= best.value) continue;
    best = g;
    face = i;
  }
  const Vec3 foot = transpose_times(b.pose.R, best.on_b - b.pose.p);
  const auto& around = faces[face].corners;
  bool covered = true;
  for (std::size_t c = 0; c < around.size(); ++c) {
    const Vec3 from = b.shape.corners()[around[c]], to = b.shape.corners()[around[(c + 1) % around.size()]];
    covered &= dot(cross(to - from, foot - from), faces[face].normal) >= 0.0;
  }
  if (covered) return best;
  best.value = HUGE_VAL;
  const auto local = [&](int i) { return transpose_times(a.pose.R, b.corner(i) - a.pose.p); };
  for (const ContactShape::Edge& edge : b.shape.edges()) {
    Vec3 at;
    const Nearest nearest = of_segment(a.shape.radii(), {local(edge.from), local(edge.to)}, at);
    if (nearest.distance < best.value) best = of_nearest(a, nearest, at, 0.0);
  }
  return best;
}

// h and its gradient, the farthest point, of an ellipsoid about its centre.
struct Support {
  double h;
  Vec3 point;
};

Support support_of(const PlacedShape& s, const Vec3& n) {
  const Vec3 square(s.shape.radii().a * s.shape.radii().a);
  const Vec3 local = transpose_times(s.pose.R, n), scaled(square.a * local.a);
  const double h = std::sqrt(dot(local, scaled));
  return {h, (1.0 / h) * (s.pose.R * scaled)};
}

// tᵀ (d²h) u
double bend(const PlacedShape& s, const Support& at, const Vec3& t, const Vec3& u) {
  const Vec3 square(s.shape.radii().a * s.shape.radii().a);
  const Vec3 local_t = transpose_times(s.pose.R, t), local_u = transpose_times(s.pose.R, u);
  return (dot(local_t, Vec3(square.a * local_u.a)) - dot(at.point, t) * dot(at.point, u)) / at.h;
}

// (GE15)
Gap of_ellipsoid(const PlacedShape& a, const PlacedShape& b) {
  const Vec3 c = a.pose.p - b.pose.p;
  const auto along = [&](const Vec3& n) -> SupportGap<Support> {
    const Support sa = support_of(a, n), sb = support_of(b, n);
    return {n, sa, sb, dot(n, c) - sa.h - sb.h};
  };
  SupportGap<Support> at = along(norm(c) > 0.0 ? c / norm(c) : Vec3(0, 0, 1));
  for (int i = 0; i < most_iterations; ++i) {
    const auto& [n, sa, sb, f] = at;
    const Vec3 gradient = c - sa.point - sb.point;
    Vec3 t1 = cross(n, std::abs(n[0]) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0));
    t1 = t1 / norm(t1);
    const Vec3 t2 = cross(n, t1);
    const double g1 = dot(gradient, t1), g2 = dot(gradient, t2);
    const double h11 = bend(a, sa, t1, t1) + bend(b, sb, t1, t1), h12 = bend(a, sa, t1, t2) + bend(b, sb, t1, t2);
    const double h22 = bend(a, sa, t2, t2) + bend(b, sb, t2, t2), on_sphere = std::max(dot(n, gradient), 0.0);
    const double A = h11 + on_sphere, C = h22 + on_sphere, det = A * C - h12 * h12;
    const Vec3 step = ((C * g1 - h12 * g2) / det) * t1 + ((A * g2 - h12 * g1) / det) * t2;
    if (!(norm(step) > found)) break;
    if (!climb(at, step, most_halvings, along)) break;
  }
  return {at.f, at.n, a.pose.p - at.a.point, b.pose.p + at.b.point};
}

}  // namespace

// The sum Σ (s_k x_k / (t + s_k²))² - 1 falls with t and is convex: Newton's method from the left.
Nearest nearest_of_ellipsoid(const Vec3& x, const Vec3& s) {
  const Vec3 square(s.a * s.a);
  const double least = std::min({square[0], square[1], square[2]});
  double t = -least;
  for (int k = 0; k < 3; ++k) t = std::max(t, s[k] * std::abs(x[k]) - square[k]);  // where one term is 1
  for (int i = 0; i < most_iterations; ++i) {
    double f = -1.0, slope = 0.0;
    for (int k = 0; k < 3; ++k) {
      if (x[k] == 0.0) continue;
      const double below = t + square[k], term = s[k] * x[k] / below;
      f += term * term;
      slope -= 2.0 * term * term / below;
    }
    if (!(f > 0.0) || !(slope < 0.0)) break;
    const double next = t - f / slope;
    if (!(next > t)) break;
    t = next;
  }
  double y[3], left = 1.0;
  int shortest = 0;
  for (int k = 0; k < 3; ++k) {
    y[k] = x[k] == 0.0 ? 0.0 : square[k] * x[k] / (t + square[k]);
    left -= y[k] * y[k] / square[k];
    if (square[k] < square[shortest]) shortest = k;
  }
  // in its plane of symmetry, near the centre, the foot is off the plane
  if (x[shortest] == 0.0 && t <= -least && left > 0.0) y[shortest] = s[shortest] * std::sqrt(left);
  const Vec3 foot(y[0], y[1], y[2]), along(y[0] / square[0], y[1] / square[1], y[2] / square[2]);
  const Vec3 normal = along / norm(along);
  return {foot, normal, dot(normal, x - foot)};
}

Gap ellipsoid_distance(const PlacedShape& a, const PlacedShape& b) {
  if (b.shape.kind() == ShapeKind::ellipsoid) return of_ellipsoid(a, b);
  if (b.shape.kind() == ShapeKind::capsule) return of_capsule(a, b);
  return of_polytope(a, b);
}

}  // namespace bough
