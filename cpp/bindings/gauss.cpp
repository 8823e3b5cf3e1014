#include "bough/integrators/gauss.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/core_state.hpp"
#include "bindings/run_steps.hpp"

using namespace bough;
using namespace nb::literals;

using Numbers = std::vector<double>;

template <>
struct Steps<GaussStepper> {
  using Memory = GaussStepper::Memory;

  static double time(const Memory& x) { return x.t; }
  static const Numbers& configuration(const Memory& x) { return x.q; }
  static const Numbers& momenta(const Memory& x) { return x.p; }
  // On the way from k0 to k1 the kinematic variables are linear.
  static StepStatus step(GaussStepper& s, double dt, const double* k0, const double* k1, const double* u) {
    const std::size_t nk = s.model().n_variables - s.model().n_dynamic, stages = s.stages();
    if (!k1) return s.step(dt, {k0, u, 0, 0});
    Numbers nodes(stages * nk);
    for (std::size_t node = 1; node <= stages; ++node)
      for (std::size_t i = 0; i < nk; ++i) {
        // volatile: rounded before it is added, as NumPy does for the nodes of a run
        const volatile double move = s.node_time(static_cast<int>(node)) * (k1[i] - k0[i]);
        nodes[(node - 1) * nk + i] = node < stages ? k0[i] + move : k1[i];
      }
    return s.step(dt, {nodes.data(), u, nk, 0});
  }
  template <class Self, class Visit>
  static void each(Self& x, Visit& visit) {
    visit(x.t), visit(x.t_rest), visit(x.dt_before), visit(x.dt_earlier), visit(x.contraction), visit(x.work);
    visit(x.newton), visit(x.q), visit(x.p), visit(x.q_rest), visit(x.p_rest), visit(x.rates), visit(x.impulses);
  }
  template <class Bind>
  static void each_view(Bind bind) {
    bind("q", &configuration);
    bind("p", &momenta);
  }
};

namespace {

int order_of(int order) {
  if (order < 4 || order > 8 || order % 2 != 0) throw nb::value_error("an order other than 4, 6 or 8");
  return order;
}

void construct(GaussStepper* self, const Model& model, double tolerance, double constraint_tolerance,
               int max_iterations, int max_halvings, int order) {
  new (self) GaussStepper(model, {tolerance, constraint_tolerance, max_iterations, max_halvings, order_of(order)});
}

// Steps, recording every `every`-th node. k: (steps, stages, nk), kinematic variables at the Lobatto nodes of each step, or
// none, then they are held; u: (nu,), or (steps, stages, nu) at the stages of each step. The last field is None, or what an
// element of the user raised: the stepper is then in the state before that step.
std::tuple<StepStatus, long, long, long, long, nb::object> run(GaussStepper& s, long steps, double dt, In k, In u,
                                                               long every, long phase, Out out_work, Out out_q,
                                                               Out out_p, long row) {
  const std::size_t n = s.model().n_variables, nd = s.model().n_dynamic, nu = s.model().elements.n_inputs;
  const std::size_t nk = n - nd, stages = s.stages();
  const std::vector<double> held(s.state.q.begin() + nd, s.state.q.end());
  const bool driven = k.size() > 0, changing = u.size() > nu;
  if (driven) need(k, steps * stages, nk);
  need(u, changing ? steps * stages : steps > 0, nu);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_work, rows, 1);
  need(out_q, rows, n);
  need(out_p, rows, nd);
  const long iterations = s.iterations(), halvings = s.halvings;
  const auto step = [&](long i, long) {
    const std::size_t first = i * stages;
    const Drive drive{driven ? k.data() + first * nk : held.data(), changing ? u.data() + first * nu : u.data(),
                      driven ? nk : 0, changing ? nu : 0};
    return s.step(dt, drive);
  };
  const auto record = [&](long, long to) {
    out_work.data()[to] = s.state.work;
    std::copy(s.state.q.begin(), s.state.q.end(), out_q.data() + to * n);
    std::copy(s.state.p.begin(), s.state.p.end(), out_p.data() + to * nd);
  };
  const Ran ran = run_steps(steps, every, phase, row, StepStatus::user_error, step, record);
  return {ran.status, ran.done, ran.row, s.iterations() - iterations, s.halvings - halvings, ran.raised};
}

// A step of length tau from `node`, where the last step started, that is not continued. k: kinematic variables at the Lobatto
// nodes of this step, (stages, nk); u: inputs at its stages, (stages, nu).
std::tuple<StepStatus, nb::object> side_step(GaussStepper& s, const CoreState<GaussStepper>& node, double tau, In k,
                                             In u) {
  const std::size_t nk = s.model().n_variables - s.model().n_dynamic, nu = s.model().elements.n_inputs;
  if (!fits(s, node)) throw nb::value_error("the state of another model");
  if (!(std::abs(tau) > 0.0) || !std::isfinite(tau)) throw nb::value_error("tau");
  need(k, s.stages(), nk);
  need(u, s.stages(), nu);
  CoreState<GaussStepper> to{node.memory, node.vk, node.u};
  StepStatus status;
  {
    nb::gil_scoped_release release;
    status = s.side_step(node.memory, tau, {k.data(), u.data(), nk, nu}, to.memory);
  }
  return {status, status == StepStatus::fine ? nb::cast(std::move(to)) : nb::none()};
}

}  // namespace

void bind_gauss(nb::module_& m) {
  auto stepper = nb::class_<GaussStepper>(m, "GaussStepper");
  stepper
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "tolerance"_a, "constraint_tolerance"_a,
           "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("start", &start_from_momenta<GaussStepper>)
      .def("state", [](const GaussStepper& s) { return std::tuple(s.state.t, s.state.q, s.state.p); })
      .def_prop_ro("work", [](const GaussStepper& s) { return s.state.work; })
      .def("run", &run)
      .def("side_step", &side_step)
      // Length of the last step, and its rates V_i by stage: with q0 they are its polynomial (GL2).
      .def("last_step",
           [](const GaussStepper& s) {
             const auto& rates = s.state.rates;
             return std::tuple(s.state.dt_before, Numbers(rates.begin(), rates.begin() + rates.size() / 2));
           })
      .def("failure", [](const GaussStepper& s) {
        return std::tuple(s.state.t, s.failure.residual, s.failure.worst, s.failure.iterations);
      });
  bind_core_state(m, stepper, "GaussStepper");
  // Where in a step the core asks for inputs (Gauss) and for kinematic variables (Lobatto, without the start), by order.
  m.def("gauss_times", [](int order) {
    const GaussTable& table = gauss_tables[order_of(order) / 2 - 2];
    return std::tuple(Numbers(table.c.begin(), table.c.begin() + table.stages),
                      Numbers(table.d.begin() + 1, table.d.begin() + table.stages + 1));
  });
}
