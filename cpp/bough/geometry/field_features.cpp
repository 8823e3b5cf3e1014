// Which features of a shape and of the ground are near each other.
#include <algorithm>

#include "bough/geometry/field_contact.hpp"
#include "bough/geometry/heightfield.hpp"

namespace bough {
namespace {

constexpr double slack = 1e-9;     // of the sizes: what is on a border of triangles
constexpr double parallel = 1e-7;  // sine of the angle between two edges that is none
constexpr double shallow = 1e-3;   // of the size: edges that are deeper in each other than a motion leaves them
constexpr double surely = 1e-3;    // of the depth of a crossing: what its edges are in each other by

Vec3 local(const Pose& X, const Vec3& x) { return transpose_times(X.R, x - X.p); }

// Corners of the core of a, each with its ball.
void corners(const PlacedShape& a, const PlacedShape& b, double within, FieldFeatures& out) {
  const Heightfield& field = *b.shape.field();
  const double radius = a.shape.radius();
  const bool ball = radius > 0.0;
  const FieldPart part = ball ? FieldPart::ball_region : FieldPart::corner_region;
  for (int i = 0; i < static_cast<int>(a.shape.corners().size()); ++i) {
    const Vec3 x = local(b.pose, a.corner(i));
    const auto offer = [&](FieldPart kind, int j) {
      const Gap g = field_gap(kind, i, j, a, b);
      if (g.value <= within) out.add({kind, i, j, g});
    };
    const int under = field.triangle_at(x[0], x[1]);
    const double above = under >= 0 ? field.above(x, under) : HUGE_VAL;
    if (under >= 0) offer(part, field.region_of(under));
    if (above < -slack * field.reach()) continue;
    field.each_near(
        x, [&] { return radius + within; },
        [&](int triangle) {
          const Heightfield::Over at = field.over(triangle, x);
          if (at.inside >= -slack) {
            if (at.height >= -slack * field.reach()) offer(part, field.region_of(triangle));
            return;
          }
          if (!ball) return;
          int v[3];
          field.corners(triangle, v);
          for (int k = 0; k < 3; ++k) {
            const int edge = field.edge_between(v[k], v[(k + 1) % 3]);
            if (field.convex(edge)) {
              const Heightfield::Edge e = field.edge(edge);
              const double along = dot(x - e.from, e.u);
              if (along >= -slack * e.length && along <= (1.0 + slack) * e.length && e.normal(x - e.from - along * e.u))
                offer(FieldPart::ball_edge, edge);
            }
            if (field.raised(v[k]) && field.normal_at(v[k], x - field.vertex(v[k])))
              offer(FieldPart::ball_vertex, v[k]);
          }
        });
  }
}

// The face of a polytope that a vertex of the ground is the least deep under, if it is under the face itself.
void under_faces(const PlacedShape& a, const PlacedShape& b, int v, double within, FieldFeatures& out) {
  const Vec3 x = local(a.pose, b.at(b.shape.field()->vertex(v)));
  const auto& faces = a.shape.faces();
  int best = -1;
  double most = -HUGE_VAL;
  for (int k = 0; k < static_cast<int>(faces.size()); ++k) {
    const double height = dot(faces[k].normal, x) - faces[k].offset;
    if (height <= most) continue;
    most = height;
    best = k;
  }
  if (most > within) return;
  const auto& c = faces[best].corners;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Vec3 from = a.shape.corners()[c[k]], along = a.shape.corners()[c[(k + 1) % c.size()]] - from;
    if (dot(cross(along, x - from), faces[best].normal) < 0.0) return;
  }
  out.add({FieldPart::face_vertex, best, v, field_gap(FieldPart::face_vertex, best, v, a, b)});
}

void beside_axis(const PlacedShape& a, const PlacedShape& b, int v, double within, FieldFeatures& out) {
  const Heightfield& field = *b.shape.field();
  const Vec3 x = local(a.pose, b.at(field.vertex(v)));
  if (std::abs(x[2]) >= a.shape.half_length()) return;
  const Vec3 away = local(b.pose, a.at(Vec3(0, 0, x[2]))) - field.vertex(v);
  if (norm(away) - a.shape.radius() > within || !field.normal_at(v, away)) return;
  out.add({FieldPart::axis_vertex, 0, v, field_gap(FieldPart::axis_vertex, 0, v, a, b)});
}

// Whether an edge of the ground runs within a polytope, by at least `deep`.
bool runs_within(const PlacedShape& a, const PlacedShape& b, const Heightfield::Edge& e, double deep) {
  const Vec3 from = local(a.pose, b.at(e.from)), along = transpose_times(a.pose.R, b.pose.R * e.u);
  double first = 0.0, last = e.length;
  for (const ContactShape::Face& face : a.shape.faces()) {
    const double height = dot(face.normal, from) - face.offset + deep, rises = dot(face.normal, along);
    if (rises > 0.0)
      last = std::min(last, -height / rises);
    else if (rises < 0.0)
      first = std::max(first, -height / rises);
    else if (height > 0.0)
      return false;
  }
  return first < last;
}

// Whether edges that cross as if they were deep in each other are: an edge beyond a ridge, or a ridge beyond a, is seen so along the
// normal of the crossing, too. on_a: where it is on the edge of a.
bool deep_indeed(const PlacedShape& a, const PlacedShape& b, const Heightfield::Edge& e, const Vec3& on_a,
                 double core) {
  const Heightfield& field = *b.shape.field();
  const Vec3 x = local(b.pose, on_a);
  const int under = field.triangle_at(x[0], x[1]);
  return (under >= 0 && field.above(x, under) < surely * core) || runs_within(a, b, e, -surely * core);
}

// (GE5) of a convex edge of the ground with all edges of a that cross it from outside.
void across_edges(const PlacedShape& a, const PlacedShape& b, int edge, double within, FieldFeatures& out) {
  const Heightfield::Edge e = b.shape.field()->edge(edge);
  const Vec3 u = b.pose.R * e.u, from = b.at(e.from);
  for (int i = 0; i < static_cast<int>(a.shape.edges().size()); ++i) {
    const auto& edge_a = a.shape.edges()[i];
    const Vec3 xa = a.corner(edge_a.from), ea = a.corner(edge_a.to) - xa, across = cross(ea, u), d = xa - from;
    const double square = dot(across, across), length = norm(ea);
    if (square <= parallel * parallel * length * length) continue;
    const double s = dot(cross(u, d), across) / square, t = dot(cross(ea, d), across) / square;
    if (s <= 0.0 || s >= 1.0 || t <= 0.0 || t >= e.length) continue;
    const double sign = dot(across, b.pose.R * e.out) < 0.0 ? -1.0 : 1.0;
    const Vec3 n = (sign / std::sqrt(square)) * across;
    if (!e.normal(transpose_times(b.pose.R, n))) continue;
    const double core = dot(n, d);
    if (core - a.shape.radius() > within) continue;
    if (a.shape.polytope()) {
      const Vec3 inwards = transpose_times(a.pose.R, -n), along = transpose_times(a.pose.R, ea);
      const auto& faces = a.shape.faces();
      if (dot(inwards, cross(faces[edge_a.faces[0]].normal, along)) > slack * length ||
          dot(inwards, cross(along, faces[edge_a.faces[1]].normal)) > slack * length)
        continue;
      if (core < -shallow * a.shape.reach() && !deep_indeed(a, b, e, xa + s * ea, core)) continue;
    } else if (core <= 0.0) {
      continue;
    }
    out.add({FieldPart::edge_edge, i, edge, field_gap(FieldPart::edge_edge, i, edge, a, b)});
  }
}

}  // namespace

