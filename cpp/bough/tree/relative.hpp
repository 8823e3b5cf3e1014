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
//
// In the types of `Dotted` all of these carry their derivatives along a direction, with those of (EA1) for what they are made of:
// a Hessian then has the third derivatives contracted once.                                                    (EA6)
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <variant>

#include "bough/spatial/dual.hpp"
#include "bough/tree/along.hpp"
#include "bough/tree/points.hpp"

namespace bough {

// Ordered second derivatives by blocks.
template <class N>
struct PoseHessian {
  typename N::Matrix ww = N::zero_matrix(), wu = N::zero_matrix(), uw = N::zero_matrix(), uu = N::zero_matrix();

  void add(typename N::Scalar c, const PoseHessian& x) {
    ww += c * x.ww;
    wu += c * x.wu;
    uw += c * x.uw;
    uu += c * x.uu;
  }
  // += (xw, xu) (yw, yu)^T
  void add_outer(const typename N::Vector& xw, const typename N::Vector& xu, const typename N::Vector& yw,
                 const typename N::Vector& yu) {
    ww += outer(xw, yw);
    wu += outer(xw, yu);
    uw += outer(xu, yw);
    uu += outer(xu, yu);
  }
};

// A function of the relative pose: value, gradient (w, u), and with order 2 the second derivatives.
template <int order, class N = Plain>
struct PoseFunction {
  typename N::Scalar f = 0.0;
  typename N::Vector w = N::zero(), u = N::zero();
  [[no_unique_address]] std::conditional_t<order == 2, PoseHessian<N>, std::monostate> H;
};

// The slopes and second derivatives of a function of two others, and of one.
template <class S>
struct TwoSlopes {
  S f, x, y, xx, xy, yy;
};
template <class S>
struct Slopes {
  S f, x, xx;
};

// z += f(x, y)
template <int order, class N>
void add_composed(PoseFunction<order, N>& z, const PoseFunction<order, N>& x, const PoseFunction<order, N>& y,
                  const TwoSlopes<typename N::Scalar>& by) {
  z.f += by.f;
  z.w += by.x * x.w + by.y * y.w;
  z.u += by.x * x.u + by.y * y.u;
  if constexpr (order == 2) {
    z.H.add(by.x, x.H);
    z.H.add(by.y, y.H);
    z.H.add_outer(by.xx * x.w + by.xy * y.w, by.xx * x.u + by.xy * y.u, x.w, x.u);
    z.H.add_outer(by.xy * x.w + by.yy * y.w, by.xy * x.u + by.yy * y.u, y.w, y.u);
  }
}

// z += f(x)
template <int order, class N>
void add_composed(PoseFunction<order, N>& z, const PoseFunction<order, N>& x, const Slopes<typename N::Scalar>& by) {
  z.f += by.f;
  z.w += by.x * x.w;
  z.u += by.x * x.u;
  if constexpr (order == 2) {
    z.H.add(by.x, x.H);
    z.H.add_outer(by.xx * x.w, by.xx * x.u, x.w, x.u);
  }
}

// z += c x^2
template <int order, class N>
void add_square(PoseFunction<order, N>& z, const PoseFunction<order, N>& x, double c) {
  add_composed(z, x, {c * x.f * x.f, 2.0 * c * x.f, 2.0 * c});
}

// A . d with A fixed to a                                                                                       (RP3)
template <int order, class N>
PoseFunction<order, N> component_in_a(const typename N::Vector& A, const typename N::Vector& d) {
  PoseFunction<order, N> x;
  x.f = dot(A, d);
  x.u = A;
  if constexpr (order == 2) x.H.wu = (-1.0) * skew(A);
  return x;
}

// Y . d with Y fixed to b                                                                                       (RP3)
template <int order, class N>
PoseFunction<order, N> component_in_b(const typename N::Vector& Y, const typename N::Vector& d) {
  PoseFunction<order, N> x;
  x.f = dot(Y, d);
  x.w = cross(Y, d);
  x.u = Y;
  if constexpr (order == 2) {
    x.H.ww = outer(Y, d) + diagonal(-x.f);
    x.H.uw = (-1.0) * skew(Y);
  }
  return x;
}

// |d| for d other than zero                                                                                     (RP3)
template <int order, class N>
PoseFunction<order, N> distance(const typename N::Vector& d) {
  PoseFunction<order, N> x;
  x.f = norm(d);
  const typename N::Vector n = d / x.f;
  x.u = n;
  if constexpr (order == 2) {
    x.H.wu = (-1.0) * skew(n);
    x.H.uu = (1.0 / x.f) * (diagonal(typename N::Scalar(1.0)) + (-1.0) * outer(n, n));
  }
  return x;
}

// x += c A . Y with A fixed to a and Y fixed to b                                                               (RP3)
template <int order, class N>
void add_cosine(PoseFunction<order, N>& x, double c, const typename N::Vector& A, const typename N::Vector& Y) {
  const typename N::Scalar f = c * dot(A, Y);
  x.f += f;
  x.w += c * cross(Y, A);
  if constexpr (order == 2) x.H.ww += c * outer(Y, A) + diagonal(-f);
}

// atan2(y, x)
template <int order, class N>
PoseFunction<order, N> angle(const PoseFunction<order, N>& y, const PoseFunction<order, N>& x) {
  using std::atan2;
  const typename N::Scalar r2 = x.f * x.f + y.f * y.f, fx = -y.f / r2, fy = x.f / r2, fyy = 2.0 * fx * fy;
  PoseFunction<order, N> a;
  add_composed(a, x, y, {atan2(y.f, x.f), fx, fy, -fyy, fx * fx - fy * fy, fyy});
  return a;
}

// The axes of both frames, and the way from the origin of a to that of b.
template <class N>
struct RelativePose {
  typename N::Matrix Ra, Rb;
  typename N::Vector d;
};

inline RelativePose<Plain> relative_pose(const Instant& at, const FramePlace& a, const FramePlace& b) {
  return {at.state[a.joint].g.R * a.X.R, at.state[b.joint].g.R * b.X.R, point(b, at.state).x - point(a, at.state).x};
}

inline RelativePose<Dotted> relative_pose(const Instant& at, const Along& along, const FramePlace& a,
                                          const FramePlace& b) {
  const RelativePose<Plain> now = relative_pose(at, a, b);
  const Twist &A = along[a.joint].Sigma, &B = along[b.joint].Sigma;
  const Vec3 rate = B.v + cross(B.w, point(b, at.state).x) - A.v - cross(A.w, point(a, at.state).x);  // (EA1)
  return {{now.Ra, skew(A.w) * now.Ra}, {now.Rb, skew(B.w) * now.Rb}, {now.d, rate}};
}

// (RP4)
template <int order, class N>
PoseFunction<order, N> turn_about(const RelativePose<N>& pose, const Vec3& e1, const Vec3& e2) {
  const typename N::Vector A1 = pose.Ra * e1, A2 = pose.Ra * e2, Y1 = pose.Rb * e1, Y2 = pose.Rb * e2;
  PoseFunction<order, N> s, c;
  add_cosine(s, 1.0, A2, Y1);
  add_cosine(s, -1.0, A1, Y2);
  add_cosine(c, 1.0, A1, Y1);
  add_cosine(c, 1.0, A2, Y2);
  return angle(s, c);
}

// A joint of the path, with D_p times the ratio of its variable.
template <class N>
struct PathStep {
  int variable;
  typename N::Vector w, u;
};

// Calls add(slot, sign) for the joints of the path; those on the way down come in reverse.
template <class Add>
void along_path(const Model& model, int a, int b, Add add) {
  const int stop = fork(model, a, b);
  for (int slot = a; slot != stop; slot = model.joints[slot - 1].parent) add(slot, -1.0);
  for (int slot = b; slot != stop; slot = model.joints[slot - 1].parent) add(slot, 1.0);
}

inline const std::vector<PathStep<Plain>>& relative_path(const Instant& at, const FramePlace& a, const FramePlace& b,
                                                         const Vec3& x_b) {
  thread_local std::vector<PathStep<Plain>> path;
  path.clear();
  std::ptrdiff_t up = 0;
  along_path(at.model, a.joint, b.joint, [&](int slot, double sign) {
    const Joint& joint = at.model.joints[slot - 1];
    const Twist& J = at.state[slot].J;
    const double c = sign * joint.ratio;
    path.push_back({joint.variable, c * J.w, c * (J.v + cross(J.w, x_b))});
    if (sign < 0.0) ++up;
  });
  std::reverse(path.begin() + up, path.end());
  return path;
}

inline const std::vector<PathStep<Dotted>>& relative_path(const Instant& at, const Along& along, const FramePlace& a,
                                                          const FramePlace& b) {
  thread_local std::vector<PathStep<Dotted>> path;
  path.clear();
  std::ptrdiff_t up = 0;
  const Twist& B = along[b.joint].Sigma;
  const Vec3 x_b = point(b, at.state).x;
  const DualVec3 origin{x_b, B.v + cross(B.w, x_b)};
  along_path(at.model, a.joint, b.joint, [&](int slot, double sign) {
    const Joint& joint = at.model.joints[slot - 1];
    const Twist &J = at.state[slot].J, &dJ = along[slot].J;
    const DualVec3 w{J.w, dJ.w}, v{J.v, dJ.v};
    const double c = sign * joint.ratio;
    path.push_back({joint.variable, c * w, c * (v + cross(w, origin))});
    if (sign < 0.0) ++up;
  });
  std::reverse(path.begin() + up, path.end());
  return path;
}

// out += factor * df/dq                                                                                         (RP1)
inline void add_pose_gradient(const std::vector<PathStep<Plain>>& path, const PoseFunction<1>& x, double factor,
                              double* out) {
  for (const auto& p : path) out[p.variable] += factor * (dot(x.w, p.w) + dot(x.u, p.u));
}

// H += factor * d2f/dq dq, n square, or its derivative along a direction                                         (RP2), (EA6)
template <class N>
void add_pose_hessian(const std::vector<PathStep<N>>& path, const PoseFunction<2, N>& x, double factor, std::size_t n,
                      double* H) {
  for (std::size_t q = 0; q < path.size(); ++q) {
    const auto& later = path[q];
    const typename N::Vector w = x.H.ww * later.w + x.H.wu * later.u, u = x.H.uw * later.w + x.H.uu * later.u;
    for (std::size_t p = 0; p <= q; ++p) {
      const auto& earlier = path[p];
      const double value = factor * wanted(dot(earlier.w, w) + dot(earlier.u, u));
      H[n * earlier.variable + later.variable] += value;
      if (p != q) H[n * later.variable + earlier.variable] += value;
    }
  }
}

}  // namespace bough
