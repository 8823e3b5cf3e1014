// Numbers, vectors and matrices with their derivatives along one direction, and the types that a function is made of if it
// is to have them or not: Plain or Dotted.
#pragma once

#include <cmath>

#include "bough/spatial/spatial.hpp"

namespace bough {

struct Dual {
  double v = 0.0, d = 0.0;
  Dual() = default;
  Dual(double value) : v(value) {}
  Dual(double value, double rate) : v(value), d(rate) {}
  void operator+=(const Dual& x) {
    v += x.v;
    d += x.d;
  }
  void operator-=(const Dual& x) {
    v -= x.v;
    d -= x.d;
  }
};
inline Dual operator-(const Dual& x) { return {-x.v, -x.d}; }
inline Dual operator+(const Dual& x, const Dual& y) { return {x.v + y.v, x.d + y.d}; }
inline Dual operator-(const Dual& x, const Dual& y) { return {x.v - y.v, x.d - y.d}; }
inline Dual operator*(const Dual& x, const Dual& y) { return {x.v * y.v, x.d * y.v + x.v * y.d}; }
inline Dual operator/(const Dual& x, const Dual& y) {
  const double ratio = x.v / y.v;
  return {ratio, (x.d - ratio * y.d) / y.v};
}
inline Dual atan2(const Dual& y, const Dual& x) {
  return {std::atan2(y.v, x.v), (x.v * y.d - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}

struct DualVec3 {
  Vec3 v = Vec3::zero(), d = Vec3::zero();
  void operator+=(const DualVec3& x) {
    v += x.v;
    d += x.d;
  }
};
inline DualVec3 operator+(const DualVec3& x, const DualVec3& y) { return {x.v + y.v, x.d + y.d}; }
inline DualVec3 operator-(const DualVec3& x, const DualVec3& y) { return {x.v - y.v, x.d - y.d}; }
inline DualVec3 operator*(const Dual& s, const DualVec3& x) { return {s.v * x.v, s.d * x.v + s.v * x.d}; }
inline Dual dot(const DualVec3& x, const DualVec3& y) { return {dot(x.v, y.v), dot(x.d, y.v) + dot(x.v, y.d)}; }
inline DualVec3 cross(const DualVec3& x, const DualVec3& y) {
  return {cross(x.v, y.v), cross(x.d, y.v) + cross(x.v, y.d)};
}
inline DualVec3 operator/(const DualVec3& x, const Dual& s) { return (Dual(1.0) / s) * x; }
// For a vector other than zero.
inline Dual norm(const DualVec3& x) {
  const double length = norm(x.v);
  return {length, dot(x.v, x.d) / length};
}

struct DualMat3 {
  Mat3 v = Mat3::zero(), d = Mat3::zero();
  void operator+=(const DualMat3& x) {
    v += x.v;
    d += x.d;
  }
  DualVec3 column(int i) const { return {v.c[i], d.c[i]}; }
};
inline DualMat3 operator+(const DualMat3& x, const DualMat3& y) { return {x.v + y.v, x.d + y.d}; }
inline DualMat3 operator*(const Dual& s, const DualMat3& x) { return {s.v * x.v, s.d * x.v + s.v * x.d}; }
inline DualVec3 operator*(const DualMat3& A, const DualVec3& x) { return {A.v * x.v, A.d * x.v + A.v * x.d}; }
inline DualVec3 operator*(const DualMat3& A, const Vec3& x) { return {A.v * x, A.d * x}; }
inline DualMat3 outer(const DualVec3& x, const DualVec3& y) {
  return {outer(x.v, y.v), outer(x.d, y.v) + outer(x.v, y.d)};
}
inline DualMat3 skew(const DualVec3& x) { return {skew(x.v), skew(x.d)}; }

// s times the identity, and the column of a matrix.
inline Mat3 diagonal(double s) { return Mat3::diagonal(s); }
inline DualMat3 diagonal(const Dual& s) { return {Mat3::diagonal(s.v), Mat3::diagonal(s.d)}; }
inline Vec3 column(const Mat3& A, int i) { return A.c[i]; }
inline DualVec3 column(const DualMat3& A, int i) { return A.column(i); }
// The nearest number to x modulo a period.
inline double wrapped(double x, double period) { return std::remainder(x, period); }
inline Dual wrapped(const Dual& x, double period) { return {std::remainder(x.v, period), x.d}; }
// What is asked for of a number: itself, or its derivative.
inline double wanted(double x) { return x; }
inline double wanted(const Dual& x) { return x.d; }

struct Plain {
  using Scalar = double;
  using Vector = Vec3;
  using Matrix = Mat3;
  static Vec3 zero() { return Vec3::zero(); }
  static Mat3 zero_matrix() { return Mat3::zero(); }
};
struct Dotted {
  using Scalar = Dual;
  using Vector = DualVec3;
  using Matrix = DualMat3;
  static DualVec3 zero() { return {}; }
  static DualMat3 zero_matrix() { return {}; }
};

}  // namespace bough
