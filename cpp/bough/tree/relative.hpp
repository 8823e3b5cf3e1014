// Functions of the pose of frame b relative to frame a.
//
// The joints between the two frames, from a up to the fork and down to b, move b relative to a by the world twists
// D_p = -J_p on the way up and +J_p on the way down; joints above the fork do not move it. With a held, b goes to
// exp(s_1 D_1) exp(s_2 D_2) ... b in the order of the path, so that a function f of the relative pose has
//
//   df/ds_p = g . D_p                                                                                             (RP1)
//   d2f/ds_p ds_q = D_p^T H D_q for p before or at q                                                             (RP2)
//
// Twists are (w, u) with u the velocity of the origin of b. g and H follow from those of vectors: with d = x_b - x_a,
// A fixed to a and Y fixed to b,
//
//   d(d) = u, d2(d) = w_p x u_q;   dY = w x Y, d2Y = w_p x (w_q x Y);   dA = 0                                  (RP3)
//
// H is not symmetric: its skew part is the effect of exchanging two rotations.
//
// The angle by which b is turned about an axis relative to a, with e1, e2 and the axis right-handed and fixed to each frame
// in the same way, is in (-pi, pi] with
//
//   tan = (e2_a . e1_b - e1_a . e2_b) / (e1_a . e1_b + e2_a . e2_b)                                             (RP4)
//
// If b is also tilted, it is the angle of the nearest rotation about the axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <variant>

#include "bough/tree/points.hpp"

namespace bough {

// Ordered second derivatives by blocks.
struct PoseHessian {
  Mat3 ww = Mat3::zero(), wu = Mat3::zero(), uw = Mat3::zero(), uu = Mat3::zero();

