#include "bindings/core_state.hpp"
#include "bindings/run_steps.hpp"
#include "bough/dynamics/gaps.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/stepper.hpp"
#include "bough/integrators/trapezoidal.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace bough;
using namespace nb::literals;

template <>
struct Steps<Stepper> {
  using Memory = Stepper::Memory;
  using Numbers = std::vector<double>;

  static double time(const Memory& x) { return x.state.t; }
  static const Numbers& configuration(const Memory& x) { return x.state.q; }
  static const Numbers& momenta(const Memory& x) { return x.state.p; }
  static StepStatus step(Stepper& s, double dt, const double* k0, const double* k1, const double* u) {
    return s.step(dt, k1 ? k1 : k0, u);
  }
  static int velocity(const Model& model, const Memory& x, double* v) {
    const ContactState& contacts = x.state.contacts;
    need_exactly(contacts.status, model.elements.n_contacts);
    const auto closed = [&](int i) { return contacts.status[i] != ContactStatus::open; };
    need_exactly(contacts.features, model.elements.n_contacts);
    ContactNode node(model);
    node.freeze(contacts.features.data());
    return node.velocity(x.state.t, x.state.q.data(), x.state.p.data(), x.state.dt_before, closed,
                         contacts.force.data(), v);
  }
  template <class Self, class Visit>
  static void each(Self& x, Visit& visit) {
    auto& [t, dt_before, q, p, lam, coordinates, shift, history, given_known, given, peak, work, contacts] = x.state;
    auto& [n, nd, known, made_up, past, age] = history;
    visit(t), visit(dt_before), visit(q), visit(p), visit(lam), visit(coordinates), visit(shift);
    visit(n), visit(nd), visit(known), visit(made_up), visit(past), visit(age);
    visit(given_known), visit(given), visit(peak), visit(work);
    visit(contacts.status), visit(contacts.force), visit(contacts.slip), visit(contacts.features);
    visit(contacts.impact_loss), visit(contacts.friction_loss);
    visit(contacts.drive), visit(contacts.drive_time);
    auto& [floor, Dh0_known, Dh0, detour, branches] = x.equations;
    auto& [points, since, energy, follows, recurrence] = x.roots;
    visit(floor), visit(points), visit(since);
    visit(energy.known), visit(energy.value.kinetic), visit(energy.value.potential);
    visit(follows), visit(recurrence.known);
    for (auto& weight : recurrence.weights) visit(weight);
    visit(Dh0_known), visit(Dh0);
    visit(detour.left), visit(detour.next), visit(branches);
  }
  template <class Bind>
  static void each_view(Bind bind) {
    bind("q", [](const Memory& x) -> const Numbers& {
      return x.state.coordinates.empty() ? x.state.q : x.state.coordinates;
    });
    bind("p", &momenta);
    bind("lam", [](const Memory& x) -> const Numbers& { return x.state.lam; });
    bind("contact_force", [](const Memory& x) -> const Numbers& { return x.state.contacts.force; });
    bind("contact_slip", [](const Memory& x) -> const Numbers& { return x.state.contacts.slip; });
  }
};

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

// Statuses, the length of the last step, features if there are such; and the energy lost so far, in impacts and by friction.
void write_contacts(const Stepper& s, bool features, double* status, double* lost) {
  for (const ContactStatus x : s.state.contacts.status) *status++ = static_cast<double>(x);
  *status++ = s.state.dt_before;
  if (features) std::copy(s.state.contacts.features.begin(), s.state.contacts.features.end(), status);
  lost[0] = s.state.contacts.impact_loss;
  lost[1] = s.state.contacts.friction_loss;
  // The impulses of a node stand for half of the steps on both sides.
  for (std::size_t r = 0; r < s.state.contacts.slip.size(); ++r)
    lost[1] -= 0.5 * s.state.dt_before * s.state.contacts.force[r] * s.state.contacts.slip[r];
}

// Steps, recording every `every`-th node; see src/bough/integrator.py for the arguments. The last field is None, or what an
// element of the user raised: the stepper is then in the state before that step.
std::tuple<StepStatus, long, long, long, long, nb::object> run(Stepper& s, long steps, double dt, In k, In u,
                                                               long every, long phase, Out out_work, Out out_q,
                                                               Out out_p, Out out_lam, Out out_force, Out out_status,
                                                               Out out_lost, long row) {
  const std::size_t n = s.model().n_coordinates(), nd = s.model().n_dynamic;
  const std::size_t nc = s.model().elements.n_constraints;
  const std::vector<double> held(s.state.q.begin() + nd, s.state.q.begin() + s.model().n_variables);
  const PerStep kinematic = kinematic_of(k, held, steps);
  const PerStep inputs = inputs_of(u, s.model().elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_work, rows, 1);
  need(out_q, rows, n);
  need(out_p, rows, nd);
  need(out_lam, rows, nc);
  const std::size_t contacts = s.model().elements.n_contacts, forces = s.model().elements.n_contact_rows;
  const std::size_t statuses = contact_state_size(s.model()), losses = contacts > 0 ? 2 : 0;
  const bool features = has_features(s.model());
  need(out_force, rows, forces);
  need(out_status, rows, statuses);
  need(out_lost, rows, losses);
  const long iterations = s.iterations(), halvings = s.halvings;
  const auto step = [&](long i, long from) {
    const StepStatus status = s.step(dt, kinematic[i], inputs[i]);
    if (status == StepStatus::fine && from >= 0) {
      std::copy(s.state.lam.begin(), s.state.lam.end(), out_lam.data() + from * nc);
      std::copy(s.state.contacts.force.begin(), s.state.contacts.force.end(), out_force.data() + from * forces);
    }
    return status;
  };
  const auto record = [&](long, long to) {
    out_work.data()[to] = s.state.work;
    const std::vector<double>& q = s.state.coordinates.empty() ? s.state.q : s.state.coordinates;
    std::copy(q.begin(), q.end(), out_q.data() + to * n);
    std::copy(s.state.p.begin(), s.state.p.end(), out_p.data() + to * nd);
    if (contacts > 0) write_contacts(s, features, out_status.data() + to * statuses, out_lost.data() + to * losses);
  };
  const Ran ran = run_steps(steps, every, phase, row, StepStatus::user_error, step, record);
  return {ran.status, ran.done, ran.row, s.iterations() - iterations, s.halvings - halvings, ran.raised};
}

