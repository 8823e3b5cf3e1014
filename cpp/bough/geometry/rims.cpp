#include "bough/geometry/rims.hpp"

#include <algorithm>
#include <numbers>

#include "bough/geometry/support_ascent.hpp"

namespace bough {
namespace {

constexpr int samples = 24, most_iterations = 60, most_halvings = 30;
constexpr double found = 1e-15;  // rad: change of a normal that is none

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

// The best of some directions all round the line, then Newton's method along the circle of them, halved to go uphill.
RimNormal rim_and_line(const Rim& rim, const Vec3& x, const Vec3& e, double radius) {
  const Vec3 d = rim.c - x, b1 = some_normal(e), b2 = cross(e, b1);
  const auto at = [&](double angle) { return std::cos(angle) * b1 + std::sin(angle) * b2; };
  const auto value = [&](const Vec3& n) { return dot(n, d) - support_of(rim, n).h; };
  double angle = 0.0, best = -HUGE_VAL;
  for (int k = 0; k < samples; ++k) {
    const double trial = 2.0 * std::numbers::pi * k / samples, f = value(at(trial));
    if (f <= best) continue;
    best = f;
    angle = trial;
  }
  for (int i = 0; i < most_iterations; ++i) {
    const Vec3 n = at(angle), t = cross(e, n);
    const Support s = support_of(rim, n);
    const double slope = dot(d - s.point, t), bend = s.bend(rim, t, t) + std::max(dot(d - s.point, n), 0.0);
    double step = bend > 0.0 ? slope / bend : std::copysign(0.1, slope);
    step = std::clamp(step, -0.2, 0.2);
    if (!(std::abs(step) > found)) break;
    bool better = false;
    for (int k = 0; k < most_halvings && !better; ++k, step *= 0.5) {
      const double f = value(at(angle + step));
      if (!(f > best)) continue;
      better = true;
      best = f;
      angle += step;
    }
    if (!better) break;
  }
  return {at(angle), best - radius};
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

bool points_of_chord(const Rim& rim, const Vec3& x, const Vec3& e, double* at) {
  const Vec3 p = across(x - rim.c, rim.u), t = across(e, rim.u);
  const double square = dot(t, t), middle = -dot(p, t) / square;
  const double left = (rim.r * rim.r - dot(p, p)) / square + middle * middle;
  if (!(left > 0.0)) return false;
  at[0] = middle - std::sqrt(left);
  at[1] = middle + std::sqrt(left);
  return true;
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
