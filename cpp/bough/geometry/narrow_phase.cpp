#include "bough/geometry/narrow_phase.hpp"

#include <algorithm>

#include "bough/geometry/gjk.hpp"
#include "bough/geometry/polytopes.hpp"

namespace bough {
namespace {

constexpr double upright = 1e-9;       // sine of the angle between the axis of a cylinder and the normal that is none
constexpr double parallel = 1e-6;      // sine of the angle between two axes that is none
constexpr double apart = 1e-7;         // of the size: polytopes whose distance is measured by GJK
constexpr int most_edge_pairs = 4096;  // beyond these, polytopes take GJK at any distance

// Takes the gap and normal of the feature if it is the least so far, and keeps the feature.
void offer(const PlacedShape& a, const PlacedShape& b, const Feature& f, Manifold& out) {
  const Gap g = gap(f, a.pose, b.pose);
  if (g.value < out.gap) {
    out.gap = g.value;
    out.normal = g.normal;
    out.on_a = g.on_a;
    out.on_b = g.on_b;
  }
  out.add(f);
}

Feature over_face(int corner, const Vec3& x, double radius, int face, const Vec3& origin, const Vec3& normal) {
  Feature f;
  f.kind = FeatureKind::point_face;
  f.a = corner;
  f.b = face;
  f.x_a = x;
  f.x_b = origin;
  f.d_b = normal;
  f.radius_a = radius;
  return f;
}

// (GE2), (GE6), (GE7)
void on_plane(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  const Vec3 z(0, 0, 1), zero = Vec3::zero(), n = transpose_times(a.pose.R, b.pose.R * z);  // in the frame of a
  const ContactShape& s = a.shape;
  if (s.kind() == ShapeKind::ellipsoid) {
    Feature f;
    f.kind = FeatureKind::ellipsoid_face;
    f.d_b = z;
    f.radii = s.radii();
    offer(a, b, f, out);
    return;
  }
  if (s.kind() == ShapeKind::cylinder) {
    const double across = std::hypot(n[0], n[1]), r = s.radii()[0];
    for (const int end : {0, 1}) {
      Feature rim;
      rim.kind = FeatureKind::rim_face;
      rim.a = end + 2 * whole_rim;
      rim.x_a = Vec3(0, 0, end == 0 ? -s.half_length() : s.half_length());
      rim.d_a = rim.d_b = z;
      rim.radii = Vec3(r, 0, 0);
      if (across >= upright) offer(a, b, rim, out);
    }
    const int lower = n[2] > 0.0 ? 0 : ContactShape::ring;
    for (int i = lower; i < lower + ContactShape::ring; ++i)
      offer(a, b, over_face(i, s.corners()[i], 0.0, 0, zero, z), out);
    return;
  }
  // the lowest corners
  int order[Manifold::most], count = 0;
  double height[Manifold::most];
  for (int i = 0; i < static_cast<int>(s.corners().size()); ++i) {
    const double h = dot(n, s.corners()[i]);
    if (count == Manifold::most && h >= height[count - 1]) continue;
    int k = count < Manifold::most ? count++ : count - 1;
    for (; k > 0 && height[k - 1] > h; --k) {
      height[k] = height[k - 1];
      order[k] = order[k - 1];
    }
    height[k] = h;
    order[k] = i;
  }
  for (int k = 0; k < count; ++k) offer(a, b, over_face(order[k], s.corners()[order[k]], s.radius(), 0, zero, z), out);
}

Feature points(int i, const Vec3& xa, double ra, int j, const Vec3& xb, double rb) {
  Feature f;
  f.kind = FeatureKind::point_point;
  f.a = i;
  f.b = j;
  f.x_a = xa;
  f.x_b = xb;
  f.radius_a = ra;
  f.radius_b = rb;
  return f;
}

struct Segment {
  Vec3 x, e;  // middle and direction, in the frame of its body
  double half;
};

Segment axis(const ContactShape& s) { return {Vec3::zero(), Vec3(0, 0, 1), s.half_length()}; }

// A point (corner i of a) and a segment of b: (GE4) beside it, (GE3) beyond its ends.
Feature point_and_segment(const PlacedShape& a, int i, const Vec3& xa, const PlacedShape& b, int edge, const Segment& s,
                          const int* ends) {
  const Vec3 local = transpose_times(b.pose.R, a.at(xa) - b.pose.p) - s.x;
  const double along = dot(s.e, local);
  if (std::abs(along) >= s.half) {
    const bool far = along > 0.0;
    return points(i, xa, a.shape.radius(), ends[far], s.x + (far ? s.half : -s.half) * s.e, b.shape.radius());
  }
  Feature f = points(i, xa, a.shape.radius(), edge, s.x, b.shape.radius());
  f.kind = FeatureKind::point_edge;
  f.d_b = s.e;
  return f;
}

Feature reversed(Feature f) {
  std::swap(f.a, f.b);
  std::swap(f.x_a, f.x_b);
  std::swap(f.d_a, f.d_b);
  std::swap(f.radius_a, f.radius_b);
  switch (f.kind) {
    case FeatureKind::point_face:
      f.kind = FeatureKind::face_point;
      break;
    case FeatureKind::point_edge:
      f.kind = FeatureKind::edge_point;
      break;
    case FeatureKind::face_point:
      f.kind = FeatureKind::point_face;
      break;
    case FeatureKind::edge_point:
      f.kind = FeatureKind::point_edge;
      break;
    default:
      break;  // (e_b × e_a)·(x_b - x_a) is the same
  }
  return f;
}

// Two segments: (GE5) if the nearest points are inside both. True if they are.
bool two_segments(const PlacedShape& a, int i, const Segment& sa, const PlacedShape& b, int j, const Segment& sb,
                  Feature& f) {
  const Vec3 ea = a.pose.R * sa.e, eb = b.pose.R * sb.e, d = a.at(sa.x) - b.at(sb.x), across = cross(ea, eb);
  const double square = dot(across, across);
  if (square < parallel * parallel) return false;
  const double s = dot(cross(eb, d), across) / square, t = dot(cross(ea, d), across) / square;
  if (std::abs(s) >= sa.half || std::abs(t) >= sb.half) return false;
  f = points(i, sa.x, a.shape.radius(), j, sb.x, b.shape.radius());
  f.kind = FeatureKind::edge_edge;
  f.d_a = sa.e;
  f.d_b = sb.e;
  f.sign = dot(across, d) < 0.0 ? -1.0 : 1.0;
  return true;
}

constexpr int ends_of_capsule[2] = {0, 1};

// The ends of a along b and of b along a that are nearest, and the crossing.
void two_capsules(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  const Segment sa = axis(a.shape), sb = axis(b.shape);
  Feature f;
  if (two_segments(a, 0, sa, b, 0, sb, f)) {
    offer(a, b, f, out);
    return;
  }
  Feature found[4];
  double value[4], least = HUGE_VAL;
  for (const int end : {0, 1}) {
    found[end] = point_and_segment(a, end, a.shape.corners()[end], b, 0, sb, ends_of_capsule);
    found[2 + end] = reversed(point_and_segment(b, end, b.shape.corners()[end], a, 0, sa, ends_of_capsule));
  }
  for (int k = 0; k < 4; ++k) least = std::min(least, value[k] = gap(found[k], a.pose, b.pose).value);
  // axes that are parallel touch along a line, at its two ends
  const bool line = norm(cross(a.pose.R * sa.e, b.pose.R * sb.e)) < parallel;
  const double close = line ? parallel * (a.shape.reach() + b.shape.reach()) : 0.0;
  for (int k = 0; k < 4; ++k) {
    if (value[k] > least + close) continue;
    bool again = false;  // an end on an end is found from both sides
    for (int i = 0; i < out.count; ++i)
      again |=
          out.features[i].kind == found[k].kind && out.features[i].a == found[k].a && out.features[i].b == found[k].b;
    if (!again) offer(a, b, found[k], out);
    if (!line) return;
  }
}

Segment edge_segment(const ContactShape& s, int e) {
  const Vec3 from = s.corners()[s.edges()[e].from], to = s.corners()[s.edges()[e].to];
  const double length = norm(to - from);
  return {0.5 * (from + to), (to - from) / length, 0.5 * length};
}

// A point of the core of a beside a box b: its face, edge or corner that is nearest.
Feature point_and_box(const PlacedShape& a, int i, const PlacedShape& b) {
  const Vec3 xa = a.shape.corners()[i], x = transpose_times(b.pose.R, a.at(xa) - b.pose.p), h = b.shape.radii();
  int outside = 0, axis = 0, bits = 0;
  double deepest = -HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const double over = std::abs(x[k]) - h[k];
    outside += over > 0.0;
    if (x[k] > 0.0) bits |= 1 << k;
    if (over > deepest) {
      deepest = over;
      axis = k;
    }
  }
  if (outside <= 1) {
    const int side = bits >> axis & 1;
    const Vec3 normal = (side ? 1.0 : -1.0) * Vec3::unit(axis);
    return over_face(i, xa, a.shape.radius(), 2 * axis + side, h[axis] * normal, normal);
  }
  if (outside == 3) return points(i, xa, a.shape.radius(), bits, b.shape.corners()[bits], 0.0);
  int along = 0;
  for (int k = 0; k < 3; ++k)
    if (std::abs(x[k]) <= h[k]) along = k;
  for (int e = 0; e < 12; ++e) {
    const auto& edge = b.shape.edges()[e];
    if ((edge.from ^ edge.to) != 1 << along || ((edge.from ^ bits) & ~(1 << along)) != 0) continue;
    Feature f = points(i, xa, a.shape.radius(), e, b.shape.corners()[edge.from], 0.0);
    f.kind = FeatureKind::point_edge;
    f.d_b = Vec3::unit(along);
    return f;
  }
  return {};
}

// Ends of the capsule over faces, edges and corners, and its axis across edges and beside corners of the box.
void capsule_and_box(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  const Segment s = axis(a.shape);
  for (const int end : {0, 1}) offer(a, b, point_and_box(a, end, b), out);
  for (int e = 0; e < 12; ++e) {
    Feature f;
    const Segment edge = edge_segment(b.shape, e);
    if (!two_segments(a, 0, s, b, e, edge, f)) continue;
    const Vec3 n = transpose_times(b.pose.R, cross(a.pose.R * s.e, b.pose.R * edge.e));
    const Vec3 outwards = edge.x;  // from the centre of the box, across the edge
    const double side = dot(n, outwards) < 0.0 ? -1.0 : 1.0;
    // between the normals of both faces the direction leads out of the box
    bool between = true;
    for (const int face : b.shape.edges()[e].faces) between &= side * dot(n, b.shape.faces()[face].normal) >= 0.0;
    if (!between) continue;
    f.sign = side;
    if (gap(f, a.pose, b.pose).value > -f.radius_a) offer(a, b, f, out);  // the axis is outside
  }
  for (int c = 0; c < 8; ++c) {
    const Feature f = point_and_segment(b, c, b.shape.corners()[c], a, 0, s, ends_of_capsule);
    if (f.kind != FeatureKind::point_edge) continue;
    const Vec3 n = transpose_times(b.pose.R, gap(reversed(f), a.pose, b.pose).normal), x = b.shape.corners()[c];
    if (n[0] * x[0] >= 0.0 && n[1] * x[1] >= 0.0 && n[2] * x[2] >= 0.0) offer(a, b, reversed(f), out);
  }
}

// A cylinder on a face of b: what it has on the plane of the face, as far as the face goes. False if it does not lie on one.
bool on_face(const PlacedShape& a, const PlacedShape& b, const Vec3& normal, Manifold& out) {
  const Vec3 n = transpose_times(b.pose.R, normal);
  for (int i = 0; i < static_cast<int>(b.shape.faces().size()); ++i) {
    const ContactShape::Face& face = b.shape.faces()[i];
    if (dot(face.normal, n) < 1.0 - 0.5 * parallel * parallel) continue;
    const Vec3 x = cross(std::abs(face.normal[0]) < 0.5 ? Vec3(1, 0, 0) : Vec3(0, 1, 0), face.normal),
               along = x / norm(x);
    const Mat3 axes{{along, cross(face.normal, along), face.normal}};
    const Pose local{axes, face.offset * face.normal};
    const ContactShape plane = ContactShape::plane();
    Manifold all;
    on_plane(a, {plane, b.pose * local}, all);
    for (int k = 0; k < all.count; ++k) {
      Feature f = all.features[k];
      f.b = i;
      f.x_b = local.p;
      f.d_b = face.normal;
      const Vec3 at = transpose_times(b.pose.R, gap(f, a.pose, b.pose).on_b - b.pose.p);
      bool covered = true;
      for (std::size_t c = 0; c < face.corners.size(); ++c) {
        const Vec3 from = b.shape.corners()[face.corners[c]];
        const Vec3 edge = b.shape.corners()[face.corners[(c + 1) % face.corners.size()]] - from;
        covered &= dot(cross(edge, at - from), face.normal) >= 0.0;
      }
      if (covered) out.add(f);
    }
    return out.count > 0;
  }
  return false;
}

// One pair of points: (GE3) along a normal that is known, as a point over a plane.
void of_separation(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  const Separation s = separation(a, b);
  Feature f = over_face(0, transpose_times(a.pose.R, s.on_a - a.pose.p), a.shape.radius(), 0,
                        transpose_times(b.pose.R, s.on_b - b.pose.p), transpose_times(b.pose.R, s.normal));
  f.radius_b = b.shape.radius();
  out.gap = s.distance - f.radius_a - f.radius_b;
  out.normal = s.normal;
  out.on_a = s.on_a - f.radius_a * s.normal;
  out.on_b = s.on_b + f.radius_b * s.normal;
  if (a.shape.kind() != ShapeKind::cylinder || !on_face(a, b, s.normal, out)) out.add(f);
}

}  // namespace

