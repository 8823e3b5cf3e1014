// V = k (q_i - rest)^2 / 2
//
// Record: variables (i), values (k, rest).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class ConfigurationSpring final : public Potential, public PotentialDerivatives {
 public:
  explicit ConfigurationSpring(const ElementRecord& r) : i_(r.variables[0]), k_(r.values[0]), rest_(r.values[1]) {}

  double energy(const Instant& at) const override {
    const double x = at.q[i_] - rest_;
    return 0.5 * k_ * x * x;
  }
  void add_gradient(const Instant& at, double factor, double* out) const override {
    out[i_] += factor * k_ * (at.q[i_] - rest_);
  }
  void add_hessian(const Instant& at, double factor, double* H) const override {
    H[i_ * (at.model.n_variables + 1)] += factor * k_;
  }
  void add_hessian_along(const Instant&, const Along&, double, double*) const override {}
  bool quadratic() const override { return true; }

  bool has_third() const override { return true; }
  void add_third(const Instant&, double, double*) const override {}
  bool diagonal() const override { return true; }
  void add_diagonal(const Instant&, double factor, double* d) const override { d[i_] += factor * k_; }

 private:
  int i_;
  double k_, rest_;
};

}  // namespace

std::shared_ptr<const Potential> make_configuration_spring(const ElementRecord& record) {
  return std::make_shared<ConfigurationSpring>(record);
}

}  // namespace bough
