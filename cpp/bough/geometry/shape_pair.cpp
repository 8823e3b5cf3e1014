#include "bough/geometry/shape_pair.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bough/geometry/axis_distance.hpp"
#include "bough/geometry/ball_distance.hpp"
#include "bough/geometry/cylinder_contact.hpp"
#include "bough/geometry/ellipsoid_distance.hpp"
#include "bough/geometry/gjk.hpp"
#include "bough/geometry/heightfield.hpp"
#include "bough/geometry/narrow_phase.hpp"

namespace bough {
namespace {

constexpr int kinds = 16, many = 1 << 14;
constexpr int of_whole = 8, of_ball_a = 9, of_ball_b = 10, of_axis = 11;  // after the kinds of feature.hpp
constexpr double touching = 1e-9;  // of the size: features that touch together with the least
constexpr double parallel = 1e-6;  // sine of the angle between two edges that is none
constexpr double flat = 1e-11;     // sine of the angle to a face that is none
constexpr double near = 0.1;       // of the size: how far away features are looked for

double code_of(int kind, int a, int b, int parts = many) {
  return 1.0 + kind + static_cast<double>(kinds) * (a + static_cast<double>(parts) * b);
}

int count_parts(const ContactShape& a, const ContactShape& b) {
  if (!b.field()) return many;
  const std::size_t most = std::max({a.corners().size(), a.edges().size(), a.faces().size()});
  int parts = 1;
  while (parts < static_cast<int>(most)) parts *= 2;
  if (code_of(kinds, 0, b.field()->edges(), parts) >= ShapePair::codes) throw std::invalid_argument("too fine");
  return parts;
}

// Spheres, cylinders and capsules first, then ellipsoids, polytopes, planes, ground.
int rank(const ContactShape& s) {
  switch (s.kind()) {
    case ShapeKind::sphere:
      return 0;
    case ShapeKind::cylinder:
      return 1;
    case ShapeKind::capsule:
      return 2;
    case ShapeKind::ellipsoid:
      return 3;
    case ShapeKind::box:
    case ShapeKind::hull:
      return 4;
    case ShapeKind::plane:
      return 5;
    case ShapeKind::heightfield:
      break;
  }
  return 6;
}

// The axis of a capsule, or an edge of a polytope.
Axis axis_in(const PlacedShape& s, int i) { return s.shape.polytope() ? axis_of_edge(s, i) : axis_of(s); }

// Outwards of an edge of a polytope.
Vec3 outwards(const ContactShape& s, int edge) {
  return s.faces()[s.edges()[edge].faces[0]].normal + s.faces()[s.edges()[edge].faces[1]].normal;
}

// Whether two shapes have a feature: its number may come from a file.
bool has_feature(const ContactShape& a, const ContactShape& b, int kind, int i, int j) {
  const auto corner = [](const ContactShape& s, int k) { return k < static_cast<int>(s.corners().size()); };
  const auto edge = [](const ContactShape& s, int k) { return k < static_cast<int>(s.edges().size()); };
  const auto face = [](const ContactShape& s, int k) {
    return s.polytope() ? k < static_cast<int>(s.faces().size()) : k == 0;
  };
  switch (kind) {
    case of_whole:
      return i == 0 && j == 0;
    case of_ball_a:
      return corner(a, i) && j == 0;
    case of_ball_b:
      return i == 0 && corner(b, j);
    case static_cast<int>(FeatureKind::point_face):
      return corner(a, i) && face(b, j);
    case static_cast<int>(FeatureKind::face_point):
      return face(a, i) && corner(b, j);
    case of_axis:
      return a.kind() == ShapeKind::capsule && i == 0 && edge(b, j);
    case static_cast<int>(FeatureKind::edge_edge):
      return edge(a, i) && edge(b, j);
    case static_cast<int>(FeatureKind::edge_point):
      return edge(a, i) && corner(b, j);
    case static_cast<int>(FeatureKind::ellipsoid_face):
      return a.kind() == ShapeKind::ellipsoid && i == 0 && face(b, j);
    default:
      return false;
  }
}

int feature_count(const ContactShape& a, const ContactShape& b) {
  if (b.field()) return a.kind() == ShapeKind::sphere ? 4 : ShapePair::most;
  if (a.kind() == ShapeKind::sphere || a.kind() == ShapeKind::ellipsoid) return 1;
  if (b.kind() == ShapeKind::ellipsoid) return 1;  // and a capsule or a cylinder
  if (b.kind() == ShapeKind::plane && a.kind() != ShapeKind::cylinder)
    return std::min<int>(ShapePair::most, static_cast<int>(a.corners().size()));
  if (a.kind() == ShapeKind::cylinder) return ShapePair::most_of_cylinder;
  if (a.kind() == ShapeKind::capsule) return b.polytope() ? 6 : b.kind() == ShapeKind::capsule ? 5 : 3;
  return ShapePair::most;
}

}  // namespace

const double ShapePair::whole = code_of(of_whole, 0, 0);

ShapePair::ShapePair(ContactShape a, ContactShape b)
    : swapped_(rank(b) < rank(a)),
      a_(swapped_ ? std::move(b) : std::move(a)),
      b_(swapped_ ? std::move(a) : std::move(b)),
      features_(feature_count(a_, b_)),
      parts_(count_parts(a_, b_)),
      parts_bits_(std::countr_zero(static_cast<unsigned>(parts_))),
      ball_a_(ContactShape::sphere(a_.radius())),
      ball_b_(b_.kind() == ShapeKind::ellipsoid ? ContactShape::core_of_ellipsoid(b_.radii())
                                                : ContactShape::sphere(b_.radius())) {}

bool ShapePair::of_cylinder() const {
  return a_.kind() == ShapeKind::cylinder && b_.kind() != ShapeKind::ellipsoid && !b_.field();
}

double ShapePair::only() const {
  if (a_.kind() == ShapeKind::sphere && b_.kind() != ShapeKind::plane) return code_of(of_ball_a, 0, 0);
  if (b_.kind() != ShapeKind::plane) return whole;
  const FeatureKind kind = a_.kind() == ShapeKind::sphere ? FeatureKind::point_face : FeatureKind::ellipsoid_face;
  return code_of(static_cast<int>(kind), 0, 0);
}

void ShapePair::add(double code, const Pose& A, const Pose& B, Found& out) const {
  if (out.count == Found::room) return;
  const Gap g = gap(code, A, B);
  out.code[out.count] = code;
  out.value[out.count] = g.value;
  out.place[out.count++] = g.on_a;
  out.gap = std::min(out.gap, g.value);
}

void ShapePair::find(const Pose& A, const Pose& B, Found& out) const {
  out.gap = HUGE_VAL;
  out.count = 0;
  const PlacedShape a{a_, A}, b{b_, B};
  if (b_.field() || of_cylinder()) {
    if (b_.field()) {
      FieldFeatures all;
      field_features(a, b, near * a_.reach() + parallel * b_.reach(), all);  // of a point, which has no size, too
      take(all, out);
    } else {
      CylinderFeatures all;
      cylinder_features(a, b, near * std::min(a_.reach(), b_.reach()), all);
      take(all, out);
    }
    if (out.gap > touching * a_.reach()) out.gap = gap(whole, A, B).value;
    return reduce(out);
  }
  if ((b_.kind() == ShapeKind::plane && !single()) || (a_.polytope() && b_.polytope())) {
    Manifold m;
    narrow_phase(a, b, m);
    for (int i = 0; i < m.count; ++i)
      add(code_of(static_cast<int>(m.features[i].kind), m.features[i].a, m.features[i].b), A, B, out);
    out.gap = m.gap;
    return reduce(out);
  }
  if (single()) return add(only(), A, B, out);
  if (a_.kind() == ShapeKind::capsule) {
    for (const int end : {0, 1}) add(code_of(of_ball_a, end, 0), A, B, out);
    find_crossings(a, b, out);
    return reduce(out);
  }
}

// Features of a kind of pairs, each with its gap.
template <class Features>
void ShapePair::take(const Features& all, Found& out) const {
  out.count = all.count;
  for (int i = 0; i < all.count; ++i) {
    const auto& one = all.found[i];
    out.code[i] = code_of(static_cast<int>(one.part), one.a, one.b, parts_);
    out.value[i] = one.gap.value;
    out.place[i] = one.gap.on_a;
    out.gap = std::min(out.gap, one.gap.value);
  }
}

// The axis of a capsule across edges and beside corners of a polytope, or across another axis.
void ShapePair::find_crossings(const PlacedShape& a, const PlacedShape& b, Found& out) const {
  const Axis axis = axis_of(a);
  const auto beside = [&](int corner) { return std::abs(dot(axis.e, b.corner(corner) - axis.middle)) < axis.half; };
  if (!b_.polytope())
    for (const int end : {0, 1})  // those beyond the ends of a are found from there
      if (beside(end)) add(code_of(of_ball_b, 0, end), a.pose, b.pose, out);
  for (int i = 0; i < static_cast<int>(b_.edges().size()); ++i) {
    const Axis edge = axis_in(b, i);
    const Vec3 across = cross(axis.e, edge.e);
    const double sine = norm(across), code = code_of(static_cast<int>(FeatureKind::edge_edge), 0, i);
    if (sine < parallel) continue;
    const AxisDistance found = axis_distance(axis, edge);
    if (std::abs(found.s) >= axis.half || std::abs(found.t) >= edge.half) continue;
    if (!b_.polytope()) {
      add(code, a.pose, b.pose, out);
      continue;
    }
    const Vec3 n = transpose_times(b.pose.R, across);
    const double side = dot(n, outwards(b_, i)) < 0.0 ? -1.0 : 1.0;
    bool between = side * dot(across, found.gap.normal) > 0.0;  // or across an edge on the other side
    for (const int face : b_.edges()[i].faces)  // the normals, or along one of them, as if the capsule lies on it
      between &= side * dot(n, b_.faces()[face].normal) >= -flat * sine;
    if (between) add(code, a.pose, b.pose, out);
  }
  for (int c = 0; b_.polytope() && c < static_cast<int>(b_.corners().size()); ++c) {
    if (!beside(c)) continue;
    const Vec3 x = b.corner(c);
    const Vec3 n = transpose_times(
        b.pose.R, axis.middle + dot(axis.e, x - axis.middle) * axis.e - x);  // from the corner to the axis
    bool inside = true;
    for (const ContactShape::Edge& e : b_.edges()) {
      if (e.from == c) inside &= dot(n, b_.corners()[e.to] - b_.corners()[c]) <= 0.0;
      if (e.to == c) inside &= dot(n, b_.corners()[e.from] - b_.corners()[c]) <= 0.0;
    }
    if (inside) add(code_of(static_cast<int>(FeatureKind::edge_point), 0, c), a.pose, b.pose, out);
  }
}

// To those that there is room for: of the ones that touch those that are farthest from each other, then the nearest.
void ShapePair::reduce(Found& out) const {
  const int room = std::min(features_, most);
  if (out.count <= room) return;
  const double close = out.gap + touching * a_.reach();
  bool taken[Found::room] = {};
  Found kept;
  kept.gap = out.gap;
  while (kept.count < room) {
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < out.count; ++i) {
      if (taken[i]) continue;
      double score = -out.value[i];
      if (out.value[i] <= close) {
        score = HUGE_VAL;
        for (int k = 0; k < kept.count; ++k) score = std::min(score, norm(out.place[i] - kept.place[k]));
        score += a_.reach() + b_.reach();  // before all that do not touch
      }
      if (best >= 0 && score <= most) continue;
      best = i;
      most = score;
    }
    taken[best] = true;
    kept.code[kept.count] = out.code[best];
    kept.value[kept.count] = out.value[best];
    kept.place[kept.count++] = out.place[best];
  }
  out = kept;
}

