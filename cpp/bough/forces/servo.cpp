// A servo: a spring to a target and a damper to its rate, of limited effort.
//
//   f_i = min(max(g, -effort), effort),   g = kp (target - q_i) + kd (rate - v_i)                     (VS1)
//   df/dq_i = -kp o,  df/dv_i = -kd o,    o = 1 between the limits, 0 at them                         (VS2)
//
// The target is a constant, an input, or a kinematic variable k, whose velocity is then the rate. Newton's method takes
// the branch of (VS2) from Instant::limit if that is set (VS3). A step that is long for the gains takes q ahead by
// Instant::lead (VS5). docs/theory/forces.md derives both.
//
// Record: variables (i) or (i, k), inputs (of the target, of the rate; -1: constant), values (kp, kd, effort; target and
// rate, or the factor of an input or of k; 1 if the rate is that of k).
#include <algorithm>
#include <cmath>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"

namespace bough {
namespace {

class Servo final : public Force, public ForceDerivatives {
 public:
  explicit Servo(const ElementRecord& r)
      : i_(r.variables[0]),
        k_(r.variables.size() > 1 ? r.variables[1] : -1),
        target_input_(r.inputs[0]),
        rate_input_(r.inputs[1]),
        kp_(r.values[0]),
        kd_(r.values[1]),
        effort_(r.values[2]),
        target_(r.values[3]),
        rate_(r.values[4]),
        follows_(r.values[5] != 0.0) {}

  void add_force(const Instant& at, double factor, double* out) const override { out[i_] += factor * force(at); }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    if (kp_ == 0.0 || !free(at)) return;
    double* row = H + static_cast<std::size_t>(i_) * at.model.n_variables;
    row[i_] -= factor * kp_;  // (VS2)
    if (k_ >= 0) row[k_] += factor * kp_ * target_;
  }
  void add_force_dv(const Instant& at, double factor, double* H) const override {
    if (!free(at)) return;
    double* row = H + static_cast<std::size_t>(i_) * at.model.n_variables;
    row[i_] -= factor * (kd_ + at.lead * kp_);
    if (k_ >= 0) row[k_] += factor * ((follows_ ? kd_ : 0.0) + at.lead * kp_) * target_;
  }
  void add_force_du(const Instant& at, double factor, double* B) const override {
    if (!free(at)) return;
    double* row = B + static_cast<std::size_t>(i_) * at.model.elements.n_inputs;
    if (k_ < 0 && target_input_ >= 0) row[target_input_] += factor * kp_ * target_;
    if (!follows_ && rate_input_ >= 0) row[rate_input_] += factor * kd_ * rate_;
  }
  bool linear() const override { return true; }
  bool diagonal() const override { return true; }
  void add_diagonal(const Instant& at, double by_q, double by_v, double* d) const override {
    if (free(at)) d[i_] -= by_q * kp_ + by_v * (kd_ + at.lead * kp_);
  }

  bool servo() const override { return true; }
  // (VS4), (VS5)
  ServoRule servo_rule(double dt, double alpha, const double* inertia) const override {
    const double stiffness = 0.5 * dt * (kd_ + 0.5 * dt * kp_);
    if (!(stiffness > inertia[i_]) || dt <= 0.0) return {};
    const double shift = 1.0 - inertia[i_] / stiffness;
    return {shift, kp_ > 0.0 ? shift * std::max(0.0, (1.0 - alpha) * dt - kd_ / kp_) : 0.0};
  }
  // (VS3)
  Limit next_limit(const Instant& at) const override {
    const double g = unlimited(at);
    if (at.limit == Limit::upper && g < effort_) return Limit::free;
    if (at.limit == Limit::lower && g > -effort_) return Limit::free;
    return g > effort_ ? Limit::upper : g < -effort_ ? Limit::lower : Limit::free;
  }

 private:
  // (VS1) without limits.
  double unlimited(const Instant& at) const {
    const double target = k_ >= 0              ? target_ * (at.q[k_] + at.lead * at.v[k_])
                          : target_input_ >= 0 ? target_ * at.u[target_input_]
                                               : target_;
    const double rate = follows_ ? target_ * at.v[k_] : rate_input_ >= 0 ? rate_ * at.u[rate_input_] : rate_;
    return kp_ * (target - at.q[i_] - at.lead * at.v[i_]) + kd_ * (rate - at.v[i_]);
  }
  double force(const Instant& at) const {
    switch (at.limit) {
      case Limit::free:
        return unlimited(at);
      case Limit::upper:
        return effort_;
      case Limit::lower:
        return -effort_;
      default:
        return std::clamp(unlimited(at), -effort_, effort_);
    }
  }
  bool free(const Instant& at) const {
    return at.limit == Limit::by_value ? std::abs(unlimited(at)) <= effort_ : at.limit == Limit::free;
  }

  int i_, k_, target_input_, rate_input_;
  double kp_, kd_, effort_, target_, rate_;
  bool follows_;
};

}  // namespace

std::shared_ptr<const Force> make_servo(const ElementRecord& record) { return std::make_shared<Servo>(record); }

}  // namespace bough
