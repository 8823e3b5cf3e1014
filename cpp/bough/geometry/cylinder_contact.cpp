#include "bough/geometry/cylinder_contact.hpp"

#include <algorithm>

#include "bough/geometry/ball_distance.hpp"
#include "bough/geometry/gjk.hpp"
#include "bough/geometry/rims.hpp"
#include "bough/geometry/shape_parts.hpp"

namespace bough {
namespace {

constexpr double slack = 1e-9;    // of the sizes: what is on a border
constexpr double upright = 1e-9;  // sine of the angle between the axis and a normal that is none
constexpr double level = 1e-6;    // likewise of a cap on a cap, which have (GE25) in place of (GE23)
constexpr double leaning = 0.15;  // sine of the angle by which the normal of a crossing may be beyond those of its rim
constexpr double beside = 1e-3;   // of the radius: how far a line is from a rim if the way to it tells their normal
constexpr double same_normal = 0.99;  // cosine of the angle between two normals of features that count together
constexpr double tilted = 0.1;        // likewise below which a rim is looked at by its ring and in arcs
constexpr double apart = 1e-7;        // of the sizes: what GJK measures well
constexpr double parallel = 1e-6;     // sine of the angle between two lines that is none
constexpr double most_turn = 0.1;     // rad: of the lowest point of a rim in a step, if the cylinder is almost upright
constexpr double most_swing = 0.2;    // likewise, if it is not
constexpr double most_run =
    0.25;  // of the lesser size: how far the place where two lines or rims touch may run on both in a step
constexpr int ring = ContactShape::ring;

Vec3 local(const Pose& X, const Vec3& x) { return transpose_times(X.R, x - X.p); }
Vec3 along_z(double z) { return {0, 0, z}; }

Rim rim_of(const PlacedShape& s, int end) {
  return {s.at(along_z(side_of(end) * s.shape.half_length())), s.pose.R * Vec3(0, 0, 1), s.shape.radii()[0]};
}

Gap turned(const Gap& g) { return {g.value, -g.normal, g.on_b, g.on_a}; }

// The rim of a over a face of b, (GE6), and a point of its ring, (GE2).
Gap over_face(CylinderPart part, int i, int j, const PlacedShape& a, const PlacedShape& b) {
  const FacePlane face = face_of(b.shape, j);
  Feature f;
  f.kind = part == CylinderPart::rim_face ? FeatureKind::rim_face : FeatureKind::point_face;
  f.a = i;
  f.x_a = part == CylinderPart::rim_face ? along_z(side_of(i % 2) * a.shape.half_length()) : a.shape.corners()[i];
  f.d_a = Vec3(0, 0, 1);
  f.radii = a.shape.radii();
  f.x_b = face.x;
  f.d_b = face.normal;
  return gap(f, a.pose, b.pose);
}

// (GE26) of the rim i of p over the face j of q at both ends of a step.
bool follows_rim(int i, int j, const PlacedShape (&p)[2], const PlacedShape (&q)[2]) {
  if (i / 2 >= first_rim_point) return true;
  const Vec3 normal = face_of(q[0].shape, j).normal, z(0, 0, 1);
  Vec3 tilt[2] = {z, z};
  for (const int end : {0, 1}) {
    const Vec3 u = transpose_times(q[end].pose.R, p[end].pose.R * z);
    tilt[end] = u - dot(u, normal) * normal;
  }
  const Vec3 change = tilt[1] - tilt[0];
  const double square = dot(change, change);
  const double nearest = square > 0.0 ? std::clamp(-dot(tilt[0], change) / square, 0.0, 1.0) : 0.0;
  const auto turns_by = [&](double most) {
    return dot(tilt[0], tilt[1]) < std::cos(most) * norm(tilt[0]) * norm(tilt[1]);
  };
  if (norm(tilt[0] + nearest * change) >= tilted) return !turns_by(most_swing);
  Vec3 down = -transpose_times(p[1].pose.R, q[1].pose.R * normal);
  return on_part(down, i / 2) && !turns_by(most_turn);
}

Gap beside_axis(FeatureKind kind, int j, const PlacedShape& a, const PlacedShape& b) {
  Feature f;
  f.kind = kind;
  f.d_a = Vec3(0, 0, 1);
  f.radius_a = a.shape.radii()[0];
  if (kind == FeatureKind::edge_point) {
    f.x_b = b.shape.corners()[j];
    return gap(f, a.pose, b.pose);
  }
  const Line line = line_of(b.shape, j);
  f.x_b = line.x;
  f.d_b = line.e;
  f.radius_b = line.radius;
  const Vec3 across = cross(a.pose.R * f.d_a, b.pose.R * f.d_b);
  Vec3 away = a.pose.p - b.at(line.x);
  if (b.shape.polytope()) {
    const auto& faces = b.shape.edges()[j].faces;
    away = b.pose.R * (b.shape.faces()[faces[0]].normal + b.shape.faces()[faces[1]].normal);
  }
  f.sign = dot(across, away) < 0.0 ? -1.0 : 1.0;
  return gap(f, a.pose, b.pose);
}

// A point y of b over a cap of a, with a radius around it: (GE25).
Gap over_cap(const PlacedShape& a, int cap, const Vec3& y, double radius) {
  const Vec3 m = side_of(cap) * (a.pose.R * Vec3(0, 0, 1));
  const double height = dot(m, y - rim_of(a, cap).c);
  return {height - radius, -m, y - height * m, y - radius * m};
}

// (GE22) of a rim, end + 2 side, of a and a line of b. The normal of an edge without a radius is across it and the rim.
Gap of_rim_and_edge(const PlacedShape& a, int rim, const PlacedShape& b, int edge) {
  const Line line = line_of(b.shape, edge);
  const Rim circle = rim_of(a, rim % 2);
  const Vec3 x = b.at(line.x), e = b.pose.R * line.e, on_a = rim_across_line(circle, x, e, rim / 2 > 0), d = on_a - x;
  const Vec3 w = d - dot(d, e) * e, beside_both = cross(e, rim_tangent(circle, on_a));
  if (line.radius > 0.0) {
    const double size = norm(w);
    const Vec3 n = size > 0.0 ? w / size : beside_both / norm(beside_both);  // a rim may cross the axis
    return {size - line.radius, n, on_a, x + dot(d, e) * e + line.radius * n};
  }
  // The two are the same, and each is well known where the other is not: beside the rim, and where they touch.
  const Vec3 across = norm(w) > beside * circle.r ? w : beside_both, out = on_a - circle.c;
  const double outwards = dot(across, side_of(rim % 2) * circle.u) + dot(across, out) / circle.r;
  const Vec3 n = (outwards > 0.0 ? -1.0 : 1.0) / norm(across) * across;
  const double value = dot(n, w);
  return {value, n, on_a, on_a - value * n};
}

Vec3 core_normal(const PlacedShape& a, const PlacedShape& b) { return separation(a, b).normal; }

class Finder {
 public:
  Finder(const PlacedShape& a, const PlacedShape& b, double within, CylinderFeatures& out)
      : a_(a), b_(b), within_(within), out_(out) {}

