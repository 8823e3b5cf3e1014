// A spring on a linear combination of variables: the elastic counterpart of a gear.
//
//   V = k x^2 / 2,  x = sum_i c_i q_i - rest
//   dV/dq_i = k x c_i,  d2V/dq_i dq_j = k c_i c_j
//
// Record: variables, values (k, rest, c).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class GearSpring final : public Potential, public PotentialDerivatives {
 public:
  explicit GearSpring(const ElementRecord& r)
      : variables_(r.variables), c_(r.values.begin() + 2, r.values.end()), k_(r.values[0]), rest_(r.values[1]) {}

  double energy(const Instant& at) const override {
    const double x = elongation(at);
    return 0.5 * k_ * x * x;
  }
  void add_gradient(const Instant& at, double factor, double* out) const override {
    const double force = factor * k_ * elongation(at);
    for (std::size_t i = 0; i < c_.size(); ++i) out[variables_[i]] += force * c_[i];
  }
  void add_hessian(const Instant& at, double factor, double* H) const override {
    const std::size_t n = at.model.n_variables;
    for (std::size_t i = 0; i < c_.size(); ++i)
      for (std::size_t j = 0; j < c_.size(); ++j) H[variables_[i] * n + variables_[j]] += factor * k_ * c_[i] * c_[j];
  }
  void add_hessian_along(const Instant&, const Along&, double, double*) const override {}
  bool quadratic() const override { return true; }

  bool has_third() const override { return true; }
  void add_third(const Instant&, double, double*) const override {}

  Support support(const Model&) const override { return variable_support(variables_); }

 private:
  double elongation(const Instant& at) const {
    double x = -rest_;
    for (std::size_t i = 0; i < c_.size(); ++i) x += c_[i] * at.q[variables_[i]];
    return x;
  }

  std::vector<int> variables_;
  std::vector<double> c_;
  double k_, rest_;
};

}  // namespace

std::shared_ptr<const Potential> make_gear_spring(const ElementRecord& record) {
  return std::make_shared<GearSpring>(record);
}

}  // namespace bough
