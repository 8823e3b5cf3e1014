// A variable stays between bounds: phi = q - lower and phi = upper - q, or one of them.
//
// Record: variables (the variable, then the kinematic variables that bounds follow), values (restitution; for each bound its
// sign, +1 for a lower one, 1 if it follows a kinematic variable, and if it does not its function of time).
#include <algorithm>
#include <cmath>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class JointLimit final : public Unilateral {
 public:
  explicit JointLimit(const ElementRecord& r) : variable_(r.variables[0]), restitution_(r.values[0]) {
    std::size_t follower = 1;
    const double *cursor = r.values.data() + 1, *end = r.values.data() + r.values.size();
    while (cursor != end) {
      Bound bound;
      bound.sign = *cursor++;
      if (*cursor++ != 0.0)
        bound.variable = r.variables[follower++];
      else
        bound.value = Function(cursor);
      bound.stays = bound.variable < 0 && bound.value.fixed();
      if (bound.stays) bound.place = bound.value(0.0).f;
      bounds_.push_back(bound);
    }
  }

  int contacts() const override { return static_cast<int>(bounds_.size()); }

  void value(const ContactInstant& at, double* phi, double* scale) const override {
    const double q = at.q[variable_];
    for (const Bound& b : bounds_) {
      const double bound = b.stays ? b.place : b.variable >= 0 ? at.q[b.variable] : b.value(at.t).f;
      *phi++ = b.sign * (q - bound);
      *scale++ = std::max(least_gap_size, std::abs(q) + std::abs(bound));
    }
  }
  void gradient(const ContactInstant& at, double* Dphi) const override {
    for (const Bound& b : bounds_) {
      Dphi[variable_] += b.sign;
      if (b.variable >= 0) Dphi[b.variable] -= b.sign;
      Dphi += at.model.n_variables;
    }
  }
  void rate(const ContactInstant& at, double* phi_t) const override {
    for (const Bound& b : bounds_) *phi_t++ = b.variable >= 0 ? 0.0 : -b.sign * b.value(at.t).df;
  }
  bool moves() const override {
    for (const Bound& b : bounds_)
      if (b.variable < 0 && !b.value.fixed()) return true;
    return false;
  }
  double restitution(int) const override { return restitution_; }
  // The gap is linear in the variable.
  void travel(const ContactInstant& from, const ContactInstant& to, double* D) const override {
    for (const Bound& b : bounds_) {
      *D = std::abs(to.q[variable_] - from.q[variable_]);
      *D++ += b.variable >= 0 ? std::abs(to.q[b.variable] - from.q[b.variable])
                              : std::abs(b.value(to.t).f - b.value(from.t).f);
    }
  }
  bool reach(const Model&, int contact, Reach& out) const override {
    const Bound& b = bounds_[contact];
    out.changes.push_back({variable_, 1.0});
    if (b.variable >= 0) out.changes.push_back({b.variable, 1.0});
    return b.variable >= 0 || b.value.fixed();
  }
  Support support(const Model&) const override {
    std::vector<int> variables{variable_};
    for (const Bound& b : bounds_)
      if (b.variable >= 0) variables.push_back(b.variable);
    return variable_support(std::move(variables));
  }

 private:
  struct Bound {
    double sign;
    int variable = -1;  // a kinematic one that the bound follows
    Function value;
    bool stays = false;  // with its value in `place`
    double place = 0.0;
  };
  int variable_;
  double restitution_;
  std::vector<Bound> bounds_;
};

}  // namespace

std::shared_ptr<const Unilateral> make_joint_limit(const ElementRecord& record) {
  return std::make_shared<JointLimit>(record);
}

}  // namespace bough
