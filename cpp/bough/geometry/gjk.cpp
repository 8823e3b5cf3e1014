#include "bough/geometry/gjk.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr int most_idle = 12;        // iterations without a better bound and without a closer point
constexpr double closer = 0.99;      // of |v|², by which a point is closer
constexpr double converged = 1e-15;  // error of |v|², relative
constexpr double touching = 1e-9;    // of the sizes: below this the direction of v is not trusted
constexpr double flat = 1e-12;       // relative to the sizes: distance of points that count as coplanar
constexpr double fine = 1e-9;        // relative to the sizes: error of a depth that is accepted
constexpr int most_points = 256, most_facets = 2 * most_points, most_horizon = 128;

struct Point {
  Vec3 w = Vec3::zero(), a = Vec3::zero(), b = Vec3::zero();  // of the difference, and of the shapes
};

struct Simplex {
  Point p[4];
  double weight[4] = {1.0, 0.0, 0.0, 0.0};
  int size = 0;
};

Point farthest(const PlacedShape& a, const PlacedShape& b, const Vec3& d) {
  const Vec3 x = a.farthest(-d), y = b.farthest(d);
  return {x - y, x, y};
}

// Weights of the point of least norm in the plane through the points `set`; false if they depend on each other or the point is
// outside.
bool least_of(const Simplex& s, const int* set, int n, double* weight) {
  if (n == 1) {
    weight[0] = 1.0;
    return true;
  }
  // x = p0 + Σ t_i (p_i - p0), Gram matrix of the edges
  double A[3][3], b[3], t[3] = {0, 0, 0};
  Vec3 e[3];
  for (int i = 1; i < n; ++i) e[i - 1] = s.p[set[i]].w - s.p[set[0]].w;
  const int m = n - 1;
  for (int i = 0; i < m; ++i) {
    b[i] = -dot(e[i], s.p[set[0]].w);
    for (int j = 0; j < m; ++j) A[i][j] = dot(e[i], e[j]);
  }
  if (m == 1) {
    if (!(A[0][0] > 0.0)) return false;
    t[0] = b[0] / A[0][0];
  } else if (m == 2) {
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    if (!(det > 1e-24 * A[0][0] * A[1][1])) return false;
    t[0] = (b[0] * A[1][1] - b[1] * A[0][1]) / det;
    t[1] = (b[1] * A[0][0] - b[0] * A[1][0]) / det;
  } else {
    const double volume = dot(e[0], cross(e[1], e[2]));
    if (!(std::abs(volume) > 1e-14 * norm(e[0]) * norm(e[1]) * norm(e[2]))) return false;
    const Vec3 x = -s.p[set[0]].w;
    t[0] = dot(x, cross(e[1], e[2])) / volume;
    t[1] = dot(e[0], cross(x, e[2])) / volume;
    t[2] = dot(e[0], cross(e[1], x)) / volume;
  }
  weight[0] = 1.0;
  for (int i = 0; i < m; ++i) {
    if (t[i] < 0.0) return false;
    weight[i + 1] = t[i];
    weight[0] -= t[i];
  }
  return weight[0] >= 0.0;
}

// Reduces the simplex to the part that holds the point of least norm, which is returned.
Vec3 reduce(Simplex& s) {
  double best = HUGE_VAL;
  Simplex kept;
  Vec3 v = s.p[0].w;
  for (int mask = 1; mask < (1 << s.size); ++mask) {
    int set[4], n = 0;
    for (int i = 0; i < s.size; ++i)
      if (mask & (1 << i)) set[n++] = i;
    double weight[4];
    if (!least_of(s, set, n, weight)) continue;
    Vec3 x = Vec3::zero();
    for (int i = 0; i < n; ++i) x += weight[i] * s.p[set[i]].w;
    const double square = dot(x, x);
    if (!(square < best)) continue;
    best = square;
    v = x;
    kept.size = n;
    for (int i = 0; i < n; ++i) {
      kept.p[i] = s.p[set[i]];
      kept.weight[i] = weight[i];
    }
  }
  s = kept;
  return v;
}