  void add(double c, const PoseHessian& x) {
    ww += c * x.ww;
    wu += c * x.wu;
    uw += c * x.uw;
    uu += c * x.uu;
  }
  // += (xw, xu) (yw, yu)^T
  void add_outer(const Vec3& xw, const Vec3& xu, const Vec3& yw, const Vec3& yu) {
    ww += outer(xw, yw);
    wu += outer(xw, yu);
    uw += outer(xu, yw);
    uu += outer(xu, yu);
  }
};

// A function of the relative pose: value, gradient (w, u), and with order 2 the second derivatives.
template <int order>
struct PoseFunction {
  double f = 0.0;
  Vec3 w = Vec3::zero(), u = Vec3::zero();
  [[no_unique_address]] std::conditional_t<order == 2, PoseHessian, std::monostate> H;
};

// The function with value f, slopes fx, fy and second derivatives fxx, fxy, fyy of two others, added to z.
template <int order>
void add_composed(PoseFunction<order>& z, const PoseFunction<order>& x, const PoseFunction<order>& y, double f,
                  double fx, double fy, double fxx, double fxy, double fyy) {
  z.f += f;
  z.w += fx * x.w + fy * y.w;
  z.u += fx * x.u + fy * y.u;
  if constexpr (order == 2) {
    z.H.add(fx, x.H);
    z.H.add(fy, y.H);
    z.H.add_outer(fxx * x.w + fxy * y.w, fxx * x.u + fxy * y.u, x.w, x.u);
    z.H.add_outer(fxy * x.w + fyy * y.w, fxy * x.u + fyy * y.u, y.w, y.u);
  }
}

// z += f(x), with slope and second derivative.
template <int order>
void add_composed(PoseFunction<order>& z, const PoseFunction<order>& x, double f, double fx, double fxx) {
  z.f += f;
  z.w += fx * x.w;
  z.u += fx * x.u;
  if constexpr (order == 2) {
    z.H.add(fx, x.H);
    z.H.add_outer(fxx * x.w, fxx * x.u, x.w, x.u);
  }
}

// z += c x^2
template <int order>
void add_square(PoseFunction<order>& z, const PoseFunction<order>& x, double c) {
  add_composed(z, x, c * x.f * x.f, 2.0 * c * x.f, 2.0 * c);
}

// A . d with A fixed to a                                                                                       (RP3)
template <int order>
PoseFunction<order> component_in_a(const Vec3& A, const Vec3& d) {
  PoseFunction<order> x;
  x.f = dot(A, d);
  x.u = A;
  if constexpr (order == 2) x.H.wu = (-1.0) * skew(A);
  return x;
}

// Y . d with Y fixed to b                                                                                       (RP3)
template <int order>
PoseFunction<order> component_in_b(const Vec3& Y, const Vec3& d) {
  PoseFunction<order> x;
  x.f = dot(Y, d);
  x.w = cross(Y, d);
  x.u = Y;
  if constexpr (order == 2) {
    x.H.ww = outer(Y, d) + Mat3::diagonal(-x.f);
    x.H.uw = (-1.0) * skew(Y);
  }
  return x;
}

// |d| for d other than zero                                                                                     (RP3)
template <int order>
PoseFunction<order> distance(const Vec3& d) {
  PoseFunction<order> x;
  x.f = norm(d);
  const Vec3 n = d / x.f;
  x.u = n;
  if constexpr (order == 2) {
    x.H.wu = (-1.0) * skew(n);
    x.H.uu = (1.0 / x.f) * (Mat3::identity() + (-1.0) * outer(n, n));
  }
  return x;
}

// x += c A . Y with A fixed to a and Y fixed to b                                                               (RP3)
template <int order>
void add_cosine(PoseFunction<order>& x, double c, const Vec3& A, const Vec3& Y) {
  const double f = c * dot(A, Y);
  x.f += f;
  x.w += c * cross(Y, A);
  if constexpr (order == 2) x.H.ww += c * outer(Y, A) + Mat3::diagonal(-f);
}

// atan2(y, x)
template <int order>
PoseFunction<order> angle(const PoseFunction<order>& y, const PoseFunction<order>& x) {
  const double r2 = x.f * x.f + y.f * y.f, fx = -y.f / r2, fy = x.f / r2, fyy = 2.0 * fx * fy;
  PoseFunction<order> a;
  add_composed(a, x, y, std::atan2(y.f, x.f), fx, fy, -fyy, fx * fx - fy * fy, fyy);
  return a;
}

// (RP4)
template <int order>
PoseFunction<order> turn_about(const Mat3& Ra, const Mat3& Rb, const Vec3& e1, const Vec3& e2) {
  const Vec3 A1 = Ra * e1, A2 = Ra * e2, Y1 = Rb * e1, Y2 = Rb * e2;
  PoseFunction<order> s, c;
  add_cosine(s, 1.0, A2, Y1);
  add_cosine(s, -1.0, A1, Y2);
  add_cosine(c, 1.0, A1, Y1);
  add_cosine(c, 1.0, A2, Y2);
  return angle(s, c);
}

// A joint of the path, with D_p times the ratio of its variable.
struct PathStep {
  int variable;
  Vec3 w, u;
};

inline const std::vector<PathStep>& relative_path(const Instant& at, const FramePlace& a, const FramePlace& b,
                                                  const Vec3& x_b) {
  thread_local std::vector<PathStep> path;
  path.clear();
  const auto add = [&](int slot, double sign) {
    const Joint& joint = at.model.joints[slot - 1];
    const Twist& J = at.state[slot].J;
    const double c = sign * joint.ratio;
    path.push_back({joint.variable, c * J.w, c * (J.v + cross(J.w, x_b))});
    return joint.parent;
  };
  const int stop = fork(at.model, a.joint, b.joint);
  for (int slot = a.joint; slot != stop;) slot = add(slot, -1.0);
  const std::ptrdiff_t up = path.size();
  for (int slot = b.joint; slot != stop;) slot = add(slot, 1.0);
  std::reverse(path.begin() + up, path.end());
  return path;
}

// out += factor * df/dq                                                                                         (RP1)
inline void add_pose_gradient(const std::vector<PathStep>& path, const PoseFunction<1>& x, double factor, double* out) {
  for (const PathStep& p : path) out[p.variable] += factor * (dot(x.w, p.w) + dot(x.u, p.u));
}

// H += factor * d2f/dq dq, n square                                                                             (RP2)
inline void add_pose_hessian(const std::vector<PathStep>& path, const PoseFunction<2>& x, double factor, std::size_t n,
                             double* H) {
  for (std::size_t q = 0; q < path.size(); ++q) {
    const PathStep& later = path[q];
    const Vec3 w = x.H.ww * later.w + x.H.wu * later.u, u = x.H.uw * later.w + x.H.uu * later.u;
    for (std::size_t p = 0; p <= q; ++p) {
      const PathStep& earlier = path[p];
      const double value = factor * (dot(earlier.w, w) + dot(earlier.u, u));
      H[n * earlier.variable + later.variable] += value;
      if (p != q) H[n * later.variable + earlier.variable] += value;
    }
  }
}

}  // namespace bough
