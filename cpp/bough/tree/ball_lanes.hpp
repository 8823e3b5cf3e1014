// Four balls of a tree side by side, as lanes.hpp has four states. What balls do apart from each other then takes as many
// instructions for four as for one: chains of 5 to 20 balls take 3 to 12 % less of a step, in a loop of the core.
#pragma once

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "bough/spatial/geodesic.hpp"
#include "bough/spatial/lanes.hpp"
#include "bough/spatial/rotation.hpp"
#include "bough/tree/balls.hpp"

// Processors with AVX-512 have 32 registers of four lanes, others 16, for which much of what four balls have waits in memory. The
// kernels that have most of it at once, f, are therefore compiled twice from one body, f_inlined: for 32 registers as f_with_32,
// which f calls if the processor has them. Both compute the same, bit for bit; a step of ten or twenty balls takes 5 % less with 32.
#if defined(__AVX2__) && !defined(_WIN32)
#define BOUGH_WITH_32_REGISTERS gnu::target("avx512f,avx512vl,avx512dq"), gnu::hot
#else  // never called
#define BOUGH_WITH_32_REGISTERS gnu::cold
#endif

namespace bough {

extern bool has_32_registers;  // tests change it

inline LaneVec side_by_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Lane4 ab = shuffle<0, 4, 2, 6>(a.a, b.a), cd = shuffle<0, 4, 2, 6>(c.a, d.a);
  return {shuffle<0, 1, 4, 5>(ab, cd),
          shuffle<0, 1, 4, 5>(shuffle<1, 5, 3, 7>(a.a, b.a), shuffle<1, 5, 3, 7>(c.a, d.a)),
          shuffle<2, 3, 6, 7>(ab, cd)};
}

// Half a vector.
typedef double HalfVec __attribute__((vector_size(16), may_alias));
typedef double NumbersOfHalf __attribute__((vector_size(16), aligned(8), may_alias));
inline HalfVec load_half(const double* x) { return *reinterpret_cast<const NumbersOfHalf*>(x); }
inline void store_half(double* x, const HalfVec& a) { *reinterpret_cast<NumbersOfHalf*>(x) = a; }
#ifdef __AVX__
inline Lane4 join(const HalfVec& a, const HalfVec& b) { return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1); }
inline HalfVec lower(const Lane4& a) { return _mm256_castpd256_pd128(a); }
inline HalfVec upper(const Lane4& a) { return _mm256_extractf128_pd(a, 1); }
#else
inline Lane4 join(const HalfVec& a, const HalfVec& b) { return {a, b}; }
inline HalfVec lower(const Lane4& a) { return a.lo; }
inline HalfVec upper(const Lane4& a) { return a.hi; }
#endif

// of(k) is a vector in memory, for k = 0 to 3. Vectors go as wholes there and back: in halves they would need fewer shuffles, but more
// loads and stores, and a full load soon after stores of halves waits for them. A step of ten balls takes 0.92 so.
template <class Of>
inline LaneVec gather(Of of) {
  return side_by_side(of(0), of(1), of(2), of(3));
}

// The other way round, with a fourth lane.
template <class To>
inline void scatter(const LaneVec& a, const Lane4& fourth, To to) {
  const Lane4 even = shuffle<0, 4, 2, 6>(a.x, a.y), odd = shuffle<1, 5, 3, 7>(a.x, a.y);
  const Lane4 even_ = shuffle<0, 4, 2, 6>(a.z, fourth), odd_ = shuffle<1, 5, 3, 7>(a.z, fourth);
  to(0).a = shuffle<0, 1, 4, 5>(even, even_);
  to(1).a = shuffle<0, 1, 4, 5>(odd, odd_);
  to(2).a = shuffle<2, 3, 6, 7>(even, even_);
  to(3).a = shuffle<2, 3, 6, 7>(odd, odd_);
}

struct LaneQuaternion {
  Lane4 w;
  LaneVec v;
};

inline LaneQuaternion operator*(const LaneQuaternion& a, const LaneQuaternion& b) {
  return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}

