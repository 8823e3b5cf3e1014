// h = |d| - length with d = x_a - x_b: a rigid wire (002 IV.D3, there squared), or a string whose length is a kinematic
// variable. With this form the multiplier is the force in the wire, negative for tension.
//
//   dh/dq = n . dd/dq,  n = d / |d|
//   d2h/dq dq = n . d2d/dq dq + (dd/dq)^T (1 - n n^T) dd/dq / |d|
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

inline double value(const DistanceConstraint& c, const std::vector<JointState>& state, const double* q, double& scale) {
  const Vec3 a = point(c.a, state).x, b = point(c.b, state).x;
  const double length = c.variable >= 0 ? q[c.variable] : c.length;
  scale = norm(a) + norm(b) + std::abs(length);
  return norm(a - b) - length;
}

inline void gradient(const DistanceConstraint& c, const Model& model, const std::vector<JointState>& state,
                     double* row) {
  const Point a = point(c.a, state), b = point(c.b, state);
  const Vec3 n = (a.x - b.x) / norm(a.x - b.x);
  add_point_gradient(model, state, a, n, 1.0, row);
  add_point_gradient(model, state, b, n, -1.0, row);
  if (c.variable >= 0) row[c.variable] -= 1.0;
}

// rows is scratch of 3 n_variables.
inline void hessian(const DistanceConstraint& c, const Model& model, const std::vector<JointState>& state, double* rows,
                    double* H) {
  const std::size_t n = model.n_variables;
  const Point a = point(c.a, state), b = point(c.b, state);
  const double length = norm(a.x - b.x);
  const Vec3 direction = (a.x - b.x) / length;
  const Mat3 A = (1.0 / length) * (Mat3::identity() + (-1.0) * outer(direction, direction));
  std::fill_n(rows, 3 * n, 0.0);
  for (int k = 0; k < 3; ++k) {
    add_point_gradient(model, state, a, Vec3::unit(k), 1.0, rows + k * n);
    add_point_gradient(model, state, b, Vec3::unit(k), -1.0, rows + k * n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 Ad = A * Vec3(rows[i], rows[n + i], rows[2 * n + i]);
    for (std::size_t j = 0; j < n; ++j) H[i * n + j] += dot(Ad, Vec3(rows[j], rows[n + j], rows[2 * n + j]));
  }
  add_point_hessian(model, state, a, direction, 1.0, H);
  add_point_hessian(model, state, b, direction, -1.0, H);
}

// d2h/dt2 with all joint accelerations zero; a kinematic length's own acceleration enters through dh/dq.
inline double bias(const DistanceConstraint& c, const std::vector<JointState>& state, const std::vector<Twist>& A) {
  const Point a = point(c.a, state), b = point(c.b, state);
  const Vec3 d = a.x - b.x, dv = a.v - b.v;
  const double length = norm(d), rate = dot(d, dv) / length;
  const Vec3 da = point_bias(a, state[a.joint], A[a.joint]) - point_bias(b, state[b.joint], A[b.joint]);
  return dot(d, da) / length + (dot(dv, dv) - rate * rate) / length;
}

}  // namespace bough
