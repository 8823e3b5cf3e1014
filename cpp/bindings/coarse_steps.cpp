#include "bough/integrators/coarse_steps.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bough/dynamics/gaps.hpp"

using namespace bough;

void bind_coarse_steps(nb::module_& m) {
  m.attr("COARSE_ENERGY") = coarse_energy;
  nb::enum_<StepCheck::Found>(m, "Coarse")
      .value("nothing", StepCheck::Found::nothing)
      .value("energy", StepCheck::Found::energy)
      .value("hidden", StepCheck::Found::hidden);
  // What is wrong with the steps of a run: (found, largest kinetic energy, energy error, its row, the first row with a
  // large one, share of the kinetic energy that chords show). Of p and v, one may have no elements; the last four are
  // empty without contacts: statuses and lengths of steps, forces, losses, and whether the motion is smooth up to the next row.
  m.def("check_steps", [](const Model& model, In t, In q, In p, In v, In u, In work, bool every_step, bool chords,
                          int lock_angle, In state, In force, In lost, In smooth) {
    const std::size_t n = model.n_variables, nd = model.n_dynamic;
    const Rows rows = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(u, model.elements.n_inputs).of(work, 1);
    if (p.size() > 0) rows.of(p, nd);
    if (v.size() > 0 || p.size() == 0) rows.of(v, n);
    if (state.size() > 0)
      rows.of(state, std::max<std::size_t>(1, contact_state_size(model)))
          .of(force, model.elements.n_contact_rows)
          .of(lost, 2)
          .of(smooth, 1);
    if (lock_angle >= static_cast<int>(n)) throw nb::index_error("no such variable");
    RecordedRows run{.count = rows.count,
                     .t = t.data(),
                     .q = q.data(),
                     .p = p.size() > 0 ? p.data() : nullptr,
                     .v = v.size() > 0 ? v.data() : nullptr,
                     .u = u.data(),
                     .work = work.data(),
                     .every_step = every_step,
                     .chords = chords,
                     .lock_angle = lock_angle,
                     .contacts = {}};
    if (state.size() > 0) run.contacts = {state.data(), force.data(), lost.data(), smooth.data()};
    nb::gil_scoped_release release;
    const StepCheck found = check_steps(model, run);
    return std::tuple(found.found, found.kinetic, found.off, found.worst, found.first, found.shown);
  });
}
