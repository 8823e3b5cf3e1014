#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "bindings/arrays.hpp"
#include "bough/integrators/gauss.hpp"
#include "bough/integrators/step_density.hpp"
#include "bough/integrators/step_equations.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

using Result = std::tuple<StepStatus, long, nb::object>;

void construct(StepDensity* self, const Model& model, const std::vector<std::array<int, 2>>& pairs, double epsilon,
               double w0) {
  for (const auto& [a, b] : pairs) frame_of(model, a), frame_of(model, b);
  if (!(epsilon > 0.0 && w0 > 0.0)) throw nb::value_error("a density that is not positive");
  new (self) StepDensity(model, pairs, epsilon, w0);
}

// Makes at most `steps` steps, the last one up to `end`. Rows are written after each. Kinematic variables are held, inputs
// constant.
Result run(StepDensity& density, GaussStepper& s, long steps, double end, In u, Out out_t, Out out_q, Out out_p) {
  const std::size_t n = s.model().n_variables, nd = s.model().n_dynamic;
  if (steps < 0) throw nb::value_error("steps of a run");
  need(u, 1, s.model().elements.n_inputs);
  need(out_t, steps, 1);
  need(out_q, steps, n);
  need(out_p, steps, nd);
  const std::vector<double> held(s.state.q.begin() + nd, s.state.q.end());
  StepStatus status = StepStatus::fine;
  nb::object raised = nb::none();
  long done = 0;
  try {
    nb::gil_scoped_release release;
    for (; done < steps && s.state.t < end; ++done) {
      status = density.advance(s, end, {held.data(), u.data(), 0, 0});
      if (status != StepStatus::fine) break;
      out_t.data()[done] = s.state.t;
      std::copy(s.state.q.begin(), s.state.q.end(), out_q.data() + done * n);
      std::copy(s.state.p.begin(), s.state.p.end(), out_p.data() + done * nd);
    }
  } catch (nb::python_error& error) {
    status = StepStatus::user_error;
    raised = nb::borrow(error.value());
  }
  return {status, done, raised};
}

}  // namespace

void bind_adaptive(nb::module_& m) {
  nb::class_<StepDensity>(m, "StepDensity")
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "pairs"_a, "epsilon"_a, "w0"_a)
      .def("rate",
           [](StepDensity& s, In q, In v, double w0, int variables) {
             need(q, 1, variables);
             need(v, 1, variables);
             return s.rate(q.data(), v.data(), w0);
           })
      .def("length",
           [](StepDensity& s, double t, In q, In p, In u, int variables, int dynamic) {
             need(q, 1, variables);
             need(p, 1, dynamic);
             return s.length(t, q.data(), p.data(), u.data());
           })
      .def_rw("z", &StepDensity::z)
      .def("judge", &StepDensity::judge, "delta"_a, "kinetic"_a, "rate"_a)
      .def_ro("resets", &StepDensity::resets)
      .def_ro("halved", &StepDensity::halved)
      .def_ro("unresolved", &StepDensity::unresolved)
      .def_ro("last", &StepDensity::last)
      .def("run", &run);
  // Factors that make changes of variables radians, or parts of the size of the system.
  m.def("variable_units", &variable_units);
}
