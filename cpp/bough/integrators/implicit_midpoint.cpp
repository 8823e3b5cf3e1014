#include "bough/integrators/implicit_midpoint.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

constexpr double slow = 0.25;          // correction, relative to the one before, at which B is recomputed
constexpr double round_off = 1e-10;    // correction below which one that does not fall any more is taken for round-off
constexpr double difference = 1.5e-8;  // of vm in (I3), relative to the largest velocity

double largest(const std::vector<double>& x) {
  double found = 0.0;
  for (double value : x) found = std::max(found, std::abs(value));
  return found;
}

}  // namespace

ImplicitMidpoint::ImplicitMidpoint(const Model& model, double tolerance, int max_iterations)
    : tolerance_(tolerance), max_iterations_(max_iterations), lu_(model.n_dynamic) {
  for (auto* x : {&vm_, &qm_, &a_, &column_}) x->resize(model.n_dynamic);
  B_.resize(model.n_dynamic, model.n_dynamic);
  F_.resize(model.n_dynamic);
  d_.resize(model.n_dynamic);
}

bool ImplicitMidpoint::evaluate(EquationsOfMotion& equations, const Span& span, const double* q0, const double* vm,
                                double* a) {
  const double half = 0.5 * span.dt;
  for (int i = 0; i < equations.n(); ++i) qm_[i] = q0[i] + half * vm[i];
  return equations.acceleration(span.t + half, span.middle, qm_.data(), vm, span.u, a);
}

// (I3) at vm, where the acceleration is a_.
bool ImplicitMidpoint::factor(EquationsOfMotion& equations, const Span& span, const double* q0) {
  const int n = equations.n();
  const double half = 0.5 * span.dt, size = largest(vm_) + half * largest(a_);
  const double e = difference * (size > 0.0 ? size : 1.0);
  for (int j = 0; j < n; ++j) {
    const double kept = vm_[j];
    vm_[j] += e;
    const bool fine = evaluate(equations, span, q0, vm_.data(), column_.data());
    vm_[j] = kept;
    if (!fine) return false;
    for (int i = 0; i < n; ++i) B_(i, j) = (i == j ? 1.0 : 0.0) - half * (column_[i] - a_[i]) / e;
  }
  lu_.factor(B_);
  factored_ = true;
  return true;
}

// (I1) of one step, for newton(): judged by its corrections.
struct ImplicitMidpoint::Equations {
  ImplicitMidpoint& rule;
  EquationsOfMotion& motion;
  const Span& span;
  const double *q0, *v0;
  double change = 0.0, size = 0.0, before = HUGE_VAL;  // the last correction, what it is compared with, the one before
  bool stalled = false, restarted = false;

  StepStatus evaluate() const { return StepStatus::fine; }
  bool solved(int) const { return false; }

  StepStatus correct() {
    const int n = motion.n();
    const double half = 0.5 * span.dt;
    auto &vm = rule.vm_, &a = rule.a_;
    restarted = false;
    if (!rule.evaluate(motion, span, q0, vm.data(), a.data())) return StepStatus::singular;
    for (int j = 0; j < n; ++j) rule.F_[j] = v0[j] + half * a[j] - vm[j];  // (I1)
    if (rule.factored_)
      rule.lu_.solve(rule.F_, rule.d_.data());
    else
      rule.d_ = rule.F_;
    change = n > 0 ? rule.d_.cwiseAbs().maxCoeff() : 0.0;
    size = largest(vm) + half * largest(a);
    if (!std::isfinite(change)) return StepStatus::not_finite;
    stalled = change > slow * before;
    if (!stalled || change <= round_off * size) return StepStatus::fine;
    if (!rule.factored_) std::copy_n(v0, n, vm.begin());  // the fixed-point iteration led away
    if (!rule.evaluate(motion, span, q0, vm.data(), a.data()) || !rule.factor(motion, span, q0))
      return StepStatus::singular;
    restarted = true;
    return StepStatus::fine;
  }

  void move(double factor) {
    if (restarted) return;
    for (int j = 0; j < motion.n(); ++j) rule.vm_[j] += factor * rule.d_[j];
  }

  Judgement judge(double) {
    if (!restarted && (change <= rule.tolerance_ * size || stalled)) return Judgement::accept;
    before = restarted ? HUGE_VAL : change;
    return Judgement::go_on;
  }
};

StepStatus ImplicitMidpoint::step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0,
                                  double* q1, double* v1) {
  for (int j = 0; j < equations.n(); ++j) vm_[j] = v0[j] + 0.5 * span.dt * a_[j];  // as the step before was accelerated
  Equations one{*this, equations, span, q0, v0};
  const StepStatus status = newton(one, max_iterations_);
  if (status != StepStatus::fine) return status;
  for (int i = 0; i < equations.n(); ++i) {  // (I2)
    q1[i] = q0[i] + span.dt * vm_[i];
    v1[i] = 2.0 * vm_[i] - v0[i];
  }
  work = span.dt * equations.power(vm_.data());
  return StepStatus::fine;
}

}  // namespace bough
