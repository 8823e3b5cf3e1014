#include "bough/integrators/one_step.hpp"

#include <utility>

namespace bough {
OneStep::OneStep(const Model& model, std::unique_ptr<OneStepMethod> method, double g1, double g2, bool projecting)
    : equations(model, g1, g2),
      method_(std::move(method)),
      projecting_(projecting && model.elements.n_constraints > 0) {
  for (auto* x : {&q, &v, &q1_, &v1_}) x->resize(model.n_dynamic);
}

OneStepStatus OneStep::step(const Span& span) {
  const OneStepStatus status = method_->step(equations, span, q.data(), v.data(), q1_.data(), v1_.data());
  if (status == OneStepStatus::singular && !equations.sound()) return OneStepStatus::blown_up;
  if (status != OneStepStatus::fine) return status;
  if (!sound(q1_) || !sound(v1_)) return OneStepStatus::blown_up;
  if (projecting_ && !equations.project(span.t + span.dt, span.end, q1_.data(), v1_.data()))
    return OneStepStatus::singular;
  q.swap(q1_);
  v.swap(v1_);
  work += method_->work;
  return OneStepStatus::fine;
}

}  // namespace bough
