// h = |d| - length with d = x_a - x_b: a rigid wire ([JM09] IV.D3, there squared), or a string whose length is a kinematic
// variable or a function of time. With this form the multiplier is the force in the wire, negative for tension.
//
//   dh/dq = n . dd/dq,  n = d / |d|
//   d2h/dq dq = n . d2d/dq dq + (dd/dq)^T (1 - n n^T) dd/dq / |d|,  and so along a motion, with (VM2) of moving.hpp
//   d3h/dq dq dq by (P4) of moving_third.hpp with W' = 1, W'' = W''' = 0
//
// Record: frames (a, b), variables (kinematic variable, or none), values (length function, if there is none).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/force_at.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/moving_third.hpp"
#include "bough/tree/radial.hpp"

namespace bough {
namespace {

class DistanceConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit DistanceConstraint(const ElementRecord& r)
      : a_(r.frames[0]), b_(r.frames[1]), variable_(r.variables.empty() ? -1 : r.variables[0]) {
    const double* cursor = r.values.data();
    if (variable_ < 0) length_ = Function(cursor);
  }

  void value(const Instant& at, double* h, double* scale) const override {
    const Vec3 a = position(a_, at.state), b = position(b_, at.state);
    const double length = variable_ >= 0 ? at.q[variable_] : length_(at.t).f;
    h[0] = norm(a - b) - length;
    scale[0] = norm(a) + norm(b) + a_.reach + b_.reach + std::abs(length);
  }
  void gradient(const Instant& at, double* Dh) const override {
    const Vec3 a = position(a_, at.state), b = position(b_, at.state), n = direction(a - b);
    add_row_below_fork(at.model, at.state, a_.joint, b_.joint, force_at(a, n), Dh);  // (P6)
    add_row_below_fork(at.model, at.state, b_.joint, a_.joint, force_at(b, -n), Dh);
    if (variable_ >= 0) Dh[variable_] -= 1.0;
  }
  void hessian(const Instant& at, double* H) const override {
    const double one = 1.0;
    add_hessian(at, &one, H);
  }
  void add_hessian(const Instant& at, const double* weights, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    add_radial_hessian(at, a, b, radial(a, b), weights[0], H);
  }
  bool has_along() const override { return true; }
  void add_hessian_along(const Instant& at, const Along& along, const double* weights, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    add_radial_along(at, along, a, b, radial(a, b), weights[0], H);
  }
  void add_gradient_along(const Instant& at, const Along& along, double* C) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    add_radial_gradient_along(at, along, a, b, radial(a, b), 1.0, C);
  }
  bool has_third() const override { return true; }
  void third(const Instant& at, double* T) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const double length = norm(a.x - b.x);
    add_radial_third(at, a, b, {length > 0.0 ? 1.0 / length : 0.0, 0.0, 0.0}, 1.0, T);
  }
  bool moves() const override { return variable_ < 0 && !length_.fixed(); }
  void rate(const Instant& at, double* h_t) const override { h_t[0] = -length_(at.t).df; }
  void bias(const Instant& at, double* out) const override {
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    const Rates r = rates(at, d);
    const Vec3 n = direction(d.value);
    const double along = dot(n, r.first), inverse = norm(d.value) > 0.0 ? 1.0 / norm(d.value) : 0.0;
    out[0] = dot(n, r.second) + inverse * (dot(r.first, r.first) - along * along) - length_(at.t).ddf;
  }

  Support support(const Model& model) const override {
    Support s = relative_support(model, {a_.joint, b_.joint});
    if (variable_ >= 0) s.variables.push_back(variable_);
    return s;
  }

 private:
  // Coinciding points have no direction: the row is then zero, and a solver reports that it cannot be met.
  static RadialFunction radial(const Point& a, const Point& b) {
    const double length = norm(a.x - b.x);
    return {length > 0.0 ? 1.0 / length : 0.0, 0.0, 0.0};
  }
  static Vec3 direction(const Vec3& d) {
    const double length = norm(d);
    return length > 0.0 ? d / length : Vec3::zero();
  }

  FramePlace a_, b_;
  int variable_;
  Function length_;
};

}  // namespace

std::shared_ptr<const Constraint> make_distance_constraint(const ElementRecord& record) {
  return std::make_shared<DistanceConstraint>(record);
}

}  // namespace bough
