#include "bough/geometry/rims.hpp"

#include <algorithm>
#include <numbers>

#include "bough/geometry/support_ascent.hpp"

namespace bough {
namespace {

constexpr int most_iterations = 60, most_halvings = 30;
constexpr double found = 1e-15;    // rad: change of a normal, or of a place on a rim, that is none
constexpr double most_step = 0.2;  // rad: likewise, in an iteration
constexpr double axial = 1e-9;     // sine of the angle between a line and the axis of a rim that is none
constexpr double no_bend =
    1e-3;  // second derivative of |w|²/2, in squares of the radius, below which it has no minimum near

Vec3 across(const Vec3& x, const Vec3& u) { return x - dot(x, u) * u; }

// h(n) = r |n × u|, its gradient, and tᵀ (d²h) s.
struct Support {
  double h;
  Vec3 point;
  double bend(const Rim& rim, const Vec3& t, const Vec3& s) const {
    if (!(h > 0.0)) return 0.0;
    return (rim.r * rim.r * dot(across(t, rim.u), across(s, rim.u)) - dot(point, t) * dot(point, s)) / h;
  }
};

Support support_of(const Rim& rim, const Vec3& n) {
  const Vec3 side = across(n, rim.u);
  const double size = norm(side);
  return {rim.r * size, size > 0.0 ? (rim.r / size) * side : Vec3::zero()};
}

Vec3 some_normal(const Vec3& n) {
  const Vec3 t = cross(n, std::abs(n[0]) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0));
  return t / norm(t);
}

}  // namespace

Vec3 rim_point(const Rim& rim, const Vec3& d) { return rim.c + support_of(rim, d).point; }

Vec3 rim_tangent(const Rim& rim, const Vec3& y) {
  const Vec3 t = cross(rim.u, y - rim.c);
  return t / norm(t);
}

// (GE22) by Newton's method from an end of the chord that the line is seen to have, downhill of |w| where that has no minimum near.
Vec3 rim_across_line(const Rim& rim, const Vec3& x, const Vec3& e, bool ahead) {
  Vec3 along = across(e, rim.u);
  if (!(norm(along) > axial)) along = across(x - rim.c, rim.u);
  if (!(norm(along) > 0.0)) along = some_normal(rim.u);
  const Vec3 d1 = along / norm(along), d2 = cross(rim.u, d1);
  double angle = std::asin(std::clamp(dot(x - rim.c, d2) / rim.r, -1.0, 1.0));
  if (!ahead) angle = std::numbers::pi - angle;
  const auto at = [&](double a) { return rim.r * (std::cos(a) * d1 + std::sin(a) * d2); };
  for (int i = 0; i < most_iterations; ++i) {
    const Vec3 y = at(angle), t = cross(rim.u, y), w = across(rim.c + y - x, e), side = across(t, e);
    const double slope = dot(w, t), bend = dot(side, side) - dot(w, y);
    double step = bend > no_bend * rim.r * rim.r ? -slope / bend : std::copysign(most_step, -slope);
    step = std::clamp(step, -most_step, most_step);
    angle += step;
    if (!(std::abs(step) > found)) break;
  }
  return rim.c + at(angle);
}

RimNormal rim_and_rim(const Rim& a, const Rim& b, const Vec3& start) {
  const Vec3 c = a.c - b.c;
  const auto along = [&](const Vec3& n) -> SupportGap<Support> {
    const Support sa = support_of(a, n), sb = support_of(b, n);
    return {n, sa, sb, dot(n, c) - sa.h - sb.h};
  };
  SupportGap<Support> at = along(start);
  for (int i = 0; i < most_iterations; ++i) {
    const auto& [n, sa, sb, f] = at;
    const Vec3 gradient = c - sa.point - sb.point, t1 = some_normal(n), t2 = cross(n, t1);
    const double g1 = dot(gradient, t1), g2 = dot(gradient, t2), on_sphere = std::max(dot(n, gradient), 0.0);
    const double h12 = sa.bend(a, t1, t2) + sb.bend(b, t1, t2);
    const double A = sa.bend(a, t1, t1) + sb.bend(b, t1, t1) + on_sphere;
    const double C = sa.bend(a, t2, t2) + sb.bend(b, t2, t2) + on_sphere, det = A * C - h12 * h12;
    Vec3 step = det > 1e-12 * A * C ? ((C * g1 - h12 * g2) / det) * t1 + ((A * g2 - h12 * g1) / det) * t2
                                    : (1.0 / std::max(A + C, 1e-300)) * (g1 * t1 + g2 * t2);
    if (norm(step) > 0.2) step = (0.2 / norm(step)) * step;
    if (!(norm(step) > found)) break;
    if (!climb(at, step, most_halvings, along)) break;
  }
  return {at.n, at.f};
}

bool crossings_of_rims(const Rim& a, const Rim& b, Vec3* at) {
  const Vec3 apart = b.c - a.c, side = across(apart, a.u);
  const double D = norm(side);
  if (!(D < a.r + b.r && D > std::abs(a.r - b.r))) return false;
  const double along = 0.5 * (D * D + a.r * a.r - b.r * b.r) / D, half = std::sqrt(a.r * a.r - along * along);
  const Vec3 d = side / D, t = cross(a.u, d), middle = a.c + along * d;
  const auto on_b = [&](const Vec3& y) { return y - (dot(y - b.c, b.u) / dot(a.u, b.u)) * a.u; };
  at[0] = on_b(middle - half * t);
  at[1] = on_b(middle + half * t);
  return true;
}

}  // namespace bough
