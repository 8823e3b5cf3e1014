// Dry friction on a variable: a torque or force of up to F against its velocity, which holds it at rest if that is enough. Of a
// ball the variables are rates about axes that move with it; what is read off its rotation has the size of a radian.
//
// Record: variables (one), values (F).
#include "bough/tree/catalogue.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class DryFriction final : public Unilateral {
 public:
  explicit DryFriction(const ElementRecord& r) : variable_(r.variables[0]), bound_(r.values[0]) {}

  int tangents() const override { return 1; }
  double bound(int) const override { return bound_; }
  void value(const ContactInstant& at, double* phi, double* scale) const override {
    const std::vector<int>& place = at.model.place;
    const bool of_ball = !place.empty() && place[variable_] < 0;
    *phi = 0.0;
    *scale = of_ball ? 1.0 : std::abs(at.q[variable_]);
  }
  void gradient(const ContactInstant&, double*) const override {}
  void tangent(const ContactInstant&, double* T) const override { T[variable_] += 1.0; }
  void travel(const ContactInstant&, const ContactInstant&, double* D) const override { *D = 0.0; }
  Support support(const Model&) const override { return variable_support({variable_}); }

 private:
  int variable_;
  double bound_;
};

}  // namespace

std::shared_ptr<const Unilateral> make_dry_friction(const ElementRecord& record) {
  return std::make_shared<DryFriction>(record);
}

}  // namespace bough
