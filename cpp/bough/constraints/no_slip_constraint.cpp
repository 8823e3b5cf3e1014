// What rolls without slip on the plane n . x = height, and a skate: rows on velocities, which no position follows from.
//
// A point p of the plane or the blade is met by a body with the twist V = (w, v). Along a direction d,
//
//   A_i = d . (w_i x p + v_i),   A v = d . (w x p + v) = 0                                                     (NH1)
//   d(A v)/ds_j = d . (D_w x p + D_v + w x dp/ds_j) + dd/ds_j . (w x p + v),   D = ad(J_j) (V - V_j)           (NH2)
//
// for joints j at or above the body; V_j is the twist outboard of joint j, of a ball that of its parent. A skate has p = x, the origin of its frame, and d
// across it, both fixed to the body. What rolls has two directions in the plane, and
//
//   p = x - r u / |u|,  u = n - (n . a) a,  a the axis of a wheel, zero for a ball                             (NH3)
//
// it stays on the plane by a row on positions, with c = n . a and s = |u| (1 for a ball),
//
//   h = n . x - r s - height,  dh = n . dx + r (c / s) dc,  d2h = n . d2x + r ((c / s) d2c + dc dc / s^3)      (NH4)
//
// Record: frames (frame), values (axis or d: 3; and of what rolls: radius; n: 3; height).
#include <cmath>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/moving.hpp"

namespace bough {
namespace {

class NoSlipConstraint final : public Constraint {
 public:
  explicit NoSlipConstraint(const ElementRecord& r)
      : rolling_(r.kind == "Rolling"),
        place_(r.frames[0]),
        axis_(r.values.data()),
        wheel_(rolling_ && !is_zero(axis_)) {
    if (!rolling_) return;
    radius_ = r.values[3];
    normal_ = Vec3(&r.values[4]);
    height_ = r.values[7];
    const Vec3 side = cross(normal_, std::abs(normal_[0]) < 0.6 ? Vec3::unit(0) : Vec3::unit(1));
    along_[0] = side / norm(side);
    along_[1] = cross(normal_, along_[0]);
  }

  int rows() const override { return rolling_ ? 3 : 1; }
  int nonholonomic() const override { return rolling_ ? 2 : 1; }

  void value(const Instant& at, double* h, double* scale) const override {
    const Touch touch = find(at);
    for (int r = 0; r < rows(); ++r) {
      h[r] = 0.0;
      scale[r] = norm(touch.x) + place_.reach + radius_ + std::abs(height_);
    }
    if (rolling_) h[0] = dot(normal_, touch.x) - radius_ * touch.s - height_;  // (NH4)
  }
  void gradient(const Instant& at, double* Dh) const override {
    const Touch touch = find(at);
    const std::size_t n = at.model.n_variables;
    for (int slot = place_.joint; slot != at.fork; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      const Twist& J = at.state[slot].J;
      double* row = Dh + joint.variable;
      if (rolling_) {
        row[0] += joint.ratio * height_ds(touch, J);
        row += n;
      }
      const Vec3 moving = cross(J.w, touch.p) + J.v;
      for (int k = 0; k < nonholonomic(); ++k) row[k * n] += joint.ratio * dot(along(touch, k), moving);  // (NH1)
    }
  }
  // Of the rows on velocities, H_ij = dA_i/dq_j, which is not symmetric.
  void hessian(const Instant& at, double* H) const override {
    const Touch touch = find(at);
    const std::size_t n = at.model.n_variables;
    if (rolling_) {
      add_height_hessian(at, touch, H);
      H += n * n;
    }
    for (int j = place_.joint; j > 0; j = at.model.joints[j - 1].parent) {
      const Joint& above = at.model.joints[j - 1];
      bool outboard = true;  // of joint j
      for (int i = place_.joint; i > 0; i = at.model.joints[i - 1].parent) {
        const Joint& below = at.model.joints[i - 1];
        const Twist &J = at.state[i].J, &K = at.state[j].J;
        outboard &= i != j;
        const Twist D = outboard ? ad(K, J) : Twist::zero();
        for (int k = 0; k < nonholonomic(); ++k)
          H[(k * n + below.variable) * n + above.variable] += below.ratio * above.ratio * along_ds(touch, k, J, D, K);
      }
    }
  }
  void add_slip_dq(const Instant& at, double factor, double* D) const override {  // (NH2)
    const Touch touch = find(at);
    const std::size_t n = at.model.n_variables;
    const Twist& V = at.state[place_.joint].V;
    for (int slot = place_.joint; slot > 0; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      const JointState& s = at.state[slot];
      const Twist change = ad(s.J, outboard(at, slot, V));
      for (int k = 0; k < nonholonomic(); ++k)
        D[k * n + joint.variable] += factor * joint.ratio * along_ds(touch, k, V, change, s.J);
    }
  }
  void bias(const Instant& at, double* out) const override {
    const Touch touch = find(at);
    if (rolling_) {
      Moving x;
      x.part[x.parts++] = {place_.joint, touch.x, 1.0, true};
      out[0] = dot(normal_, rates(at, x).second);
      if (wheel_) {
        const Rates a = rates(at, direction(place_, axis_, at.state));
        const double dc = dot(normal_, a.first), s = touch.s;
        out[0] += radius_ * inverse(s) * (touch.c * dot(normal_, a.second) + dc * dc * inverse(s * s));
      }
      ++out;
    }
    const Twist& V = at.state[place_.joint].V;
    std::fill_n(out, nonholonomic(), 0.0);
    for (int slot = place_.joint; slot > 0; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      const JointState& s = at.state[slot];
      const Twist change = ad(s.J, outboard(at, slot, V));
      for (int k = 0; k < nonholonomic(); ++k)
        out[k] += joint.ratio * at.v[joint.variable] * along_ds(touch, k, V, change, s.J);
    }
  }