  void find() {
    over_faces(a_, b_, CylinderPart::rim_face, CylinderPart::ring_face, false);
    if (has_caps(b_.shape)) {
      over_faces(b_, a_, CylinderPart::cap_rim, CylinderPart::cap_corner, true);
      caps();
      rims();
    }
    if (b_.shape.polytope()) corners();
    if (b_.shape.kind() == ShapeKind::capsule)
      for (const int end : {0, 1}) offer(CylinderPart::ball, 0, end);
    for (int j = 0; j < lines_of(b_.shape); ++j) edge(a_, b_, j, false);
    if (has_caps(b_.shape)) edge(b_, a_, 0, true);
    keep_best();
  }

 private:
  // Of the normals found the one along which the shapes are the farthest apart, as (GE10): others are sides that a lies beside. None
  // of them is nearer than the shapes are.
  void keep_best() {
    if (b_.shape.kind() == ShapeKind::plane || out_.count == 0) return;
    const auto apart_along = [&](const Vec3& n) {
      return dot(n, a_.farthest(-n) - b_.farthest(n)) - a_.shape.radius() - b_.shape.radius();
    };
    double most = -HUGE_VAL;
    Vec3 n = Vec3::zero();
    for (int k = 0; k < out_.count; ++k) {
      const double along = apart_along(out_.found[k].gap.normal);
      if (along <= most) continue;
      most = along;
      n = out_.found[k].gap.normal;
    }
    const double size = a_.shape.reach() + b_.shape.reach();
    const Separation core = separation(a_, b_);  // well known only where the cores are apart
    const bool known = core.converged && core.distance > apart * size;
    if (known) most = std::max(most, core.distance - b_.shape.radius() - apart * size);
    const double least = (most < 0.0 ? most / same_normal : most) - slack * size;
    int kept = 0;
    for (int k = 0; k < out_.count; ++k) {
      const Gap& g = out_.found[k].gap;
      if (dot(g.normal, n) >= same_normal && g.value >= least) out_.found[kept++] = out_.found[k];
    }
    out_.count = kept;
  }

