// f_i = gear min(max(value, -effort), effort), with a constant or an input as value
//
// Record: variables (i), inputs (index or -1), values (constant, gear, effort).
#include <algorithm>
#include <cmath>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class ConfigurationForce final : public Force, public ForceDerivatives {
 public:
  explicit ConfigurationForce(const ElementRecord& r)
      : i_(r.variables[0]), input_(r.inputs[0]), value_(r.values[0]), gear_(r.values[1]), effort_(r.values[2]) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    const double value = input_ >= 0 ? at.u[input_] : value_;
    out[i_] += factor * (gear_ * std::clamp(value, -effort_, effort_));
  }
  void add_force_du(const Instant& at, double factor, double* B) const override {
    if (input_ >= 0 && std::abs(at.u[input_]) <= effort_) B[i_ * at.model.elements.n_inputs + input_] += factor * gear_;
  }
  bool linear() const override { return true; }
  bool diagonal() const override { return true; }

 private:
  int i_, input_;
  double value_, gear_, effort_;
};

}  // namespace

std::shared_ptr<const Force> make_configuration_force(const ElementRecord& record) {
  return std::make_shared<ConfigurationForce>(record);
}

}  // namespace bough
