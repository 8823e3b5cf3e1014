// Derivatives of a reduced step, for batches of steps.
#include "bough/integrators/reduced_derivatives.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

// How a batch ended: a status, and the row of the first step that failed, or -1.
using Ended = std::tuple<StepStatus, long>;
using Step = ReducedLinearization;
using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

std::size_t size_of(Step& self, const In& t, const In& x, const In& control) {
  const std::size_t count = x.ndim() == 2 ? x.shape(0) : 0;
  need(t, count, 1);
  need(x, count, self.shape().numbers());
  need(control, count, self.shape().controls());
  return count;
}

// Calls make(given, b) for each row, until one fails.
template <class Make>
Ended for_rows(Step& self, double dt, const In& t, const In& x, const In& control, Make make) {
  const std::size_t count = size_of(self, t, x, control);
  nb::gil_scoped_release release;
  for (std::size_t b = 0; b < count; ++b) {
    const StepStatus status =
        make({t.data()[b], dt, x.data() + b * self.shape().numbers(), control.data() + b * self.shape().controls()}, b);
    if (status != StepStatus::fine) return {status, static_cast<long>(b)};
  }
  return {StepStatus::fine, -1};
}

// lam, which these models do not have, has no columns.
Ended steps(Step& self, double dt, In t, In x, In control, Out x1, Out lam) {
  const std::size_t count = size_of(self, t, x, control);
  need(x1, count, self.shape().numbers());
  need(lam, count, 0);
  return for_rows(self, dt, t, x, control, [&](const Step::Given& given, std::size_t b) {
    const StepStatus status = self.step(given);
    if (status == StepStatus::fine) self.write_state(x1.data() + b * self.shape().numbers());
    return status;
  });
}

template <class Write>
Ended linearized(Step& self, double dt, In t, In x, In control, Write write) {
  return for_rows(self, dt, t, x, control, [&](const Step::Given& given, std::size_t b) {
    const StepStatus status = self.linearize(given);
    if (status == StepStatus::fine) write(b);
    return status;
  });
}

Ended jacobians(Step& self, double dt, In t, In x, In control, In, Out A, Out B, Out) {
  const std::size_t nx = self.shape().states(), nc = self.shape().controls(), count = size_of(self, t, x, control);
  need(A, count, nx * nx);
  need(B, count, nx * nc);
  return linearized(self, dt, t, x, control, [&](std::size_t b) {
    Eigen::Map<RowMatrix>(A.data() + b * nx * nx, nx, nx) = self.jacobian().leftCols(nx);
    Eigen::Map<RowMatrix>(B.data() + b * nx * nc, nx, nc) = self.jacobian().middleCols(nx, nc);
  });
}

// out (states) = J (dx, dc), for each row.
Ended forward(Step& self, double dt, In t, In x, In control, In, In ds, Out out) {
  const std::size_t nx = self.shape().states(), size = nx + self.shape().controls(),
                    count = size_of(self, t, x, control);
  need(ds, count, size);
  need(out, count, nx);
  return linearized(self, dt, t, x, control, [&](std::size_t b) {
    Vector(out.data() + b * nx, nx).noalias() =
        self.jacobian().leftCols(size) * ConstVector(ds.data() + b * size, size);
  });
}

// out (states + controls) = J^T weights, for each row.
Ended backward(Step& self, double dt, In t, In x, In control, In, In weights, Out out) {
  const std::size_t nx = self.shape().states(), size = nx + self.shape().controls(),
                    count = size_of(self, t, x, control);
  need(weights, count, nx);
  need(out, count, size);
  return linearized(self, dt, t, x, control, [&](std::size_t b) {
    Vector(out.data() + b * size, size).noalias() =
        self.jacobian().leftCols(size).transpose() * ConstVector(weights.data() + b * nx, nx);
  });
}

}  // namespace

void bind_reduced_derivatives(nb::module_& m) {
  nb::class_<Step>(m, "ReducedLinearization")
      .def(
          "__init__",
          [](Step* self, const Model& model, double alpha, Retraction tau, double tolerance, int max_iterations,
             int max_halvings,
             int order) { new (self) Step(model, {alpha, tau, tolerance, max_iterations, max_halvings, order}); },
          nb::keep_alive<1, 2>(), "model"_a, "alpha"_a, "tau"_a, "tolerance"_a, "max_iterations"_a, "max_halvings"_a,
          "order"_a)
      .def("steps", &steps)
      .def("jacobians", &jacobians)
      .def("forward", &forward)
      .def("backward", &backward)
      // All columns (states, columns) of a step from t, g, r, mu, p, and its end.
      .def("linearize",
           [](Step& self, double dt, double t, In x, In control, Out J, Out x1) {
             const ReducedShape& shape = self.shape();
             need(x, 1, shape.numbers());
             need(control, 1, shape.controls());
             need(J, shape.states(), shape.columns());
             need(x1, 1, shape.numbers());
             nb::gil_scoped_release release;
             const StepStatus status = self.linearize({t, dt, x.data(), control.data()});
             if (status != StepStatus::fine) return status;
             Eigen::Map<RowMatrix>(J.data(), shape.states(), shape.columns()) = self.jacobian();
             self.write_state(x1.data());
             return status;
           })
      .def("failure", [](const Step& self) {
        return std::tuple(self.failure().residual, self.failure().worst_row, self.failure().iterations);
      });
}
