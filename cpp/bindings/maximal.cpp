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
  for (const auto& e : made.potentials) engine.forces.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
  for (const auto& e : made.forces) engine.forces.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
  for (const auto& e : made.constraints) return engine.rows.add(on_bodies ? e : nullptr, on_bodies ? nullptr : e);
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
  const BodyState& state = engine.state;
  for (int frame : frames) on_bodies &= body_place(state.bodies, state.model.frames.at(frame)).joint >= 0;
  for (int frame : frames) {
    const FramePlace& place = state.model.frames.at(frame);
    record.frames.push_back(on_bodies ? body_place(state.bodies, place) : place);
  }
  add_element(made, record);
  return add_made(engine, made, on_bodies);
}

int add_no_slip(MaximalEngine& engine, bool rolling, int frame, In axis, double radius, In normal, double height) {
  need(axis, 1, 3);
  need(normal, 1, 3);
  const FramePlace place = body_place(engine.state.bodies, engine.state.model.frames.at(frame));
  if (place.joint <= 0) return -1;
  return engine.rows.add(NoSlip{rolling, place, Vec3(axis.data()), radius, Vec3(normal.data()), height});
}

// The outputs of a record, checked to have so many rows.
class Record {
 public:
  Record(const MaximalEngine& e, std::size_t rows, Out& t, Out& q, Out& v, Out& x, Out& o, Out& drift)
      : n_(e.state.model.n_variables),
        bodies_(e.state.n()),
        first_{t.data(), q.data(), v.data(), x.data(), o.data(), drift.data()} {
    need(t, rows, 1);
    need(q, rows, n_);
    need(v, rows, n_);
    need(x, rows, 3 * bodies_);
    need(o, rows, 4 * bodies_);
    need(drift, rows, 2 * bodies_);
  }
  MaximalEngine::Row operator[](long row) const {
    const auto& f = first_;
    return {f.t + row,
            f.q + row * n_,
            f.v + row * n_,
            f.x + 3 * row * bodies_,
            f.o + 4 * row * bodies_,
            f.drift + 2 * row * bodies_};
  }

 private:
  std::size_t n_, bodies_;
  MaximalEngine::Row first_;
};

// Steps, recording every `every`-th node; see src/bough/maximal/_run.py. Returns status, steps, row, iterations, what
// broke as (step, constraint or -slot), and what an element of the user raised.
std::tuple<StepStatus, long, long, long, std::vector<std::pair<long, int>>, nb::object> run(
    MaximalEngine& e, int method, long steps, double dt, In k, In u, long every, long phase, Out out_t, Out out_q,
    Out out_v, Out out_lam, Out out_x, Out out_o, Out out_drift, long row) {
  const Model& model = e.state.model;
  const std::size_t nd = model.n_dynamic, nc = model.elements.n_constraints;
  const std::vector<double> held(e.state.q.begin() + nd, e.state.q.end());
  const PerStep kinematic = kinematic_of(k, held, steps);
  const PerStep inputs = inputs_of(u, model.elements.n_inputs, steps);
  const std::size_t rows = rows_of_run(steps, every, phase, row);
  need(out_lam, rows, nc);
  const Record out(e, rows, out_t, out_q, out_v, out_x, out_o, out_drift);
  std::vector<std::pair<long, int>> broken;
  long iterations = 0;
  const auto step = [&](long i, long from) {
    const StepStatus status = e.step(static_cast<MaximalMethod>(method), dt, kinematic[i], inputs[i]);
    if (status != StepStatus::fine) return status;
    iterations += e.iterations();
    if (from >= 0) std::copy_n(e.rows.lam.begin(), nc, out_lam.data() + from * nc);
    for (const int event : e.broken_in_step()) broken.emplace_back(i, event);
    return status;
  };
  const auto record = [&](long, long to) { e.record(out[to]); };
  const Ran ran = run_steps(steps, every, phase, row, StepStatus::user_error, step, record);
  return {ran.status, ran.done, ran.row, iterations, broken, ran.raised};
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
      .def("add_no_slip", &add_no_slip)
      .def("enable", [](MaximalEngine& e, int constraint, bool on) { e.rows.enable(constraint, on); })
      .def("enabled", [](const MaximalEngine& e, int constraint) { return e.rows.enabled(constraint); })
      .def("break_joint", &MaximalEngine::break_joint)
      .def("break_above", &MaximalEngine::break_above)
      .def("start",
           [](MaximalEngine& e, double t, In q, In v) {
             need(q, 1, e.state.model.n_variables);
             need(v, 1, e.state.model.n_variables);
             e.start(t, q.data(), v.data());
           })
      .def("project_velocities", &MaximalEngine::project_velocities)
      .def("set_stiffness",
           [](MaximalEngine& e, double linear, double angular, double relaxation) {
             e.settings.stiffness = linear;
             e.settings.angular_stiffness = angular;
             e.settings.relaxation = relaxation;
           })
      .def("penalty_eigenvalue", &MaximalEngine::penalty_eigenvalue)
      .def_prop_ro("n_bodies", [](const MaximalEngine& e) { return e.state.n(); })
      .def_prop_ro("gyration", &MaximalEngine::gyration)
      .def_prop_ro("failed_slot", &MaximalEngine::failed_slot)
      .def_prop_ro("t", [](const MaximalEngine& e) { return e.state.t; })
      .def_prop_ro("lam", [](const MaximalEngine& e) { return e.rows.lam; })
      .def_prop_ro("links",
                   [](const MaximalEngine& e) {
                     std::vector<int> links;
                     for (const Body& body : e.state.bodies.body) links.push_back(body.link);
                     return links;
                   })
      .def_prop_ro("frame_joints",
                   [](const MaximalEngine& e) {
                     std::vector<int> slots;
                     for (const FramePlace& place : e.state.model.frames) slots.push_back(place.joint);
                     return slots;
                   })
      .def("joint_variables", &MaximalEngine::joint_variables)
      .def("lacking", &MaximalEngine::lacking_inertia)
      .def("massless", &MaximalEngine::massless)
      .def("record", [](const MaximalEngine& e, Out t, Out q, Out v, Out x, Out o, Out drift,
                        long row) { e.record(Record(e, rows_of_run(1, 1, 0, row), t, q, v, x, o, drift)[row]); })
      .def("run", &run);
}
