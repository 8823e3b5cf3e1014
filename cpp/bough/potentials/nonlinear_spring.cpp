// V = V(|d| - rest), a function of one number, with d = x_a - x_b and the tension F = V'.
//
//   dV/dd = F n,  n = d / |d|
//   d2V/dd dd = (F / |d|) (1 - n n^T) + F' n n^T
//
// and (P4) of moving_third.hpp with W' = F, W'' = F', W''' = F''. If |d| vanishes n has no direction:
// the force is then taken as zero and F / |d| as F', the limits for F(-rest) = 0.
//
// Record: frames (a, b), values (rest, then the function V: see function.hpp).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/moving_third.hpp"
#include "bough/tree/radial.hpp"

namespace bough {
namespace {

class NonlinearSpring final : public Potential, public PotentialDerivatives {
 public:
  explicit NonlinearSpring(const ElementRecord& r) : a_(r.frames[0]), b_(r.frames[1]), rest_(r.values[0]) {
    const double* numbers = r.values.data() + 1;
    V_ = Function(numbers);
  }

  double energy(const Instant& at) const override {
    return V_(norm(point(a_, at.state).x - point(b_, at.state).x) - rest_).f;
  }

  void add_gradient(const Instant& at, double factor, double* out) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    const double length = norm(d);
    if (length == 0.0) return;
    add_difference_gradient(at.model, at.state, a, b, (V_(length - rest_).df / length) * d, factor, out);
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    const double length = norm(d);
    const Function::Value V = V_(length - rest_);
    const double across = length > 0.0 ? V.df / length : V.ddf;
    Mat3 A = Mat3::diagonal(across);
    if (length > 0.0) A += (V.ddf - across) * outer(d / length, d / length);
    add_difference_hessian(at.model, at.state, a, b, across * d, A, factor, H);
  }

  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const double length = norm(a.x - b.x);
    const Function::Value V = V_(length - rest_);
    add_radial_along(at, along, a, b, {length > 0.0 ? V.df / length : V.ddf, V.ddf, V.dddf}, factor, H);
  }

  bool has_third() const override { return true; }
  void add_third(const Instant& at, double factor, double* T) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const double length = norm(a.x - b.x);
    const Function::Value V = V_(length - rest_);
    add_radial_third(at, a, b, {length > 0.0 ? V.df / length : V.ddf, V.ddf, V.dddf}, factor, T);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  FramePlace a_, b_;
  double rest_;
  Function V_;
};

}  // namespace

std::shared_ptr<const Potential> make_nonlinear_spring(const ElementRecord& record) {
  return std::make_shared<NonlinearSpring>(record);
}

}  // namespace bough
