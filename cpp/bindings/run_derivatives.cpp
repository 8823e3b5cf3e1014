// Derivatives of a chain of steps.
#include "bough/integrators/run_derivatives.hpp"

#include <nanobind/stl/tuple.h>

#include "bindings/arrays.hpp"
#include "bindings/parameters.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

using Ended = std::tuple<StepStatus, long>;

Ended ended(const RunDerivatives::Ended& at) {
  return {at.status, at.status == StepStatus::fine ? -1 : static_cast<long>(at.step)};
}

template <class States>
RunDerivatives::Chain chain(const StepLinearization& step, In dt, In t, const States& x, In control) {
  const std::size_t count = dt.size();
  need(t, count, 1);
  need(x, count + 1, step.numbers());
  need(control, count, step.shape().controls());
  return {count, dt.data(), t.data(), x.data(), control.data()};
}

// The states x (count + 1, states) after the first.
Ended roll(StepLinearization& step, In dt, In t, Out x, In control) {
  const auto steps = chain(step, dt, t, x, control);
  nb::gil_scoped_release release;
  const ParameterVariations none;
  ParameterGradient by(step.after().model(), none);
  return ended(RunDerivatives(step, by).roll(steps, x.data()));
}

Ended backward(StepLinearization& step, const VariedModel& varied, In dt, In t, In x, In control, In weights,
               Out lambda, Out by_control, Out by_parameters) {
  const StepShape& shape = step.shape();
  const auto steps = chain(step, dt, t, x, control);
  need(weights, steps.count + 1, shape.states());
  need(lambda, 1, shape.states());
  need(by_control, steps.count, shape.controls());
  need(by_parameters, 1, varied.variations.size());
  nb::gil_scoped_release release;
  ParameterGradient by(varied.model, varied.variations);
  return ended(
      RunDerivatives(step, by).backward(steps, weights.data(), lambda.data(), by_control.data(), by_parameters.data()));
}

Ended forward(StepLinearization& step, const VariedModel& varied, In dt, In t, In x, In control, Out S) {
  const StepShape& shape = step.shape();
  const auto steps = chain(step, dt, t, x, control);
  need(S, shape.states(), shape.states() + shape.controls() + varied.variations.size());
  nb::gil_scoped_release release;
  ParameterGradient by(varied.model, varied.variations);
  return ended(RunDerivatives(step, by).forward(steps, S.data()));
}

}  // namespace

void bind_run_derivatives(nb::module_& m) {
  m.def("roll_steps", &roll, "step"_a, "dt"_a, "t"_a, "x"_a, "control"_a);
  m.def("run_backward", &backward, "step"_a, "varied"_a, "dt"_a, "t"_a, "x"_a, "control"_a, "weights"_a, "lam"_a,
        "by_control"_a, "by_parameters"_a);
  m.def("run_forward", &forward, "step"_a, "varied"_a, "dt"_a, "t"_a, "x"_a, "control"_a, "S"_a);
}
