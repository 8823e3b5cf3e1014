#include "bough/integrators/trapezoidal.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {

Trapezoidal::Trapezoidal(const Model& model) : model_(model), derivatives_(model.elements) {
  const std::size_t n = model.n_variables;
  v_.resize(n);
  for (int e = 0; e < 2; ++e) {
    L_q_[e].resize(n);
    L_v_[e].resize(n);
    force_[e].resize(n);
    L_qv_[e].resize(n * n);
    L_vv_[e].resize(n * n);
  }
}

void Trapezoidal::evaluate(const Interval& step, double* D1, double* D2, double* scale) {
  step_ = step;
  const double dt = step.dt;
  Workspace& ws = workspace(model_);
  for (int i = 0; i < model_.n_variables; ++i) v_[i] = (step.q1[i] - step.q0[i]) / dt;
  const double* ends[2] = {step.q0, step.q1};
  for (int e = 0; e < 2; ++e) {
    lagrangian_gradient(model_, ws, ends[e], v_.data(), L_q_[e].data(), L_v_[e].data());
    std::fill(force_[e].begin(), force_[e].end(), 0.0);
    add_forces({model_, ws.state, ends[e], v_.data(), step.u, step.t + e * dt}, 0.5 * dt, force_[e].data());
  }
  for (int i = 0; i < model_.n_variables; ++i) {
    const double L_v = 0.5 * (L_v_[0][i] + L_v_[1][i]);
    D1[i] = 0.5 * dt * L_q_[0][i] - L_v + force_[0][i];  // (Z1)
    D2[i] = 0.5 * dt * L_q_[1][i] + L_v + force_[1][i];  // (Z2)
    scale[i] = 0.5 * (std::abs(dt * L_q_[0][i]) + std::abs(L_v_[0][i]) + std::abs(L_v_[1][i])) + std::abs(force_[0][i]);
  }
}

DiscreteLagrangian::Energy Trapezoidal::energy(const Interval& step) {
  for (int i = 0; i < model_.n_variables; ++i) v_[i] = (step.q1[i] - step.q0[i]) / step.dt;
  Workspace& ws = workspace(model_);
  Energy mean{0.0, 0.0};
  for (const double* q : {step.q0, step.q1}) {
    mean.kinetic += 0.5 * kinetic_energy(model_, ws, q, v_.data());
    mean.potential += 0.5 * potential_energy(model_, ws, q);
  }
  return mean;
}

void Trapezoidal::set_K(double* K) {
  const int n = model_.n_variables;
  const double dt = step_.dt;
  Workspace& ws = workspace(model_);
  const double* ends[2] = {step_.q0, step_.q1};
  // The second end first: the forces of (Z1) are at the first one, whose poses stay in the workspace.
  for (int e : {1, 0}) lagrangian_hessians(model_, ws, ends[e], v_.data(), nullptr, L_qv_[e].data(), L_vv_[e].data());
  add_forces_dv({model_, ws.state, step_.q0, v_.data(), step_.u, step_.t}, -dt, L_vv_[0].data());  // f_v / 2 in K
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // (Z3)
      K[i * n + j] =
          0.5 * (L_qv_[0][i * n + j] - L_qv_[1][j * n + i] - (L_vv_[0][i * n + j] + L_vv_[1][i * n + j]) / dt);
}