  void offer(CylinderPart part, int i, int j) {
    const Gap g = cylinder_gap(part, i, j, a_, b_);
    if (!(g.value <= within_) || out_.count == CylinderFeatures::most) return;
    for (int k = 0; k < out_.count; ++k)  // not a second one at the same place
      if (norm(out_.found[k].gap.on_a - g.on_a) <= slack * a_.shape.reach() &&
          dot(out_.found[k].gap.normal, g.normal) > 1.0 - slack)
        return;
    out_.found[out_.count++] = {part, i, j, g};
  }

  // The rims and the ring of p over the faces of q.
  void over_faces(const PlacedShape& p, const PlacedShape& q, CylinderPart rim, CylinderPart point, bool swapped) {
    for (int j = 0; j < faces_of(q.shape); ++j) {
      const FacePlane face = face_of(q.shape, j);
      const Vec3 n = transpose_times(p.pose.R, q.pose.R * face.normal);
      const double across = std::hypot(n[0], n[1]);
      const auto take = [&](CylinderPart part, int i, const Gap& g) {
        if (g.value <= within_ && (g.value >= -p.shape.reach() || faces_of(q.shape) == 1) &&
            covers(q.shape, j, local(q.pose, g.on_b)))
          swapped ? offer(part, j, i) : offer(part, i, j);
      };
      if (across < tilted) {  // points all round the lower rim, which (GE6) does not tell apart
        const int lower = n[2] > 0.0 ? 0 : ring;
        for (int i = lower; i < lower + ring; ++i) take(point, i, over_face(CylinderPart::ring_face, i, j, p, q));
      }
      if (across < upright) continue;
      const int arc = rim_arc(-n), parts[2] = {across < tilted ? arc : whole_rim, beyond_arc + arc};
      for (const int end : {0, 1})
        for (int k = 0; k < (across < tilted ? 2 : 1); ++k) {
          const int i = end + 2 * parts[k];
          take(rim, i, over_face(CylinderPart::rim_face, i, j, p, q));
        }
    }
  }

  // Corners of a polytope under the caps or beside the axis, whichever they are less deep in.
  void corners() {
    const double r = a_.shape.radii()[0], half = a_.shape.half_length();
    for (int j = 0; j < static_cast<int>(b_.shape.corners().size()); ++j) {
      const Vec3 x = local(a_.pose, b_.corner(j));
      const double beside = std::hypot(x[0], x[1]) - r, beyond = std::abs(x[2]) - half;
      if (beside > within_ || beyond > within_) continue;
      if (beyond >= beside) {
        if (beside <= 0.0) offer(CylinderPart::cap_corner, x[2] < 0.0 ? 0 : 1, j);
        continue;
      }
      const Vec3 out = transpose_times(b_.pose.R, a_.at(along_z(x[2])) - b_.corner(j));
      bool inside = beyond <= 0.0;
      for (const ContactShape::Edge& e : b_.shape.edges()) {
        if (e.from != j && e.to != j) continue;
        const Vec3 along = b_.shape.corners()[e.from == j ? e.to : e.from] - b_.shape.corners()[j];
        inside &= dot(out, along) <= slack * norm(out) * norm(along);
      }
      if (inside) offer(CylinderPart::axis_corner, 0, j);
    }
  }

