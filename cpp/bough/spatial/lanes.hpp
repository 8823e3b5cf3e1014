// Vectors, twists and poses of four states side by side: every component is a register with one number for each state. A
// cross product takes no shuffles, and four states cost what one does.
#pragma once

#include "bough/spatial/spatial.hpp"

namespace bough {

inline Lane4 broadcast(double x) { return Lane4{x, x, x, x}; }
#ifdef __AVX__
inline Lane4 inverse(const Lane4& a) { return 1.0 / a; }
inline Lane4 max(const Lane4& a, const Lane4& b) { return a > b ? a : b; }
#else
inline Lane4 inverse(const Lane4& a) { return {1.0 / a.lo, 1.0 / a.hi}; }
inline Lane4 max(const Lane4& a, const Lane4& b) { return {a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi}; }
#endif
inline void set_lane(Lane4& a, int lane, double x) { reinterpret_cast<double*>(&a)[lane] = x; }

struct LaneVec {
  Lane4 x, y, z;

  LaneVec() = default;
  LaneVec(const Lane4& a, const Lane4& b, const Lane4& c) : x(a), y(b), z(c) {}
  // Copied register by register, as Vec3 is.
  LaneVec(const LaneVec& b) : x(b.x), y(b.y), z(b.z) {}
  LaneVec& operator=(const LaneVec& b) {
    x = b.x;
    y = b.y;
    z = b.z;
    return *this;
  }
  static LaneVec zero() { return {Lane4{}, Lane4{}, Lane4{}}; }
};

inline LaneVec broadcast(const Vec3& a) { return {broadcast(a[0]), broadcast(a[1]), broadcast(a[2])}; }
inline LaneVec operator+(const LaneVec& a, const LaneVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline LaneVec operator-(const LaneVec& a, const LaneVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline LaneVec operator*(const Lane4& s, const LaneVec& a) { return {s * a.x, s * a.y, s * a.z}; }
inline LaneVec operator*(double s, const LaneVec& a) { return broadcast(s) * a; }
inline void operator+=(LaneVec& a, const LaneVec& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
}
inline Lane4 dot(const LaneVec& a, const LaneVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline LaneVec cross(const LaneVec& a, const LaneVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct LaneTwist {
  LaneVec w, v;
  static LaneTwist zero() { return {LaneVec::zero(), LaneVec::zero()}; }
};
struct LaneWrench {
  LaneVec n, f;
  static LaneWrench zero() { return {LaneVec::zero(), LaneVec::zero()}; }
};

inline LaneTwist operator+(const LaneTwist& a, const LaneTwist& b) { return {a.w + b.w, a.v + b.v}; }
inline LaneTwist operator*(const Lane4& s, const LaneTwist& a) { return {s * a.w, s * a.v}; }
inline LaneWrench operator*(const Lane4& s, const LaneWrench& a) { return {s * a.n, s * a.f}; }
inline void operator+=(LaneWrench& a, const LaneWrench& b) {
  a.n += b.n;
  a.f += b.f;
}
inline Lane4 dot(const LaneTwist& a, const LaneWrench& b) { return dot(a.w, b.n) + dot(a.v, b.f); }
inline LaneTwist ad(const LaneTwist& a, const LaneTwist& b) {
  return {cross(a.w, b.w), cross(a.v, b.w) + cross(a.w, b.v)};
}

// By columns.
struct LaneMat {
  LaneVec c[3];
};

inline LaneVec operator*(const LaneMat& m, const Vec3& a) {
  return broadcast(a[0]) * m.c[0] + broadcast(a[1]) * m.c[1] + broadcast(a[2]) * m.c[2];
}
inline LaneMat operator*(const LaneMat& m, const Mat3& a) { return {{m * a.c[0], m * a.c[1], m * a.c[2]}}; }
inline LaneVec operator*(const LaneMat& m, const LaneVec& a) { return a.x * m.c[0] + a.y * m.c[1] + a.z * m.c[2]; }
inline LaneMat operator*(const LaneMat& m, const LaneMat& a) { return {{m * a.c[0], m * a.c[1], m * a.c[2]}}; }
inline LaneVec transpose_times(const LaneMat& m, const LaneVec& a) {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

struct LanePose {
  LaneMat R;
  LaneVec p;
};

// One of the four states, and back.
inline Vec3 lane_of(const LaneVec& a, int lane) { return {a.x[lane], a.y[lane], a.z[lane]}; }
inline void set_lane(LaneVec& a, int lane, const Vec3& x) {
  set_lane(a.x, lane, x[0]);
  set_lane(a.y, lane, x[1]);
  set_lane(a.z, lane, x[2]);
}
inline Pose lane_of(const LanePose& a, int lane) {
  return {{{lane_of(a.R.c[0], lane), lane_of(a.R.c[1], lane), lane_of(a.R.c[2], lane)}}, lane_of(a.p, lane)};
}
inline void set_lane(LanePose& a, int lane, const Pose& x) {
  for (int k = 0; k < 3; ++k) set_lane(a.R.c[k], lane, x.R.c[k]);
  set_lane(a.p, lane, x.p);
}

// All four.
inline void split(const LaneVec& a, Vec3* const out[4]) {
  const Lane4 zero{}, t = shuffle<0, 4, 2, 6>(a.x, a.y), u = shuffle<1, 5, 3, 7>(a.x, a.y);
  const Lane4 s = shuffle<0, 4, 2, 6>(a.z, zero), r = shuffle<1, 5, 3, 7>(a.z, zero);
  out[0]->a = shuffle<0, 1, 4, 5>(t, s);
  out[1]->a = shuffle<0, 1, 4, 5>(u, r);
  out[2]->a = shuffle<2, 3, 6, 7>(t, s);
  out[3]->a = shuffle<2, 3, 6, 7>(u, r);
}

// A symmetric matrix from twists to wrenches, n = A w + B v and f = B^T w + C v, A and C by xx, yy, zz, xy, xz, yz.
struct LaneInertia {
  Lane4 A[6], B[3][3], C[6];

  LaneInertia() = default;
  LaneInertia(const LaneInertia& b) { *this = b; }
  LaneInertia& operator=(const LaneInertia& b) {
    for (int k = 0; k < 6; ++k) {
      A[k] = b.A[k];
      C[k] = b.C[k];
    }
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) B[r][c] = b.B[r][c];
    return *this;
  }
  void set_zero() {
    for (int k = 0; k < 6; ++k) A[k] = C[k] = Lane4{};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) B[r][c] = Lane4{};
  }
};

inline LaneVec symmetric_times(const Lane4* S, const LaneVec& a) {
  return {S[0] * a.x + S[3] * a.y + S[4] * a.z, S[3] * a.x + S[1] * a.y + S[5] * a.z,
          S[4] * a.x + S[5] * a.y + S[2] * a.z};
}
inline LaneWrench operator*(const LaneInertia& P, const LaneTwist& a) {
  const auto& B = P.B;
  const LaneVec Bv{B[0][0] * a.v.x + B[0][1] * a.v.y + B[0][2] * a.v.z,
                   B[1][0] * a.v.x + B[1][1] * a.v.y + B[1][2] * a.v.z,
                   B[2][0] * a.v.x + B[2][1] * a.v.y + B[2][2] * a.v.z};
  const LaneVec Bw{B[0][0] * a.w.x + B[1][0] * a.w.y + B[2][0] * a.w.z,
                   B[0][1] * a.w.x + B[1][1] * a.w.y + B[2][1] * a.w.z,
                   B[0][2] * a.w.x + B[1][2] * a.w.y + B[2][2] * a.w.z};
  return {symmetric_times(P.A, a.w) + Bv, Bw + symmetric_times(P.C, a.v)};
}

// P += s u u^T
inline void add_square(LaneInertia& P, const Lane4& s, const LaneWrench& u) {
  const LaneVec n = s * u.n, f = s * u.f;
  const auto add = [](Lane4* S, const LaneVec& a, const LaneVec& b) {
    S[0] += a.x * b.x;
    S[1] += a.y * b.y;
    S[2] += a.z * b.z;
    S[3] += a.x * b.y;
    S[4] += a.x * b.z;
    S[5] += a.y * b.z;
  };
  add(P.A, n, u.n);
  add(P.C, f, u.f);
  const Lane4 left[3] = {n.x, n.y, n.z}, right[3] = {u.f.x, u.f.y, u.f.z};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) P.B[r][c] += left[r] * right[c];
}

inline void operator+=(LaneInertia& a, const LaneInertia& b) {
  for (int k = 0; k < 6; ++k) {
    a.A[k] += b.A[k];
    a.C[k] += b.C[k];
  }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) a.B[r][c] += b.B[r][c];
}

}  // namespace bough
