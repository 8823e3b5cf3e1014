// h_k = sum_i c_ki q_i - offset_k(t): linear relations between variables. Gears, the screw of [JM09] IV.D5, equal variables.
//
// Record: variables, values (number of rows; c by rows; offset_k: functions).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class LinearConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit LinearConstraint(const ElementRecord& r) : variables_(r.variables), rows_(static_cast<int>(r.values[0])) {
    const double* cursor = r.values.data() + 1;
    coefficients_.assign(cursor, cursor + rows_ * variables_.size());
    cursor += coefficients_.size();
    for (int k = 0; k < rows_; ++k) offsets_.push_back(Function(cursor));
  }

  int rows() const override { return rows_; }

  void value(const Instant& at, double* h, double* scale) const override {
    for (int k = 0; k < rows_; ++k) {
      const double offset = offsets_[k](at.t).f;
      h[k] = -offset;
      scale[k] = std::abs(offset);
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        const double term = coefficient(k, i) * at.q[variables_[i]];
        h[k] += term;
        scale[k] += std::abs(term);
      }
    }
  }
  void gradient(const Instant& at, double* Dh) const override {
    for (int k = 0; k < rows_; ++k)
      for (std::size_t i = 0; i < variables_.size(); ++i)
        Dh[k * at.model.n_variables + variables_[i]] += coefficient(k, i);
  }
  void hessian(const Instant&, double*) const override {}
  void add_hessian(const Instant&, const double*, double*) const override {}
  bool has_along() const override { return true; }
  bool has_third() const override { return true; }
  void third(const Instant&, double*) const override {}
  bool moves() const override {
    return !std::all_of(offsets_.begin(), offsets_.end(), [](const Function& f) { return f.fixed(); });
  }
  void rate(const Instant& at, double* h_t) const override {
    for (int k = 0; k < rows_; ++k) h_t[k] = -offsets_[k](at.t).df;
  }
  void bias(const Instant& at, double* out) const override {
    for (int k = 0; k < rows_; ++k) out[k] = -offsets_[k](at.t).ddf;
  }

  Support support(const Model&) const override { return variable_support(variables_); }

 private:
  double coefficient(int row, std::size_t i) const { return coefficients_[row * variables_.size() + i]; }

  std::vector<int> variables_;
  int rows_;
  std::vector<double> coefficients_;
  std::vector<Function> offsets_;
};

}  // namespace

std::shared_ptr<const Constraint> make_linear_constraint(const ElementRecord& record) {
  return std::make_shared<LinearConstraint>(record);
}

}  // namespace bough
