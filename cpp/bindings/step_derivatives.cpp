// Derivatives of a variational step, for batches of steps.
#include "bough/integrators/step_derivatives.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/core_state.hpp"
#include "bindings/parameters.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

// How a batch ended: a status, and the row of the first step that failed, or -1.
using Ended = std::tuple<StepStatus, long>;

constexpr auto refused = StepStatus::fed_back;  // a servo moves its impulse within the step

struct Batch {
  StepLinearization& step;
  std::size_t count;
  In t, x, control, x1;
  double dt;

  Batch(StepLinearization& step, double dt, In t, In x, In control, In x1)
      : step(step), count(x.ndim() == 2 ? x.shape(0) : 0), t(t), x(x), control(control), x1(x1), dt(dt) {
    need(t, count, 1);
    need(x, count, step.numbers());
    need(control, count, step.shape().controls());
    if (known()) need(x1, count, step.numbers());
  }
  bool known() const { return x1.size() > 0; }
  StepLinearization::Given given(std::size_t b) const {
    return {t.data()[b], dt, x.data() + b * step.numbers(), control.data() + b * step.shape().controls()};
  }

  // Calls write(b) for each row whose step is linearised, until one fails.
  template <class Write>
  Ended linearized(Write write) const {
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < count; ++b) {
      const double* end = known() ? x1.data() + b * step.numbers() : nullptr;
      const StepStatus status = step.linearize(given(b), end, false);
      if (status != StepStatus::fine) return {status, static_cast<long>(b)};
      if (step.shifts()) return {refused, static_cast<long>(b)};
      write(b);
    }
    return {StepStatus::fine, -1};
  }
};

Ended steps(StepLinearization& self, double dt, In t, In x, In control, Out x1, Out lam) {
  const Batch batch(self, dt, t, x, control, In());
  const StepShape& shape = self.shape();
  need(x1, batch.count, self.numbers());
  need(lam, batch.count, shape.m);
  nb::gil_scoped_release release;
  for (std::size_t b = 0; b < batch.count; ++b) {
    const StepStatus status = self.step(batch.given(b));
    if (status != StepStatus::fine) return {status, static_cast<long>(b)};
    self.write_state(x1.data() + b * self.numbers());
    std::copy_n(self.after().state.lam.begin(), shape.m, lam.data() + b * shape.m);
  }
  return {StepStatus::fine, -1};
}

// A, B and the rows of lam, (nc, states + controls), which may be left out.
Ended jacobians(StepLinearization& self, double dt, In t, In x, In control, In x1, Out A, Out B, Out lam) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const int nx = shape.states(), nc = shape.controls();
  need(A, batch.count, static_cast<std::size_t>(nx) * nx);
  need(B, batch.count, static_cast<std::size_t>(nx) * nc);
  const bool forces = lam.size() > 0;
  if (forces) need(lam, batch.count, static_cast<std::size_t>(shape.m) * (nx + nc));
  RowMatrix J(shape.rows(), shape.columns());
  return batch.linearized([&](std::size_t b) {
    if (!forces && self.write_jacobians(A.data() + b * nx * nx, B.data() + b * nx * nc)) return;
    self.jacobian(J);
    Eigen::Map<RowMatrix>(A.data() + b * nx * nx, nx, nx) = J.topLeftCorner(nx, nx);
    Eigen::Map<RowMatrix>(B.data() + b * nx * nc, nx, nc) = J.block(0, nx, nx, nc);
    if (forces)
      Eigen::Map<RowMatrix>(lam.data() + b * shape.m * (nx + nc), shape.m, nx + nc) =
          J.bottomLeftCorner(shape.m, nx + nc);
  });
}

// out (states + rows) = J (dx, dc), for each row.
Ended forward(StepLinearization& self, double dt, In t, In x, In control, In x1, In ds, Out out) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const std::size_t size = shape.states() + shape.controls();
  need(ds, batch.count, size);
  need(out, batch.count, shape.rows());
  std::vector<double> all(shape.columns(), 0.0);
  return batch.linearized([&](std::size_t b) {
    std::copy_n(ds.data() + b * size, size, all.begin());
    self.forward(all.data(), out.data() + b * shape.rows());
  });
}

