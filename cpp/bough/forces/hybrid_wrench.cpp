// A force f and a moment n in world axes, at the origin x of a frame: F = (n + x x f, f) in (W1), (W4) of wrench.hpp.
// Each component is a constant or an input.
//
// Record: frames (frame), inputs and values (nx, ny, nz, fx, fy, fz).
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {
namespace {

class HybridWrench final : public Force, public ForceDerivatives {
 public:
  explicit HybridWrench(const ElementRecord& r) : frame_(r.frames[0]), components_(r) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    add_wrench(at, frame_.joint, wrench(at), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    const Wrench F = wrench(at);
    add_wrench_dq(at, frame_.joint, F, Fixed::in_world, factor, H);
    add_moving_arm_dq(at, frame_.joint, point(frame_, at.state).x, F.f, factor, H);
  }

  void add_force_du(const Instant& at, double factor, double* B) const override {
    const Vec3 x = point(frame_, at.state).x;
    components_.for_inputs([&](int k, int input) {
      const Vec3 e = Vec3::unit(k % 3), none = Vec3::zero();
      add_wrench_du(at, frame_.joint, wrench_at(x, k < 3 ? e : none, k < 3 ? none : e), factor, input, B);
    });
  }

  bool has_virtual_hessian() const override { return true; }
  void add_virtual_hessian(const Instant& at, double* qq, double* uq) const override {
    const Point p = point(frame_, at.state);
    const Vec3 none = Vec3::zero();
    const VirtualPower power(at, qq, uq, -1);
    power.add_in_world(frame_.joint, {components_.triple(0, at.u), none});
    power.add_at_point(p, components_.triple(3, at.u));
    components_.for_inputs([&](int k, int input) {
      const VirtualPower of_input(at, qq, uq, input);
      if (k < 3)
        of_input.add_in_world(frame_.joint, {Vec3::unit(k), none});
      else
        of_input.add_at_point(p, Vec3::unit(k - 3));
    });
  }

  Support support(const Model&) const override { return path_support({frame_.joint}); }

 private:
  Wrench wrench(const Instant& at) const {
    return wrench_at(point(frame_, at.state).x, components_.triple(0, at.u), components_.triple(3, at.u));
  }

  FramePlace frame_;
  Components<6> components_;
};

}  // namespace

std::shared_ptr<const Force> make_hybrid_wrench(const ElementRecord& record) {
  return std::make_shared<HybridWrench>(record);
}

}  // namespace bough
