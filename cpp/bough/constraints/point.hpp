// h = axis . (x_a - x_b): two points coincide along one direction of the world (002 IV.D4).
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

inline double value(const PointConstraint& c, const std::vector<JointState>& state, double& scale) {
  const Vec3 a = point(c.a, state).x, b = point(c.b, state).x;
  scale = dot(abs(c.axis), abs(a) + abs(b));
  return dot(c.axis, a - b);
}

inline void gradient(const PointConstraint& c, const Model& model, const std::vector<JointState>& state, double* row) {
  add_point_gradient(model, state, point(c.a, state), c.axis, 1.0, row);
  add_point_gradient(model, state, point(c.b, state), c.axis, -1.0, row);
}

inline void hessian(const PointConstraint& c, const Model& model, const std::vector<JointState>& state, double* H) {
  add_point_hessian(model, state, point(c.a, state), c.axis, 1.0, H);
  add_point_hessian(model, state, point(c.b, state), c.axis, -1.0, H);
}

// d2h/dt2 with all joint accelerations zero.
inline double bias(const PointConstraint& c, const std::vector<JointState>& state, const std::vector<Twist>& A) {
  const Point a = point(c.a, state), b = point(c.b, state);
  return dot(c.axis, point_bias(a, state[a.joint], A[a.joint]) - point_bias(b, state[b.joint], A[b.joint]));
}

}  // namespace bough
