#include "bough/maximal/engine.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/run_steps.hpp"
#include "bindings/user_elements.hpp"
#include "bough/tree/catalogue.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

// Adds the one element that `made` holds; returns the index of a constraint, or -1.
int add_made(MaximalEngine& engine, const Elements& made, bool on_bodies) {
  for (const auto& e : made.potentials) engine.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
  for (const auto& e : made.forces) engine.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
  for (const auto& e : made.constraints) return engine.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
  return -1;
}

// A record as src/bough/_lower.py writes it: on bodies where it knows frames of bodies alone, else on variables.
int add_record(MaximalEngine& engine, nb::handle item) {
  Elements made;
  if (!nb::isinstance<nb::tuple>(item)) {
    add_user_element(made, nb::borrow(item));
    return add_made(engine, made, false);
  }
  const nb::tuple fields = nb::cast<nb::tuple>(item);
  ElementRecord record;
  record.kind = nb::cast<std::string>(fields[0]);
  record.variables = nb::cast<std::vector<int>>(fields[2]);
  record.inputs = nb::cast<std::vector<int>>(fields[3]);
  record.values = nb::cast<std::vector<double>>(fields[4]);
  const auto frames = nb::cast<std::vector<int>>(fields[1]);
  bool on_bodies = record.variables.empty() && !frames.empty();
  for (int frame : frames) on_bodies &= body_place(engine.bodies(), engine.model().frames.at(frame)).joint >= 0;
  for (int frame : frames) {
    const FramePlace& place = engine.model().frames.at(frame);
    record.frames.push_back(on_bodies ? body_place(engine.bodies(), place) : place);
  }
  add_element(made, record);
  return add_made(engine, made, on_bodies);
}

int add_contact(MaximalEngine& engine, bool rolling, int frame, In axis, double radius, In normal, double height) {
  need(axis, 1, 3);
  need(normal, 1, 3);
  const FramePlace place = body_place(engine.bodies(), engine.model().frames.at(frame));
  if (place.joint <= 0) return -1;
  return engine.add(Contact{rolling, place, Vec3(axis.data()), radius, Vec3(normal.data()), height});
}

constexpr int user_error = 5;  // status: an element that a user wrote raised

struct Record {
  double *t, *q, *v, *lam, *x, *o, *drift;
};

void write(const MaximalEngine& e, const Record& out, long row) {
  const std::size_t n = e.model().n_variables, bodies = e.bodies().n();
  out.t[row] = e.t;
  std::copy(e.q.begin(), e.q.end(), out.q + row * n);
  std::copy(e.q_rate.begin(), e.q_rate.end(), out.v + row * n);
  for (std::size_t b = 0; b < bodies; ++b) {
    const std::size_t at = row * bodies + b;
    e.x[b + 1].store(out.x + 3 * at);
    out.o[4 * at] = e.o[b + 1].w;
    e.o[b + 1].v.store(out.o + 4 * at + 1);
    out.drift[2 * at] = norm(e.drift[b + 1].v);
    out.drift[2 * at + 1] = norm(e.drift[b + 1].w);
  }
}

Record checked_record(const MaximalEngine& e, std::size_t rows, Out& t, Out& q, Out& v, Out& x, Out& o, Out& drift,
                      double* lam) {
  const std::size_t n = e.model().n_variables, bodies = e.bodies().n();
  need(t, rows, 1);
  need(q, rows, n);
  need(v, rows, n);
  need(x, rows, 3 * bodies);
  need(o, rows, 4 * bodies);
  need(drift, rows, 2 * bodies);
  return {t.data(), q.data(), v.data(), lam, x.data(), o.data(), drift.data()};
}

// Steps, recording every `every`-th node; see src/bough/maximal/_run.py. Returns status, steps, row, iterations, what
// broke as (step, constraint or -slot), and what an element of the user raised.
std::tuple<int, long, long, long, std::vector<std::pair<long, int>>, nb::object> run(
    MaximalEngine& e, int method, long steps, double dt, In k, In u, long every, long phase, Out out_t, Out out_q,
    Out out_v, Out out_lam, Out out_x, Out out_o, Out out_drift, long row) {
  const std::size_t nd = e.model().n_dynamic, nc = e.model().elements.n_constraints;
  const std::vector<double> held(e.q.begin() + nd, e.q.end());
  const PerStep kinematic = kinematic_of(k, held, steps);
  const PerStep inputs = inputs_of(u, e.model().elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_lam, rows, nc);
  const Record out = checked_record(e, rows, out_t, out_q, out_v, out_x, out_o, out_drift, out_lam.data());
  const auto make = method == 0   ? &MaximalEngine::step_velocity
                    : method == 1 ? &MaximalEngine::step_penalty_explicit
                                  : &MaximalEngine::step_penalty_implicit;
  std::vector<std::pair<long, int>> broken;
  long iterations = 0;
  const auto step = [&](long i, long from) {
    const int status = static_cast<int>((e.*make)(dt, kinematic[i], inputs[i]));
    if (status != 0) return status;
    iterations += e.iterations;
    if (from >= 0) std::copy_n(e.lam.begin(), nc, out.lam + from * nc);
    for (const int event : e.events) {
      broken.emplace_back(i, event);
      if (event >= 0)
        e.enable(event, false);
      else
        e.break_joint(-event);
    }
    return status;
  };
  const auto record = [&](long, long to) { write(e, out, to); };
  const Ran ran = run_steps(steps, every, phase, row, user_error, step, record);
  if (ran.status == user_error) e.restore();
  return {ran.status, ran.done, ran.row, iterations, broken, ran.raised};
}

