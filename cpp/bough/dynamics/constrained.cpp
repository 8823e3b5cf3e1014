#include "bough/dynamics/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

double row_dot(const std::vector<double>& rows, int r, int n, const double* x) {
  return std::inner_product(x, x + n, rows.begin() + static_cast<std::size_t>(r) * n, 0.0);
}

// x += Z lam with (Dh Z) lam = lam on entry; kinematic entries of x stay.
int correct(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double* x) {
  const int n = model.n_variables, m = model.elements.n_constraints;
  for (int r = 0; r < m; ++r) {
    double* z = space.Z.data() + static_cast<std::size_t>(r) * n;
    std::fill_n(z, n, 0.0);
    const int singular = mass_solve(model, ws, q, space.Dh.data() + static_cast<std::size_t>(r) * n, z);
    if (singular >= 0) return singular;
    for (int c = 0; c < m; ++c) space.S(c, r) = row_dot(space.Dh, c, n, z);
  }
  space.schur.factor(space.S);
  space.schur.solve(space.lam);
  for (int r = 0; r < m; ++r)
    for (int i = 0; i < model.n_dynamic; ++i) x[i] += space.Z[static_cast<std::size_t>(r) * n + i] * space.lam[r];
  return -1;
}

// h, its scale and Dh.
void constraint_rows(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t) {
  sweep_poses(model, ws, q);
  const Instant at{model, ws.state, q, nullptr, nullptr, t};
  constraint(at, space.h.data(), space.scale.data());
  constraint_dq(at, space.scale.data(), space.Dh.data());
}

}  // namespace

ConstraintSpace::ConstraintSpace(const Model& model) {
  const std::size_t n = model.n_variables, m = model.elements.n_constraints;
  Dh.resize(m * n);
  Z.resize(m * n);
  h.resize(m);
  scale.resize(m);
  bias.resize(m);
  rate.resize(m);
  S.resize(m, m);
  lam.resize(m);
  if (m > 0) schur.fit(static_cast<int>(m));
}

int acceleration(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* v,
                 const double* tau, const double* u, double t, double baumgarte_velocity, double baumgarte_position,
                 double* a, double* lam) {
  const int n = model.n_variables, m = model.elements.n_constraints;
  double* total = ws.tau.data() + n;
  std::copy_n(tau, n, total);
  if (!model.elements.forces.empty()) {
    sweep_velocities(model, ws, q, v);
    add_forces({model, ws.state, q, v, u, t}, 1.0, total);
  }
  int singular = forward_dynamics(model, ws, q, v, total, a);
  if (singular >= 0 || m == 0) return singular;

  sweep_velocities(model, ws, q, v);
  const Instant at{model, ws.state, q, v, u, t};
  constraint(at, space.h.data(), space.scale.data());
  constraint_dq(at, space.scale.data(), space.Dh.data());
  constraint_rate(at, space.rate.data());
  constraint_bias(at, space.bias.data());
  for (int r = 0; r < m; ++r) {  // (C1)
    const double h_v = row_dot(space.Dh, r, n, v) + space.rate[r];
    space.lam[r] = -(space.bias[r] + row_dot(space.Dh, r, n, a) + 2.0 * baumgarte_velocity * h_v +
                     baumgarte_position * baumgarte_position * space.h[r]);
  }
  singular = correct(model, ws, space, q, a);
  std::copy_n(space.lam.data(), m, lam);
  return singular;
}

int velocity_from_momentum(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* p,
                           double t, double* v) {
  const int singular = mass_solve(model, ws, q, p, v);
  if (singular >= 0 || model.elements.n_constraints == 0) return singular;
  return project_velocity(model, ws, space, q, t, v);  // (C2)
}

int project_velocity(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t, double* v) {
  const int n = model.n_variables, m = model.elements.n_constraints;
  constraint_rows(model, ws, space, q, t);
  constraint_rate({model, ws.state, q, nullptr, nullptr, t}, space.rate.data());
  for (int r = 0; r < m; ++r) space.lam[r] = -row_dot(space.Dh, r, n, v) - space.rate[r];  // (C3)
  return correct(model, ws, space, q, v);
}

int project_configuration(const Model& model, Workspace& ws, ConstraintSpace& space, double t, double* q) {
  constraint_rows(model, ws, space, q, t);
  for (int r = 0; r < model.elements.n_constraints; ++r) space.lam[r] = -space.h[r];  // (C4)
  return correct(model, ws, space, q, q);
}

double constraint_residual(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t) {
  sweep_poses(model, ws, q);
  constraint({model, ws.state, q, nullptr, nullptr, t}, space.h.data(), space.scale.data());
  double largest = 0.0;
  for (double h : space.h) largest = std::max(largest, std::abs(h));
  return largest;
}

}  // namespace bough
