// Points fixed to frames, and what elements between two of them need.
//
// A point x behind joint k moves as dx/ds_i = w_i x x + v_i with (w_i, v_i) = J_i for joints i at or above k, and
// d2x/ds_i ds_j = w_j x (w_i x x + v_i) for j at or above i.                                                    (P1)
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// The origin of a frame.
struct Point {
  int joint;  // slot
  Vec3 x;     // world position
  Vec3 v;     // world velocity
  double reach;
};

// The place with its origin moved to a point given in the frame.
inline FramePlace shifted(FramePlace place, const Vec3& point) {
  place.X.p += place.X.R * point;
  place.reach += norm(point);
  return place;
}

inline Point point(const FramePlace& place, const std::vector<JointState>& state) {
  const JointState& s = state[place.joint];
  const Vec3 x = s.g.p + s.g.R * place.X.p;
  return {place.joint, x, s.V.v + cross(s.V.w, x), place.reach};
}

inline Vec3 point_dq(const JointState& s, const Vec3& x) { return cross(s.J.w, x) + s.J.v; }

// row[variable] += factor * direction . dx/dq
inline void add_point_gradient(const Model& model, const std::vector<JointState>& state, const Point& point,
                               const Vec3& direction, double factor, double* row) {
  for (int slot = point.joint; slot > 0; slot = model.joints[slot - 1].parent) {
    const Joint& joint = model.joints[slot - 1];
    row[joint.variable] += factor * joint.ratio * dot(direction, point_dq(state[slot], point.x));
  }
}

// H += factor * direction . d2x/dq dq, n_variables square                                                       (P1)
inline void add_point_hessian(const Model& model, const std::vector<JointState>& state, const Point& point,
                              const Vec3& direction, double factor, double* H) {
  const std::size_t n = model.n_variables;
  for (int i = point.joint; i > 0; i = model.joints[i - 1].parent) {
    const Joint& below = model.joints[i - 1];
    const Vec3 dx = point_dq(state[i], point.x);
    for (int j = i; j > 0; j = model.joints[j - 1].parent) {
      const Joint& above = model.joints[j - 1];
      const double value = factor * below.ratio * above.ratio * dot(direction, cross(state[j].J.w, dx));
      H[n * below.variable + above.variable] += value;
      if (i != j) H[n * above.variable + below.variable] += value;
    }
  }
}

// A function of the difference d = x_a - x_b with gradient g (and Hessian A) in d:
// out += factor * g . dd/dq
inline void add_difference_gradient(const Model& model, const std::vector<JointState>& state, const Point& a,
                                    const Point& b, const Vec3& g, double factor, double* out) {
  add_point_gradient(model, state, a, g, factor, out);
  add_point_gradient(model, state, b, g, -factor, out);
}

// H += factor * [(dd/dq)^T A dd/dq + g . d2d/dq dq]
inline void add_difference_hessian(const Model& model, const std::vector<JointState>& state, const Point& a,
                                   const Point& b, const Vec3& g, const Mat3& A, double factor, double* H) {
  const std::size_t n = model.n_variables;
  thread_local std::vector<Vec3> d;  // dd/dq
  d.assign(n, Vec3::zero());
  const auto add_columns = [&](const Point& p, double sign) {
    for (int slot = p.joint; slot > 0; slot = model.joints[slot - 1].parent) {
      const Joint& joint = model.joints[slot - 1];
      d[joint.variable] += (sign * joint.ratio) * point_dq(state[slot], p.x);
    }
  };
  add_columns(a, 1.0);
  add_columns(b, -1.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_zero(d[i])) continue;
    const Vec3 Ad = factor * (A * d[i]);
    for (std::size_t j = 0; j < n; ++j) H[i * n + j] += dot(Ad, d[j]);
  }
  add_point_hessian(model, state, a, g, factor, H);
  add_point_hessian(model, state, b, g, -factor, H);
}

}  // namespace bough