// out (states + controls) = J^T weights, for each row.
Ended backward(StepLinearization& self, double dt, In t, In x, In control, In x1, In weights, Out out) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const std::size_t size = shape.states() + shape.controls();
  need(weights, batch.count, shape.rows());
  need(out, batch.count, size);
  std::vector<double> all(shape.columns());
  return batch.linearized([&](std::size_t b) {
    self.backward(weights.data() + b * shape.rows(), all.data());
    std::copy_n(all.begin(), size, out.data() + b * size);
  });
}

// out (states + rows, parameters): the derivatives of (x1, lam) by parameters, for each row.
Ended parameter_jacobian(StepLinearization& self, double dt, In t, In x, In control, In x1, const VariedModel& varied,
                         Out out) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const std::size_t size = varied.variations.size(), rows = shape.rows();
  need(out, batch.count, rows * size);
  ParameterGradient by(varied.model, varied.variations);
  return batch.linearized([&](std::size_t b) { self.parameter_jacobian(by, out.data() + b * rows * size); });
}

// out (parameters) = the derivatives of weights . (x1, lam) by parameters, for each row.
Ended parameter_gradient(StepLinearization& self, double dt, In t, In x, In control, In x1, In weights,
                         const VariedModel& varied, Out out) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const std::size_t size = varied.variations.size();
  need(weights, batch.count, shape.rows());
  need(out, batch.count, size);
  ParameterGradient by(varied.model, varied.variations);
  std::vector<double> all(shape.columns());
  return batch.linearized([&](std::size_t b) {
    std::fill_n(out.data() + b * size, size, 0.0);
    self.backward(weights.data() + b * shape.rows(), all.data(), &by, out.data() + b * size);
  });
}

// H (states + controls square), the second derivatives of weights . x1, for each row.
Ended hessian(StepLinearization& self, double dt, In t, In x, In control, In x1, In weights, Out out) {
  const Batch batch(self, dt, t, x, control, x1);
  const StepShape& shape = self.shape();
  const std::size_t size = shape.states() + shape.controls();
  need(weights, batch.count, shape.states());
  need(out, batch.count, size * size);
  return batch.linearized(
      [&](std::size_t b) { self.hessian(weights.data() + b * shape.states(), out.data() + b * size * size); });
}

// All blocks of a step from a state of a stepper, (rows, columns) of StepShape, and its end.
StepStatus linearize(StepLinearization& self, const CoreState<Stepper>& from, double dt, In control, Out J, Out x1,
                     Out lam, const VariedModel& varied, Out by_parameters) {
  const StepShape& shape = self.shape();
  need(control, 1, shape.controls());
  need(J, shape.rows(), shape.columns());
  need(x1, 1, self.numbers());
  need(lam, 1, shape.m);
  need(by_parameters, shape.rows(), varied.variations.size());
  if (!self.after().fits(from.memory)) throw nb::value_error("the state of another model");
  RowMatrix all(shape.rows(), shape.columns());
  nb::gil_scoped_release release;
  const StepStatus status = self.linearize(from.memory, dt, control.data(), true);
  if (status != StepStatus::fine) return status;
  if (self.shifts()) return refused;
  self.jacobian(all);
  Eigen::Map<RowMatrix>(J.data(), shape.rows(), shape.columns()) = all;
  self.end(x1.data(), lam.data());
  ParameterGradient by(varied.model, varied.variations);
  self.parameter_jacobian(by, by_parameters.data());
  return StepStatus::fine;
}

}  // namespace

void bind_step_derivatives(nb::module_& m) {
  nb::class_<StepLinearization>(m, "StepLinearization")
      .def(
          "__init__",
          [](StepLinearization* self, const Model& model, int method, double alpha, double tolerance,
             double constraint_tolerance, int max_iterations, int max_halvings, int order) {
            new (self) StepLinearization(model, method, alpha,
                                         {tolerance, constraint_tolerance, max_iterations, max_halvings, order});
          },
          nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
          "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("steps", &steps)
      .def("jacobians", &jacobians)
      .def("forward", &forward)
      .def("backward", &backward)
      .def("hessian", &hessian)
      .def("parameter_jacobian", &parameter_jacobian)
      .def("parameter_gradient", &parameter_gradient)
      .def("linearize", &linearize)
      .def_prop_ro("parts", [](const StepLinearization& self) { return self.after().parts(); })
      .def("failure", [](const StepLinearization& self) {
        return std::tuple(self.failure().residual, self.failure().worst_row, self.failure().iterations);
      });
}
