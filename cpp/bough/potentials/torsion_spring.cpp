// A spring against the rotation of frame b relative to frame a.
//
// About an axis: V = k (theta - rest)^2 / 2 with the turn theta of (RP4), the difference taken in [-pi, pi].
// In space: V = k theta^2 / 2 with theta the angle of the rotation Q = R_b (R_a R_rest)^T, so that the torque is k times its
// logarithm, through its trace
//   c = tr Q = 1 + 2 cos theta
//   dV/dc = -k theta / (2 sin theta)                                                                              (TS1)
//   d2V/dc2 = k b / 4,   b = (sin theta - theta cos theta) / sin^3 theta                                          (TS2)
//   d3V/dc3 = -k (theta / sin theta - 3 b cos theta) / (8 sin^2 theta)                                            (TS3)
// which are smooth at theta = 0, so that V is; at theta = pi the torque jumps, and is not a number.
//
// Record: frames (a, b), values (k) or (k, quaternion of R_rest), or (k, rest, e1, e2) with e1, e2, axis right-handed.
#include <limits>
#include <numbers>

#include "bough/potentials/pose_potential.hpp"
#include "bough/spatial/rotation.hpp"

namespace bough {
namespace {

class TorsionSpring final : public PosePotential<TorsionSpring> {
 public:
  explicit TorsionSpring(const ElementRecord& r) : PosePotential(r), k_(r.values[0]), about_axis_(r.values.size() > 5) {
    if (r.values.size() == 5) a_.X.R = a_.X.R * rotation(Quaternion{r.values[1], Vec3(&r.values[2])});
    if (!about_axis_) return;
    rest_ = r.values[1];
    e1_ = Vec3(&r.values[2]);
    e2_ = Vec3(&r.values[5]);
  }

 private:
  friend class PosePotential<TorsionSpring>;

  template <int order, class N>
  PoseFunction<order, N> function(const RelativePose<N>& pose) const {
    return about_axis_ ? about_axis<order, N>(pose) : in_space<order, N>(pose);
  }

  template <int order, class N>
  PoseFunction<order, N> about_axis(const RelativePose<N>& pose) const {
    PoseFunction<order, N> theta = turn_about<order, N>(pose, e1_, e2_), V;
    theta.f = wrapped(theta.f - rest_, 2.0 * std::numbers::pi);
    add_square(V, theta, 0.5 * k_);
    return V;
  }

  template <int order, class N>
  PoseFunction<order, N> in_space(const RelativePose<N>& pose) const {
    PoseFunction<order, N> c, V;
    for (int i = 0; i < 3; ++i) add_cosine(c, 1.0, column(pose.Ra, i), column(pose.Rb, i));
    add_composed(V, c, slopes(c));
    return V;
  }

  struct Curve {
    double V, by_c, by_c2, by_c3;
  };
  // (TS1)-(TS3) from w = dc, of length 2 sin theta; the series are exact to round-off in the range where they are used.
  Curve curve(const Vec3& w, double c) const {
    const double sn = 0.5 * norm(w), cs = 0.5 * (c - 1.0), theta = std::atan2(sn, cs), s = theta * theta;
    const double ratio = sn > 0.0 ? theta / sn : cs > 0.0 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
    const bool small = theta <= 0.1;
    const double bend = small ? ratio * ratio * ratio / 3.0 * (1.0 - s / 10.0 * (1.0 - s / 28.0 * (1.0 - s / 54.0)))
                              : (sn - theta * cs) / (sn * sn * sn);
    const double third =
        small ? 4.0 / 15 + s * (6.0 / 35 + s * (13.0 / 210 +
                                                s * (1153.0 / 69300 + s * (187619.0 / 50450400 +
                                                                           s * (3325549.0 / 4540536000.0 +
                                                                                s * (121835513.0 / 926269344000.0))))))
              : (ratio - 3.0 * cs * bend) / (sn * sn);
    return {0.5 * k_ * s, -0.5 * k_ * ratio, 0.25 * k_ * bend, -0.125 * k_ * third};
  }
  template <int order>
  Slopes<double> slopes(const PoseFunction<order, Plain>& c) const {
    const Curve at = curve(c.w, c.f);
    return {at.V, at.by_c, at.by_c2};
  }
  template <int order>
  Slopes<Dual> slopes(const PoseFunction<order, Dotted>& c) const {
    const Curve at = curve(c.w.v, c.f.v);
    return {{at.V, at.by_c * c.f.d}, {at.by_c, at.by_c2 * c.f.d}, {at.by_c2, at.by_c3 * c.f.d}};
  }

  const std::vector<PathStep<Plain>>& path(const Instant& at) const { return relative_path(at, a_, b_, Vec3::zero()); }

  double k_, rest_ = 0.0;
  bool about_axis_;
  Vec3 e1_ = Vec3::zero(), e2_ = Vec3::zero();
};

}  // namespace

std::shared_ptr<const Potential> make_torsion_spring(const ElementRecord& record) {
  return std::make_shared<TorsionSpring>(record);
}

}  // namespace bough