void narrow_phase(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  out.gap = HUGE_VAL;
  out.count = 0;
  const ShapeKind ka = a.shape.kind(), kb = b.shape.kind();
  const auto round = [](ShapeKind k) { return k == ShapeKind::sphere || k == ShapeKind::capsule; };
  const auto reverse = [&] {
    narrow_phase(b, a, out);
    for (int i = 0; i < out.count; ++i) out.features[i] = reversed(out.features[i]);
    out.normal = -out.normal;
    std::swap(out.on_a, out.on_b);
  };
  if (kb == ShapeKind::plane) return on_plane(a, b, out);
  if (ka == ShapeKind::sphere && kb == ShapeKind::sphere)
    return offer(a, b, points(0, Vec3::zero(), a.shape.radius(), 0, Vec3::zero(), b.shape.radius()), out);
  if (ka == ShapeKind::sphere && kb == ShapeKind::capsule)
    return offer(a, b, point_and_segment(a, 0, Vec3::zero(), b, 0, axis(b.shape), ends_of_capsule), out);
  if (ka == ShapeKind::capsule && kb == ShapeKind::capsule) return two_capsules(a, b, out);
  if (ka == ShapeKind::sphere && kb == ShapeKind::box) return offer(a, b, point_and_box(a, 0, b), out);
  if (round(kb) && !(ka == ShapeKind::sphere)) return reverse();
  if (ka == ShapeKind::capsule && kb == ShapeKind::box) {
    const Separation core = separation(a, b);
    if (core.distance > 0.0) return capsule_and_box(a, b, out);
    return of_separation(a, b, out);  // the axis itself is in the box
  }
  if (kb == ShapeKind::cylinder && a.shape.polytope()) return reverse();
  if (!a.shape.polytope() || !b.shape.polytope()) return of_separation(a, b, out);
  if (a.shape.edges().size() * b.shape.edges().size() > most_edge_pairs) return of_separation(a, b, out);
  const auto [depth, normal] = polytope_features(a, b, out);
  out.gap = depth;
  out.normal = normal;
  if (depth <= apart * std::min(a.shape.reach(), b.shape.reach())) {
    double least = HUGE_VAL;
    for (int i = 0; i < out.count; ++i) {
      const Gap g = gap(out.features[i], a.pose, b.pose);
      if (g.value >= least) continue;
      least = g.value;
      out.on_a = g.on_a;
      out.on_b = g.on_b;
    }
    return;
  }
  const Separation s = separation(a, b);
  out.gap = s.distance;
  out.normal = s.normal;
  out.on_a = s.on_a;
  out.on_b = s.on_b;
}

}  // namespace bough
