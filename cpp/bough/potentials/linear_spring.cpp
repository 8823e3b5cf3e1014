// V = k (|d| - rest)^2 / 2 with d = x_a - x_b.
//
//   dV/dd = k (1 - rest / |d|) d
//   d2V/dd dd = k [(1 - rest / |d|) 1 + (rest / |d|) n n^T],  n = d / |d|
//
// and (P4) of moving_third.hpp with W' = k (|d| - rest), W'' = k, W''' = 0. If |d| vanishes n has no direction:
// the force is then taken as zero, its limit for rest = 0.
//
// Record: frames (a, b), values (k, rest).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/moving_third.hpp"
#include "bough/tree/radial.hpp"

namespace bough {
namespace {

class LinearSpring final : public Potential, public PotentialDerivatives {
 public:
  explicit LinearSpring(const ElementRecord& r)
      : a_(r.frames[0]), b_(r.frames[1]), k_(r.values[0]), rest_(r.values[1]) {}

  double energy(const Instant& at) const override {
    const double x = norm(point(a_, at.state).x - point(b_, at.state).x) - rest_;
    return 0.5 * k_ * x * x;
  }

  void add_gradient(const Instant& at, double factor, double* out) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    add_difference_gradient(at.model, at.state, a, b, (k_ * (1.0 - slack(norm(d)))) * d, factor, out);
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    const double length = norm(d), s = slack(length);
    Mat3 A = Mat3::diagonal(k_ * (1.0 - s));
    if (length > 0.0) A += (k_ * s / (length * length)) * outer(d, d);
    add_difference_hessian(at.model, at.state, a, b, (k_ * (1.0 - s)) * d, A, factor, H);
  }

  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    add_radial_along(at, along, a, b, {k_ * (1.0 - slack(norm(a.x - b.x))), k_, 0.0}, factor, H);
  }

  bool has_third() const override { return true; }
  void add_third(const Instant& at, double factor, double* T) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    add_radial_third(at, a, b, {k_ * (1.0 - slack(norm(a.x - b.x))), k_, 0.0}, factor, T);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  double slack(double length) const { return length > 0.0 ? rest_ / length : 0.0; }

  FramePlace a_, b_;
  double k_, rest_;
};

}  // namespace

std::shared_ptr<const Potential> make_linear_spring(const ElementRecord& record) {
  return std::make_shared<LinearSpring>(record);
}

}  // namespace bough
