// A wrench F = (n, f) on a frame, in world axes and at the world origin wherever the frame is: (W1), (W2) of wrench.hpp.
// Each component is a constant or an input.
//
// Record: frames (frame), inputs and values (nx, ny, nz, fx, fy, fz).
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {
namespace {

class SpatialWrench final : public Force, public ForceDerivatives {
 public:
  explicit SpatialWrench(const ElementRecord& r) : slot_(r.frames[0].joint), components_(r) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    add_wrench(at, slot_, wrench(at), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    add_wrench_dq(at, slot_, wrench(at), Fixed::in_world, factor, H);
  }

  void add_force_du(const Instant& at, double factor, double* B) const override {
    components_.for_inputs([&](int k, int input) {
      const Vec3 e = Vec3::unit(k % 3), none = Vec3::zero();
      add_wrench_du(at, slot_, {k < 3 ? e : none, k < 3 ? none : e}, factor, input, B);
    });
  }

  bool has_virtual_hessian() const override { return true; }
  void add_virtual_hessian(const Instant& at, double* qq, double* uq) const override {
    VirtualPower(at, qq, uq, -1).add_in_world(slot_, wrench(at));
    components_.for_inputs([&](int k, int input) {
      const Vec3 e = Vec3::unit(k % 3), none = Vec3::zero();
      VirtualPower(at, qq, uq, input).add_in_world(slot_, {k < 3 ? e : none, k < 3 ? none : e});
    });
  }

  Support support(const Model&) const override { return path_support({slot_}); }

 private:
  Wrench wrench(const Instant& at) const { return {components_.triple(0, at.u), components_.triple(3, at.u)}; }

  int slot_;
  Components<6> components_;
};

}  // namespace

std::shared_ptr<const Force> make_spatial_wrench(const ElementRecord& record) {
  return std::make_shared<SpatialWrench>(record);
}

}  // namespace bough
