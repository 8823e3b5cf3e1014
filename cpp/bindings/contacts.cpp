#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bough/dynamics/gaps.hpp"
#include "bough/integrators/contact_node.hpp"
#include "bough/tree/kinematics.hpp"

using namespace bough;

namespace {

// Calls f(instant, row) with the poses of every row of a batch.
template <class F>
void at_rows(const Model& model, std::size_t rows, const In& q, const In& t, F f) {
  Configurations row(model, q);
  for_batch(model, rows, [&](Workspace& ws, std::size_t b) {
    const double* x = row(b);
    sweep_poses(model, ws, x);
    f(Instant{model, ws.state, x, nullptr, nullptr, t.data()[b]}, b);
  });
}

}  // namespace

void bind_contacts(nb::module_& m) {
  m.def("contact_row_counts", [](const Model& model) {
    std::vector<int> counts;
    for (const auto& e : model.elements.unilaterals) counts.insert(counts.end(), e->contacts(), 1 + e->tangents());
    return counts;
  });
  m.def("gap", [](const Model& model, In q, In t, Out phi, Out scale) {
    const std::size_t contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(phi, contacts).of(scale, contacts);
    at_rows(model, batch.count, q, t,
            [&](const Instant& at, std::size_t b) { gap(at, phi.data() + b * contacts, scale.data() + b * contacts); });
  });
  m.def("gap_dq", [](const Model& model, In q, In t, Out out) {
    const std::size_t size = static_cast<std::size_t>(model.elements.n_contacts) * model.n_variables;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, size);
    at_rows(model, batch.count, q, t, [&](const Instant& at, std::size_t b) { gap_dq(at, out.data() + b * size); });
  });
  m.def("gap_dt", [](const Model& model, In q, In t, Out out) {
    const std::size_t contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, contacts);
    at_rows(model, batch.count, q, t,
            [&](const Instant& at, std::size_t b) { gap_rate(at, out.data() + b * contacts); });
  });
  // Velocities of momenta, projected on the contacts that are closed; status: of each contact, and the length of the step
  // that led there. Returns a row and a variable at which the mass matrix is singular, or -1.
  m.def("contact_velocity", [](const Model& model, In q, In p, In t, In status, Out v) {
    const std::size_t n = model.n_variables, nd = model.n_dynamic, contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(p, nd).of(t, 1).of(status, contacts + 1).of(v, n);
    Configurations configuration(model, q);
    ContactNode node(model);
    std::pair<int, int> failed{-1, -1};
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count && failed.first < 0; ++b) {
      const double* row = status.data() + b * (contacts + 1);
      const int singular = node.velocity(
          t.data()[b], configuration(b), p.data() + b * nd, row[contacts], [row](int i) { return row[i] != 0.0; },
          v.data() + b * n);
      if (singular >= 0) failed = {static_cast<int>(b), singular};
    }
    return failed;
  });
}
