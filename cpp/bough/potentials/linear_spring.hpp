// V = k (|d| - rest)^2 / 2 with d = x_a - x_b.
//
//   dV/dd = k (1 - rest / |d|) d
//   d2V/dd dd = k [(1 - rest / |d|) 1 + (rest / |d|) n n^T],  n = d / |d|      (corrected as in docs/theory/errata.md)
//
// Where |d| vanishes n has no direction: the force is taken as zero there, its limit for rest = 0.
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

inline double energy(const LinearSpring& e, const std::vector<JointState>& state) {
  const double x = norm(point(e.a, state).x - point(e.b, state).x) - e.rest_length;
  return 0.5 * e.stiffness * x * x;
}

// rest / |d|, or 0 at |d| = 0.
inline double slack_ratio(const LinearSpring& e, double length) { return length > 0.0 ? e.rest_length / length : 0.0; }

// The force on point a; b gets the opposite.
inline Vec3 spring_force(const LinearSpring& e, const Vec3& d) {
  return (-e.stiffness * (1.0 - slack_ratio(e, norm(d)))) * d;
}

// out += factor * dV/dq
inline void add_gradient(const LinearSpring& e, const Model& model, const std::vector<JointState>& state, double factor,
                         double* out) {
  const Point a = point(e.a, state), b = point(e.b, state);
  const Vec3 f = spring_force(e, a.x - b.x);
  add_point_gradient(model, state, a, f, -factor, out);
  add_point_gradient(model, state, b, f, factor, out);
}

// H += factor * d2V/dq dq; rows is scratch of 3 n_variables.
inline void add_hessian(const LinearSpring& e, const Model& model, const std::vector<JointState>& state, double factor,
                        double* rows, double* H) {
  const std::size_t n = model.n_variables;
  const Point a = point(e.a, state), b = point(e.b, state);
  const Vec3 d = a.x - b.x, f = spring_force(e, d);
  const double length = norm(d), slack = slack_ratio(e, length);
  Mat3 A = (1.0 - slack) * Mat3::identity();
  if (length > 0.0) A += (slack / (length * length)) * outer(d, d);
  std::fill_n(rows, 3 * n, 0.0);
  for (int k = 0; k < 3; ++k) {
    add_point_gradient(model, state, a, Vec3::unit(k), 1.0, rows + k * n);
    add_point_gradient(model, state, b, Vec3::unit(k), -1.0, rows + k * n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 Ad = (factor * e.stiffness) * (A * Vec3(rows[i], rows[n + i], rows[2 * n + i]));
    for (std::size_t j = 0; j < n; ++j) H[i * n + j] += dot(Ad, Vec3(rows[j], rows[n + j], rows[2 * n + j]));
  }
  add_point_hessian(model, state, a, f, -factor, H);
  add_point_hessian(model, state, b, f, factor, H);
}

}  // namespace bough