  // The line j of q across the side, the rims and the caps of the cylinder p.
  void edge(const PlacedShape& p, const PlacedShape& q, int j, bool swapped) {
    const Line line = line_of(q.shape, j);
    const Vec3 e = q.pose.R * line.e, x = q.at(line.x), u = p.pose.R * Vec3(0, 0, 1), d = p.pose.p - x;
    const Vec3 across = cross(u, e);
    const double square = dot(across, across), half = p.shape.half_length();
    if (!swapped && square > parallel * parallel && std::abs(dot(cross(e, d), across)) < half * square &&
        std::abs(dot(cross(u, d), across)) < line.half * square) {
      const Gap g = cylinder_gap(CylinderPart::axis_edge, 0, j, a_, b_);
      if (g.value > -p.shape.radii()[0] && normal_at(q.shape, j, transpose_times(q.pose.R, g.normal)))
        offer(CylinderPart::axis_edge, 0, j);
    }
    for (const int rim : {0, 1, 2, 3}) {
      const Vec3 m = side_of(rim % 2) * u;
      const Gap g = of_rim_and_edge(p, rim, q, j);
      const Vec3 out = g.on_a - rim_of(p, rim % 2).c;  // of the rim
      if (dot(g.normal, m) > leaning || dot(g.normal, out) > leaning * norm(out)) continue;
      if (std::abs(dot(e, g.on_b - x)) > line.half || g.value < -p.shape.radii()[0]) continue;
      if (!normal_at(q.shape, j, transpose_times(q.pose.R, g.normal), leaning)) continue;
      swapped ? offer(CylinderPart::axis_rim, rim / 2, rim % 2) : offer(CylinderPart::rim_edge, rim, j);
    }
  }

  // Caps that lie on each other: where their rims cross.
  void caps() {
    const Vec3 ua = a_.pose.R * Vec3(0, 0, 1), ub = b_.pose.R * Vec3(0, 0, 1);
    if (norm(cross(ua, ub)) >= level) return;
    for (const int cap : {0, 1}) {
      const int facing = dot(ua, ub) > 0.0 ? 1 - cap : cap;
      for (const CylinderPart part : {CylinderPart::caps_first, CylinderPart::caps_second}) {
        Vec3 at[2];
        if (!crossings_of_rims(rim_of(a_, cap), rim_of(b_, facing), at)) continue;
        if (cylinder_gap(part, cap, facing, a_, b_).value > -a_.shape.half_length()) offer(part, cap, facing);
      }
    }
  }

  void rims() {
    for (const int i : {0, 1})
      for (const int j : {0, 1}) {
        const Gap g = cylinder_gap(CylinderPart::rim_rim, i, j, a_, b_);
        const Vec3 ma = side_of(i) * (a_.pose.R * Vec3(0, 0, 1)), mb = side_of(j) * (b_.pose.R * Vec3(0, 0, 1));
        if (norm(cross(g.normal, ma)) < level || norm(cross(g.normal, mb)) < level) continue;  // a cap on a cap
        const Vec3 out_a = g.on_a - rim_of(a_, i).c, out_b = g.on_b - rim_of(b_, j).c;
        if (dot(g.normal, ma) > slack || dot(g.normal, out_a) > slack * norm(out_a)) continue;
        if (dot(g.normal, mb) < -slack || dot(g.normal, out_b) < -slack * norm(out_b)) continue;
        if (g.value > -a_.shape.radii()[0]) offer(CylinderPart::rim_rim, i, j);
      }
  }

