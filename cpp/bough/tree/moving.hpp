// Vectors that move with frames, and products of two of them, the parts of geometric constraints.
//
// A vector y is a sum of points x (+1, -1) and directions e fixed to links. By (P1) of points.hpp, for joints j at or
// above i at or above the link,
//
//   dx/ds_i = w_i x x + v_i,   d2x/ds_i ds_j = w_j x dx/ds_i,     de/ds_i = w_i x e,   d2e/ds_i ds_j = w_j x de/ds_i
//   h = y . z:   h_i = y_i . z + y . z_i,   h_ij = y_ij . z + y . z_ij + y_i . z_j + y_j . z_i                  (VM1)
//
// Along a motion, without the accelerations of the joints, with V = (w, v) the velocity of the link and A = sum_i U_i ds_i/dt
// its acceleration,
//
//   x' = w x x + v,   x'' = A_w x x + A_v + w x x',     e' = w x e,   e'' = A_w x e + w x e'
//   h'' = y'' . z + 2 y' . z' + y . z''                                                                        (VM2)
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

struct Moving {
  struct Part {
    int joint;  // slot
    Vec3 x;
    double sign;
    bool point = false;  // else a direction
  };
  Vec3 value;
  Part part[2];
  int parts = 0;
};

inline Moving still(const Vec3& e) {
  Moving m;
  m.value = e;
  return m;
}

// A direction given in the axes of a frame.
inline Moving direction(const FramePlace& place, const Vec3& local, const std::vector<JointState>& state) {
  Moving m;
  m.value = state[place.joint].g.R * (place.X.R * local);
  m.part[m.parts++] = {place.joint, m.value, 1.0, false};
  return m;
}

// x_a - x_b
inline Moving difference(const Point& a, const Point& b) {
  Moving m;
  m.value = a.x - b.x;
  m.part[m.parts++] = {a.joint, a.x, 1.0, true};
  m.part[m.parts++] = {b.joint, b.x, -1.0, true};
  return m;
}

inline Vec3 part_dq(const Moving::Part& part, const JointState& s) {
  const Vec3 turn = cross(s.J.w, part.x);
  return part.sign * (part.point ? turn + s.J.v : turn);
}

// row += factor * g . dy/dq
inline void add_gradient(const Instant& at, const Moving& y, const Vec3& g, double factor, double* row) {
  for (int k = 0; k < y.parts; ++k)
    for (int slot = y.part[k].joint; slot != at.fork; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      row[joint.variable] += factor * joint.ratio * dot(g, part_dq(y.part[k], at.state[slot]));
    }
}

// H += factor * g . d2y/dq dq
inline void add_hessian(const Model& model, const std::vector<JointState>& state, const Moving& y, const Vec3& g,
                        double factor, double* H) {
  const std::size_t n = model.n_variables;
  for (int k = 0; k < y.parts; ++k)
    for (int i = y.part[k].joint; i > 0; i = model.joints[i - 1].parent) {
      const Joint& below = model.joints[i - 1];
      const Vec3 dy = part_dq(y.part[k], state[i]);
      for (int j = i; j > 0; j = model.joints[j - 1].parent) {
        const Joint& above = model.joints[j - 1];
        const double value = factor * below.ratio * above.ratio * dot(g, cross(state[j].J.w, dy));
        H[n * below.variable + above.variable] += value;
        if (i != j) H[n * above.variable + below.variable] += value;
      }
    }
}

// columns = dy/dq by variable
inline void set_columns(const Model& model, const std::vector<JointState>& state, const Moving& y,
                        std::vector<Vec3>& columns) {
  columns.assign(model.n_variables, Vec3::zero());
  for (int k = 0; k < y.parts; ++k)
    for (int slot = y.part[k].joint; slot > 0; slot = model.joints[slot - 1].parent) {
      const Joint& joint = model.joints[slot - 1];
      columns[joint.variable] += joint.ratio * part_dq(y.part[k], state[slot]);
    }
}

// row += factor * d(y . z)/dq                                                                                  (VM1)
inline void add_product_gradient(const Instant& at, const Moving& y, const Moving& z, double factor, double* row) {
  add_gradient(at, y, z.value, factor, row);
  add_gradient(at, z, y.value, factor, row);
}

// H += factor * d2(y . z)/dq dq                                                                                (VM1)
inline void add_product_hessian(const Instant& at, const Moving& y, const Moving& z, double factor, double* H) {
  add_hessian(at.model, at.state, y, z.value, factor, H);
  add_hessian(at.model, at.state, z, y.value, factor, H);
  if (y.parts == 0 || z.parts == 0) return;
  const std::size_t n = at.model.n_variables;
  thread_local std::vector<Vec3> dy, dz;
  set_columns(at.model, at.state, y, dy);
  set_columns(at.model, at.state, z, dz);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_zero(dy[i])) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const double value = factor * dot(dy[i], dz[j]);
      H[i * n + j] += value;
      H[j * n + i] += value;
    }
  }
}

// First and second time derivative along the motion of the instant.
struct Rates {
  Vec3 first = Vec3::zero(), second = Vec3::zero();
};

inline Rates rates(const Instant& at, const Moving& y) {
  Rates r;
  for (int k = 0; k < y.parts; ++k) {
    const Moving::Part& part = y.part[k];
    Twist A = Twist::zero();
    for (int slot = part.joint; slot > 0; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      A += (joint.ratio * at.v[joint.variable]) * at.state[slot].U;
    }
    const Twist& V = at.state[part.joint].V;
    Vec3 first = cross(V.w, part.x), second = cross(A.w, part.x);
    if (part.point) {
      first += V.v;
      second += A.v;
    }
    r.first += part.sign * first;
    r.second += part.sign * (second + cross(V.w, first));
  }
  return r;
}

// d2(y . z)/dt2 without the accelerations                                                                      (VM2)
inline double product_bias(const Moving& y, const Rates& dy, const Moving& z, const Rates& dz) {
  return dot(dy.second, z.value) + 2.0 * dot(dy.first, dz.first) + dot(y.value, dz.second);
}

}  // namespace bough