void FieldFeatures::add(const One& one) {
  int at = count;
  for (int i = 0; i < count; ++i)
    if (found[i].part == one.part && found[i].a == one.a && found[i].b == one.b) return;
  if (count == most) {
    at = 0;
    for (int i = 1; i < most; ++i)
      if (found[i].gap.value > found[at].gap.value) at = i;
    if (found[at].gap.value <= one.gap.value) return;
  } else {
    ++count;
  }
  found[at] = one;
}

void field_features(const PlacedShape& a, const PlacedShape& b, double within, FieldFeatures& out) {
  corners(a, b, within, out);
  if (a.shape.edges().empty()) return;
  const Heightfield& field = *b.shape.field();
  const double more = within + a.shape.radius();
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = b.pose.R * Vec3::unit(k);
    high[k] = dot(axis, a.farthest(axis) - b.pose.p) + more;
    low[k] = dot(axis, a.farthest(-axis) - b.pose.p) - more;
  }
  const Heightfield::Window window = field.window(Vec3(low), Vec3(high));
  for (int i = window.low[0]; i <= window.high[0] + 1; ++i)  // vertices: one more than cells
    for (int j = window.low[1]; j <= window.high[1] + 1; ++j) {
      if (window.low[0] > window.high[0] || window.low[1] > window.high[1]) return;
      const int v = field.vertex_at(i, j);
      if (field.raised(v) && field.vertex(v)[2] >= low[2])
        a.shape.polytope() ? under_faces(a, b, v, within, out) : beside_axis(a, b, v, within, out);
      for (int k = 0; k < 3; ++k)
        if (field.convex(3 * v + k)) {
          const Heightfield::Edge e = field.edge(3 * v + k);
          if (std::max(e.from[2], e.to[2]) >= low[2]) across_edges(a, b, 3 * v + k, within, out);
        }
    }
}

}  // namespace bough
