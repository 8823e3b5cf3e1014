#include "bough/geometry/field_contact.hpp"

#include <algorithm>

#include "bough/geometry/gjk.hpp"
#include "bough/geometry/heightfield.hpp"

namespace bough {
namespace {

constexpr double slack = 1e-9;  // of the sizes: what is on a border of triangles
constexpr double apart = 1e-7;  // likewise: what GJK measures well

Vec3 local(const Pose& X, const Vec3& x) { return transpose_times(X.R, x - X.p); }

// A gap whose points are on the ray from the ground at y along n, in the axes of the ground.
Gap of_foot(const Pose& B, const Vec3& y, const Vec3& n, double core, double radius) {
  const Vec3 normal = B.R * n, on_b = B.p + B.R * y;
  return {core - radius, normal, on_b + (core - radius) * normal, on_b};
}

// The point of a triangle that is nearest to x.
Vec3 nearest_of_triangle(const Heightfield& field, int triangle, const Vec3& x) {
  const Heightfield::Over at = field.over(triangle, x);
  if (at.inside >= 0.0) return x - at.height * field.region(field.region_of(triangle)).normal;
  int v[3];
  field.corners(triangle, v);
  Vec3 best = field.vertex(v[0]);
  double least = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const Vec3 from = field.vertex(v[k]), along = field.vertex(v[(k + 1) % 3]) - from;
    const Vec3 y = from + std::clamp(dot(x - from, along) / dot(along, along), 0.0, 1.0) * along;
    const double d = norm(x - y);
    if (d >= least) continue;
    least = d;
    best = y;
  }
  return best;
}

// (GE19). Beyond a convex edge of the region the nearest point of it counts, beyond others its plane goes on.
Gap of_region(const Heightfield& field, int region, const Vec3& x, double radius, const Pose& B) {
  const Heightfield::Region& r = field.region(region);
  const double height = dot(r.normal, x) - r.offset;
  const Vec3 foot = x - height * r.normal;
  const int under = field.triangle_at(foot[0], foot[1]);
  if (!(radius > 0.0) || (under >= 0 && field.region_of(under) == region))
    return of_foot(B, foot, r.normal, height, radius);
  Vec3 nearest = foot;
  double least = 2.0 * (std::abs(height) + radius);
  int across = -1;
  field.each_near(
      x, [&] { return least; },
      [&](int triangle) {
        if (field.region_of(triangle) != region) return;
        const Vec3 y = nearest_of_triangle(field, triangle, x);
        const double d = norm(x - y);
        if (d >= least) return;
        least = d;
        nearest = y;
        across = triangle;
      });
  if (across < 0 || !(least > 0.0)) return of_foot(B, foot, r.normal, height, radius);
  int v[3];
  field.corners(across, v);
  bool convex = false;
  for (int k = 0; k < 3; ++k) {  // the edge that the nearest point is on
    const Vec3 from = field.vertex(v[k]), along = field.vertex(v[(k + 1) % 3]) - from;
    if (norm(cross(along, nearest - from)) <= slack * dot(along, along))
      convex |= field.convex(field.edge_between(v[k], v[(k + 1) % 3]));
  }
  if (!convex) return of_foot(B, foot, r.normal, height, radius);
  return of_foot(B, nearest, (x - nearest) / least, least, radius);
}

// (GE20)
Gap of_edge(const Heightfield& field, int edge, const Vec3& x, double radius, const Pose& B) {
  const Heightfield::Edge e = field.edge(edge);
  const Vec3 foot = e.from + dot(x - e.from, e.u) * e.u, d = x - foot;
  for (const int s : {0, 1}) {
    const double beside = dot(d, e.t[s]);
    if (beside <= 0.0) continue;
    const Vec3 n = s == 0 ? cross(e.u, e.t[0]) : cross(e.t[1], e.u);
    return of_foot(B, foot + beside * e.t[s], n, dot(d, n), radius);
  }
  const double core = norm(d);
  return of_foot(B, foot, core > 0.0 ? d / core : e.out / norm(e.out), core, radius);
}

// (GE21)
Gap of_vertex(const Heightfield& field, int v, const Vec3& x, double radius, const Pose& B) {
  int triangles[6];
  const int count = field.around(v, triangles);
  Vec3 nearest = field.vertex(v);
  double least = norm(x - nearest);
  for (int k = 0; k < count; ++k) {
    const Vec3 y = nearest_of_triangle(field, triangles[k], x);
    if (norm(x - y) >= least) continue;
    least = norm(x - y);
    nearest = y;
  }
  return of_foot(B, nearest, least > 0.0 ? (x - nearest) / least : Vec3(0, 0, 1), least, radius);
}

Feature corner_over(const PlacedShape& a, int i, const Heightfield& field, int region) {
  Feature f;
  f.kind = FeatureKind::point_face;
  f.x_a = a.shape.corners()[i];
  f.d_b = field.region(region).normal;
  f.x_b = field.region(region).offset * f.d_b;
  f.radius_a = a.shape.radius();
  return f;
}

Feature crossing(const PlacedShape& a, int i, const Pose& B, const Heightfield::Edge& e) {
  Feature f;
  const auto& edge = a.shape.edges()[i];
  const Vec3 from = a.shape.corners()[edge.from], along = a.shape.corners()[edge.to] - from;
  f.kind = FeatureKind::edge_edge;
  f.x_a = from;
  f.d_a = along / norm(along);
  f.x_b = e.from;
  f.d_b = e.u;
  f.radius_a = a.shape.radius();
  f.sign = dot(cross(a.pose.R * f.d_a, B.R * e.u), B.R * e.out) < 0.0 ? -1.0 : 1.0;
  return f;
}

bool below(const PlacedShape& a, const PlacedShape& b) {
  const Heightfield& field = *b.shape.field();
  Vec3 sum = Vec3::zero();
  for (const Vec3& x : a.shape.corners()) sum += x;
  const Vec3 x = local(b.pose, a.at(sum / static_cast<double>(a.shape.corners().size())));
  const int under = field.triangle_at(x[0], x[1]);
  return under >= 0 && field.above(x, under) < 0.0;
}

// How far the core is from the surface, and where; zero if it crosses it.
Gap distance_of_core(const PlacedShape& a, const PlacedShape& b) {
  const Heightfield& field = *b.shape.field();
  const double radius = a.shape.radius(), reach = a.shape.reach() - radius;
  const Vec3 centre = local(b.pose, a.pose.p);
  double least = HUGE_VAL;
  Gap best{HUGE_VAL, Vec3(0, 0, 1), a.pose.p, b.pose.p};
  thread_local ContactShape triangle = ContactShape::triangle();
  const auto look = [&](int t) {
    const Vec3 y = nearest_of_triangle(field, t, centre);
    const double d = norm(centre - y);
    if (d - reach >= least) return;
    if (a.shape.kind() == ShapeKind::sphere) {
      least = d;
      const Heightfield::Over at =
          field.over(t, centre);  // over a triangle its normal, which is known also at no distance
      const Vec3 n = field.region(field.region_of(t)).normal;
      const bool inside = at.inside >= -slack || !(d > 0.0);
      best = of_foot(b.pose, y, inside ? (at.height < 0.0 ? -1.0 : 1.0) * n : (centre - y) / d, d, 0.0);
      return;
    }
    int v[3];
    field.corners(t, v);
    const Vec3 origin = field.vertex(v[0]);
    triangle.set_triangle(field.vertex(v[1]) - origin, field.vertex(v[2]) - origin);
    const Separation s = separation(a, {triangle, {b.pose.R, b.at(origin)}});
    if (s.distance >= least) return;
    least = s.distance;
    best = {s.distance, s.normal, s.on_a, s.on_b};
  };
  // The triangle below or above the middle first: what it leaves are a few blocks around it.
  const int under = field.triangle_at(centre[0], centre[1]);
  if (under >= 0) look(under);
  field.each_near(centre, [&] { return least + reach; }, look);
  return best;
}

}  // namespace

