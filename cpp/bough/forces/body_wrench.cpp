// A force f and a moment n in the axes of a frame, at its origin: F = (R n + p x R f, R f) with the frame's pose (R, p)
// in (W1), (W3) of wrench.hpp. Each component is a constant or an input.
//
// Record: frames (frame), inputs and values (nx, ny, nz, fx, fy, fz).
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {
namespace {

class BodyWrench final : public Force, public ForceDerivatives {
 public:
  explicit BodyWrench(const ElementRecord& r) : frame_(r.frames[0]), components_(r) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    add_wrench(at, frame_.joint, wrench(at), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    add_wrench_dq(at, frame_.joint, wrench(at), Fixed::in_frame, factor, H);
  }

  void add_force_du(const Instant& at, double factor, double* B) const override {
    const Pose g = frame_pose(at, frame_);
    components_.for_inputs([&](int k, int input) {
      const Vec3 e = g.R * Vec3::unit(k % 3), none = Vec3::zero();
      add_wrench_du(at, frame_.joint, wrench_at(g.p, k < 3 ? e : none, k < 3 ? none : e), factor, input, B);
    });
  }

  bool has_virtual_hessian() const override { return true; }
  void add_virtual_hessian(const Instant& at, double* qq, double* uq) const override {
    const Pose g = frame_pose(at, frame_);
    VirtualPower(at, qq, uq, -1).add_in_frame(frame_.joint, wrench(at));
    components_.for_inputs([&](int k, int input) {
      const Vec3 e = g.R * Vec3::unit(k % 3), none = Vec3::zero();
      const Wrench F = wrench_at(g.p, k < 3 ? e : none, k < 3 ? none : e);
      VirtualPower(at, qq, uq, input).add_in_frame(frame_.joint, F);
    });
  }

  Support support(const Model&) const override { return path_support({frame_.joint}); }

 private:
  Wrench wrench(const Instant& at) const {
    const Pose g = frame_pose(at, frame_);
    return wrench_at(g.p, g.R * components_.triple(0, at.u), g.R * components_.triple(3, at.u));
  }

  FramePlace frame_;
  Components<6> components_;
};

}  // namespace

std::shared_ptr<const Force> make_body_wrench(const ElementRecord& record) {
  return std::make_shared<BodyWrench>(record);
}

}  // namespace bough
