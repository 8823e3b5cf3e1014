// f_i = -c_i v_i
//
// Record: variables (i, ...), values (c_i, ...).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class Damping final : public Force, public ForceDerivatives {
 public:
  explicit Damping(const ElementRecord& r) : variables_(r.variables), c_(r.values) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    for (std::size_t k = 0; k < c_.size(); ++k) out[variables_[k]] -= factor * c_[k] * at.v[variables_[k]];
  }
  void add_force_dv(const Instant& at, double factor, double* H) const override {
    for (std::size_t k = 0; k < c_.size(); ++k) H[variables_[k] * (at.model.n_variables + 1)] -= factor * c_[k];
  }
  bool linear() const override { return true; }
  bool diagonal() const override { return true; }
  void add_diagonal(const Instant&, double, double by_v, double* d) const override {
    for (std::size_t k = 0; k < c_.size(); ++k) d[variables_[k]] -= by_v * c_[k];
  }

 private:
  std::vector<int> variables_;
  std::vector<double> c_;
};

}  // namespace

std::shared_ptr<const Force> make_damping(const ElementRecord& record) { return std::make_shared<Damping>(record); }

}  // namespace bough