std::vector<int> lacking(const MaximalEngine& e) {
  std::vector<int> slots;
  for (int b = 0; b < e.bodies().n(); ++b)
    if (lacks_inertia(e.model().links[e.bodies().body[b].link])) slots.push_back(b + 1);
  return slots;
}

// Variables of the joint that holds each body.
std::vector<std::vector<int>> joint_variables(const MaximalEngine& e) {
  std::vector<std::vector<int>> out(e.bodies().n());
  for (int b = 0; b < e.bodies().n(); ++b) {
    const Body& body = e.bodies().body[b];
    for (int c = body.chain; c < body.chain + body.length; ++c)
      out[b].push_back(e.model().joints[e.bodies().chain[c]].variable);
  }
  return out;
}

}  // namespace

void bind_maximal(nb::module_& m) {
  nb::class_<MaximalEngine>(m, "MaximalEngine")
      .def(
          "__init__",
          [](MaximalEngine* self, const Model& model, double beta, bool projection, bool implicit_gyroscopic,
             double stiffness, double angular_stiffness, double relaxation, double smallest_inertia, double tolerance,
             int max_iterations) {
            MaximalSettings settings;
            settings.beta = beta;
            settings.projection = projection;
            settings.implicit_gyroscopic = implicit_gyroscopic;
            settings.stiffness = stiffness;
            settings.angular_stiffness = angular_stiffness;
            settings.relaxation = relaxation;
            settings.smallest_inertia = smallest_inertia;
            settings.tolerance = tolerance;
            settings.max_iterations = max_iterations;
            new (self) MaximalEngine(model, settings);
          },
          nb::keep_alive<1, 2>(), "model"_a, "beta"_a, "projection"_a, "implicit_gyroscopic"_a, "stiffness"_a,
          "angular_stiffness"_a, "relaxation"_a, "smallest_inertia"_a, "tolerance"_a, "max_iterations"_a)
      .def("add_record", &add_record)
      .def("add_contact", &add_contact)
      .def("enable", &MaximalEngine::enable)
      .def("enabled", &MaximalEngine::enabled)
      .def("break_joint", &MaximalEngine::break_joint)
      .def("break_above",
           [](MaximalEngine& e, int constraint, double force) {
             if (constraint >= 0)
               e.break_above(constraint, force);
             else
               e.break_joint_above(-constraint, force);
           })
      .def("start",
           [](MaximalEngine& e, double t, In q, In v) {
             need(q, 1, e.model().n_variables);
             need(v, 1, e.model().n_variables);
             e.start(t, q.data(), v.data());
           })
      .def("project_velocities", [](MaximalEngine& e) { e.project_velocities(); })
      .def("set_stiffness",
           [](MaximalEngine& e, double linear, double angular, double relaxation) {
             e.settings.stiffness = linear;
             e.settings.angular_stiffness = angular;
             e.settings.relaxation = relaxation;
           })
      .def("penalty_eigenvalue", &MaximalEngine::penalty_eigenvalue)
      .def_prop_ro("n_bodies", [](const MaximalEngine& e) { return e.bodies().n(); })
      .def_prop_ro("gyration", [](const MaximalEngine& e) { return e.gyration(); })
      .def_prop_ro("failed_slot", [](const MaximalEngine& e) { return e.failed_slot; })
      .def_prop_ro("t", [](const MaximalEngine& e) { return e.t; })
      .def_prop_ro("lam", [](const MaximalEngine& e) { return e.lam; })
      .def_prop_ro("links",
                   [](const MaximalEngine& e) {
                     std::vector<int> links;
                     for (const Body& body : e.bodies().body) links.push_back(body.link);
                     return links;
                   })
      .def_prop_ro("frame_joints",
                   [](const MaximalEngine& e) {
                     std::vector<int> slots;
                     for (const FramePlace& place : e.model().frames) slots.push_back(place.joint);
                     return slots;
                   })
      .def("joint_variables", &joint_variables)
      .def("lacking", &lacking)
      .def("massless",
           [](const MaximalEngine& e) {
             std::vector<int> slots;
             for (int b = 0; b < e.bodies().n(); ++b)
               if (e.model().links[e.bodies().body[b].link].massless) slots.push_back(b + 1);
             return slots;
           })
      .def("record",
           [](const MaximalEngine& e, Out t, Out q, Out v, Out x, Out o, Out drift, long row) {
             const std::size_t rows = rows_of_run(1, 1, 0, row);
             write(e, checked_record(e, rows, t, q, v, x, o, drift, nullptr), row);
           })
      .def("run", &run);
}
