// Twists, wrenches, poses and inertias: the vocabulary of every kernel.
//
// A twist is (angular w, linear v), a wrench is (moment n, force f); both are taken at the world origin unless said
// otherwise. "dot" is the twist-wrench pairing (power), "ad" the twist bracket, "ad_transpose" its dual.
#pragma once

#include "bough/spatial/vec3.hpp"

namespace bough {

struct Twist {
  Vec3 w, v;
  static Twist zero() { return {Vec3::zero(), Vec3::zero()}; }
};

struct Wrench {
  Vec3 n, f;
  static Wrench zero() { return {Vec3::zero(), Vec3::zero()}; }
};

struct Pose {
  Mat3 R;
  Vec3 p;
  static Pose identity() { return {Mat3::identity(), Vec3::zero()}; }
  // From and to a 4x4 matrix, row-major.
  static Pose from_matrix(const double* m) { return {Mat3::from_rows(m, 4), Vec3(m[3], m[7], m[11])}; }
  void store(double* m) const {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) m[4 * i + k] = R(i, k);
      m[4 * i + 3] = p[i];
      m[12 + i] = 0.0;
    }
    m[15] = 1.0;
  }
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

inline double dot(const Twist& x, const Wrench& y) { return sum(x.w.a * y.n.a + x.v.a * y.f.a); }

// [X, Y]
inline Twist ad(const Twist& x, const Twist& y) { return {cross(x.w, y.w), cross(x.v, y.w) + cross(x.w, y.v)}; }

// dot(Y, ad_transpose(X, F)) = dot(ad(X, Y), F)
inline Wrench ad_transpose(const Twist& x, const Wrench& F) {
  return {cross(F.n, x.w) + cross(F.f, x.v), cross(F.f, x.w)};
}

inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.p + a.R * b.p}; }

// Ad(g) X: a twist given in the frame g, expressed in the world.
inline Twist adjoint(const Pose& g, const Twist& x) {
  const Vec3 w = g.R * x.w;
  return {w, g.R * x.v + cross(g.p, w)};
}

// Ad(g^-1) X: a world twist expressed in the frame g (a body velocity).
inline Twist adjoint_inverse(const Pose& g, const Twist& x) {
  return {transpose_times(g.R, x.w), transpose_times(g.R, x.v + cross(x.w, g.p))};
}

// Ad(g)^T F: a wrench at the world origin as one at the origin of the frame g, in its axes; and back.
inline Wrench to_frame(const Pose& g, const Wrench& F) {
  return {transpose_times(g.R, F.n - cross(g.p, F.f)), transpose_times(g.R, F.f)};
}
inline Wrench to_world(const Pose& g, const Wrench& F) {
  const Vec3 f = g.R * F.f;
  return {g.R * F.n + cross(g.p, f), f};
}

// Spatial inertia at the world origin: mass, first moment mass * com, and rotational inertia about the origin.
struct Inertia {
  Mat3 I;
  Vec3 mc;
  double m;
  static Inertia zero() { return {Mat3::zero(), Vec3::zero(), 0.0}; }
};

inline void operator+=(Inertia& a, const Inertia& b) {
  a.I += b.I;
  a.mc += b.mc;
  a.m += b.m;
}

inline Wrench operator*(const Inertia& I, const Twist& x) {
  return {I.I * x.w + cross(I.mc, x.v), I.m * x.v - cross(I.mc, x.w)};
}

// exp of a screw that turns times s, with sn = sin s and cs1 = 1 - cos s, which is known without cancellation. |S.w| is 1.
inline Pose exp_turn(const Twist& S, double s, double sn, double cs1) {
  const Mat3 W = skew(S.w);
  const Mat3 W2 = W * W;
  if (is_zero(S.v)) return {Mat3::identity() + sn * W + cs1 * W2, Vec3::zero()};
  const double s3 = std::abs(s) > 1e-2 ? s - sn : s * s * s / 6.0 * (1.0 - s * s / 20.0 * (1.0 - s * s / 42.0));
  return {Mat3::identity() + sn * W + cs1 * W2, s * S.v + cs1 * (W * S.v) + s3 * (W2 * S.v)};
}

// The same of any screw: |S.w| is 1 or 0.
inline Pose exp_screw(const Twist& S, double s) {
  if (is_zero(S.w)) return {Mat3::identity(), s * S.v};
  const double h = std::sin(0.5 * s);
  return exp_turn(S, s, std::sin(s), 2.0 * h * h);
}

// A 6x6 matrix from twists to wrenches, by rows: row r is (angular part, linear part).
struct Mat6 {
  Wrench row[6];
};

inline void operator+=(Mat6& a, const Mat6& b) {
  for (int r = 0; r < 6; ++r) a.row[r] += b.row[r];
}

// The 6x6 form of factor * I.
inline Mat6 matrix(const Inertia& I, double factor) {
  const Mat3 S = skew(factor * I.mc);  // skew: its columns are minus its rows
  const double m = factor * I.m;
  return {{{factor * I.I.c[0], -S.c[0]},
           {factor * I.I.c[1], -S.c[1]},
           {factor * I.I.c[2], -S.c[2]},
           {S.c[0], Vec3(m, 0, 0)},
           {S.c[1], Vec3(0, m, 0)},
           {S.c[2], Vec3(0, 0, m)}}};
}

// P^T x
inline Wrench transpose_times(const Mat6& P, const Twist& x) {
  Wrench y = x.w[0] * P.row[0];
  y += x.w[1] * P.row[1];
  y += x.w[2] * P.row[2];
  y += x.v[0] * P.row[3];
  y += x.v[1] * P.row[4];
  y += x.v[2] * P.row[5];
  return y;
}

// P - u u^T / D
inline Mat6 reduced(const Mat6& P, const Wrench& u, double inverse_D) {
  const Wrench k = inverse_D * u;
  Mat6 Q;
  for (int r = 0; r < 3; ++r) {
    Q.row[r] = P.row[r] - k.n[r] * u;
    Q.row[r + 3] = P.row[r + 3] - k.f[r] * u;
  }
  return Q;
}

}  // namespace bough