void Trapezoidal::slot_derivatives(const Slots& out) {
  if (out.D1_1) set_K(out.D1_1);
  if (!out.D1_0 && !out.D2_0 && !out.D2_1) return;
  const std::size_t n = model_.n_variables;
  const double dt = step_.dt, *ends[2] = {step_.q0, step_.q1};
  Workspace& ws = workspace(model_);
  for (int e = 0; e < 2; ++e) {
    for (auto* x : {&F_q_[e], &F_v_[e]}) x->resize(n * n);
    lagrangian_hessians(model_, ws, ends[e], v_.data(), F_q_[e].data(), L_qv_[e].data(), L_vv_[e].data());
    const Instant at{model_, ws.state, ends[e], v_.data(), step_.u, step_.t + e * dt};
    F_v_[e] = L_qv_[e];
    add_forces_dq(at, 1.0, F_q_[e].data());
    add_forces_dv(at, 1.0, F_v_[e].data());
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {  // (Z4)
      const std::size_t ij = i * n + j, ji = j * n + i;
      const double M = (L_vv_[0][ij] + L_vv_[1][ij]) / (2.0 * dt);
      if (out.D1_0) out.D1_0[ij] = 0.5 * (dt * F_q_[0][ij] - F_v_[0][ij] - L_qv_[0][ji]) + M;
      if (out.D2_0) out.D2_0[ij] = 0.5 * (L_qv_[0][ji] - F_v_[1][ij]) - M;
      if (out.D2_1) out.D2_1[ij] = 0.5 * (dt * F_q_[1][ij] + F_v_[1][ij] + L_qv_[1][ji]) + M;
    }
}

void Trapezoidal::input_derivatives(double* D1_u, double* D2_u) {
  const double dt = step_.dt, *ends[2] = {step_.q0, step_.q1};
  double* out[2] = {D1_u, D2_u};
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.elements.n_inputs;
  Workspace& ws = workspace(model_);
  for (int e = 0; e < 2; ++e) {
    std::fill_n(out[e], size, 0.0);
    if (size == 0) continue;
    sweep_velocities(model_, ws, ends[e], v_.data());
    const Instant at{model_, ws.state, ends[e], v_.data(), step_.u, step_.t + e * dt};
    for (const ForceDerivatives* force : derivatives_.forces)
      if (force) force->add_force_du(at, 0.5 * dt, out[e]);
  }
}

void Trapezoidal::time_derivatives(const TimeSlots& out) {  // (Z5)
  const double dt = step_.dt, *ends[2] = {step_.q0, step_.q1};
  const std::size_t n = model_.n_variables;
  double *by_dt[2] = {out.D1_dt, out.D2_dt}, *by_t[2] = {out.D1_t, out.D2_t};
  Workspace& ws = workspace(model_);
  for (int e = 0; e < 2; ++e) {
    std::fill_n(by_t[e], n, 0.0);
    sweep_velocities(model_, ws, ends[e], v_.data());
    const Instant at{model_, ws.state, ends[e], v_.data(), step_.u, step_.t + e * dt};
    for (const ForceDerivatives* force : derivatives_.forces)
      if (force) force->add_force_dt(at, 0.5 * dt, by_t[e]);
    const double sign = e == 0 ? 1.0 : -1.0;
    for (std::size_t i = 0; i < n; ++i) {
      by_dt[e][i] = 0.5 * L_q_[e][i] + force_[e][i] / dt + e * by_t[e][i];
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t ij = i * n + j;
        by_dt[e][i] += 0.5 * (sign * (L_vv_[0][ij] + L_vv_[1][ij]) / dt - F_v_[e][ij]) * v_[j];
      }
    }
  }
}

// (Z1), (Z2) contracted: one place at each end.
PhiPlace Trapezoidal::place(int end, const double* a, const double* lp, Covectors& memory) const {
  const double dt = step_.dt, *weights = end == 0 ? a : lp;
  auto& [sigma, tau, c, own_a, own_lp] = memory;
  for (int i = 0; i < model_.n_variables; ++i) {
    sigma[i] = weights[i];
    tau[i] = (lp[i] - a[i]) / dt;
    c[i] = 0.5 * dt * weights[i];
  }
  const double* q = end == 0 ? step_.q0 : step_.q1;
  return {0.5 * dt,
          step_.t + end * dt,
          q,
          v_.data(),
          step_.u,
          sigma.data(),
          tau.data(),
          c.data(),
          end == 0 ? 1.0 : 0.0,
          end == 0 ? 0.0 : 1.0};
}

}  // namespace bough
