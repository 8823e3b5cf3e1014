// V = V(q_i - rest), a function of one number.
//
// Record: variables (i), values (rest, then the function V: see function.hpp).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class NonlinearConfigurationSpring final : public Potential, public PotentialDerivatives {
 public:
  explicit NonlinearConfigurationSpring(const ElementRecord& r) : i_(r.variables[0]), rest_(r.values[0]) {
    const double* numbers = r.values.data() + 1;
    V_ = Function(numbers);
  }

  double energy(const Instant& at) const override { return V_(at.q[i_] - rest_).f; }
  void add_gradient(const Instant& at, double factor, double* out) const override {
    out[i_] += factor * V_(at.q[i_] - rest_).df;
  }
  void add_hessian(const Instant& at, double factor, double* H) const override {
    H[i_ * (at.model.n_variables + 1)] += factor * V_(at.q[i_] - rest_).ddf;
  }
  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    H[i_ * (at.model.n_variables + 1)] += factor * V_(at.q[i_] - rest_).dddf * along.sigma[i_];
  }

  bool has_third() const override { return true; }
  void add_third(const Instant& at, double factor, double* T) const override {
    const std::size_t n = at.model.n_variables;
    T[i_ * (n * n + n + 1)] += factor * V_(at.q[i_] - rest_).dddf;
  }
  bool diagonal() const override { return true; }
  void add_diagonal(const Instant& at, double factor, double* d) const override {
    d[i_] += factor * V_(at.q[i_] - rest_).ddf;
  }

 private:
  int i_;
  double rest_;
  Function V_;
};

}  // namespace

std::shared_ptr<const Potential> make_nonlinear_configuration_spring(const ElementRecord& record) {
  return std::make_shared<NonlinearConfigurationSpring>(record);
}

}  // namespace bough