#ifdef __AVX__
inline Lane4 magnitude(const Lane4& a) { return _mm256_andnot_pd(broadcast(-0.0), a); }
inline Lane4 square_root(const Lane4& a) { return _mm256_sqrt_pd(a); }
inline bool all_below(const Lane4& a, double limit) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, broadcast(limit), _CMP_LT_OQ)) == 15;
}
#else
inline Lane4 magnitude(const Lane4& a) { return abs(a); }
inline Lane4 square_root(const Lane4& a) {
  return Lane4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
inline bool all_below(const Lane4& a, double limit) {
  return a[0] < limit && a[1] < limit && a[2] < limit && a[3] < limit;
}
#endif

inline LaneVec magnitude(const LaneVec& a) { return {magnitude(a.x), magnitude(a.y), magnitude(a.z)}; }

// b of (BJ2), by s; what is rare stands apart, as the instructions of a step hardly fit the cache for them.
struct LaneSlope {
  Lane4 f, d;  // and its derivative
};
[[gnu::cold, gnu::noinline]] inline LaneSlope large_geodesic_beta(const Lane4& s) {
  const WithSlope a = geodesic_beta(s[0]), b = geodesic_beta(s[1]), c = geodesic_beta(s[2]), d = geodesic_beta(s[3]);
  return {Lane4{a.f, b.f, c.f, d.f}, Lane4{a.d, b.d, c.d, d.d}};
}
inline Lane4 geodesic_beta(const Lane4& s) {
  if (!all_below(s, geodesic_tiny)) [[unlikely]]
    return large_geodesic_beta(s).f;
  Lane4 sum = broadcast(beta_series[6]);
  for (int k = 5; k >= 0; --k) sum = sum * s + broadcast(beta_series[k]);
  return sum;
}

// The same with its derivative.
inline LaneSlope geodesic_beta_slope(const Lane4& s) {
  if (!all_below(s, geodesic_tiny)) [[unlikely]]
    return large_geodesic_beta(s);
  LaneSlope x{broadcast(beta_series[6]), Lane4{}};
  for (int k = 5; k >= 0; --k) {
    x.d = x.d * s + x.f;
    x.f = x.f * s + broadcast(beta_series[k]);
  }
  return x;
}

// k and b of (BJ1), (BJ2), from (BJ15) with its c.
struct LaneFactors {
  Lane4 kappa, beta;
};
inline LaneFactors geodesic_factors(const LaneVec& phi, const Lane4& c) {
  const Lane4 r = 0.25 * dot(phi, phi);
  const Lane4 kappa = 0.25 * inverse(broadcast(1.0) - c * r);
  return {kappa, 0.25 * (c + kappa)};
}

// exp(phi) as a quaternion of any length, by (BJ15); and b of phi.
struct LaneTurn {
  LaneQuaternion quaternion;
  Lane4 beta;
};
[[gnu::cold, gnu::noinline]] inline LaneQuaternion large_turn_of(const LaneVec& phi) {
  const Quaternion a = turn_by(lane_of(phi, 0)), b = turn_by(lane_of(phi, 1)), c = turn_by(lane_of(phi, 2)),
                   d = turn_by(lane_of(phi, 3));
  return {Lane4{a.w, b.w, c.w, d.w}, side_by_side(a.v, b.v, c.v, d.v)};
}
[[gnu::always_inline]] inline LaneTurn turn_of(const LaneVec& phi) {
  const Lane4 s = dot(phi, phi), beta = geodesic_beta(s);
  if (!all_below(s, geodesic_small)) [[unlikely]]
    return {large_turn_of(phi), beta};
  return {{broadcast(1.0) - beta * s, 0.5 * phi}, beta};
}

// The rotation of a quaternion of any length.
inline LaneMat rotation_of(const LaneQuaternion& turn) {
  const auto& [w, v] = turn;
  const Lane4 vv = dot(v, v), twice = broadcast(2.0) * inverse(w * w + vv), even = broadcast(1.0) - twice * vv;
  const LaneVec a = twice * v, b = (twice * w) * v;  // R = even + skew(b) + a v^T
  return {{{even + a.x * v.x, a.y * v.x + b.z, a.z * v.x - b.y},
           {a.x * v.y - b.z, even + a.y * v.y, a.z * v.y + b.x},
           {a.x * v.z + b.y, a.y * v.z - b.x, even + a.z * v.z}}};
}

// Four numbers of an array, wherever they begin.
#ifdef __AVX__
inline Lane4 load_four(const double* x) { return _mm256_loadu_pd(x); }
inline void store_four(double* x, const Lane4& a) { _mm256_storeu_pd(x, a); }
#else
inline Lane4 load_four(const double* x) { return join(load_half(x), load_half(x + 2)); }
inline void store_four(double* x, const Lane4& a) {
  store_half(x, lower(a));
  store_half(x + 2, upper(a));
}
#endif

// Three numbers of each of four balls: x + at[k] is where those of ball k begin. A third of the instructions if they are in a row.
inline LaneVec vectors(const FourBalls::Threes& at, const double* x) {
  if (at.in_a_row) [[likely]] {
    const double* of = x + at[0];
    const Lane4 a = load_four(of), b = load_four(of + 4), c = load_four(of + 8);
    const Lane4 xy = shuffle<0, 1, 6, 7>(a, b), zx = shuffle<2, 3, 4, 5>(a, c), yz = shuffle<0, 1, 6, 7>(b, c);
    return {shuffle<0, 5, 2, 7>(xy, zx), shuffle<1, 4, 3, 6>(xy, yz), shuffle<0, 5, 2, 7>(zx, yz)};
  }
  const double* of[] = {x + at[0], x + at[1], x + at[2], x + at[3]};
  const Lane4 ac = join(load_half(of[0]), load_half(of[2])), bd = join(load_half(of[1]), load_half(of[3]));
  return {shuffle<0, 4, 2, 6>(ac, bd), shuffle<1, 5, 3, 7>(ac, bd), Lane4{of[0][2], of[1][2], of[2][2], of[3][2]}};
}
inline void set_vectors(const FourBalls::Threes& at, double* x, const LaneVec& value) {
  if (at.in_a_row) [[likely]] {
    double* to = x + at[0];
    const Lane4 xy = shuffle<0, 4, 2, 6>(value.x, value.y), zx = shuffle<0, 5, 2, 7>(value.z, value.x),
                yz = shuffle<1, 5, 3, 7>(value.y, value.z);
    store_four(to, shuffle<0, 1, 4, 5>(xy, zx));
    store_four(to + 4, shuffle<0, 1, 6, 7>(yz, xy));
    store_four(to + 8, shuffle<2, 3, 6, 7>(zx, yz));
    return;
  }
  const Lane4 even = shuffle<0, 4, 2, 6>(value.x, value.y), odd = shuffle<1, 5, 3, 7>(value.x, value.y);
  const HalfVec low = lower(value.z), high = upper(value.z);
  const auto set = [&at, x](int k, const HalfVec& xy, double z) {
    double* to = x + at[k];
    store_half(to, xy);
    to[2] = z;
  };
  set(0, lower(even), low[0]);
  set(1, lower(odd), low[1]);
  set(2, upper(even), high[0]);
  set(3, upper(odd), high[1]);
}

// In an array that lacks the first `lacks` numbers of a configuration.
inline LaneQuaternion quaternions(const FourBalls& at, const double* q, int lacks = 0) {
  const auto of = [&](int k) { return load_four(q + (at.quaternion[k] - lacks)); };
  const Lane4 a = of(0), b = of(1), c = of(2), d = of(3);
  const Lane4 wy = shuffle<0, 4, 2, 6>(a, b), xz = shuffle<1, 5, 3, 7>(a, b);
  const Lane4 wy_ = shuffle<0, 4, 2, 6>(c, d), xz_ = shuffle<1, 5, 3, 7>(c, d);
  return {shuffle<0, 1, 4, 5>(wy, wy_),
          {shuffle<0, 1, 4, 5>(xz, xz_), shuffle<2, 3, 6, 7>(wy, wy_), shuffle<2, 3, 6, 7>(xz, xz_)}};
}
inline void set_quaternions(const FourBalls& at, double* q, const LaneQuaternion& value) {
  const Lane4 wx = shuffle<0, 4, 2, 6>(value.w, value.v.x), wx_ = shuffle<1, 5, 3, 7>(value.w, value.v.x);
  const Lane4 yz = shuffle<0, 4, 2, 6>(value.v.y, value.v.z), yz_ = shuffle<1, 5, 3, 7>(value.v.y, value.v.z);
  store_four(q + at.quaternion[0], shuffle<0, 1, 4, 5>(wx, yz));
  store_four(q + at.quaternion[1], shuffle<0, 1, 4, 5>(wx_, yz_));
  store_four(q + at.quaternion[2], shuffle<2, 3, 6, 7>(wx, yz));
  store_four(q + at.quaternion[3], shuffle<2, 3, 6, 7>(wx_, yz_));
}

}  // namespace bough
