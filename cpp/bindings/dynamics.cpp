#include "bindings/arrays.hpp"
#include "bough/dynamics/constrained.hpp"
#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/dynamics/inverse_dynamics.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/dynamics/lagrangian_along.hpp"
#include "bough/dynamics/mass_matrix.hpp"
#include "bough/dynamics/phi_hessian.hpp"
#include "bough/dynamics/static_forces.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/kinematics.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

using namespace bough;

namespace {

// Runs f over a batch; f returns -1 or a variable.
template <class F>
std::pair<long, int> first_singular(const Model& model, std::size_t batch, F f) {
  std::pair<long, int> failed{-1, -1};
  for_batch(model, batch, [&](Workspace& ws, std::size_t b) {
    const int variable = f(ws, b);
    if (variable >= 0 && failed.first < 0) failed = {static_cast<long>(b), variable};
  });
  return failed;
}

// A sum over the forces, `size` numbers for each row of a batch.
void over_forces(const Model& model, std::size_t size, const In& q, const In& v, const In& u, const In& t, Out& out,
                 void (*add)(const Instant&, double, double*)) {
  const std::size_t n = model.n_variables, nu = model.elements.n_inputs;
  const Rows batch = Rows(v).of(q, model.n_coordinates()).of(v, n).of(u, nu).of(t, 1).of(out, size);
  Configurations config(model, q);
  for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
    sweep_velocities(model, ws, config(b), v.data() + b * n);
    std::fill_n(out.data() + b * size, size, 0.0);
    add({model, ws.state, config(b), v.data() + b * n, u.data() + b * nu, t.data()[b]}, 1.0, out.data() + b * size);
  });
}