Separation of_simplex(const Simplex& s, const Vec3& v, bool done) {
  Vec3 a = Vec3::zero(), b = Vec3::zero();
  for (int i = 0; i < s.size; ++i) {
    a += s.weight[i] * s.p[i].a;
    b += s.weight[i] * s.p[i].b;
  }
  const double size = norm(v);
  return {size, v / size, a, b, done};
}

// A polytope of points of the difference, growing.
class Expanding {
 public:
  Expanding(const PlacedShape& a, const PlacedShape& b) : a_(a), b_(b) {}

  bool start(const Simplex& s, double size);
  Separation expand(double size);

 private:
  struct Facet {
    int p[3];
    Vec3 normal;
    double offset;
    bool there;
  };
  bool add_facet(int i, int j, int k);
  Separation of_facet(const Facet& f, double depth, bool done) const;

  const PlacedShape &a_, &b_;
  Point points_[most_points];
  Facet facets_[most_facets];
  int n_points_ = 0, n_facets_ = 0;
};

// In the place of one that is gone. A facet without area keeps the surface closed and is never the nearest.
bool Expanding::add_facet(int i, int j, int k) {
  int at = 0;
  while (at < n_facets_ && facets_[at].there) ++at;
  if (at == most_facets) return false;
  n_facets_ = std::max(n_facets_, at + 1);
  const Vec3 normal = cross(points_[j].w - points_[i].w, points_[k].w - points_[i].w);
  const double area = norm(normal);
  const bool flat = !(area > 0.0);
  facets_[at] = {{i, j, k}, flat ? normal : normal / area, flat ? HUGE_VAL : dot(normal, points_[i].w) / area, true};
  return true;
}

// A tetrahedron that has some volume, with the origin inside or on it.
bool Expanding::start(const Simplex& s, double size) {
  for (int i = 0; i < s.size; ++i) points_[n_points_++] = s.p[i];
  const Vec3 axes[3] = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  const auto grow = [&](const Vec3& d, auto&& enough) {
    for (const double sign : {1.0, -1.0}) {
      points_[n_points_] = farthest(a_, b_, sign * d);
      if (!enough(points_[n_points_].w)) continue;
      ++n_points_;
      return true;
    }
    return false;
  };
  const double least = 1e-7 * size;
  while (n_points_ < 2) {
    bool grown = false;
    for (int k = 0; k < 3 && !grown; ++k)
      grown = grow(axes[k], [&](const Vec3& w) { return norm(w - points_[0].w) > least; });
    if (!grown) return false;
  }
  while (n_points_ < 3) {
    const Vec3 e = points_[1].w - points_[0].w;
    bool grown = false;
    for (int k = 0; k < 3 && !grown; ++k)
      grown =
          grow(cross(e, axes[k]), [&](const Vec3& w) { return norm(cross(e, w - points_[0].w)) > least * norm(e); });
    if (!grown) return false;
  }
  while (n_points_ < 4) {
    const Vec3 n = cross(points_[1].w - points_[0].w, points_[2].w - points_[0].w);
    if (!grow(n, [&](const Vec3& w) { return std::abs(dot(n, w - points_[0].w)) > least * norm(n); })) return false;
  }
  const Vec3 e = cross(points_[1].w - points_[0].w, points_[2].w - points_[0].w);
  if (dot(e, points_[3].w - points_[0].w) > 0.0) std::swap(points_[1], points_[2]);
  return add_facet(0, 1, 2) && add_facet(0, 3, 1) && add_facet(1, 3, 2) && add_facet(2, 3, 0);
}

// The points of both shapes where the facet is nearest to the origin; the distance is that along its normal.
Separation Expanding::of_facet(const Facet& f, double depth, bool done) const {
  Simplex s;
  s.size = 3;
  for (int k = 0; k < 3; ++k) s.p[k] = points_[f.p[k]];
  for (Point& p : s.p) p.w = p.w - f.offset * f.normal;
  reduce(s);
  Separation out = of_simplex(s, f.normal, done);
  out.distance = -depth;
  out.normal = -f.normal;
  return out;
}

