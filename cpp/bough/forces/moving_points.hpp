// Forces that depend on the positions and velocities of two points.
//
// With d = x_a - x_b and its rate w = dd/dt, a force F(d, w) on point a and -F on point b gives
//
//   f_i = F . dd/dq_i                                                                                            (Q1)
//   df_i/dq_j = dd/dq_i . (F_d dd/dq_j + F_w dw/dq_j) + F . d2d/dq_i dq_j                                        (Q2)
//   df_i/dv_j = dd/dq_i . F_w dd/dq_j                                                                            (Q3)
//
// A point x outboard of joint k has the velocity derivative dx'/ds_j = d/dt (w_j x x + v_j) = U_j at x + w_j x x' for
// joints j at or above k, with J_j = (w_j, v_j) and its rate of change U_j.                                      (Q4)
//
// One point alone is a pair with the world's origin.
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

struct PointPair {
  Point a, b;
  Vec3 d, w;

  PointPair(const FramePlace& first, const FramePlace& second, const std::vector<JointState>& state)
      : a(point(first, state)), b(point(second, state)), d(a.x - b.x), w(a.v - b.v) {}
};

inline const FramePlace world_origin{0, Pose::identity()};

// (Q4)
inline Vec3 point_velocity_dq(const JointState& s, const Point& p) {
  return cross(s.U.w, p.x) + s.U.v + cross(s.J.w, p.v);
}

// dd/dq and dw/dq for the joints below the fork: those above it turn d, w and F alike. The memory is the thread's, until the
// next call.
struct PairColumns {
  std::vector<int> variable;
  std::vector<Vec3> d, w;
};

inline const PairColumns& pair_columns(const Instant& at, const PointPair& pair, int stop) {
  thread_local PairColumns columns;
  columns.variable.clear();
  columns.d.clear();
  columns.w.clear();
  const auto add = [&](const Point& p, double sign) {
    for (int slot = p.joint; slot != stop; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      const double factor = sign * joint.ratio;
      columns.variable.push_back(joint.variable);
      columns.d.push_back(factor * point_dq(at.state[slot], p.x));
      columns.w.push_back(factor * point_velocity_dq(at.state[slot], p));
    }
  };
  add(pair.a, 1.0);
  add(pair.b, -1.0);
  return columns;
}

// (Q1)
inline void add_pair_force(const Instant& at, const PointPair& pair, const Vec3& F, double factor, double* out) {
  add_difference_gradient(at.model, at.state, pair.a, pair.b, F, factor, out);
}

// H += factor * dd/dq_i . dF_j
inline void add_pair_products(const PairColumns& columns, const std::vector<Vec3>& dF, double factor, std::size_t n,
                              double* H) {
  for (std::size_t j = 0; j < dF.size(); ++j)
    for (std::size_t i = 0; i < dF.size(); ++i)
      H[columns.variable[i] * n + columns.variable[j]] += factor * dot(columns.d[i], dF[j]);
}

// (Q2)
inline void add_pair_force_dq(const Instant& at, const PointPair& pair, const Vec3& F, const Mat3& F_d, const Mat3& F_w,
                              double factor, double* H) {
  const int stop = fork(at.model, pair.a.joint, pair.b.joint);
  const PairColumns& columns = pair_columns(at, pair, stop);
  thread_local std::vector<Vec3> dF;
  dF.clear();
  for (std::size_t j = 0; j < columns.d.size(); ++j) dF.push_back(F_d * columns.d[j] + F_w * columns.w[j]);
  add_pair_products(columns, dF, factor, at.model.n_variables, H);
  add_point_hessian(at.model, at.state, pair.a, F, factor, stop, H);
  add_point_hessian(at.model, at.state, pair.b, F, -factor, stop, H);
}

// (Q3)
inline void add_pair_force_dv(const Instant& at, const PointPair& pair, const Mat3& F_w, double factor, double* H) {
  const PairColumns& columns = pair_columns(at, pair, fork(at.model, pair.a.joint, pair.b.joint));
  thread_local std::vector<Vec3> dF;
  dF.clear();
  for (const Vec3& d : columns.d) dF.push_back(F_w * d);
  add_pair_products(columns, dF, factor, at.model.n_variables, H);
}

}  // namespace bough
