// Wrenches on a frame: the common part of the kinds that apply one.
//
// A world wrench F = (n, f), taken at the world origin, on a frame outboard of joint k gives
//
//   f_i = J_i . F                                                for joints i at or above k, else 0              (W1)
//
// With dJ_i/ds_j = ad(J_j) J_i for j above i, and B_ji = ad(J_j) J_i . F for j above i:
//
//   F fixed in the world:   df_i/ds_j = B_ji                     if j is above i, else 0                         (W2)
//   F carried by the frame: df_i/ds_j = B_ij                     if i is above j, else 0                         (W3)
//   F of a force f and a moment n fixed in world axes, at a point x that moves with the frame, F = (n + x x f, f):
//                           df_i/ds_j = (W2) + w_i . (dx/ds_j x f)                                               (W4)
//
// The virtual power of F at the velocities c is V . F, with V the twist of the frame at c and U_i the rates of J_i at c. Its
// derivatives are, j at or above i,
//
//   F fixed in the world:   ad(J_i) (V - V_i) . F  and  ad(J_j) ad(J_i) (V - V_i) . F                            (W5)
//   F carried by the frame: U_i . F  and  ad(U_j) J_i . F                                                        (W6)
//   a force f fixed in world axes, at a point x that moves with the frame: f . x'_i and
//                           f . (w(U_j) x x_i + w_j x x'_i),  x_i = dx/ds_i, x'_i its rate at c (Q4)             (W7)
//
// (W3) since J_i . F is then the pairing of Ad(g^-1) J_i with a constant, whose derivative is Ad(g^-1) ad(J_i) J_j.
#pragma once

#include "bough/tree/points.hpp"

namespace bough {

// Numbers, each a constant or an input.
template <int N>
class Components {
 public:
  explicit Components(const ElementRecord& r) {
    for (int k = 0; k < N; ++k) {
      input_[k] = r.inputs[k];
      value_[k] = r.values[k];
    }
  }
  Vec3 triple(int first, const double* u) const { return {one(first, u), one(first + 1, u), one(first + 2, u)}; }
  // Calls visit(k, input) for each component k that is an input.
  template <class Visit>
  void for_inputs(Visit visit) const {
    for (int k = 0; k < N; ++k)
      if (input_[k] >= 0) visit(k, input_[k]);
  }

 private:
  double one(int k, const double* u) const { return input_[k] >= 0 ? u[input_[k]] : value_[k]; }

  int input_[N];
  double value_[N];
};

inline Pose frame_pose(const Instant& at, const FramePlace& place) { return at.state[place.joint].g * place.X; }

// The world wrench of a moment n and a force f at x.
inline Wrench wrench_at(const Vec3& x, const Vec3& n, const Vec3& f) { return {n + cross(x, f), f}; }

// (W1)
inline void add_wrench(const Instant& at, int slot, const Wrench& F, double factor, double* out) {
  for (int i = slot; i > 0; i = at.model.joints[i - 1].parent) {
    const Joint& joint = at.model.joints[i - 1];
    out[joint.variable] += factor * joint.ratio * dot(at.state[i].J, F);
  }
}

// B += factor * df/du for the wrench F of one input at its unit value.
inline void add_wrench_du(const Instant& at, int slot, const Wrench& F, double factor, int input, double* B) {
  const std::size_t nu = at.model.elements.n_inputs;
  for (int i = slot; i > 0; i = at.model.joints[i - 1].parent) {
    const Joint& joint = at.model.joints[i - 1];
    B[joint.variable * nu + input] += factor * joint.ratio * dot(at.state[i].J, F);
  }
}

enum class Fixed { in_world, in_frame };

// (W2) or (W3)
inline void add_wrench_dq(const Instant& at, int slot, const Wrench& F, Fixed fixed, double factor, double* H) {
  const std::size_t n = at.model.n_variables;
  for (int j = slot; j > 0; j = at.model.joints[j - 1].parent) {
    const Joint& above = at.model.joints[j - 1];
    const Wrench B = (factor * above.ratio) * ad_transpose(at.state[j].J, F);
    for (int i = slot; i != j; i = at.model.joints[i - 1].parent) {
      const Joint& below = at.model.joints[i - 1];
      const double value = below.ratio * dot(at.state[i].J, B);
      if (fixed == Fixed::in_world)
        H[n * below.variable + above.variable] += value;
      else
        H[n * above.variable + below.variable] += value;
    }
  }
}

// The term that (W4) adds to (W2).
inline void add_moving_arm_dq(const Instant& at, int slot, const Vec3& x, const Vec3& f, double factor, double* H) {
  const std::size_t n = at.model.n_variables;
  for (int j = slot; j > 0; j = at.model.joints[j - 1].parent) {
    const Joint& column = at.model.joints[j - 1];
    const Vec3 dn = (factor * column.ratio) * cross(point_dq(at.state[j], x), f);
    for (int i = slot; i > 0; i = at.model.joints[i - 1].parent) {
      const Joint& row = at.model.joints[i - 1];
      H[n * row.variable + column.variable] += row.ratio * dot(at.state[i].J.w, dn);
    }
  }
}

// What a virtual power adds: to row `input` of uq if that is not negative, else to the Hessian qq.
class VirtualPower {
 public:
  VirtualPower(const Instant& at, double* qq, double* uq, int input) : at_(at), qq_(qq), uq_(uq), input_(input) {}

  void add_in_world(int slot, const Wrench& F) const {  // (W5)
    add(
        slot, [&](int i) { return dot(moved(slot, i), F); },
        [&](int i, int j) { return dot(ad(at_.state[j].J, moved(slot, i)), F); });
  }
  void add_in_frame(int slot, const Wrench& F) const {  // (W6)
    add(
        slot, [&](int i) { return dot(at_.state[i].U, F); },
        [&](int i, int j) { return dot(ad(at_.state[j].U, at_.state[i].J), F); });
  }
  void add_at_point(const Point& p, const Vec3& f) const {  // (W7)
    const auto rate = [&](int i) {
      const JointState& s = at_.state[i];
      return cross(s.U.w, p.x) + s.U.v + cross(s.J.w, p.v);
    };
    add(
        p.joint, [&](int i) { return dot(f, rate(i)); },
        [&](int i, int j) {
          const JointState& above = at_.state[j];
          return dot(f, cross(above.U.w, point_dq(at_.state[i], p.x)) + cross(above.J.w, rate(i)));
        });
  }

 private:
  Twist moved(int slot, int i) const { return ad(at_.state[i].J, at_.state[slot].V - at_.state[i].V); }

  template <class First, class Second>
  void add(int slot, First first, Second second) const {
    const std::size_t n = at_.model.n_variables;
    for (int i = slot; i > 0; i = at_.model.joints[i - 1].parent) {
      const Joint& below = at_.model.joints[i - 1];
      if (input_ >= 0) {
        uq_[input_ * n + below.variable] += below.ratio * first(i);
        continue;
      }
      for (int j = i; j > 0; j = at_.model.joints[j - 1].parent) {
        const Joint& above = at_.model.joints[j - 1];
        const double value = below.ratio * above.ratio * second(i, j);
        qq_[n * below.variable + above.variable] += value;
        if (i != j) qq_[n * above.variable + below.variable] += value;
      }
    }
  }

  const Instant& at_;
  double *qq_, *uq_;
  int input_;
};

}  // namespace bough
