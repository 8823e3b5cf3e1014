#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/run_steps.hpp"
#include "bough/dynamics/reduced_base.hpp"
#include "bough/integrators/reduced.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

void write(const Wrench& F, double* to) {
  F.n.store(to);
  F.f.store(to + 3);
}

using Plain = std::tuple<double, std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>,
                         double, std::vector<double>>;

// t, g, r, mu, p, the size of the last step, the velocities of the last steps
Plain state_out(const ReducedStepper& s) {
  const auto& x = s.state;
  std::vector<double> g(16), momentum(6);
  x.g.store(g.data());
  write(x.mu, momentum.data());
  const std::size_t n = s.layout().n();
  return {x.t, g, x.r, momentum, x.p, x.dt_before, std::vector<double>(x.past.begin(), x.past.begin() + x.known * n)};
}

void state_in(ReducedStepper& s, const Plain& plain) {
  const auto& [t, g, r, momentum, p, dt_before, past] = plain;
  const std::size_t n = s.layout().n();
  const std::vector<double> rest(n, 0.0);
  need_exactly(g, 16);
  need_exactly(r, s.layout().nr());
  need_exactly(momentum, 6);
  need_exactly(p, s.layout().n_dynamic);
  if (past.size() > ReducedStepper::memory * n || past.size() < n || (n > 0 && past.size() % n != 0))
    throw nb::value_error("a memory of too few or too many steps");
  s.start(t, Pose::from_matrix(g.data()), r.data(), wrench(Eigen::Map<const Vec6>(momentum.data())), p.data(),
          rest.data());
  s.state.dt_before = dt_before;
  std::copy(past.begin(), past.end(), s.state.past.begin());
  s.state.known = n > 0 ? static_cast<int>(past.size() / n) : 0;
}

// Steps, recording every `every`-th node; see src/bough/reduced.py for the arguments. The last field is None, or what an
// element of the user raised: the stepper is then in the state before that step.
std::tuple<StepStatus, long, long, long, long, nb::object> run(ReducedStepper& s, long steps, double dt, In k, In u,
                                                               long every, long phase, Out out_work, Out out_g,
                                                               Out out_r, Out out_mu, Out out_p, long row) {
  const std::size_t nr = s.layout().nr(), nd = s.layout().n_dynamic;
  const std::vector<double> held(s.state.r.begin() + nd, s.state.r.end());
  const PerStep kinematic = kinematic_of(k, held, steps);
  const PerStep inputs = inputs_of(u, s.model().elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_work, rows, 1);
  need(out_g, rows, 16);
  need(out_r, rows, nr);
  need(out_mu, rows, 6);
  need(out_p, rows, nd);
  const long iterations = s.iterations(), halvings = s.halvings;
  const auto step = [&](long i, long) { return s.step(dt, kinematic[i], inputs[i]); };
  const auto record = [&](long, long to) {
    out_work.data()[to] = s.state.work;
    s.state.g.store(out_g.data() + 16 * to);
    write(s.state.mu, out_mu.data() + 6 * to);
    std::copy(s.state.r.begin(), s.state.r.end(), out_r.data() + to * nr);
    std::copy(s.state.p.begin(), s.state.p.end(), out_p.data() + to * nd);
  };
  const Ran ran = run_steps(steps, every, phase, row, StepStatus::user_error, step, record);
  return {ran.status, ran.done, ran.row, s.iterations() - iterations, s.halvings - halvings, ran.raised};
}

// Momenta mu (6) and p of rows of poses, shapes and velocities z.
void momenta(const Model& model, In g, In r, In z, Out mu, Out p) {
  const ReducedLayout layout = reduced_layout(model);
  ReducedNode node(model, layout);
  const std::size_t n = layout.n(), nr = layout.nr(), nd = layout.n_dynamic;
  const Rows batch = Rows(g).of(g, 16).of(r, nr).of(z, n).of(mu, 6).of(p, nd);
  for (std::size_t b = 0; b < batch.count; ++b)
    reduced_momenta(node, Pose::from_matrix(g.data() + 16 * b), r.data() + b * nr, z.data() + b * n, mu.data() + 6 * b,
                    p.data() + b * nd);
}