ShapePair::Parts ShapePair::parts_of(double code) const {
  if (!(code >= 1.0 && code < codes)) throw std::out_of_range("a number of no feature of two shapes");
  const auto number = static_cast<unsigned>(code - 1.0);
  return {static_cast<int>(number % kinds), static_cast<int>(number / kinds & (parts_ - 1)),
          static_cast<int>(number / kinds >> parts_bits_)};
}

double ShapePair::met(double code) const {
  const auto [kind, i, j] = parts_of(code);
  if (a_.kind() != ShapeKind::capsule || b_.field()) return code;
  if (kind == static_cast<int>(FeatureKind::edge_edge)) return code_of(of_axis, i, j);
  return kind == static_cast<int>(FeatureKind::edge_point) ? code_of(of_ball_b, i, j) : code;
}

bool ShapePair::continues(double code, double next) const {
  const Parts from = parts_of(code), to = parts_of(next);
  if (a_.kind() == ShapeKind::capsule && code != next) return met(next) == code;
  if (!of_cylinder()) return false;
  if (from.kind != to.kind) return false;
  if (from.kind == static_cast<int>(CylinderPart::rim_face)) return from.a % 2 == to.a % 2 && from.b == to.b;
  return from.kind == static_cast<int>(CylinderPart::cap_rim) && from.a == to.a && from.b % 2 == to.b % 2;
}