// The impacts since the last call, oldest first: t, passes, theta, energy lost, plastic; impulses over the rows of contacts; for
// each contact 0, 1 if it closed, 2 if it opened again at once; q, v before and v after.
nb::list events(Stepper& s) {
  nb::list out;
  ContactEvents* all = s.events();
  if (!all) return out;
  const std::size_t rows = all->rows, contacts = all->contacts, n = s.model().n_variables;
  for (std::size_t i = 0; i < all->impacts.size(); ++i) {
    const auto& [t, passes, theta, loss, plastic] = all->impacts[i];
    const double* r = all->impulses.data() + i * rows;
    const char* hits = all->hits.data() + i * contacts;
    const double *q = all->nodes.data() + i * all->numbers, *end = q + all->numbers;
    out.append(nb::make_tuple(t, passes, theta, loss, plastic, std::vector<double>(r, r + rows),
                              std::vector<int>(hits, hits + contacts), std::vector<double>(q, end - 2 * n),
                              std::vector<double>(end - 2 * n, end - n), std::vector<double>(end - n, end)));
  }
  s.forget_events();
  return out;
}

// The nodes within the last step, (kind, length, q, p, lam, statuses and features, force, slip, law), where the law of an impact,
// of the end of sliding or of a contact that unloads is (v before, v, impulse, restitution, passes, theta, plastic), and None of anything else.
nb::list trace(Stepper& s) {
  static constexpr const char* kinds[] = {"part", "brief", "impact", "stop", "joined", "unload"};
  nb::list out;
  if (!s.trace()) return out;
  for (const ContactTrace::Node& x : s.trace()->nodes) {
    std::vector<double> status;
    for (const ContactStatus of : x.contacts.status) status.push_back(static_cast<double>(of));
    status.push_back(0.0);
    if (has_features(s.model())) status.insert(status.end(), x.contacts.features.begin(), x.contacts.features.end());
    nb::object law = nb::none();
    if (!x.v.empty()) law = nb::make_tuple(x.v_before, x.v, x.impulse, x.restitution, x.passes, x.theta, x.plastic);
    out.append(nb::make_tuple(kinds[static_cast<int>(x.kind)], x.dt, x.q, x.p, x.lam, status, x.contacts.force,
                              x.contacts.slip, law));
  }
  return out;
}

}  // namespace

void bind_integrators(nb::module_& m) {
  nb::enum_<StepStatus>(m, "StepStatus", nb::is_arithmetic(), "How a step ended.")
      .value("fine", StepStatus::fine)
      .value("no_convergence", StepStatus::no_convergence)
      .value("not_finite", StepStatus::not_finite)
      .value("fed_back", StepStatus::fed_back)
      .value("user_error", StepStatus::user_error)
      .value("singular", StepStatus::singular)
      .value("exploded", StepStatus::exploded);
  auto stepper = nb::class_<Stepper>(m, "Stepper");
  stepper
      .def("__init__", &construct, nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a,
           "constraint_tolerance"_a, "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("start", &start_from_momenta<Stepper>)
      .def("configurations",
           [](Stepper& s, double t0, In q0, double t1, In q1, In u) {
             need(q0, 1, s.model().n_coordinates());
             need(q1, 1, s.model().n_coordinates());
             need(u, 1, s.model().elements.n_inputs);
             Configurations first(s.model(), q0), second(s.model(), q1);
             s.start_from_configurations(t0, first(0), t1, second(0), u.data());
           })
      .def("state",
           [](const Stepper& s) {
             const std::vector<double>& q = s.state.coordinates.empty() ? s.state.q : s.state.coordinates;
             return std::tuple(s.state.t, q, s.state.p, s.state.lam);
           })
      .def_prop_ro("coarse", &Stepper::coarse)
      .def_prop_ro("coarse_time", &Stepper::coarse_time)
      .def_prop_ro("work", [](const Stepper& s) { return s.state.work; })
      .def("run", &run)
      .def_prop_ro("parts", &Stepper::parts)
      .def("contacts",
           [](const Stepper& s, Out status, Out lost) {
             need(status, 1, contact_state_size(s.model()));
             need(lost, 1, 2);
             write_contacts(s, has_features(s.model()), status.data(), lost.data());
           })
      .def("events", &events)
      .def("drive", [](const Stepper& s) { return std::tuple(s.state.contacts.drive, s.state.contacts.drive_time); })
      .def("trace", &trace)
      .def_prop_rw(
          "traced", [](Stepper& s) { return s.trace() && s.trace()->kept; },
          [](Stepper& s, bool kept) {
            if (s.trace()) s.trace()->kept = kept;
          })
      .def_prop_rw("locate", &Stepper::located, &Stepper::set_located)
      .def("failure", [](const Stepper& s) {
        return std::tuple(s.state.t, s.failure.residual, s.failure.worst_row, s.failure.iterations);
      });
  bind_core_state(m, stepper, "Stepper");
}
