#include "bough/integrators/one_step.hpp"

#include <utility>

namespace bough {
OneStep::OneStep(const Model& model, std::unique_ptr<OneStepMethod> method, double g1, double g2, bool projecting)
    : equations(model, g1, g2),
      method_(std::move(method)),
      projecting_(projecting && model.elements.n_constraints > 0) {
  for (auto* x : {&v, &v1_}) x->resize(model.n_dynamic);
  for (auto* x : {&q, &q1_}) x->resize(equations.width());
}

StepStatus OneStep::step(const Span& span) {
  const StepStatus status = method_->step(equations, span, q.data(), v.data(), q1_.data(), v1_.data());
  if (status == StepStatus::singular && !equations.sound()) return StepStatus::not_finite;
  if (status != StepStatus::fine) return status;
  if (!sound(q1_) || !sound(v1_)) return StepStatus::not_finite;
  if (projecting_ && !equations.project(span.t + span.dt, span.end, q1_.data(), v1_.data()))
    return StepStatus::singular;
  q.swap(q1_);
  v.swap(v1_);
  work += method_->work;
  return StepStatus::fine;
}

}  // namespace bough
