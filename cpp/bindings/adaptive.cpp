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

// Makes at most `steps` steps of lengths that `length` gives, the last one up to `end`; `make(h)` makes one. Rows are written
// after each.
template <class Length, class Make>
Result make_steps(GaussStepper& s, long steps, double end, Out out_t, Out out_q, Out out_p, Length length, Make make) {
  const std::size_t n = s.model().n_variables, nd = s.model().n_dynamic;
  if (steps < 0) throw nb::value_error("steps of a run");
  need(out_t, steps, 1);
  need(out_q, steps, n);
  need(out_p, steps, nd);
  StepStatus status = StepStatus::fine;
  nb::object raised = nb::none();
  long done = 0;
  try {
    nb::gil_scoped_release release;
    for (; done < steps && s.state.t < end; ++done) {
      const double h = length();
      const bool last = !(s.state.t + h < end);
      if (!(h > 0.0)) {
        status = StepStatus::singular;
        break;
      }
      status = make(last ? end - s.state.t : h, last);
      if (status != StepStatus::fine) break;
      if (last) s.state.t = end;
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

// Kinematic variables are held, inputs constant.
Result reversible(StepDensity& density, GaussStepper& s, long steps, double end, In u, Out out_t, Out out_q,
                  Out out_p) {
  need(u, 1, s.model().elements.n_inputs);
  const std::vector<double> held(s.state.q.begin() + s.model().n_dynamic, s.state.q.end());
  const auto length = [&] { return density.length(s.state.t, s.state.q.data(), s.state.p.data(), u.data()); };
  const auto make = [&](double h, bool) { return s.step(h, {held.data(), u.data(), 0, 0}); };
  return make_steps(s, steps, end, out_t, out_q, out_p, length, make);
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
      .def_ro("resets", &StepDensity::resets)
      .def("run", &reversible);
  // By which changes of variables are measured: a radian, or the size of the system.
  m.def("variable_units", &variable_units);
}
