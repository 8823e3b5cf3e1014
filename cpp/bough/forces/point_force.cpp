// A force f at a point of a frame, in world axes or in the axes of the frame: F = (x x f, f) with the world position x
// of the point and f in world axes, in (W1) and (W4), or (W3), of wrench.hpp. Each component is a constant or an input.
//
// Record: frames (frame), inputs (fx, fy, fz), values (fx, fy, fz, point in the frame (3), 1 for axes of the frame).
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {
namespace {

class PointForce final : public Force, public ForceDerivatives {
 public:
  explicit PointForce(const ElementRecord& r)
      : frame_(r.frames[0]), components_(r), point_(r.values.data() + 3), in_frame_(r.values[6] != 0.0) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    add_wrench(at, frame_.joint, wrench(at), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    const Wrench F = wrench(at);
    add_wrench_dq(at, frame_.joint, F, in_frame_ ? Fixed::in_frame : Fixed::in_world, factor, H);
    if (!in_frame_) add_moving_arm_dq(at, frame_.joint, position(frame_pose(at, frame_)), F.f, factor, H);
  }

  void add_force_du(const Instant& at, double factor, double* B) const override {
    const Pose g = frame_pose(at, frame_);
    const Vec3 x = position(g);
    components_.for_inputs([&](int k, int input) {
      const Vec3 f = in_frame_ ? g.R * Vec3::unit(k) : Vec3::unit(k);
      add_wrench_du(at, frame_.joint, wrench_at(x, Vec3::zero(), f), factor, input, B);
    });
  }

  bool has_virtual_hessian() const override { return true; }
  void add_virtual_hessian(const Instant& at, double* qq, double* uq) const override {
    const Pose g = frame_pose(at, frame_);
    const Point p = point(shifted(frame_, point_), at.state);
    const auto add = [&](const VirtualPower& power, const Vec3& f) {
      if (in_frame_)
        power.add_in_frame(frame_.joint, wrench_at(p.x, Vec3::zero(), g.R * f));
      else
        power.add_at_point(p, f);
    };
    add(VirtualPower(at, qq, uq, -1), components_.triple(0, at.u));
    components_.for_inputs([&](int k, int input) { add(VirtualPower(at, qq, uq, input), Vec3::unit(k)); });
  }

  Support support(const Model&) const override { return path_support({frame_.joint}); }

 private:
  Vec3 position(const Pose& g) const { return g.p + g.R * point_; }
  Wrench wrench(const Instant& at) const {
    const Pose g = frame_pose(at, frame_);
    const Vec3 f = components_.triple(0, at.u);
    return wrench_at(position(g), Vec3::zero(), in_frame_ ? g.R * f : f);
  }

  FramePlace frame_;
  Components<3> components_;
  Vec3 point_;
  bool in_frame_;
};

}  // namespace

std::shared_ptr<const Force> make_point_force(const ElementRecord& record) {
  return std::make_shared<PointForce>(record);
}

}  // namespace bough
