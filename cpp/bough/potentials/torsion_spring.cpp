// A spring against the rotation of frame b relative to frame a.
//
// About an axis: V = k (theta - rest)^2 / 2 with the turn theta of (RP4), the difference taken in [-pi, pi].
// In space: V = k theta^2 / 2 with theta the angle of the rotation Q = R_b R_a^T, through its trace
//   c = tr Q = 1 + 2 cos theta
//   dV/dc = -k theta / (2 sin theta)                                                                              (TS1)
//   d2V/dc2 = k (sin theta - theta cos theta) / (4 sin^3 theta)                                                   (TS2)
// which are smooth at theta = 0, so that V is; at theta = pi the torque jumps.
//
// Record: frames (a, b), values (k) or (k, rest, e1, e2) with e1, e2, axis right-handed.
#include <numbers>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/relative.hpp"

namespace bough {
namespace {

class TorsionSpring final : public Potential {
 public:
  explicit TorsionSpring(const ElementRecord& r)
      : a_(r.frames[0]), b_(r.frames[1]), k_(r.values[0]), about_axis_(r.values.size() > 1) {
    if (!about_axis_) return;
    rest_ = r.values[1];
    e1_ = Vec3(&r.values[2]);
    e2_ = Vec3(&r.values[5]);
  }

  double energy(const Instant& at) const override { return function<1>(at).f; }

  void add_gradient(const Instant& at, double factor, double* out) const override {
    add_pose_gradient(path(at), function<1>(at), factor, out);
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {
    add_pose_hessian(path(at), function<2>(at), factor, at.model.n_variables, H);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  template <int order>
  PoseFunction<order> function(const Instant& at) const {
    const Mat3 Ra = at.state[a_.joint].g.R * a_.X.R, Rb = at.state[b_.joint].g.R * b_.X.R;
    return about_axis_ ? about_axis<order>(Ra, Rb) : in_space<order>(Ra, Rb);
  }

  template <int order>
  PoseFunction<order> about_axis(const Mat3& Ra, const Mat3& Rb) const {
    PoseFunction<order> theta = turn_about<order>(Ra, Rb, e1_, e2_), V;
    theta.f = std::remainder(theta.f - rest_, 2.0 * std::numbers::pi);
    add_square(V, theta, 0.5 * k_);
    return V;
  }

  // (TS1), (TS2); the series is exact to round-off in the range where it is used.
  template <int order>
  PoseFunction<order> in_space(const Mat3& Ra, const Mat3& Rb) const {
    PoseFunction<order> c, V;
    for (int i = 0; i < 3; ++i) add_cosine(c, 1.0, Ra.c[i], Rb.c[i]);
    const double sn = 0.5 * norm(c.w), cs = 0.5 * (c.f - 1.0), theta = std::atan2(sn, cs), s = theta * theta;
    const double ratio = sn > 0.0 ? theta / sn : 1.0;
    const double bend = theta > 0.1
                            ? (sn - theta * cs) / (sn * sn * sn)
                            : ratio * ratio * ratio / 3.0 * (1.0 - s / 10.0 * (1.0 - s / 28.0 * (1.0 - s / 54.0)));
    add_composed(V, c, 0.5 * k_ * s, -0.5 * k_ * ratio, 0.25 * k_ * bend);
    return V;
  }

  const std::vector<PathStep>& path(const Instant& at) const { return relative_path(at, a_, b_, Vec3::zero()); }

  FramePlace a_, b_;
  double k_, rest_ = 0.0;
  bool about_axis_;
  Vec3 e1_ = Vec3::zero(), e2_ = Vec3::zero();
};

}  // namespace

std::shared_ptr<const Potential> make_torsion_spring(const ElementRecord& record) {
  return std::make_shared<TorsionSpring>(record);
}

}  // namespace bough
