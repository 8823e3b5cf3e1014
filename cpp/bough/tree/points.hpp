// Points fixed to frames, and what elements between two of them need.
//
// A point x behind joint k moves as dx/ds_i = w_i x x + v_i with (w_i, v_i) = J_i for joints i at or above k, and
// d2x/ds_i ds_j = w_j x (w_i x x + v_i) for j at or above i.                                                    (P1)
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// The origin of a frame.
struct Point {
  int joint;     // slot
  Vec3 x;        // world position
  Vec3 v;        // world velocity
};

inline Point point(const FramePlace& place, const std::vector<JointState>& state) {
  const JointState& s = state[place.joint];
  const Vec3 x = s.g.p + s.g.R * place.X.p;
  return {place.joint, x, s.V.v + cross(s.V.w, x)};
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

// The acceleration of a point when all joint accelerations are zero; `bias` is the link's A with that.
inline Vec3 point_bias(const Point& point, const JointState& s, const Twist& bias) {
  return bias.v + cross(bias.w, point.x) + cross(s.V.w, point.v);
}

}  // namespace bough
