// Poses, twists, wrenches and inertias over a scalar T that is a number or a jet, as far as the planner needs them.
#pragma once

#include "bough/control/jet.hpp"
#include "bough/spatial/spatial.hpp"

namespace bough {

template <class T>
struct Vec3T {
  T a[3];
  T& operator[](int i) { return a[i]; }
  const T& operator[](int i) const { return a[i]; }
};

template <class T>
struct Mat3T {
  T a[3][3];
};

template <class T>
struct PoseT {
  Mat3T<T> R;
  Vec3T<T> p;
};

template <class T>
struct SixT {  // a twist (angular, linear) or a wrench (moment, force)
  Vec3T<T> w, v;
  T& operator[](int i) { return (i < 3 ? w : v).a[i % 3]; }
  const T& operator[](int i) const { return (i < 3 ? w : v).a[i % 3]; }
};

template <class T>
struct InertiaT {  // at the origin: mass, first moment, rotational inertia
  Mat3T<T> I;
  Vec3T<T> mc;
  double m = 0.0;
};

template <class T>
Vec3T<T> vec3(const Vec3& x) {
  return {{T(x[0]), T(x[1]), T(x[2])}};
}
template <class T>
Mat3T<T> mat3(const Mat3& m) {
  Mat3T<T> y;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) y.a[i][j] = T(m(i, j));
  return y;
}

template <class T>
void operator+=(Vec3T<T>& x, const Vec3T<T>& y) {
  for (int i = 0; i < 3; ++i) x.a[i] += y.a[i];
}
template <class T>
Vec3T<T> operator-(const Vec3T<T>& x, const Vec3T<T>& y) {
  return {{x.a[0] - y.a[0], x.a[1] - y.a[1], x.a[2] - y.a[2]}};
}
template <class T>
Vec3T<T> operator*(const T& s, const Vec3T<T>& x) {
  return {{s * x.a[0], s * x.a[1], s * x.a[2]}};
}
template <class T>
T dot(const Vec3T<T>& x, const Vec3T<T>& y) {
  T s(0.0);
  for (int i = 0; i < 3; ++i) add_product(s, x.a[i], y.a[i]);
  return s;
}
template <class T>
Vec3T<T> cross(const Vec3T<T>& x, const Vec3T<T>& y) {
  Vec3T<T> z;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    z.a[i] = x.a[j] * y.a[k] - x.a[k] * y.a[j];
  }
  return z;
}
template <class T>
Vec3T<T> operator*(const Mat3T<T>& m, const Vec3T<T>& x) {
  Vec3T<T> y;
  for (int i = 0; i < 3; ++i) {
    y.a[i] = T(0.0);
    for (int j = 0; j < 3; ++j) add_product(y.a[i], m.a[i][j], x.a[j]);
  }
  return y;
}
template <class T>
Vec3T<T> transpose_times(const Mat3T<T>& m, const Vec3T<T>& x) {
  Vec3T<T> y;
  for (int i = 0; i < 3; ++i) {
    y.a[i] = T(0.0);
    for (int j = 0; j < 3; ++j) add_product(y.a[i], m.a[j][i], x.a[j]);
  }
  return y;
}
template <class T>
Mat3T<T> operator*(const Mat3T<T>& m, const Mat3T<T>& n) {
  Mat3T<T> y;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      y.a[i][j] = T(0.0);
      for (int k = 0; k < 3; ++k) add_product(y.a[i][j], m.a[i][k], n.a[k][j]);
    }
  return y;
}
template <class T>
Mat3T<T> transpose(const Mat3T<T>& m) {
  Mat3T<T> y;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) y.a[i][j] = m.a[j][i];
  return y;
}
template <class T>
Mat3T<T> skew(const Vec3T<T>& x) {
  const T zero(0.0);
  return {{{zero, -x.a[2], x.a[1]}, {x.a[2], zero, -x.a[0]}, {-x.a[1], x.a[0], zero}}};
}

