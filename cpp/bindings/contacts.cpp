#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/arrays.hpp"
#include "bough/dynamics/gaps.hpp"
#include "bough/integrators/contact_node.hpp"
#include "bough/tree/catalogue.hpp"
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
    f(ContactInstant{{model, ws.state, x, nullptr, nullptr, t.data()[b]}, nullptr}, b);
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
    at_rows(model, batch.count, q, t, [&](const ContactInstant& at, std::size_t b) {
      gap(at, phi.data() + b * contacts, scale.data() + b * contacts);
    });
  });
  // The contacts of a record of two shapes; throws where a surface is not closed or not convex.
  m.def("shape_contact_count", [](const std::vector<double>& values) {
    const std::vector<FramePlace> nowhere(static_cast<std::size_t>(values.at(2)), {0, Pose::identity()});
    return make_shape_contact({"ShapeContact", nowhere, {}, {}, values})->contacts();
  });
  m.def("contact_state_size", &contact_state_size);
  // The gaps of features: rows of statuses as a stepper writes them.
  m.def("frozen_gap", [](const Model& model, In q, In t, In status, Out phi) {
    const std::size_t contacts = model.elements.n_contacts, size = contact_state_size(model);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(status, size).of(phi, contacts);
    std::vector<double> scale(contacts);
    at_rows(model, batch.count, q, t, [&](ContactInstant at, std::size_t b) {
      if (has_features(model)) at.features = status.data() + b * size + contacts + 1;
      gap(at, phi.data() + b * contacts, scale.data());
    });
  });
  // Where contacts touch and their normals and tangents, (rows, contacts, 12); not a number where there is no such place.
  m.def("contact_places", [](const Model& model, In q, In t, In status, Out out) {
    const std::size_t contacts = model.elements.n_contacts, size = contact_state_size(model);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(status, size).of(out, 12 * contacts);
    at_rows(model, batch.count, q, t, [&](ContactInstant at, std::size_t b) {
      double* to = out.data() + b * 12 * contacts;
      if (has_features(model)) at.features = status.data() + b * size + contacts + 1;
      for (const auto& e : model.elements.unilaterals) {
        for (int i = 0; i < e->contacts(); ++i, to += 12) {
          Unilateral::Place place;
          std::fill_n(to, 12, std::numeric_limits<double>::quiet_NaN());
          if (!e->place(at, i, place)) continue;
          place.point.store(to);
          place.normal.store(to + 3);
          for (const int k : {0, 1}) place.tangent[k].store(to + 6 + 3 * k);
        }
        if (at.features) at.features += e->contacts();
      }
    });
  });
  m.def("gap_dq", [](const Model& model, In q, In t, Out out) {
    const std::size_t size = static_cast<std::size_t>(model.elements.n_contacts) * model.n_variables;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, size);
    at_rows(model, batch.count, q, t,
            [&](const ContactInstant& at, std::size_t b) { gap_dq(at, out.data() + b * size); });
  });
  m.def("gap_dt", [](const Model& model, In q, In t, Out out) {
    const std::size_t contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, contacts);
    at_rows(model, batch.count, q, t,
            [&](const ContactInstant& at, std::size_t b) { gap_rate(at, out.data() + b * contacts); });
  });
  // Of each contact its first row among those of all contacts, how many rows it has, its coefficient of friction, and of dry
  // friction the largest force, else a negative number.
  m.def("contact_coefficients", [](const Model& model) {
    const ContactRows rows(model);
    std::vector<std::tuple<int, int, double, double>> out;
    for (int i = 0; i < rows.contacts(); ++i)
      out.emplace_back(rows[i].first, rows[i].rows, rows[i].friction, rows[i].bound);
    return out;
  });
  m.def("contact_restitutions", [](const Model& model) {
    const ContactRows rows(model);
    std::vector<double> out;
    for (int i = 0; i < rows.contacts(); ++i) out.push_back(rows[i].restitution);
    return out;
  });
  // (UN1) of the contacts whose status is not zero, normal rows and tangents, over variables; and their velocities at v = 0.
  // The rows of others are zero.
  m.def("contact_rows", [](const Model& model, In q, In t, In status, Out J, Out rate) {
    const std::size_t rows = model.elements.n_contact_rows, n = model.n_variables, contacts = model.elements.n_contacts;
    const std::size_t size = contact_state_size(model);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(status, size).of(J, rows * n).of(rate, rows);
    Configurations configuration(model, q);
    ContactRows all(model);
    std::vector<double> some(rows * n), velocities(rows);
    std::vector<int> chosen;
    nb::gil_scoped_release release;
    std::fill_n(J.data(), batch.count * rows * n, 0.0);
    std::fill_n(rate.data(), batch.count * rows, 0.0);
    for (std::size_t b = 0; b < batch.count; ++b) {
      const double* row = status.data() + b * size;
      chosen.clear();
      for (std::size_t i = 0; i < contacts; ++i)
        if (row[i] != 0.0) chosen.push_back(static_cast<int>(i));
      if (has_features(model)) all.freeze(row + contacts + 1);
      all.set(t.data()[b], configuration(b));
      all.normals(chosen, some.data(), velocities.data());
      all.tangents(chosen, some.data(), velocities.data());
      std::size_t from = 0;
      for (const int i : chosen) {
        const ContactPlace& place = all[i];
        std::copy_n(some.data() + from * n, place.rows * n, J.data() + (b * rows + place.first) * n);
        std::copy_n(velocities.data() + from, place.rows, rate.data() + b * rows + place.first);
        from += place.rows;
      }
    }
  });
  // Velocities of momenta, projected on the contacts that are closed; status: as a stepper writes them, and forces. Returns a row and a variable at which the mass matrix is singular, or -1.
  m.def("contact_velocity", [](const Model& model, In q, In p, In t, In status, In force, Out v) {
    const std::size_t n = model.n_variables, nd = model.n_dynamic, contacts = model.elements.n_contacts;
    const std::size_t size = contact_state_size(model);
    const std::size_t rows = model.elements.n_contact_rows;
    const Rows batch =
        Rows(q).of(q, model.n_coordinates()).of(p, nd).of(t, 1).of(status, size).of(force, rows).of(v, n);
    Configurations configuration(model, q);
    ContactNode node(model);
    std::pair<int, int> failed{-1, -1};
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count && failed.first < 0; ++b) {
      const double* row = status.data() + b * size;
      if (has_features(model)) node.freeze(row + contacts + 1);
      const int singular = node.velocity(
          t.data()[b], configuration(b), p.data() + b * nd, row[contacts], [row](int i) { return row[i] != 0.0; },
          force.data() + b * rows, v.data() + b * n);
      if (singular >= 0) failed = {static_cast<int>(b), singular};
    }
    return failed;
  });
}
