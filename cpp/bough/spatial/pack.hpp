// Six-vectors in two four-wide registers, for the 6x6 work of articulated bodies. Padding lanes are zero.
#pragma once

#include <cstring>

#include "bough/spatial/spatial.hpp"

namespace bough {

typedef double Lane4 __attribute__((vector_size(32), aligned(32)));

struct Pack {
  Lane4 lo, hi;  // (w0 w1 w2 v0) (v1 v2 0 0)
};

inline Pack pack(const Vec3& a, const Vec3& b) { return {Lane4{a[0], a[1], a[2], b[0]}, Lane4{b[1], b[2], 0.0, 0.0}}; }
inline Pack pack(const Twist& x) { return pack(x.w, x.v); }
inline Pack pack(const Wrench& x) { return pack(x.n, x.f); }
inline Wrench unpack_wrench(const Pack& x) { return {{x.lo[0], x.lo[1], x.lo[2]}, {x.lo[3], x.hi[0], x.hi[1]}}; }
inline double dot(const Pack& x, const Pack& y) {
  const Lane4 s = x.lo * y.lo;
  const Lane4 t = x.hi * y.hi;
  return (s[0] + s[1]) + (s[2] + s[3]) + (t[0] + t[1]);
}
inline Pack operator+(const Pack& a, const Pack& b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline Pack operator-(const Pack& a, const Pack& b) { return {a.lo - b.lo, a.hi - b.hi}; }
inline Pack operator*(double s, const Pack& a) { return {s * a.lo, s * a.hi}; }
inline void operator+=(Pack& a, const Pack& b) {
  a.lo += b.lo;
  a.hi += b.hi;
}
inline double lane(const Pack& x, int k) { return k < 4 ? x.lo[k] : x.hi[k - 4]; }

// A 6x6 matrix by rows.
struct Pack66 {
  Pack row[6];
};

// The 6x6 form of a spatial inertia, times a factor.
inline Pack66 pack(const Inertia& I, double factor) {
  const double m = factor * I.m, x = factor * I.mc.x(), y = factor * I.mc.y(), z = factor * I.mc.z();
  const double xx = factor * I.xx, xy = factor * I.xy, xz = factor * I.xz;
  const double yy = factor * I.yy, yz = factor * I.yz, zz = factor * I.zz;
  return {{{Lane4{xx, xy, xz, 0.0}, Lane4{-z, y, 0.0, 0.0}},
           {Lane4{xy, yy, yz, z}, Lane4{0.0, -x, 0.0, 0.0}},
           {Lane4{xz, yz, zz, -y}, Lane4{x, 0.0, 0.0, 0.0}},
           {Lane4{0.0, z, -y, m}, Lane4{0.0, 0.0, 0.0, 0.0}},
           {Lane4{-z, 0.0, x, 0.0}, Lane4{m, 0.0, 0.0, 0.0}},
           {Lane4{y, -x, 0.0, 0.0}, Lane4{0.0, m, 0.0, 0.0}}}};
}

inline void operator+=(Pack66& a, const Pack66& b) {
  for (int r = 0; r < 6; ++r) a.row[r] += b.row[r];
}

// The sums of the lanes of four registers.
inline Lane4 lane_sums(const Lane4& a, const Lane4& b, const Lane4& c, const Lane4& d) {
  const Lane4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lane4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// P x.
inline Pack times(const Pack66& P, const Pack& x) {
  Lane4 s[6];
  for (int r = 0; r < 6; ++r) s[r] = P.row[r].lo * x.lo + P.row[r].hi * x.hi;
  const Lane4 zero{};
  return {lane_sums(s[0], s[1], s[2], s[3]), lane_sums(s[4], s[5], zero, zero)};
}

// P^T x, row by row.
inline Pack transpose_times(const Pack66& P, const Pack& x) {
  Pack sum = x.lo[0] * P.row[0];
  for (int r = 1; r < 6; ++r) sum += lane(x, r) * P.row[r];
  return sum;
}

// to = P - u t^T / D
inline void set_reduced(Pack66& to, const Pack66& P, const Pack& u, const Pack& t, double inverse_D) {
  for (int r = 0; r < 6; ++r) {
    const double k = lane(u, r) * inverse_D;
    to.row[r].lo = P.row[r].lo - k * t.lo;
    to.row[r].hi = P.row[r].hi - k * t.hi;
  }
}

// to += P - u t^T / D
inline void add_reduced(Pack66& to, const Pack66& P, const Pack& u, const Pack& t, double inverse_D) {
  for (int r = 0; r < 6; ++r) {
    const double k = lane(u, r) * inverse_D;
    to.row[r].lo += P.row[r].lo - k * t.lo;
    to.row[r].hi += P.row[r].hi - k * t.hi;
  }
}

}  // namespace bough
