// V = -c / |d| with d = x_a - x_b between points fixed to two frames; c = G m_a m_b or mu m_b.
//
//   dV/dd = c d / |d|^3
//   d2V/dd dd = c [1 - 3 n n^T] / |d|^3,  n = d / |d|
//
// and (P4) of moving_third.hpp with W' = c / |d|^2, W'' = -2 c / |d|^3, W''' = 6 c / |d|^4.
//
// Record: frames (a, b), values (c, the point in a, the point in b).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/moving_third.hpp"
#include "bough/tree/radial.hpp"

namespace bough {
namespace {

class CentralGravity final : public Potential, public PotentialDerivatives {
 public:
  explicit CentralGravity(const ElementRecord& r)
      : a_(shifted(r.frames[0], Vec3(&r.values[1]))), b_(shifted(r.frames[1], Vec3(&r.values[4]))), c_(r.values[0]) {}

  double energy(const Instant& at) const override { return -c_ / norm(point(a_, at.state).x - point(b_, at.state).x); }

  void add_gradient(const Instant& at, double factor, double* out) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    const double r = norm(d);
    add_difference_gradient(at.model, at.state, a, b, (c_ / (r * r)) * (d / r), factor, out);
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const Vec3 d = a.x - b.x;
    const double r = norm(d), k = c_ / (r * r * r);
    const Vec3 n = d / r;
    const Mat3 A = Mat3::diagonal(k) + (-3.0 * k) * outer(n, n);
    add_difference_hessian(at.model, at.state, a, b, k * d, A, factor, H);
  }

  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const double r = norm(a.x - b.x), k = c_ / (r * r * r);
    add_radial_along(at, along, a, b, {k, -2.0 * k, 6.0 * k / r}, factor, H);
  }

  bool has_third() const override { return true; }
  void add_third(const Instant& at, double factor, double* T) const override {
    const Point a = point(a_, at.state), b = point(b_, at.state);
    const double r = norm(a.x - b.x), k = c_ / (r * r * r);
    add_radial_third(at, a, b, {k, -2.0 * k, 6.0 * k / r}, factor, T);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  FramePlace a_, b_;
  double c_;
};

}  // namespace

std::shared_ptr<const Potential> make_central_gravity(const ElementRecord& record) {
  return std::make_shared<CentralGravity>(record);
}

}  // namespace bough
