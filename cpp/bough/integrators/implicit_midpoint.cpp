#include "bough/integrators/implicit_midpoint.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

constexpr double slow = 0.25;          // of a correction, as a part of the one before: B is made anew
constexpr double round_off = 1e-10;    // where corrections that do not fall any more are taken for round-off
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
  lu_.compute(B_);
  factored_ = true;
  return true;
}

OneStepStatus ImplicitMidpoint::solve(EquationsOfMotion& equations, const Span& span, const double* q0,
                                      const double* v0) {
  const int n = equations.n();
  const double half = 0.5 * span.dt;
  double before = HUGE_VAL;
  for (int j = 0; j < n; ++j) vm_[j] = v0[j] + half * a_[j];  // as the step before was accelerated
  for (int i = 0; i < max_iterations_; ++i) {
    if (!evaluate(equations, span, q0, vm_.data(), a_.data())) return OneStepStatus::singular;
    for (int j = 0; j < n; ++j) F_[j] = v0[j] + half * a_[j] - vm_[j];  // (I1)
    if (factored_)
      d_ = lu_.solve(F_);
    else
      d_ = F_;
    const double change = n > 0 ? d_.cwiseAbs().maxCoeff() : 0.0;
    const double size = largest(vm_) + half * largest(a_);
    if (!std::isfinite(change)) return OneStepStatus::blown_up;
    const bool stalled = change > slow * before;
    if (stalled && change > round_off * size) {
      if (!factored_) std::copy_n(v0, n, vm_.begin());  // the fixed-point iteration led away
      if (!evaluate(equations, span, q0, vm_.data(), a_.data()) || !factor(equations, span, q0))
        return OneStepStatus::singular;
      before = HUGE_VAL;
      continue;
    }
    for (int j = 0; j < n; ++j) vm_[j] += d_[j];
    if (change <= tolerance_ * size || stalled) return OneStepStatus::fine;
    before = change;
  }
  return OneStepStatus::no_convergence;
}

OneStepStatus ImplicitMidpoint::step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0,
                                     double* q1, double* v1) {
  const OneStepStatus status = solve(equations, span, q0, v0);
  if (status != OneStepStatus::fine) return status;
  for (int i = 0; i < equations.n(); ++i) {  // (I2)
    q1[i] = q0[i] + span.dt * vm_[i];
    v1[i] = 2.0 * vm_[i] - v0[i];
  }
  work = span.dt * equations.power(vm_.data());
  return OneStepStatus::fine;
}

}  // namespace bough
