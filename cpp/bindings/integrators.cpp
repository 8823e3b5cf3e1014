#include "bindings/run_steps.hpp"
#include "bough/dynamics/constrained.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/stepper.hpp"
#include "bough/integrators/trapezoidal.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace bough;
using namespace nb::literals;

namespace {

void construct(Stepper* self, const Model& model, int method, double alpha, double tolerance,
               double constraint_tolerance, int max_iterations, int max_halvings, int order) {
  std::unique_ptr<DiscreteLagrangian> discrete;
  if (method == 0)
    discrete = std::make_unique<Midpoint>(model, alpha);
  else
    discrete = std::make_unique<Trapezoidal>(model);
  new (self)
      Stepper(model, std::move(discrete), {tolerance, constraint_tolerance, max_iterations, max_halvings, order});
}

// From momenta; vk: velocities of the kinematic variables. Returns -1, or the variable at which the mass matrix is singular.
int start(Stepper& s, double t, In q, In p, In vk) {
  const Model& model = s.model();
  ConstraintSpace space(model);
  need(q, 1, model.n_variables);
  need(p, 1, model.n_dynamic);
  if (vk.size() + model.n_dynamic != static_cast<std::size_t>(model.n_variables)) throw nb::value_error("vk");
  std::vector<double> v(model.n_variables, 0.0);
  std::copy_n(vk.data(), vk.size(), v.begin() + model.n_dynamic);
  const int singular = velocity_from_momentum(model, workspace(model), space, q.data(), p.data(), t, v.data());
  if (singular < 0) s.start(t, q.data(), p.data(), v.data());
  return singular;
}

using Plain =
    std::tuple<double, std::vector<double>, std::vector<double>, std::vector<double>, double, std::vector<double>,
               std::vector<double>, bool, std::vector<double>, double, std::vector<double>>;

Plain state_out(const Stepper& s) {
  const auto& x = s.state;
  const auto& past = x.history;
  return {x.t,
          x.q,
          x.p,
          x.lam,
          x.dt_before,
          std::vector<double>(past.past.begin(), past.past.begin() + past.known * past.n),
          std::vector<double>(past.age.begin(), past.age.begin() + past.known),
          past.made_up,
          x.given_known ? x.given : std::vector<double>(),
          x.peak,
          x.shift};
}

void state_in(Stepper& s, const Plain& plain) {
  const auto& [t, q, p, lam, dt_before, past, age, made_up, given, peak, shift] = plain;
  History& history = s.state.history;
  need_exactly(q, s.model().n_variables);
  need_exactly(p, s.model().n_dynamic);
  need_exactly(lam, s.model().elements.n_constraints);
  need_exactly(past, age.size() * q.size());
  if (age.empty() || age.size() > History::memory) throw nb::value_error("a memory of too few or too many steps");
  if (!given.empty()) need_exactly(given, s.state.given.size());
  need_exactly(shift, s.model().n_dynamic);
  s.start(t, q.data(), p.data(), q.data());
  s.state.lam = lam;
  s.state.dt_before = dt_before;
  std::copy(past.begin(), past.end(), history.past.begin());
  std::copy(age.begin(), age.end(), history.age.begin());
  history.known = static_cast<int>(age.size());
  history.made_up = made_up;
  s.state.given_known = !given.empty();
  std::copy(given.begin(), given.end(), s.state.given.begin());
  s.state.peak = peak;
  s.state.shift = shift;
}

constexpr int user_error = 4;  // status: an element that a user wrote raised

// Steps, recording every `every`-th node; see src/bough/integrator.py for the arguments. The last field is None, or what an
// element of the user raised: the stepper is then in the state before that step.
std::tuple<int, long, long, long, long, nb::object> run(Stepper& s, long steps, double dt, In k, In u, long every,
                                                        long phase, Out out_work, Out out_q, Out out_p, Out out_lam,
                                                        long row) {
  const std::size_t n = s.model().n_variables, nd = s.model().n_dynamic;
  const std::size_t nc = s.model().elements.n_constraints;
  const std::vector<double> held(s.state.q.begin() + nd, s.state.q.end());
  const PerStep kinematic = kinematic_of(k, held, steps);
  const PerStep inputs = inputs_of(u, s.model().elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_work, rows, 1);
  need(out_q, rows, n);
  need(out_p, rows, nd);
  need(out_lam, rows, nc);
  const long iterations = s.iterations, halvings = s.halvings;
  const auto step = [&](long i, long from) {
    const int status = static_cast<int>(s.step(dt, kinematic[i], inputs[i]));
    if (status == 0 && from >= 0) std::copy(s.state.lam.begin(), s.state.lam.end(), out_lam.data() + from * nc);
    return status;
  };
  const auto record = [&](long, long to) {
    out_work.data()[to] = s.state.work;
    std::copy(s.state.q.begin(), s.state.q.end(), out_q.data() + to * n);
    std::copy(s.state.p.begin(), s.state.p.end(), out_p.data() + to * nd);
  };
  const Ran ran = run_steps(steps, every, phase, row, user_error, step, record);
  return {ran.status, ran.done, ran.row, s.iterations - iterations, s.halvings - halvings, ran.raised};
}

}  // namespace

void bind_integrators(nb::module_& m) {
  nb::class_<Stepper>(m, "Stepper")
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a,
           "constraint_tolerance"_a, "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("start", &start)
      .def("configurations",
           [](Stepper& s, double t0, In q0, double t1, In q1, In u) {
             need(q0, 1, s.model().n_variables);
             need(q1, 1, s.model().n_variables);
             need(u, 1, s.model().elements.n_inputs);
             s.start_from_configurations(t0, q0.data(), t1, q1.data(), u.data());
           })
      .def("state", &state_out)
      .def("restore", &state_in)
      .def_ro("coarse", &Stepper::coarse)
      .def_ro("coarse_time", &Stepper::coarse_time)
      .def_prop_ro("work", [](const Stepper& s) { return s.state.work; })
      .def("run", &run)
      .def("failure", [](const Stepper& s) { return std::tuple(s.state.t, s.residual, s.worst_row, s.attempted); });
}
