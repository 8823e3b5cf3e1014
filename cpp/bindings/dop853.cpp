#include "bough/integrators/dop853.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <limits>

#include "bindings/arrays.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

using Numbers = std::vector<double>;

// held: kinematic values, if they do not move; else breaks (pieces + 1,) and coefficients (powers, pieces, nk).
void construct(Dop853* self, const Model& model, double rtol, double atol, double max_step, double first_step,
               std::tuple<double, double> gains, bool projecting, Numbers held, Numbers breaks, Numbers coefficients) {
  const std::size_t nk = model.n_variables - model.n_dynamic, pieces = breaks.empty() ? 0 : breaks.size() - 1;
  need_exactly(held, nk);
  if (pieces > 0 && nk > 0 && (coefficients.empty() || coefficients.size() % (pieces * nk) != 0))
    throw nb::value_error("coefficients of the wrong number");
  const Dop853Settings settings{rtol,
                                atol,
                                max_step,
                                first_step,
                                std::get<0>(gains),
                                std::get<1>(gains),
                                projecting && model.elements.n_constraints > 0};
  new (self) Dop853(model, settings, KinematicMotion(std::move(held), std::move(breaks), std::move(coefficients)));
}

void start(Dop853& s, double t, In q, In v) {
  const Model& model = s.equations.model();
  need(q, 1, model.n_coordinates());
  need(v, 1, model.n_dynamic);
  Configurations config(model, q);
  const double* all = config(0);
  Numbers start(all, all + model.n_dynamic);
  start.insert(start.end(), all + model.n_variables, all + model.width());
  s.start(t, start.data(), v.data());
}

// At most so many steps towards `end` with constant inputs, recording the states at `times` (ascending) from row `row` on,
// until all are recorded, or on.
// Returns status, the next row to fill, and None or what an element of the user raised: the state is then that before the step.
std::tuple<StepStatus, std::size_t, nb::object> run(Dop853& s, double end, In u, long steps, bool on, In times,
                                                    Out out_q, Out out_v, std::size_t row) {
  const std::size_t n = s.equations.model().n_variables, rows = times.size();
  const std::size_t nq = s.equations.model().n_coordinates();
  need(u, 1, s.equations.model().elements.n_inputs);
  need(out_q, rows, nq);
  need(out_v, rows, n);
  StepStatus status = StepStatus::fine;
  nb::object raised = nb::none();
  try {
    nb::gil_scoped_release release;
    for (; steps > 0 && s.time() < end && (on || row < rows) && status == StepStatus::fine; --steps) {
      status = s.step(end, u.data());
      while (status == StepStatus::fine && row < rows && times.data()[row] <= s.time()) {
        if (s.at(times.data()[row], out_q.data() + row * nq, out_v.data() + row * n))
          ++row;
        else
          status = StepStatus::singular;
      }
    }
  } catch (nb::python_error& error) {
    status = StepStatus::user_error;
    raised = nb::borrow(error.value());
  }
  return {status, row, raised};
}

}  // namespace

void bind_dop853(nb::module_& m) {
  nb::class_<Dop853>(m, "Dop853")
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "rtol"_a, "atol"_a, "max_step"_a, "first_step"_a,
           "gains"_a, "projecting"_a, "held"_a, "breaks"_a, "coefficients"_a)
      .def("start", &start)
      .def("forget_rate", &Dop853::forget_rate)
      .def("run", &run)
      // The state within the last step; False where the mass matrix is singular.
      .def("at",
           [](Dop853& s, double t, Out q, Out v) {
             need(q, 1, s.equations.model().n_coordinates());
             need(v, 1, s.equations.model().n_variables);
             return s.at(t, q.data(), v.data());
           })
      .def_prop_ro("t", &Dop853::time)
      .def_prop_ro("t_before", &Dop853::time_before)
      .def_ro("failed_at", &Dop853::failed_at)
      .def_ro("steps", &Dop853::steps)
      .def_ro("rejected", &Dop853::rejected)
      .def_prop_ro("evaluations", [](const Dop853& s) { return s.equations.evaluations; })
      .def_prop_ro("singular", [](const Dop853& s) { return s.equations.singular; });
}
