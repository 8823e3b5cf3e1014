#include "bough/geometry/polytopes.hpp"

namespace bough {
namespace {

constexpr double parallel = 1e-8;     // sine of an angle between edges, or distance over size, that is none
constexpr double uncertain = 1e-3;    // sine of an angle between edges whose normal has lost digits
constexpr double no_crossing = 1e-6;  // likewise, of edges of faces on each other: they have no crossing that stays
constexpr double same_normal = 0.99;  // cosine of the angle between the normals of faces and of a crossing that counts
constexpr double prefer_face = 1e-9;  // of the size: an edge pair has to be better by this

struct Axis {
  double depth = -HUGE_VAL;
  Vec3 normal = Vec3::zero();  // from b to a
  int face_a = -1, face_b = -1, edge_a = -1, edge_b = -1;
};

double least(const PlacedShape& s, const Vec3& n) { return dot(n, s.farthest(-n)); }

void faces_of_b(const PlacedShape& a, const PlacedShape& b, bool swapped, double margin, Axis& best) {
  const auto& faces = b.shape.faces();
  for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
    const Vec3 n = b.pose.R * faces[f].normal;
    const double depth = least(a, n) - faces[f].offset - dot(n, b.pose.p);
    if (depth <= best.depth + margin) continue;
    best = {depth, swapped ? -n : n, swapped ? f : -1, swapped ? -1 : f, -1, -1};
  }
}

// Whether the arcs between the normals of the faces at two edges cross, so that the edges make a face of the difference.
bool crossing(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& ab, const Vec3& cd) {
  const double cba = dot(c, ab), dba = dot(d, ab), adc = dot(a, cd), bdc = dot(b, cd);
  return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

void edges_of_both(const PlacedShape& a, const PlacedShape& b, double margin, Axis& best) {
  const auto &ea = a.shape.edges(), &eb = b.shape.edges();
  const auto direction = [](const PlacedShape& s, const ContactShape::Edge& e) {
    return s.corner(e.to) - s.corner(e.from);
  };
  for (int i = 0; i < static_cast<int>(ea.size()); ++i) {
    const Vec3 da = direction(a, ea[i]), xa = a.corner(ea[i].from);
    const Vec3 n0 = a.pose.R * a.shape.faces()[ea[i].faces[0]].normal,
               n1 = a.pose.R * a.shape.faces()[ea[i].faces[1]].normal;
    for (int j = 0; j < static_cast<int>(eb.size()); ++j) {
      const Vec3 db = direction(b, eb[j]);
      const Vec3 m0 = -(b.pose.R * b.shape.faces()[eb[j].faces[0]].normal);
      const Vec3 m1 = -(b.pose.R * b.shape.faces()[eb[j].faces[1]].normal);
      if (!crossing(n0, n1, m0, m1, da, db)) continue;
      Vec3 n = cross(da, db);
      const double size = norm(n);
      if (size <= parallel * norm(da) * norm(db)) continue;
      n = n / size;
      if (dot(n, n0 + n1) > 0.0) n = -n;  // outwards of b is inwards of a
      double depth = dot(n, xa - b.corner(eb[j].from));
      if (depth <= best.depth + margin) continue;
      // The round-off of n may feign a distance: what counts is that of the shapes along it.
      if (size <= uncertain * norm(da) * norm(db)) depth = std::min(depth, least(a, n) - dot(n, b.farthest(n)));
      if (depth <= best.depth + margin) continue;
      best = {depth, n, -1, -1, i, j};
    }
  }
}

int facing(const PlacedShape& s, const Vec3& d) {
  int best = 0;
  double most = -HUGE_VAL;
  const Vec3 local = transpose_times(s.pose.R, d);
  for (int f = 0; f < static_cast<int>(s.shape.faces().size()); ++f) {
    const double along = dot(s.shape.faces()[f].normal, local);
    if (along <= most) continue;
    most = along;
    best = f;
  }
  return best;
}

int edge_between(const ContactShape& s, int from, int to) {
  for (int e = 0; e < static_cast<int>(s.edges().size()); ++e)
    if ((s.edges()[e].from == from && s.edges()[e].to == to) || (s.edges()[e].from == to && s.edges()[e].to == from))
      return e;
  return -1;
}

// A polygon seen along the normal.
struct Polygon {
  const PlacedShape& placed;
  const ContactShape::Face& face;
  int id;

  int size() const { return static_cast<int>(face.corners.size()); }
  Vec3 corner(int i) const { return placed.corner(face.corners[i % size()]); }
  // Inside or on the edge, `n` outwards of the face or against it.
  bool covers(const Vec3& x, const Vec3& n, double slack) const {
    const double turn = dot(n, placed.pose.R * face.normal) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < size(); ++i) {
      const Vec3 e = corner(i + 1) - corner(i);
      if (turn * dot(cross(e, x - corner(i)), n) < -slack * norm(e)) return false;
    }
    return true;
  }
};

// Collects features that are not at a place that already has one.
class Collector {
 public:
  Collector(const Vec3& n, double close, Manifold& out) : n_(n), close_(close), out_(out) {}

