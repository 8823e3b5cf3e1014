// f_i = value, a constant or an input
//
// Record: variables (i), inputs (index or -1), values (constant).
#include "bough/tree/catalogue.hpp"

namespace bough {
namespace {

class ConfigurationForce final : public Force {
 public:
  explicit ConfigurationForce(const ElementRecord& r) : i_(r.variables[0]), input_(r.inputs[0]), value_(r.values[0]) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    out[i_] += factor * (input_ >= 0 ? at.u[input_] : value_);
  }
  bool diagonal() const override { return true; }

 private:
  int i_, input_;
  double value_;
};

}  // namespace

std::shared_ptr<const Force> make_configuration_force(const ElementRecord& record) {
  return std::make_shared<ConfigurationForce>(record);
}

}  // namespace bough
