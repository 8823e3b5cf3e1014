// A wrench F = (n, f) on a frame, in world axes and at the world origin wherever the frame is: (W1), (W2) of wrench.hpp.
// Each component is a constant or an input.
//
// Record: frames (frame), inputs and values (nx, ny, nz, fx, fy, fz).
#include "bough/forces/wrench.hpp"
#include "bough/tree/catalogue.hpp"

namespace bough {
namespace {

class SpatialWrench final : public Force {
 public:
  explicit SpatialWrench(const ElementRecord& r) : slot_(r.frames[0].joint), components_(r) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    add_wrench(at, slot_, wrench(at), factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    add_wrench_dq(at, slot_, wrench(at), Fixed::in_world, factor, H);
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