  Support support(const Model&) const override { return path_support({place_.joint}); }

 private:
  // Where the body meets the plane: the origin x, the point p, the axis a or the direction d of a skate, u / |u|, c and s.
  struct Touch {
    Vec3 x, p, a, down;
    double c = 0.0, s = 1.0;
  };
  // A wheel that lies flat has no lowest point: its derivatives are then those of a ball.
  static double inverse(double s) { return s > 0.0 ? 1.0 / s : 0.0; }

  Touch find(const Instant& at) const {
    const JointState& state = at.state[place_.joint];
    Touch t;
    t.x = state.g.p + state.g.R * place_.X.p;
    t.a = state.g.R * (place_.X.R * axis_);
    t.p = t.x;
    t.down = normal_;
    if (!rolling_) return t;
    if (wheel_) {
      t.c = dot(normal_, t.a);
      const Vec3 u = normal_ - t.c * t.a;
      t.s = norm(u);
      if (t.s > 0.0) t.down = u / t.s;
    }
    t.p = t.x - radius_ * t.down;  // (NH3)
    return t;
  }
  const Vec3& along(const Touch& touch, int k) const { return rolling_ ? along_[k] : touch.a; }

  // V - V_j; the axes of a ball turn together, so that its own rates count as outboard.
  static Twist outboard(const Instant& at, int slot, const Twist& V) {
    const Joint& joint = at.model.joints[slot - 1];
    return V - at.state[joint.ball >= 0 ? joint.base : slot].V;
  }

  // dp/ds of a joint
  Vec3 point_ds(const Touch& touch, const Twist& J) const {
    Vec3 dp = cross(J.w, touch.x) + J.v;
    if (!wheel_) return dp;
    const Vec3 da = cross(J.w, touch.a);
    const Vec3 du = (-dot(normal_, da)) * touch.a - touch.c * da;
    return dp - (radius_ * inverse(touch.s)) * (du - dot(touch.down, du) * touch.down);
  }
  // d(d . (w x p + v))/ds of the joint K, for a twist V that changes by D
  double along_ds(const Touch& touch, int k, const Twist& V, const Twist& D, const Twist& K) const {
    const Vec3& d = along(touch, k);
    double sum = dot(d, cross(D.w, touch.p) + D.v + cross(V.w, point_ds(touch, K)));
    if (!rolling_) sum += dot(cross(K.w, d), cross(V.w, touch.p) + V.v);
    return sum;
  }
  double height_ds(const Touch& touch, const Twist& J) const {
    double sum = dot(normal_, cross(J.w, touch.x) + J.v);
    if (wheel_) sum += radius_ * touch.c * inverse(touch.s) * dot(normal_, cross(J.w, touch.a));
    return sum;
  }
  void add_height_hessian(const Instant& at, const Touch& touch, double* H) const {
    Moving x;
    x.part[x.parts++] = {place_.joint, touch.x, 1.0, true};
    add_hessian(at.model, at.state, x, normal_, 1.0, H);
    if (!wheel_) return;
    const Moving a = direction(place_, axis_, at.state);
    const double by_c = radius_ * touch.c * inverse(touch.s), s3 = touch.s * touch.s * touch.s;
    add_hessian(at.model, at.state, a, normal_, by_c, H);
    const std::size_t n = at.model.n_variables;
    thread_local std::vector<double> dc;
    dc.assign(n, 0.0);
    add_gradient(at, a, normal_, 1.0, dc.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) H[i * n + j] += radius_ * inverse(s3) * dc[i] * dc[j];
  }

  bool rolling_;
  FramePlace place_;
  Vec3 axis_;  // of the wheel, or d of a skate, in the frame; zero for a ball
  bool wheel_;
  double radius_ = 0.0, height_ = 0.0;
  Vec3 normal_ = Vec3::unit(2);
  Vec3 along_[2];
};

}  // namespace

std::shared_ptr<const Constraint> make_no_slip_constraint(const ElementRecord& record) {
  return std::make_shared<NoSlipConstraint>(record);
}

}  // namespace bough
