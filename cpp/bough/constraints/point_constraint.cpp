// h = axis . (x_a - x_b): two points coincide along one direction of the world ([JM09] IV.D4).
//
// Record: frames (a, b), values (axis).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/points.hpp"

namespace bough {
namespace {

class PointConstraint final : public Constraint {
 public:
  explicit PointConstraint(const ElementRecord& r) : a_(r.frames[0]), b_(r.frames[1]), axis_(r.values.data()) {}

  void value(const Instant& at, double* h, double* scale) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    h[0] = dot(axis_, a.x - b.x);
    scale[0] = norm(a.x) + norm(b.x) + a.reach + b.reach;
  }
  void gradient(const Instant& at, double* Dh) const override {
    add_difference_gradient(at.model, at.state, point(a_, at.state), point(b_, at.state), axis_, 1.0, Dh);
  }
  void hessian(const Instant& at, double* H) const override {
    add_point_hessian(at.model, at.state, point(a_, at.state), axis_, 1.0, H);
    add_point_hessian(at.model, at.state, point(b_, at.state), axis_, -1.0, H);
  }

 private:
  FramePlace a_, b_;
  Vec3 axis_;
};

}  // namespace

std::shared_ptr<const Constraint> make_point_constraint(const ElementRecord& record) {
  return std::make_shared<PointConstraint>(record);
}

}  // namespace bough
