// h_k = e_k . u, k = 1, 2: an axis u of frame a is parallel to the axis of frame b that e_1 and e_2 are across. Derivatives
// are (VM1), (VM2) of moving.hpp and (P5) of moving_third.hpp.
//
// Record: frames (a, b), values (u in a's axes; e_1, e_2 in b's axes).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/moving_third.hpp"

namespace bough {
namespace {

class ParallelConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit ParallelConstraint(const ElementRecord& r)
      : a_(r.frames[0]), b_(r.frames[1]), u_(r.values.data()), e_{Vec3(&r.values[3]), Vec3(&r.values[6])} {}

  int rows() const override { return 2; }

  void value(const Instant& at, double* h, double* scale) const override {
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k) {
      h[k] = dot(direction(b_, e_[k], at.state).value, u.value);
      scale[k] = 1.0;
    }
  }
  void gradient(const Instant& at, double* Dh) const override {
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k)
      add_product_gradient(at, direction(b_, e_[k], at.state), u, 1.0, Dh + k * at.model.n_variables);
  }
  void hessian(const Instant& at, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k) add_product_hessian(at, direction(b_, e_[k], at.state), u, 1.0, H + k * n * n);
  }
  void add_hessian(const Instant& at, const double* weights, double* H) const override {
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k) add_product_hessian(at, direction(b_, e_[k], at.state), u, weights[k], H);
  }
  bool has_along() const override { return true; }
  void add_hessian_along(const Instant& at, const Along& along, const double* weights, double* H) const override {
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k) add_product_along(at, along, direction(b_, e_[k], at.state), u, weights[k], H);
  }
  void add_gradient_along(const Instant& at, const Along& along, double* C) const override {
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k)
      add_product_gradient_along(at, along, direction(b_, e_[k], at.state), u, 1.0, C + k * at.model.n_variables);
  }
  bool has_third() const override { return true; }
  void third(const Instant& at, double* T) const override {
    const std::size_t n = at.model.n_variables;
    const Moving u = direction(a_, u_, at.state);
    for (int k = 0; k < 2; ++k) add_product_third(at, direction(b_, e_[k], at.state), u, 1.0, T + k * n * n * n);
  }
  void bias(const Instant& at, double* out) const override {
    const Moving u = direction(a_, u_, at.state);
    const Rates du = rates(at, u);
    for (int k = 0; k < 2; ++k) {
      const Moving e = direction(b_, e_[k], at.state);
      out[k] = product_bias(e, rates(at, e), u, du);
    }
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  FramePlace a_, b_;
  Vec3 u_, e_[2];
};

}  // namespace

std::shared_ptr<const Constraint> make_parallel_constraint(const ElementRecord& record) {
  return std::make_shared<ParallelConstraint>(record);
}

}  // namespace bough