double ShapePair::pinned(double code, const Pose& A, const Pose& B) const {
  if (!continues(code, code)) return code;
  const auto [kind, i, j] = parts_of(code);
  const Gap g = gap(code, A, B);
  if (kind == static_cast<int>(CylinderPart::rim_face)) return code_of(kind, rim_point_of({a_, A}, i, g), j, parts_);
  return code_of(kind, i, rim_point_of({b_, B}, j, {g.value, g.normal, g.on_b, g.on_a}), parts_);
}

bool ShapePair::is_pinned(double code) const { return part_of_rim(code) >= first_rim_point; }
bool ShapePair::is_part(double code) const { return part_of_rim(code) >= 0 && part_of_rim(code) != whole_rim; }

// -1 of a feature that is not of a rim on a face.
int ShapePair::part_of_rim(double code) const {
  const Parts p = parts_of(code);
  if (!continues(code, code)) return -1;
  return (p.kind == static_cast<int>(CylinderPart::rim_face) ? p.a : p.b) / 2;
}

bool ShapePair::follows(double code, const Pose (&A)[2], const Pose (&B)[2]) const {
  const auto [kind, i, j] = parts_of(code);
  const bool across = kind == of_axis || kind == static_cast<int>(FeatureKind::edge_edge);
  if (across && a_.kind() == ShapeKind::capsule && !b_.field())
    return axes_follow({axis_of({a_, A[0]}), axis_of({a_, A[1]})}, {axis_in({b_, B[0]}, j), axis_in({b_, B[1]}, j)},
                       kind != of_axis);
  if (!of_cylinder()) return true;
  return cylinder_follows(static_cast<CylinderPart>(kind), i, j, {{a_, A[0]}, {a_, A[1]}}, {{b_, B[0]}, {b_, B[1]}});
}

