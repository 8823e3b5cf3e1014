#include "bindings/arrays.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/dynamics/inverse_dynamics.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/dynamics/mass_matrix.hpp"

#include <nanobind/stl/pair.h>

using namespace bough;

void bind_dynamics(nb::module_& m) {
  m.def("total_mass", &total_mass);
  m.def("kinetic_energy", [](const Model& model, In q, In v, Out out) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      out.data()[b] = kinetic_energy(model, ws, q.data() + at, v.data() + at);
    });
  });
  m.def("potential_energy", [](const Model& model, In q, Out out) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      out.data()[b] = potential_energy(model, ws, q.data() + b * model.n_variables);
    });
  });
  m.def("center_of_mass", [](const Model& model, In q, Out out) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      center_of_mass(model, ws, q.data() + b * model.n_variables, out.data() + 3 * b);
    });
  });
  m.def("spatial_momentum", [](const Model& model, In q, In v, Out out) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      spatial_momentum(model, ws, q.data() + at, v.data() + at, out.data() + 6 * b);
    });
  });
  m.def("lagrangian_gradient", [](const Model& model, In q, In v, Out L_dq, Out L_dv) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      lagrangian_gradient(model, ws, q.data() + at, v.data() + at, L_dq.data() + at, L_dv.data() + at);
    });
  });
  // An output with no elements is not computed.
  m.def("lagrangian_hessians", [](const Model& model, In q, In v, Out L_dqdq, Out L_dqdv, Out L_dvdv) {
    const std::size_t n = model.n_variables;
    const auto row = [n](Out& out, std::size_t b) { return out.size() ? out.data() + b * n * n : nullptr; };
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      lagrangian_hessians(model, ws, q.data() + b * n, v.data() + b * n, row(L_dqdq, b), row(L_dqdv, b),
                          row(L_dvdv, b));
    });
  });
  m.def("mass_matrix", [](const Model& model, In q, Out out) {
    const std::size_t n = model.n_variables;
    for_batch(model, q.shape(0),
              [&](Workspace& ws, std::size_t b) { mass_matrix(model, ws, q.data() + b * n, out.data() + b * n * n); });
  });
  m.def("inverse_dynamics", [](const Model& model, In q, In v, In a, Out tau) {
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      inverse_dynamics(model, ws, q.data() + at, v.data() + at, a.data() + at, tau.data() + at);
    });
  });
  // Returns (row, variable) of the first singular mass matrix, or (-1, -1).
  m.def("forward_dynamics", [](const Model& model, In q, In v, In tau, Out a) {
    std::pair<long, int> failed{-1, -1};
    for_batch(model, q.shape(0), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      const int variable =
          forward_dynamics(model, ws, q.data() + at, v.data() + at, tau.data() + at, a.data() + at);
      if (variable >= 0 && failed.first < 0) failed = {static_cast<long>(b), variable};
    });
    return failed;
  });
}