// The places of those elements that have no third derivative.
template <class Kind>
std::vector<int> without_third(const std::vector<std::shared_ptr<const Kind>>& elements) {
  std::vector<int> places;
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!elements[i]->has_third()) places.push_back(static_cast<int>(i));
  return places;
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  m.def("total_mass", &total_mass);
  m.def("kinetic_energy", [](const Model& model, In q, In v, Out out) {
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(v, model.n_variables).of(out, 1);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      out.data()[b] = kinetic_energy(model, ws, config(b), v.data() + at);
    });
  });
  m.def("potential_energy", [](const Model& model, In q, Out out) {
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, 1);
    Configurations config(model, q);
    for_batch(model, batch.count,
              [&](Workspace& ws, std::size_t b) { out.data()[b] = potential_energy(model, ws, config(b)); });
  });
  m.def("potentials_without_third", [](const Model& model) { return without_third(model.elements.potentials); });
  m.def("constraints_without_third", [](const Model& model) { return without_third(model.elements.constraints); });
  // Whether a constraint depends on time, as one of the user may.
  m.def("constraints_may_move", [](const Model& model) {
    return std::any_of(model.elements.constraints.begin(), model.elements.constraints.end(),
                       [](const auto& c) { return c->moves(); });
  });
  m.def("potential_energy_dqdqdq", [](const Model& model, In q, Out out) {
    const std::size_t n = model.n_variables;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, n * n * n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      potential_energy_dqdqdq(model, ws, config(b), out.data() + b * n * n * n);
    });
  });
  m.def("center_of_mass", [](const Model& model, In q, Out out) {
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, 3);
    Configurations config(model, q);
    for_batch(model, batch.count,
              [&](Workspace& ws, std::size_t b) { center_of_mass(model, ws, config(b), out.data() + 3 * b); });
  });
  m.def("spatial_momentum", [](const Model& model, In q, In v, Out out) {
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(v, model.n_variables).of(out, 6);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      spatial_momentum(model, ws, config(b), v.data() + at, out.data() + 6 * b);
    });
  });
  m.def("lagrangian_gradient", [](const Model& model, In q, In v, Out L_dq, Out L_dv) {
    const Rows batch = Rows(q)
                           .of(q, model.n_coordinates())
                           .of(v, model.n_variables)
                           .of(L_dq, model.n_variables)
                           .of(L_dv, model.n_variables);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      lagrangian_gradient(model, ws, config(b), v.data() + at, L_dq.data() + at, L_dv.data() + at);
    });
  });
  // An output with no elements is not computed.
  m.def("lagrangian_hessians", [](const Model& model, In q, In v, Out L_dqdq, Out L_dqdv, Out L_dvdv) {
    const std::size_t n = model.n_variables;
    for (const Out* out : {&L_dqdq, &L_dqdv, &L_dvdv})
      if (out->size() > 0) Rows(q).of(*out, n * n);
    const auto row = [n](Out& out, std::size_t b) { return out.size() ? out.data() + b * n * n : nullptr; };
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(v, n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      lagrangian_hessians(model, ws, config(b), v.data() + b * n, row(L_dqdq, b), row(L_dqdv, b), row(L_dvdv, b));
    });
  });
  m.def("mass_matrix", [](const Model& model, In q, Out out) {
    const std::size_t n = model.n_variables;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, n * n);
    Configurations config(model, q);
    for_batch(model, batch.count,
              [&](Workspace& ws, std::size_t b) { mass_matrix(model, ws, config(b), out.data() + b * n * n); });
  });
  m.def("inverse_dynamics", [](const Model& model, In q, In v, In a, Out tau) {
    const Rows batch = Rows(q)
                           .of(q, model.n_coordinates())
                           .of(v, model.n_variables)
                           .of(a, model.n_variables)
                           .of(tau, model.n_variables);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      inverse_dynamics(model, ws, config(b), v.data() + at, a.data() + at, tau.data() + at);
    });
  });
  // Return (row, variable) of the first singular mass matrix, or (-1, -1). a and v come with their kinematic entries.
  m.def("acceleration", [](const Model& model, In q, In v, In tau, In u, In t, double baumgarte_velocity,
                           double baumgarte_position, Out a, Out lam) {
    const std::size_t n = model.n_variables, nu = model.elements.n_inputs, nc = model.elements.n_constraints;
    KeptConstraintSpace space(model);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(v, n).of(tau, n).of(u, nu).of(t, 1).of(a, n).of(lam, nc);
    Configurations config(model, q);
    return first_singular(model, batch.count, [&](Workspace& ws, std::size_t b) {
      return acceleration(model, ws, space, config(b), v.data() + b * n, tau.data() + b * n, u.data() + b * nu,
                          t.data()[b], baumgarte_velocity, baumgarte_position, a.data() + b * n, lam.data() + b * nc);
    });
  });
  m.def("velocity_from_momentum", [](const Model& model, In q, In p, In t, Out v) {
    const std::size_t n = model.n_variables, nd = model.n_dynamic;
    KeptConstraintSpace space(model);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(p, nd).of(t, 1).of(v, n);
    Configurations config(model, q);
    return first_singular(model, batch.count, [&](Workspace& ws, std::size_t b) {
      return velocity_from_momentum(model, ws, space, config(b), p.data() + b * nd, t.data()[b], v.data() + b * n);
    });
  });
  m.def("constraint", [](const Model& model, In q, In t, Out h, Out scale) {
    const std::size_t nc = model.elements.n_constraints;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(h, nc).of(scale, nc);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      sweep_poses(model, ws, config(b));
      constraint({model, ws.state, config(b), nullptr, nullptr, t.data()[b]}, h.data() + b * nc, scale.data() + b * nc);
    });
  });
  m.def("constraint_dq", [](const Model& model, In q, In t, Out out) {
    const std::size_t n = model.n_variables, nc = model.elements.n_constraints;
    std::vector<double> h(nc), scale(nc);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, nc * n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      sweep_poses(model, ws, config(b));
      const Instant at{model, ws.state, config(b), nullptr, nullptr, t.data()[b]};
      constraint(at, h.data(), scale.data());
      constraint_dq(at, scale.data(), out.data() + b * nc * n);
    });
  });
  m.def("constraint_dt", [](const Model& model, In q, In t, Out out) {
    const std::size_t nc = model.elements.n_constraints;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, nc);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      sweep_poses(model, ws, config(b));
      constraint_rate({model, ws.state, config(b), nullptr, nullptr, t.data()[b]}, out.data() + b * nc);
    });
  });
  m.def("constraint_dqdq", [](const Model& model, In q, In t, Out out) {
    const std::size_t n = model.n_variables, nc = model.elements.n_constraints;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, nc * n * n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      sweep_poses(model, ws, config(b));
      constraint_dqdq({model, ws.state, config(b), nullptr, nullptr, t.data()[b]}, out.data() + b * nc * n * n);
    });
  });
  m.def("constraint_dqdqdq", [](const Model& model, In q, In t, Out out) {
    const std::size_t n = model.n_variables, nc = model.elements.n_constraints;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(t, 1).of(out, nc * n * n * n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      sweep_poses(model, ws, config(b));
      constraint_dqdqdq({model, ws.state, config(b), nullptr, nullptr, t.data()[b]}, out.data() + b * nc * n * n * n);
    });
  });
  m.def("static_force_size", [](const Model& model, In q, In u, In t, Out out) {
    const std::size_t n = model.n_variables, nu = model.elements.n_inputs;
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(u, nu).of(t, 1).of(out, n);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      static_force_size(model, ws, config(b), u.data() + b * nu, t.data()[b], out.data() + b * n);
    });
  });
  m.def("generalized_force", [](const Model& model, In q, In v, In u, In t, Out out) {
    over_forces(model, model.n_variables, q, v, u, t, out, add_forces);
  });
  m.def("generalized_force_dq", [](const Model& model, In q, In v, In u, In t, Out out) {
    over_forces(model, model.n_variables * model.n_variables, q, v, u, t, out, add_forces_dq);
  });
  m.def("generalized_force_du", [](const Model& model, In q, In v, In u, In t, Out out) {
    const auto add = [](const Instant& at, double factor, double* B) {
      add_forces_du(at, factor, B, at.model.elements);
    };
    over_forces(model, model.n_variables * model.elements.n_inputs, q, v, u, t, out, add);
  });
  // The derivatives of d2L/dq dv and of the mass matrix along (q, v) += e (sigma, tau).
  m.def("lagrangian_along", [](const Model& model, In q, In v, In sigma, In tau, Out qv, Out vv) {
    const std::size_t n = model.n_variables;
    const Rows batch =
        Rows(q).of(q, model.n_coordinates()).of(v, n).of(sigma, n).of(tau, n).of(qv, n * n).of(vv, n * n);
    Configurations config(model, q);
    nb::gil_scoped_release release;
    LagrangianAlong along(model);
    std::vector<double> qq(n * n);
    for (std::size_t b = 0; b < batch.count; ++b)
      along.evaluate({config(b), v.data() + b * n, sigma.data() + b * n, tau.data() + b * n}, qq.data(),
                     qv.data() + b * n * n, vv.data() + b * n * n);
  });
  // The second derivatives by (q, v, u) of sigma . L_q + tau . L_v + c . f, without balls.
  m.def("phi_hessian", [](const Model& model, In q, In v, In u, In t, In sigma, In tau, In c, Out out) {
    const std::size_t n = model.n_variables, nu = model.elements.n_inputs, size = 2 * n + nu;
    const Rows batch = Rows(v)
                           .of(q, model.n_coordinates())
                           .of(v, n)
                           .of(u, nu)
                           .of(t, 1)
                           .of(sigma, n)
                           .of(tau, n)
                           .of(c, n)
                           .of(out, size * size);
    Configurations config(model, q);
    nb::gil_scoped_release release;
    PhiHessian phi(model);
    for (std::size_t b = 0; b < batch.count; ++b) {
      const std::size_t at = b * n;
      phi.evaluate({1.0, t.data()[b], config(b), v.data() + at, u.data() + b * nu, sigma.data() + at, tau.data() + at,
                    c.data() + at});
      Eigen::Map<PhiHessian::Rows> H(out.data() + b * size * size, size, size);
      H.topLeftCorner(n, n) = phi.qq;
      H.block(0, n, n, n) = phi.qv;
      H.block(n, n, n, n) = phi.vv;
      H.block(2 * n, 0, nu, n) = phi.uq;
      H.block(2 * n, n, nu, n) = phi.uv;
      H.bottomRightCorner(nu, nu) = phi.uu;
      H.block(n, 0, n, n) = phi.qv.transpose();
      H.topRightCorner(2 * n, nu) = H.bottomLeftCorner(nu, 2 * n).transpose();
    }
  });
  m.def("generalized_force_dv", [](const Model& model, In q, In v, In u, In t, Out out) {
    over_forces(model, model.n_variables * model.n_variables, q, v, u, t, out, add_forces_dv);
  });
}