// Every normal bounds the depth from above, the nearest facet from below. Where facets have become so small that round-off turns
// them, the lower bound falls: the best normal is then as good as can be had.
Separation Expanding::expand(double size) {
  double least = HUGE_VAL, lower = -HUGE_VAL;
  Separation best{};
  for (;;) {
    int nearest = -1;
    for (int i = 0; i < n_facets_; ++i)
      if (facets_[i].there && (nearest < 0 || facets_[i].offset < facets_[nearest].offset)) nearest = i;
    const Facet f = facets_[nearest];
    if (f.offset < lower - flat * size || n_points_ == most_points) return best;
    lower = std::max(lower, f.offset);
    const Point w = farthest(a_, b_, -f.normal);  // farthest along the normal
    const double depth = dot(f.normal, w.w);
    const bool done = depth - f.offset <= flat * size;
    if (depth < least) {
      least = depth;
      best = of_facet(f, depth, depth - lower <= fine * size);
    }
    if (done) return best;
    // Horizon: edges between what w sees and what it does not. It sees what is in one plane with it, lest slivers are left.
    points_[n_points_] = w;
    int horizon[most_horizon][2], edges = 0;
    for (int i = 0; i < n_facets_; ++i) {
      if (!facets_[i].there || dot(facets_[i].normal, w.w) - facets_[i].offset < -flat * size) continue;
      facets_[i].there = false;
      for (int k = 0; k < 3; ++k) {
        const int from = facets_[i].p[k], to = facets_[i].p[(k + 1) % 3];
        bool met = false;
        for (int e = 0; e < edges && !met; ++e)
          if (horizon[e][0] == to && horizon[e][1] == from) {
            met = true;
            horizon[e][0] = horizon[edges - 1][0];
            horizon[e][1] = horizon[--edges][1];
          }
        if (!met && edges < most_horizon) {
          horizon[edges][0] = from;
          horizon[edges++][1] = to;
        }
      }
    }
    for (int e = 0; e < edges; ++e) add_facet(horizon[e][0], horizon[e][1], n_points_);
    ++n_points_;
  }
}

}  // namespace

// (GE9)
Separation separation(const PlacedShape& a, const PlacedShape& b) {
  const double size = a.shape.reach() + b.shape.reach();
  Simplex s;
  Vec3 v = a.pose.p - b.pose.p;
  if (!(norm(v) > 0.0)) v = Vec3(1, 0, 0);
  s.p[0] = farthest(a, b, v);
  s.size = 1;
  v = s.p[0].w;
  // |v|² is flat at its least, so its decrease says nothing of the last half of the digits of v: the bound of its error does.
  Simplex best;
  Vec3 v_best = v;
  double error = HUGE_VAL, least = HUGE_VAL;
  int idle = 0;
  while (idle < most_idle && norm(v) > touching * size && s.size < 4) {
    const Point w = farthest(a, b, v);
    const double square = dot(v, v), bound = (square - dot(v, w.w)) / square;
    ++idle;
    if (bound < 0.99 * error || square < closer * least) idle = 0;
    if (bound < 1.0 ? bound < error
                    : error >= 1.0 && square < least) {  // the nearest until one proves that they are apart
      best = s;
      v_best = v;
    }
    error = std::min(error, bound);
    least = std::min(least, square);
    if (error <= converged) break;
    s.p[s.size++] = w;
    v = reduce(s);
  }
  if (norm(v) > touching * size && s.size < 4) return of_simplex(best, v_best, error <= fine);
  Expanding polytope(a, b);
  if (!polytope.start(s, size)) return of_simplex(s, norm(v) > 0.0 ? v : Vec3(0, 0, 1), false);
  return polytope.expand(size);
}

}  // namespace bough
