// h = q_f - f(q_c): a follower q_f on a cam q_c with profile f.
//
//   h_f = 1,  h_c = -f',  h_cc = -f'',  h_ccc = -f'''
//
// Record: variables (follower, cam), values (profile: a function).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class CamConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit CamConstraint(const ElementRecord& r) : follower_(r.variables[0]), cam_(r.variables[1]) {
    const double* cursor = r.values.data();
    profile_ = Function(cursor);
  }

  void value(const Instant& at, double* h, double* scale) const override {
    const double q_f = at.q[follower_], q_c = at.q[cam_];
    const Function::Value f = profile_(q_c);
    h[0] = q_f - f.f;
    scale[0] = std::abs(q_f) + std::abs(f.f) + std::abs(f.df * q_c);
  }
  void gradient(const Instant& at, double* Dh) const override {
    Dh[follower_] += 1.0;
    Dh[cam_] -= profile_(at.q[cam_]).df;
  }
  void hessian(const Instant& at, double* H) const override {
    H[static_cast<std::size_t>(cam_) * at.model.n_variables + cam_] -= profile_(at.q[cam_]).ddf;
  }
  void add_hessian(const Instant& at, const double* weights, double* H) const override {
    H[static_cast<std::size_t>(cam_) * at.model.n_variables + cam_] -= weights[0] * profile_(at.q[cam_]).ddf;
  }
  bool has_along() const override { return true; }
  void add_hessian_along(const Instant& at, const Along& along, const double* weights, double* H) const override {
    H[static_cast<std::size_t>(cam_) * at.model.n_variables + cam_] -=
        weights[0] * profile_(at.q[cam_]).dddf * along.sigma[cam_];
  }
  void add_gradient_along(const Instant& at, const Along& along, double* C) const override {
    C[cam_] -= profile_(at.q[cam_]).ddf * along.sigma[cam_];
  }
  bool has_third() const override { return true; }
  void third(const Instant& at, double* T) const override {
    const std::size_t n = at.model.n_variables;
    T[cam_ * (n * n + n + 1)] -= profile_(at.q[cam_]).dddf;
  }
  void bias(const Instant& at, double* out) const override {
    out[0] = -profile_(at.q[cam_]).ddf * at.v[cam_] * at.v[cam_];
  }

  Support support(const Model&) const override { return variable_support({follower_, cam_}); }

 private:
  int follower_, cam_;
  Function profile_;
};

}  // namespace

std::shared_ptr<const Constraint> make_cam_constraint(const ElementRecord& record) {
  return std::make_shared<CamConstraint>(record);
}

}  // namespace bough
