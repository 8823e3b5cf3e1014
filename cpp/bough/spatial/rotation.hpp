// Unit quaternions and rotation vectors ([L] slide 3).
//
//   q1 = (cos(a/2), sin(a/2) n) q0,  a n = h omega      a body that turns with world angular velocity omega for h    (MX1)
//   phi(R) = a n for R = exp(a n x),  0 <= a <= pi                                                                 (MX2)
#pragma once

#include <cmath>

#include "bough/spatial/spatial.hpp"

namespace bough {

struct Quaternion {
  double w = 1.0;
  Vec3 v = Vec3::zero();
};

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}

inline Mat3 rotation(const Quaternion& q) {
  const Mat3 W = skew(q.v);
  return Mat3::identity() + (2.0 * q.w) * W + 2.0 * (W * W);
}

// (MX1), normalised so that round-off does not add up.
inline Quaternion turned(const Quaternion& q, const Vec3& phi) {
  const double half = 0.5 * norm(phi);
  const double sinc = half > 1e-4 ? std::sin(half) / half : 1.0 - half * half / 6.0;
  const Quaternion r = Quaternion{std::cos(half), (0.5 * sinc) * phi} * q;
  const double scale = 1.0 / std::sqrt(r.w * r.w + dot(r.v, r.v));
  return {scale * r.w, scale * r.v};
}

// The quaternion of exp(phi); up to |phi| = 1 by its series, which take half the time of sine and cosine.
inline Quaternion turn_by(const Vec3& phi) {
  const double s = 0.25 * dot(phi, phi);
  if (s < 0.25) {
    const double sine =
        1.0 +
        s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 +
                                              s * (1.0 / 362880 + s * (-1.0 / 39916800 + s * (1.0 / 6227020800.0))))));
    const double cosine =
        1.0 +
        s * (-1.0 / 2 +
             s * (1.0 / 24 +
                  s * (-1.0 / 720 +
                       s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600 + s * (-1.0 / 87178291200.0)))))));
    return {cosine, (0.5 * sine) * phi};
  }
  const double half = std::sqrt(s);
  return {std::cos(half), (0.5 * std::sin(half) / half) * phi};
}

// q exp(phi), normalised: a frame that turns by phi in its own axes.
inline Quaternion turned_within(const Quaternion& q, const Vec3& phi) {
  const Quaternion r = q * turn_by(phi);
  const double scale = 1.0 / std::sqrt(r.w * r.w + dot(r.v, r.v));
  return {scale * r.w, scale * r.v};
}

// The quaternion of a rotation, by its largest component.
inline Quaternion quaternion(const Mat3& R) {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  if (trace > 0.0) {
    const double s = 2.0 * std::sqrt(1.0 + trace);
    return {0.25 * s, (1.0 / s) * Vec3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1))};
  }
  int i = 0;
  if (R(1, 1) > R(i, i)) i = 1;
  if (R(2, 2) > R(i, i)) i = 2;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double s = 2.0 * std::sqrt(1.0 + R(i, i) - R(j, j) - R(k, k));
  double v[3];
  v[i] = 0.25 * s;
  v[j] = (R(j, i) + R(i, j)) / s;
  v[k] = (R(k, i) + R(i, k)) / s;
  return {(R(k, j) - R(j, k)) / s, Vec3(v)};
}

// (MX2); small angles by the series of asin(x) / x.
inline Vec3 rotation_vector(const Mat3& R) {
  const Vec3 s = 0.5 * Vec3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double x2 = dot(s, s), c = 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1.0);
  if (c > 0.0 && x2 < 1e-5) return (1.0 + x2 * (1.0 / 6.0 + x2 * (3.0 / 40.0 + x2 * (15.0 / 336.0)))) * s;
  Quaternion q = quaternion(R);
  if (q.w < 0.0) q = {-q.w, -q.v};
  const double length = norm(q.v);
  return (2.0 * std::atan2(length, q.w) / length) * q.v;
}

inline Pose inverse(const Pose& g) { return {transpose(g.R), -transpose_times(g.R, g.p)}; }

// a^-1 b
inline Pose relative(const Pose& a, const Pose& b) {
  const Mat3 T = transpose(a.R);
  return {T * b.R, T * (b.p - a.p)};
}

}  // namespace bough