bool on_fields(const ContactShape& a) {
  return a.kind() == ShapeKind::sphere || a.kind() == ShapeKind::capsule || a.polytope();
}

bool has_field_feature(const ContactShape& a, const ContactShape& b, FieldPart part, int i, int j) {
  const Heightfield& field = *b.field();
  const bool corner = i < static_cast<int>(a.corners().size());
  switch (part) {
    case FieldPart::corner_region:
    case FieldPart::ball_region:
      return corner && j < field.regions();
    case FieldPart::ball_edge:
      return corner && j < field.edges() && field.has_edge(j);
    case FieldPart::ball_vertex:
      return corner && j < field.vertices();
    case FieldPart::face_vertex:
      return i < static_cast<int>(a.faces().size()) && j < field.vertices();
    case FieldPart::edge_edge:
      return i < static_cast<int>(a.edges().size()) && j < field.edges() && field.has_edge(j);
    case FieldPart::axis_vertex:
      return a.kind() == ShapeKind::capsule && i == 0 && j < field.vertices();
  }
  return false;
}

Gap field_gap(FieldPart part, int i, int j, const PlacedShape& a, const PlacedShape& b) {
  const Heightfield& field = *b.shape.field();
  const double radius = a.shape.radius();
  Feature f;
  switch (part) {
    case FieldPart::corner_region:
      return gap(corner_over(a, i, field, j), a.pose, b.pose);
    case FieldPart::ball_region:
      return of_region(field, j, local(b.pose, a.corner(i)), radius, b.pose);
    case FieldPart::ball_edge:
      return of_edge(field, j, local(b.pose, a.corner(i)), radius, b.pose);
    case FieldPart::ball_vertex:
      return of_vertex(field, j, local(b.pose, a.corner(i)), radius, b.pose);
    case FieldPart::face_vertex:
      f.kind = FeatureKind::face_point;
      f.x_a = a.shape.corners()[a.shape.faces()[i].corners[0]];
      f.d_a = a.shape.faces()[i].normal;
      f.x_b = field.vertex(j);
      break;
    case FieldPart::edge_edge:
      f = crossing(a, i, b.pose, field.edge(j));
      break;
    case FieldPart::axis_vertex:
      f.kind = FeatureKind::edge_point;
      f.d_a = Vec3(0, 0, 1);
      f.radius_a = radius;
      f.x_b = field.vertex(j);
      break;
  }
  return gap(f, a.pose, b.pose);
}

Gap field_distance(const PlacedShape& a, const PlacedShape& b) {
  const double radius = a.shape.radius(), close = apart * a.shape.reach();
  const bool under = below(a, b);
  Gap g = distance_of_core(a, b);
  if (a.shape.kind() == ShapeKind::sphere) {
    const double side = under ? -1.0 : 1.0;
    return {side * g.value - radius, side * g.normal, g.on_a - (side * radius) * g.normal, g.on_b};
  }
  if (!under && g.value > close) return {g.value - radius, g.normal, g.on_a - radius * g.normal, g.on_b};
  FieldFeatures near;
  field_features(a, b, close, near);
  for (int i = 0; i < near.count; ++i)
    if (i == 0 || near.found[i].gap.value < g.value) g = near.found[i].gap;
  return g;
}

}  // namespace bough
