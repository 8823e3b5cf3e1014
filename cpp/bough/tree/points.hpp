// Points fixed to frames, and the derivatives that elements between two of them need.
//
// A point x outboard of joint k moves as dx/ds_i = w_i x x + v_i with (w_i, v_i) = J_i for joints i at or above k, and
// d2x/ds_i ds_j = w_j x (w_i x x + v_i) for j at or above i.                                                    (P1)
// d3x/ds_i ds_j ds_k = w_k x (w_j x (w_i x x + v_i)) for k at or above j at or above i.                         (P2)
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

// row[variable] += factor * direction . dx/dq, over the joints below slot `stop`
inline void add_point_gradient(const Model& model, const std::vector<JointState>& state, const Point& point,
                               const Vec3& direction, double factor, int stop, double* row) {
  for (int slot = point.joint; slot != stop; slot = model.joints[slot - 1].parent) {
    const Joint& joint = model.joints[slot - 1];
    row[joint.variable] += factor * joint.ratio * dot(direction, point_dq(state[slot], point.x));
  }
}

// H += factor * direction . d2x/dq dq, n_variables square, over the joints below slot `stop`                    (P1)
inline void add_point_hessian(const Model& model, const std::vector<JointState>& state, const Point& point,
                              const Vec3& direction, double factor, int stop, double* H) {
  const std::size_t n = model.n_variables;
  for (int i = point.joint; i != stop; i = model.joints[i - 1].parent) {
    const Joint& below = model.joints[i - 1];
    const Vec3 dx = point_dq(state[i], point.x);
    for (int j = i; j != stop; j = model.joints[j - 1].parent) {
      const Joint& above = model.joints[j - 1];
      const double value = factor * below.ratio * above.ratio * dot(direction, cross(state[j].J.w, dx));
      H[n * below.variable + above.variable] += value;
      if (i != j) H[n * above.variable + below.variable] += value;
    }
  }
}

// T (n cube) += value at the variables a, b, c and at all other orders of them; `ab`, `bc`: the first two, the last two are
// the same joint.
inline void add_orders(double* T, std::size_t n, std::size_t a, std::size_t b, std::size_t c, bool ab, bool bc,
                       double value) {
  T[(a * n + b) * n + c] += value;
  if (ab && bc) return;
  T[(b * n + c) * n + a] += value;
  T[(c * n + a) * n + b] += value;
  if (ab || bc) return;
  T[(a * n + c) * n + b] += value;
  T[(b * n + a) * n + c] += value;
  T[(c * n + b) * n + a] += value;
}

// T += factor * direction . d3y/dq dq dq over joints at or above slot i and below slot `stop`, i among them, for a vector y
// with dy/ds_i = dy                                                                                             (P2)
inline void add_third_above(const Model& model, const std::vector<JointState>& state, int i, const Vec3& dy,
                            const Vec3& direction, double factor, int stop, double* T) {
  const Joint& below = model.joints[i - 1];
  for (int j = i; j != stop; j = model.joints[j - 1].parent) {
    const Joint& middle = model.joints[j - 1];
    // direction . (w x y) = w . (y x direction)
    const Vec3 c = (factor * below.ratio * middle.ratio) * cross(cross(state[j].J.w, dy), direction);
    for (int k = j; k != stop; k = model.joints[k - 1].parent) {
      const Joint& above = model.joints[k - 1];
      add_orders(T, model.n_variables, below.variable, middle.variable, above.variable, i == j, j == k,
                 above.ratio * dot(state[k].J.w, c));
    }
  }
}

// A function of the distance between two points, with gradient g (and Hessian A) in their difference d = x_a - x_b. Joints
// at or above the fork move both together and leave it unchanged.
// out += factor * g . dd/dq
inline void add_difference_gradient(const Model& model, const std::vector<JointState>& state, const Point& a,
                                    const Point& b, const Vec3& g, double factor, double* out) {
  const int stop = fork(model, a.joint, b.joint);
  add_point_gradient(model, state, a, g, factor, stop, out);
  add_point_gradient(model, state, b, g, -factor, stop, out);
}

// dd/dq for the variables of joints below the fork; the memory is the thread's, until the next call.
struct DifferenceColumns {
  std::vector<int> variable;
  std::vector<Vec3> d;
};

inline const DifferenceColumns& difference_columns(const Model& model, const std::vector<JointState>& state,
                                                   const Point& a, const Point& b, int stop) {
  thread_local DifferenceColumns columns;
  columns.variable.clear();
  columns.d.clear();
  const auto add = [&](const Point& p, double sign) {
    for (int slot = p.joint; slot != stop; slot = model.joints[slot - 1].parent) {
      const Joint& joint = model.joints[slot - 1];
      columns.variable.push_back(joint.variable);
      columns.d.push_back((sign * joint.ratio) * point_dq(state[slot], p.x));
    }
  };
  add(a, 1.0);
  add(b, -1.0);
  return columns;
}

// H += factor * [(dd/dq)^T A dd/dq + g . d2d/dq dq]
inline void add_difference_hessian(const Model& model, const std::vector<JointState>& state, const Point& a,
                                   const Point& b, const Vec3& g, const Mat3& A, double factor, double* H) {
  const std::size_t n = model.n_variables;
  const int stop = fork(model, a.joint, b.joint);
  const DifferenceColumns& columns = difference_columns(model, state, a, b, stop);
  for (std::size_t i = 0; i < columns.d.size(); ++i) {
    const Vec3 Ad = factor * (A * columns.d[i]);
    for (std::size_t j = 0; j < columns.d.size(); ++j)
      H[columns.variable[i] * n + columns.variable[j]] += dot(Ad, columns.d[j]);
  }
  add_point_hessian(model, state, a, g, factor, stop, H);
  add_point_hessian(model, state, b, g, -factor, stop, H);
}

}  // namespace bough