template <class T>
void operator+=(SixT<T>& x, const SixT<T>& y) {
  x.w += y.w;
  x.v += y.v;
}
template <class T>
SixT<T> operator-(const SixT<T>& x, const SixT<T>& y) {
  return {x.w - y.w, x.v - y.v};
}
template <class T>
SixT<T> operator*(const T& s, const SixT<T>& x) {
  return {s * x.w, s * x.v};
}
template <class T>
T dot(const SixT<T>& x, const SixT<T>& y) {
  return dot(x.w, y.w) + dot(x.v, y.v);
}
template <class T>
SixT<T> ad(const SixT<T>& x, const SixT<T>& y) {
  Vec3T<T> v = cross(x.v, y.w);
  v += cross(x.w, y.v);
  return {cross(x.w, y.w), v};
}
template <class T>
PoseT<T> operator*(const PoseT<T>& a, const PoseT<T>& b) {
  Vec3T<T> p = a.R * b.p;
  p += a.p;
  return {a.R * b.R, p};
}
template <class T>
PoseT<T> inverse(const PoseT<T>& a) {
  const Vec3T<T> p = transpose_times(a.R, a.p);
  return {transpose(a.R), {{-p.a[0], -p.a[1], -p.a[2]}}};
}
// Ad(g) x
template <class T>
SixT<T> adjoint(const PoseT<T>& g, const SixT<T>& x) {
  const Vec3T<T> w = g.R * x.w;
  Vec3T<T> v = g.R * x.v;
  v += cross(g.p, w);
  return {w, v};
}
// Ad(g)^T y: a wrench of the outer frame in the frame g.
template <class T>
SixT<T> adjoint_transpose(const PoseT<T>& g, const SixT<T>& y) {
  return {transpose_times(g.R, y.w - cross(g.p, y.v)), transpose_times(g.R, y.v)};
}
template <class T>
SixT<T> operator*(const InertiaT<T>& I, const SixT<T>& x) {
  Vec3T<T> n = I.I * x.w;
  n += cross(I.mc, x.v);
  const T m(I.m);
  return {n, m * x.v - cross(I.mc, x.w)};
}

// exp of a unit screw times s.
template <class T>
PoseT<T> exp_screw(const Twist& S, const T& s) {
  using std::cos;
  using std::sin;
  PoseT<T> g{mat3<T>(Mat3::identity()), s * vec3<T>(S.v)};
  if (is_zero(S.w)) return g;
  const Mat3 W = skew(S.w), W2 = W * W;
  const Vec3 Wv = W * S.v, W2v = W2 * S.v;
  const T sine = sin(s), versine = T(1.0) - cos(s), rest = s - sine;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) g.R.a[i][j] += sine * T(W(i, j)) + versine * T(W2(i, j));
    g.p.a[i] += versine * T(Wv[i]) + rest * T(W2v[i]);
  }
  return g;
}

// The Cayley map of SE(3), tau(x) = (1 - x^/2)^-1 (1 + x^/2), (angular, linear) = (w, v):
//   B = (1 - w^/2)^-1 = (1 + w^/2 + w w^T/4) / (1 + w.w/4),   R = 2 B - 1,   p = B v                          (C1)
template <class T>
PoseT<T> cayley(const SixT<T>& x) {
  const T scale = inverse(T(1.0) + T(0.25) * dot(x.w, x.w));
  Mat3T<T> B = skew(x.w);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      T b = T(i == j ? 1.0 : 0.0) + T(0.5) * B.a[i][j] + T(0.25) * (x.w.a[i] * x.w.a[j]);
      B.a[i][j] = scale * b;
    }
  PoseT<T> g;
  g.p = B * x.v;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) g.R.a[i][j] = T(2.0) * B.a[i][j] - T(i == j ? 1.0 : 0.0);
  return g;
}

// Its inverse: w = 2 axial(R - R^T)/(1 + trace R),  v = (1 - w^/2) p                                          (C2)
template <class T>
SixT<T> cayley_inverse(const PoseT<T>& g) {
  const T scale = T(2.0) * inverse(T(1.0) + g.R.a[0][0] + g.R.a[1][1] + g.R.a[2][2]);
  SixT<T> x;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    x.w.a[i] = scale * (g.R.a[k][j] - g.R.a[j][k]);
  }
  x.v = g.p - T(0.5) * cross(x.w, g.p);
  return x;
}

// (dtau^-1_x)^T y, with dtau^-1_x z = z - [x, z]/2 - x z x/4 as 4x4 matrices:                                 (C3)
//   [1 - w^/2 + w w^T/4, 0; -(1 - w^/2) v^/2, 1 - w^/2]^T (y.w, y.v)
template <class T>
SixT<T> cayley_derivative_inverse_transpose(const SixT<T>& x, const SixT<T>& y) {
  Vec3T<T> f = y.v, n = y.w;
  f += T(0.5) * cross(x.w, y.v);
  n += T(0.5) * cross(x.w, y.w);
  n += (T(0.25) * dot(x.w, y.w)) * x.w;
  n += T(0.5) * cross(x.v, f);
  return {n, f};
}

}  // namespace bough