// Velocities z of rows of poses, shapes and momenta; entries of kinematic variables are given. Returns the first row at which
// the metric is singular, or -1.
long velocities(const Model& model, In g, In r, In mu, In p, Out z) {
  const ReducedLayout layout = reduced_layout(model);
  ReducedNode node(model, layout);
  const std::size_t n = layout.n(), nr = layout.nr(), nd = layout.n_dynamic;
  const Rows batch = Rows(g).of(g, 16).of(r, nr).of(mu, 6).of(p, nd).of(z, n);
  for (std::size_t b = 0; b < batch.count; ++b)
    if (!reduced_velocities(node, Pose::from_matrix(g.data() + 16 * b), r.data() + b * nr, mu.data() + 6 * b,
                            p.data() + b * nd, z.data() + b * n))
      return static_cast<long>(b);
  return -1;
}

// Applies f(model, layout, workspace, q, x, out) to rows of q and of six numbers x.
template <class F>
void over_base(const Model& model, const In& q, const In& x, Out& out, F f) {
  const ReducedLayout layout = reduced_layout(model);
  const Rows batch = Rows(q).of(q, model.n_variables).of(x, 6).of(out, 6);
  for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
    f(model, layout, ws, q.data() + b * model.n_variables, x.data() + 6 * b, out.data() + 6 * b);
  });
}

void bind_base(nb::module_& m) {
  m.def("base_pose", [](const Model& model, In q, Out out) {
    const ReducedLayout layout = reduced_layout(model);
    const Rows batch = Rows(q).of(q, model.n_variables).of(out, 16);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      base_pose(model, layout, ws, q.data() + b * model.n_variables).store(out.data() + 16 * b);
    });
  });
  m.def("base_coordinates", [](const Model& model, In g, In before, Out out) {
    const ReducedLayout layout = reduced_layout(model);
    const Rows batch = Rows(g).of(g, 16).of(out, 6);
    need(before, 1, 6);
    const double* last = before.data();
    for (std::size_t b = 0; b < batch.count; ++b) {
      base_coordinates(model, layout, Pose::from_matrix(g.data() + 16 * b), last, out.data() + 6 * b);
      last = out.data() + 6 * b;
    }
  });
  m.def("base_twist", [](const Model& model, In q, In rates, Out out) { over_base(model, q, rates, out, base_twist); });
  m.def("base_rates", [](const Model& model, In q, In twist, Out out) { over_base(model, q, twist, out, base_rates); });
  m.def("base_momenta", [](const Model& model, In q, In P, Out out) { over_base(model, q, P, out, base_momenta); });
}

}  // namespace

void bind_reduced_stepper(nb::module_& m) {
  bind_base(m);
  m.def("reduced_momenta", &momenta);
  m.def("reduced_velocities", &velocities);
  nb::class_<ReducedStepper>(m, "ReducedStepper")
      .def(
          "__init__",
          [](ReducedStepper* self, const Model& model, double alpha, Retraction tau, double tolerance,
             int max_iterations, int max_halvings, int order) {
            new (self) ReducedStepper(model, {alpha, tau, tolerance, max_iterations, max_halvings, order});
          },
          nb::keep_alive<1, 2>(), "model"_a, "alpha"_a, "tau"_a, "tolerance"_a, "max_iterations"_a, "max_halvings"_a,
          "order"_a)
      .def("start",
           [](ReducedStepper& s, double t, In g, In r, In mu, In p, In z) {
             need(g, 1, 16);
             need(r, 1, s.layout().nr());
             need(mu, 1, 6);
             need(p, 1, s.layout().n_dynamic);
             need(z, 1, s.layout().n());
             s.start(t, Pose::from_matrix(g.data()), r.data(), wrench(Eigen::Map<const Vec6>(mu.data())), p.data(),
                     z.data());
           })
      .def_prop_ro("work", [](const ReducedStepper& s) { return s.state.work; })
      .def("state", &state_out)
      .def("restore", &state_in)
      .def("run", &run)
      .def_prop_ro("parts", &ReducedStepper::parts)
      .def("failure", [](const ReducedStepper& s) {
        return std::tuple(s.state.t, s.failure.residual, s.failure.worst_row, s.failure.iterations);
      });
}
