// Quadratic drag on the origin of a frame, which moves with velocity r relative to a wind:
//
//   F = -c |r| r
//   F_w = -c (|r| 1 + r r^T / |r|),  zero if r is
//
// in (Q1)-(Q3) of moving_points.hpp. Each component of the wind is a constant or an input.
//
// Record: frames (frame), inputs (wind), values (wind, c).
#include "bough/forces/moving_points.hpp"
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {
namespace {

class Drag final : public Force, public ForceDerivatives {
 public:
  explicit Drag(const ElementRecord& r) : frame_(r.frames[0]), wind_(r), c_(r.values[3]) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    const PointPair pair(frame_, world_origin, at.state);
    add_pair_force(at, pair, force(relative(at, pair)), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    const PointPair pair(frame_, world_origin, at.state);
    const Vec3 r = relative(at, pair);
    add_pair_force_dq(at, pair, force(r), Mat3::zero(), force_dr(r), factor, H);
  }
  void add_force_dv(const Instant& at, double factor, double* H) const override {
    const PointPair pair(frame_, world_origin, at.state);
    add_pair_force_dv(at, pair, force_dr(relative(at, pair)), factor, H);
  }

  // dF/d(wind) = -F_w
  void add_force_du(const Instant& at, double factor, double* B) const override {
    const PointPair pair(frame_, world_origin, at.state);
    const Mat3 F_w = force_dr(relative(at, pair));
    wind_.for_inputs([&](int k, int input) {
      add_wrench_du(at, frame_.joint, wrench_at(pair.a.x, Vec3::zero(), -F_w.c[k]), factor, input, B);
    });
  }

  Support support(const Model&) const override { return path_support({frame_.joint}); }

 private:
  Vec3 relative(const Instant& at, const PointPair& pair) const { return pair.w - wind_.triple(0, at.u); }
  Vec3 force(const Vec3& r) const { return (-c_ * norm(r)) * r; }
  Mat3 force_dr(const Vec3& r) const {
    const double speed = norm(r);
    if (speed == 0.0) return Mat3::zero();
    return (-c_) * (Mat3::diagonal(speed) + outer(r / speed, r));
  }

  FramePlace frame_;
  Components<3> wind_;
  double c_;
};

}  // namespace

std::shared_ptr<const Force> make_drag(const ElementRecord& record) { return std::make_shared<Drag>(record); }

}  // namespace bough
