// Twists, wrenches, poses and inertias: the vocabulary of every kernel.
//
// A twist is (angular w, linear v), a wrench is (moment n, force f); both are taken at the world origin unless said
// otherwise. "dot" is the twist-wrench pairing (power), "ad" the twist bracket, "ad_transpose" its dual.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace bough {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

struct Twist {
  Vec3 w, v;
  static Twist zero() { return {Vec3::Zero(), Vec3::Zero()}; }
};

struct Wrench {
  Vec3 n, f;
  static Wrench zero() { return {Vec3::Zero(), Vec3::Zero()}; }
};

struct Pose {
  Mat3 R;
  Vec3 p;
  static Pose identity() { return {Mat3::Identity(), Vec3::Zero()}; }
};

inline Twist operator+(const Twist& a, const Twist& b) { return {a.w + b.w, a.v + b.v}; }
inline Twist operator-(const Twist& a, const Twist& b) { return {a.w - b.w, a.v - b.v}; }
inline Twist operator*(double s, const Twist& a) { return {s * a.w, s * a.v}; }
inline Wrench operator+(const Wrench& a, const Wrench& b) { return {a.n + b.n, a.f + b.f}; }
inline Wrench operator-(const Wrench& a, const Wrench& b) { return {a.n - b.n, a.f - b.f}; }
inline Wrench operator*(double s, const Wrench& a) { return {s * a.n, s * a.f}; }
inline void operator+=(Twist& a, const Twist& b) {
  a.w += b.w;
  a.v += b.v;
}
inline void operator+=(Wrench& a, const Wrench& b) {
  a.n += b.n;
  a.f += b.f;
}

inline double dot(const Twist& x, const Wrench& y) { return x.w.dot(y.n) + x.v.dot(y.f); }

// [X, Y]
inline Twist ad(const Twist& x, const Twist& y) { return {x.w.cross(y.w), x.v.cross(y.w) + x.w.cross(y.v)}; }

// dot(Y, ad_transpose(X, F)) = dot(ad(X, Y), F)
inline Wrench ad_transpose(const Twist& x, const Wrench& F) {
  return {F.n.cross(x.w) + F.f.cross(x.v), F.f.cross(x.w)};
}

inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.p + a.R * b.p}; }
inline Pose inverse(const Pose& g) { return {g.R.transpose(), -(g.R.transpose() * g.p)}; }

// Ad(g) X: a twist given in the frame g, expressed in the world.
inline Twist adjoint(const Pose& g, const Twist& x) {
  const Vec3 w = g.R * x.w;
  return {w, g.R * x.v + g.p.cross(w)};
}

// Ad(g^-1) X: a world twist expressed in the frame g (a body velocity).
inline Twist adjoint_inverse(const Pose& g, const Twist& x) {
  return {g.R.transpose() * x.w, g.R.transpose() * (x.v + x.w.cross(g.p))};
}

// The wrench at the world origin of a wrench given in the frame g.
inline Wrench wrench_to_world(const Pose& g, const Wrench& F) {
  const Vec3 f = g.R * F.f;
  return {g.R * F.n + g.p.cross(f), f};
}

inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// Spatial inertia at the world origin: mass, first moment mass * com, and rotational inertia about the origin.
struct Inertia {
  double m;
  Vec3 mc;
  double xx, xy, xz, yy, yz, zz;
  static Inertia zero() { return {0, Vec3::Zero(), 0, 0, 0, 0, 0, 0}; }
};

inline void operator+=(Inertia& a, const Inertia& b) {
  a.m += b.m;
  a.mc += b.mc;
  a.xx += b.xx;
  a.xy += b.xy;
  a.xz += b.xz;
  a.yy += b.yy;
  a.yz += b.yz;
  a.zz += b.zz;
}

inline Vec3 rotational(const Inertia& I, const Vec3& w) {
  return {I.xx * w.x() + I.xy * w.y() + I.xz * w.z(), I.xy * w.x() + I.yy * w.y() + I.yz * w.z(),
          I.xz * w.x() + I.yz * w.y() + I.zz * w.z()};
}

inline Wrench operator*(const Inertia& I, const Twist& x) {
  return {rotational(I, x.w) + I.mc.cross(x.v), I.m * x.v - I.mc.cross(x.w)};
}

// exp of a unit or pure-translation screw times s. |S.w| is 1 or 0.
inline Pose exp_screw(const Twist& S, double s) {
  if (S.w.squaredNorm() == 0.0) return {Mat3::Identity(), s * S.v};
  const Mat3 W = skew(S.w);
  const Mat3 W2 = W * W;
  const double sn = std::sin(s), h = std::sin(0.5 * s), cs1 = 2.0 * h * h;  // cs1 = 1 - cos s, without cancellation
  const double s3 = std::abs(s) > 1e-2 ? s - sn : s * s * s / 6.0 * (1.0 - s * s / 20.0 * (1.0 - s * s / 42.0));
  return {Mat3::Identity() + sn * W + cs1 * W2, s * S.v + cs1 * (W * S.v) + s3 * (W2 * S.v)};
}

}  // namespace bough
