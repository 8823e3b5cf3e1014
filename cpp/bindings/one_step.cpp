#include "bough/integrators/one_step.hpp"

#include "bindings/run_steps.hpp"
#include "bough/integrators/implicit_midpoint.hpp"
#include "bough/integrators/rk4.hpp"
#include "bough/integrators/semi_implicit_euler.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

using namespace bough;
using namespace nb::literals;

namespace {

std::unique_ptr<OneStepMethod> method_of(const std::string& name, const Model& model, double tolerance,
                                         int max_iterations) {
  if (name == "semi-implicit-euler") return std::make_unique<SemiImplicitEuler>(model);
  if (name == "rk4") return std::make_unique<RK4>(model);
  if (name == "implicit-midpoint") return std::make_unique<ImplicitMidpoint>(model, tolerance, max_iterations);
  throw nb::value_error("no such method");
}

void construct(OneStep* self, const Model& model, const std::string& method, double g1, double g2, bool projecting,
               double tolerance, int max_iterations) {
  new (self) OneStep(model, method_of(method, model, tolerance, max_iterations), g1, g2, projecting);
}

void start(OneStep& s, In q, In v) {
  const Model& model = s.equations.model();
  need(q, 1, model.n_coordinates());
  need(v, 1, s.v.size());
  Configurations config(model, q);
  const double* all = config(0);
  std::copy_n(all, model.n_dynamic, s.q.begin());
  std::copy_n(all + model.n_variables, s.equations.n_quaternions(), s.q.begin() + model.n_dynamic);
  std::copy_n(v.data(), s.v.size(), s.v.begin());
  s.work = 0.0;
}

// Steps from node `first` of a grid with nodes at t0 + node dt, recording every `every`-th node. motion: (2 steps + 1, 3, nk), values, velocities and accelerations of
// the kinematic variables at the nodes and between them. The last field is None, or what an element of the user raised:
// the state is then that before the step.
std::tuple<StepStatus, long, long, nb::object> run(OneStep& s, double t0, long first, double spacing, long steps,
                                                   double dt, In motion, In u, long every, long phase, Out out_work,
                                                   Out out_q, Out out_v, long row) {
  const Model& model = s.equations.model();
  const std::size_t n = model.n_variables, nd = model.n_dynamic, nk = n - nd, nq = model.n_coordinates();
  const PerStep inputs = inputs_of(u, model.elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(motion, 2 * steps + 1, 3 * nk);
  need(out_work, rows, 1);
  need(out_q, rows, nq);
  need(out_v, rows, n);
  const auto prescribed = [&](long half) {
    const double* k = motion.data() + half * 3 * nk;
    return Prescribed{k, k + nk, k + 2 * nk};
  };
  const auto step = [&](long i, long) {
    const double t = t0 + (first + i) * spacing;
    return s.step({t, dt, prescribed(2 * i), prescribed(2 * i + 1), prescribed(2 * i + 2), inputs[i]});
  };
  const auto record = [&](long i, long to) {
    const Prescribed end = prescribed(2 * i + 2);
    out_work.data()[to] = s.work;
    to_user(model, s.q.data(), end.k, out_q.data() + to * nq);
    std::copy_n(s.v.begin(), nd, out_v.data() + to * n);
    std::copy_n(end.vk, nk, out_v.data() + to * n + nd);
  };
  const Ran ran = run_steps(steps, every, phase, row, StepStatus::user_error, step, record);
  return {ran.status, ran.done, ran.row, ran.raised};
}

}  // namespace

void bind_one_step(nb::module_& m) {
  nb::class_<OneStep>(m, "OneStep")
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "method"_a, "g1"_a, "g2"_a, "projecting"_a,
           "tolerance"_a, "max_iterations"_a)
      .def("start", &start)
      .def("state",
           [](const OneStep& s, Out q, Out v) {
             const Model& model = s.equations.model();
             const std::vector<double> held(model.n_variables - model.n_dynamic, 0.0);
             need(q, 1, model.n_coordinates());
             need(v, 1, s.v.size());
             to_user(model, s.q.data(), held.data(), q.data());
             std::copy(s.v.begin(), s.v.end(), v.data());
           })
      .def_ro("work", &OneStep::work)
      .def_prop_ro("evaluations", [](const OneStep& s) { return s.equations.evaluations; })
      .def_prop_ro("singular", [](const OneStep& s) { return s.equations.singular; })
      .def("run", &run);
}