Gap ShapePair::gap(double code, const Pose& A, const Pose& B) const {
  const auto [kind, i, j] = parts_of(code);
  if (b_.field() && kind < of_whole) {
    const auto part = static_cast<FieldPart>(kind);
    if (!has_field_feature(a_, b_, part, i, j)) throw std::out_of_range("a number of no feature of two shapes");
    return field_gap(part, i, j, {a_, A}, {b_, B});
  }
  if (of_cylinder() && kind != of_whole) {
    const auto part = static_cast<CylinderPart>(kind);
    if (!has_cylinder_feature(b_, part, i, j)) throw std::out_of_range("a number of no feature of two shapes");
    return cylinder_gap(part, i, j, {a_, A}, {b_, B});
  }
  if (!has_feature(a_, b_, kind, i, j)) throw std::out_of_range("a number of no feature of two shapes");
  const PlacedShape a{a_, A}, b{b_, B};
  if (kind == of_whole) {  // (GE13)
    if (b_.field()) return field_distance(a, b);
    if (of_cylinder() && b_.kind() != ShapeKind::plane) return cylinder_distance(a, b);
    if (a_.kind() == ShapeKind::cylinder && b_.kind() == ShapeKind::ellipsoid) {
      const Separation s = separation(a, {ball_b_, B});
      const double radius = ball_b_.radius();
      return {s.distance - radius, s.normal, s.on_a, s.on_b + radius * s.normal};
    }
    if (a_.kind() == ShapeKind::ellipsoid) return ellipsoid_distance(a, b);
    if (b_.kind() == ShapeKind::ellipsoid) {  // of a capsule
      const Gap g = ellipsoid_distance(b, a);
      return {g.value, -g.normal, g.on_b, g.on_a};
    }
    Manifold m;
    narrow_phase(a, b, m);
    return {m.gap, m.normal, m.on_a, m.on_b};
  }
  if (kind == of_ball_a) return ball_distance({ball_a_, {A.R, a.corner(i)}}, b);  // (GE12)
  if (kind == of_ball_b) {
    const Gap g = ball_distance({ball_b_, {B.R, b.corner(j)}}, a);
    return {g.value, -g.normal, g.on_b, g.on_a};
  }
  if (kind == of_axis) return axis_distance(axis_of(a), axis_in(b, j)).gap;  // (GE27)
  Feature f;
  f.kind = static_cast<FeatureKind>(kind);
  f.a = i;
  f.b = j;
  f.radius_a = a_.radius();
  f.radius_b = b_.radius();
  const auto face = [](const ContactShape& s, int k, Vec3& x, Vec3& d) {
    x = s.polytope() ? s.corners()[s.faces()[k].corners[0]] : Vec3::zero();
    d = s.polytope() ? s.faces()[k].normal : Vec3(0, 0, 1);
  };
  const auto edge = [](const ContactShape& s, int k, Vec3& x, Vec3& d) {
    const Axis line = axis_in({s, Pose::identity()}, k);
    x = line.middle;
    d = line.e;
  };
  switch (f.kind) {
    case FeatureKind::point_face:
      f.x_a = a_.corners()[i];
      face(b_, j, f.x_b, f.d_b);
      break;
    case FeatureKind::face_point:
      face(a_, i, f.x_a, f.d_a);
      f.x_b = b_.corners()[j];
      break;
    case FeatureKind::edge_edge: {
      edge(a_, i, f.x_a, f.d_a);
      edge(b_, j, f.x_b, f.d_b);
      const Vec3 across = cross(A.R * f.d_a, B.R * f.d_b);
      const Vec3 away = b_.polytope() ? B.R * outwards(b_, j) : a.at(f.x_a) - b.at(f.x_b);
      f.sign = dot(across, away) < 0.0 ? -1.0 : 1.0;
      break;
    }
    case FeatureKind::edge_point:
      edge(a_, i, f.x_a, f.d_a);
      f.x_b = b_.corners()[j];
      break;
    case FeatureKind::ellipsoid_face:
      f.radii = a_.radii();
      face(b_, j, f.x_b, f.d_b);
      break;
    default:
      break;
  }
  return bough::gap(f, A, B);
}

}  // namespace bough