  void add(const Feature& f, const Vec3& x) {
    for (int i = 0; i < count_; ++i) {
      const Vec3 apart = x - places_[i];
      if (norm(apart - dot(apart, n_) * n_) <= close_) return;
    }
    if (count_ == Manifold::most) return;
    places_[count_++] = x;
    out_.add(f);
  }

 private:
  Vec3 n_;
  double close_;
  Manifold& out_;
  Vec3 places_[Manifold::most];
  int count_ = 0;
};

Feature edge_edge(const PlacedShape& a, const PlacedShape& b, int i, int j, const Vec3& n) {
  Feature f;
  const auto &ea = a.shape.edges()[i], &eb = b.shape.edges()[j];
  const auto &ca = a.shape.corners(), &cb = b.shape.corners();
  f.kind = FeatureKind::edge_edge;
  f.a = i;
  f.b = j;
  f.x_a = ca[ea.from];
  f.x_b = cb[eb.from];
  f.d_a = (ca[ea.to] - ca[ea.from]) / norm(ca[ea.to] - ca[ea.from]);
  f.d_b = (cb[eb.to] - cb[eb.from]) / norm(cb[eb.to] - cb[eb.from]);
  f.sign = dot(cross(a.pose.R * f.d_a, b.pose.R * f.d_b), n) < 0.0 ? -1.0 : 1.0;
  return f;
}

// (GE11)
void overlap(const Polygon& A, const Polygon& B, const Vec3& n, double size, Manifold& out) {
  Collector collect(n, parallel * size, out);
  for (int i = 0; i < A.size(); ++i) {
    if (!B.covers(A.corner(i), n, parallel * size)) continue;
    Feature f;
    f.kind = FeatureKind::point_face;
    f.a = A.face.corners[i];
    f.b = B.id;
    f.x_a = A.placed.shape.corners()[f.a];
    f.x_b = B.placed.shape.corners()[B.face.corners[0]];
    f.d_b = B.face.normal;
    collect.add(f, A.corner(i));
  }
  for (int i = 0; i < B.size(); ++i) {
    if (!A.covers(B.corner(i), n, parallel * size)) continue;
    Feature f;
    f.kind = FeatureKind::face_point;
    f.a = A.id;
    f.b = B.face.corners[i];
    f.x_a = A.placed.shape.corners()[A.face.corners[0]];
    f.x_b = B.placed.shape.corners()[f.b];
    f.d_a = A.face.normal;
    collect.add(f, B.corner(i));
  }
  for (int i = 0; i < A.size(); ++i)
    for (int j = 0; j < B.size(); ++j) {
      const Vec3 xa = A.corner(i), ea = A.corner(i + 1) - xa, xb = B.corner(j), eb = B.corner(j + 1) - xb;
      const Vec3 normal = cross(ea, eb);
      const double across = dot(normal, n);
      if (std::abs(across) <= no_crossing * norm(ea) * norm(eb) || std::abs(across) < same_normal * norm(normal))
        continue;
      const double s = dot(cross(xb - xa, eb), n) / across, t = dot(cross(xb - xa, ea), n) / across;
      if (s <= 0.0 || s >= 1.0 || t <= 0.0 || t >= 1.0) continue;
      const int edge_a = edge_between(A.placed.shape, A.face.corners[i], A.face.corners[(i + 1) % A.size()]);
      const int edge_b = edge_between(B.placed.shape, B.face.corners[j], B.face.corners[(j + 1) % B.size()]);
      collect.add(edge_edge(A.placed, B.placed, edge_a, edge_b, n), xa + s * ea);
    }
}

}  // namespace

std::pair<double, Vec3> polytope_features(const PlacedShape& a, const PlacedShape& b, Manifold& out) {
  const double size = std::min(a.shape.reach(), b.shape.reach());
  Axis best;
  faces_of_b(a, b, false, 0.0, best);
  faces_of_b(b, a, true, prefer_face * size, best);
  edges_of_both(a, b, prefer_face * size, best);
  if (best.edge_a >= 0) {
    out.add(edge_edge(a, b, best.edge_a, best.edge_b, best.normal));
    return {best.depth, best.normal};
  }
  const int fa = best.face_a >= 0 ? best.face_a : facing(a, -best.normal);
  const int fb = best.face_b >= 0 ? best.face_b : facing(b, best.normal);
  overlap({a, a.shape.faces()[fa], fa}, {b, b.shape.faces()[fb], fb}, best.normal, size, out);
  return {best.depth, best.normal};
}

}  // namespace bough