  const PlacedShape &a_, &b_;
  double within_;
  CylinderFeatures& out_;
};

}  // namespace

void cylinder_features(const PlacedShape& a, const PlacedShape& b, double within, CylinderFeatures& out) {
  Finder(a, b, within, out).find();
}

bool has_cylinder_feature(const ContactShape& b, CylinderPart part, int i, int j) {
  const bool end = i < 2, corner = j < static_cast<int>(b.corners().size()), edge = j < lines_of(b);
  switch (part) {
    case CylinderPart::rim_face:
      return i < 2 * rim_parts && j < faces_of(b);
    case CylinderPart::ring_face:
      return i < 2 * ring && j < faces_of(b);
    case CylinderPart::cap_corner:
      return end && corner;
    case CylinderPart::axis_corner:
      return i == 0 && corner;
    case CylinderPart::axis_edge:
      return i == 0 && edge;
    case CylinderPart::rim_edge:
      return i < 4 && edge;
    case CylinderPart::cap_rim:
      return has_caps(b) && end && j < 2 * rim_parts;
    case CylinderPart::rim_rim:
    case CylinderPart::caps_first:
    case CylinderPart::caps_second:
      return has_caps(b) && end && j < 2;
    case CylinderPart::axis_rim:
      return has_caps(b) && end && j < 2;
    case CylinderPart::ball:
      return b.kind() == ShapeKind::capsule && i == 0 && j < 2;
    case CylinderPart::whole:
      break;
  }
  return i == 0 && j == 0;
}

int rim_point_of(const PlacedShape& a, int rim, const Gap& g) {
  const Vec3 d = local(a.pose, g.on_a);
  return rim % 2 + 2 * (first_rim_point + nearest_of(rim_points, d));
}

bool cylinder_follows(CylinderPart part, int i, int j, const PlacedShape (&a)[2], const PlacedShape (&b)[2]) {
  switch (part) {
    case CylinderPart::cap_rim:
      return follows_rim(j, i, b, a);
    case CylinderPart::rim_face:
      return follows_rim(i, j, a, b);
    case CylinderPart::axis_edge:
    case CylinderPart::rim_edge:
    case CylinderPart::axis_rim:
    case CylinderPart::rim_rim:
      break;
    default:
      return true;
  }
  // (GE30)
  const Gap start = cylinder_gap(part, i, j, a[0], b[0]), end = cylinder_gap(part, i, j, a[1], b[1]);
  const double on_a = norm(local(a[1].pose, end.on_a) - local(a[0].pose, start.on_a)),
               on_b = norm(local(b[1].pose, end.on_b) - local(b[0].pose, start.on_b));
  const double size = has_caps(b[0].shape) ? b[0].shape.radii()[0] : line_of(b[0].shape, j).half;
  return std::min(on_a, on_b) <= most_run * std::min(a[0].shape.radii()[0], size);
}

Gap cylinder_gap(CylinderPart part, int i, int j, const PlacedShape& a, const PlacedShape& b) {
  switch (part) {
    case CylinderPart::rim_face:
    case CylinderPart::ring_face:
      return over_face(part, i, j, a, b);
    case CylinderPart::cap_rim:
      return turned(over_face(CylinderPart::rim_face, j, i, b, a));
    case CylinderPart::cap_corner:
      return over_cap(a, i, b.corner(j), 0.0);
    case CylinderPart::axis_corner:
      return beside_axis(FeatureKind::edge_point, j, a, b);
    case CylinderPart::axis_edge:
      return beside_axis(FeatureKind::edge_edge, j, a, b);
    case CylinderPart::rim_edge:
      return of_rim_and_edge(a, i, b, j);
    case CylinderPart::axis_rim:
      return turned(of_rim_and_edge(b, j + 2 * i, a, 0));
    case CylinderPart::rim_rim: {
      const RimNormal n = rim_and_rim(rim_of(a, i), rim_of(b, j), core_normal(a, b));
      return {n.value, n.n, rim_point(rim_of(a, i), -n.n), rim_point(rim_of(b, j), n.n)};
    }
    case CylinderPart::caps_first:
    case CylinderPart::caps_second: {
      Vec3 at[2] = {rim_of(b, j).c, rim_of(b, j).c};
      crossings_of_rims(rim_of(a, i), rim_of(b, j), at);
      return over_cap(a, i, at[part == CylinderPart::caps_second], 0.0);
    }
    case CylinderPart::ball: {
      const double radius = b.shape.radius();
      const Nearest near = nearest_of_cylinder(local(a.pose, b.corner(j)), a.shape.radii()[0], a.shape.half_length());
      const Vec3 normal = a.pose.R * near.normal;
      return {near.distance - radius, -normal, a.at(near.point), b.corner(j) - radius * normal};
    }
    case CylinderPart::whole:
      break;
  }
  return cylinder_distance(a, b);
}

Gap cylinder_distance(const PlacedShape& a, const PlacedShape& b) {
  const Separation s = separation(a, b);
  const double radius = b.shape.radius(), close = apart * (a.shape.reach() + b.shape.reach());
  const Gap whole{s.distance - radius, s.normal, s.on_a, s.on_b + radius * s.normal};
  if (s.converged && whole.value > close) return whole;
  CylinderFeatures near;
  cylinder_features(a, b, close, near);
  int least = -1;
  for (int k = 0; k < near.count; ++k)
    if (least < 0 || near.found[k].gap.value < near.found[least].gap.value) least = k;
  return least < 0 ? whole : near.found[least].gap;
}

}  // namespace bough
