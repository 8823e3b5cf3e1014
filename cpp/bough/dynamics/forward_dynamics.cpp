#include "bough/dynamics/forward_dynamics.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/inverse_dynamics.hpp"
#include "bough/dynamics/mass_matrix.hpp"
#include "bough/dynamics/planar_dynamics.hpp"
#include "bough/solvers/products.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

inline void start_body(Articulated& body, const Inertia& I, const Wrench& F) {
  body.P = matrix(I, 1.0);
  body.F = F;
  body.m = I.m;
  body.Q = I.I(0, 0) + I.I(1, 1) + I.I(2, 2);
}

// Outward: poses, velocities, link inertias and bias wrenches. a holds kinematic accelerations.
void sweep_bias(const Model& model, Workspace& ws, const double* q, const double* v, const double* a) {
  set_parameters(model, ws.parameters, q);
  ws.acceleration[0] = {Vec3::zero(), -model.gravity};
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& x = ws.state[i + 1];
    const JointState& parent = ws.state[joint.parent];
    const double rate = joint.ratio * v[joint.variable];
    if (joint.parent == 0) ws.state[0].g.p = local_world(model, ws.parameters, i);
    place_joint(joint, parent.g, ws.parameters, i, x.g, x.J);
    x.V = parent.V + rate * x.J;
    Twist& A = ws.acceleration[i + 1];
    A = ws.acceleration[joint.parent] + rate * ad(ws.state[joint.base].V, x.J);
    if (!joint.dynamic) A += (joint.ratio * a[joint.variable]) * x.J;

    const Inertia I = model.links[i].massless ? Inertia::zero() : world_inertia(model.links[i], x.g);
    start_body(ws.articulated[i + 1], I, I * A - ad_transpose(x.V, I * x.V));
  }
}

// Outward for M x = r: the same with neither velocity nor gravity.
void sweep_inertia(const Model& model, Workspace& ws, const double* q, const double* x) {
  set_parameters(model, ws.parameters, q);
  ws.acceleration[0] = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& s = ws.state[i + 1];
    if (joint.parent == 0) ws.state[0].g.p = local_world(model, ws.parameters, i);
    place_joint(joint, ws.state[joint.parent].g, ws.parameters, i, s.g, s.J);
    Twist& A = ws.acceleration[i + 1];
    A = ws.acceleration[joint.parent];
    if (!joint.dynamic) A += (joint.ratio * x[joint.variable]) * s.J;
    const Inertia I = model.links[i].massless ? Inertia::zero() : world_inertia(model.links[i], s.g);
    start_body(ws.articulated[i + 1], I, I * A);
  }
}

// (D2)-(D4) on the bodies prepared by an outward sweep.
int articulated_solve(const Model& model, Workspace& ws, const double* tau, double* a) {
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    Articulated& body = ws.articulated[i + 1];
    Articulated& parent = ws.articulated[joint.parent];
    parent.m += body.m;
    parent.Q += body.Q;
    if (!joint.dynamic) {  // (D5)
      parent.P += body.P;
      parent.F += body.F;
      continue;
    }
    const Twist& J = ws.state[i + 1].J;
    body.u = transpose_times(body.P, J);  // (D2)
    const double D = dot(J, body.u);
    if (!(D > least_pivot * (dot(J.w, J.w) * body.Q + dot(J.v, J.v) * body.m))) return joint.variable;
    body.inverse_D = 1.0 / D;
    body.r = (tau[joint.variable] / joint.ratio - dot(J, body.F)) * body.inverse_D;  // (D3), over D
    if (joint.parent == 0) continue;
    parent.P += reduced(body.P, body.u, body.inverse_D);  // (D2)
    parent.F += body.F + body.r * body.u;                 // (D3)
  }

  // (D4): root to leaves.
  ws.articulated[0].E = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    Articulated& body = ws.articulated[i + 1];
    const Twist& E = ws.articulated[joint.parent].E;
    if (!joint.dynamic) {
      body.E = E;
      continue;
    }
    const double s = body.r - dot(E, body.u) * body.inverse_D;
    body.E = E + s * ws.state[i + 1].J;
    a[joint.variable] = s / joint.ratio;
  }
  return -1;
}

// M over variables with its dynamic block factored densely, where joints share variables: M x = r - C.
int dense_solve(const Model& model, Workspace& ws, const double* q, const double* r, const double* C, double* x) {
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int n = model.n_variables, nd = model.n_dynamic;
  double* data = ws.dense.data() + n;
  mass_matrix(model, ws, q, data);
  Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>> M(data, nd, nd, Eigen::OuterStride<>(n));
  for (int i = 0; i < nd; ++i) x[i] = M(i, i);
  Eigen::LLT<Eigen::Ref<RowMatrix, 0, Eigen::OuterStride<>>> llt(M);
  for (int i = 0; i < nd; ++i)
    if (!(M(i, i) * M(i, i) > least_pivot * x[i])) return i;
  Eigen::Map<Eigen::VectorXd> map(x, nd);
  for (int i = 0; i < nd; ++i) map[i] = r[i] - C[i];
  llt.solveInPlace(map);
  return -1;
}

}  // namespace

int forward_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau,
                     double* a) {
  const std::size_t n = model.n_variables;
  if (model.shared) {
    ws.fit_dense(n * (n + 1));
    std::fill_n(a, model.n_dynamic, 0.0);
    inverse_dynamics(model, ws, q, v, a, ws.dense.data());
    return dense_solve(model, ws, q, tau, ws.dense.data(), a);
  }
  if (model.elements.potentials.empty() && model.plane.axis >= 0) return planar_dynamics(model, ws, q, v, tau, a);
  sweep_bias(model, ws, q, v, a);
  if (model.elements.potentials.empty()) return articulated_solve(model, ws, tau, a);
  std::copy_n(tau, n, ws.tau.data());
  add_potential_gradient({model, ws.state, q}, -1.0, ws.tau.data());
  return articulated_solve(model, ws, ws.tau.data(), a);
}

int mass_solve(const Model& model, Workspace& ws, const double* q, const double* r, double* x) {
  if (!model.shared) {
    sweep_inertia(model, ws, q, x);
    return articulated_solve(model, ws, r, x);
  }
  // C = M_dk x_k
  const std::size_t n = model.n_variables, nd = model.n_dynamic;
  ws.fit_dense(n * (n + 1));
  mass_matrix(model, ws, q, ws.dense.data() + n);
  for (std::size_t i = 0; i < nd; ++i) {
    ws.dense[i] = 0.0;
    for (std::size_t k = nd; k < n; ++k) ws.dense[i] += ws.dense[n + i * n + k] * x[k];
  }
  return dense_solve(model, ws, q, r, ws.dense.data(), x);
}

void joint_inertias(const Model& model, Workspace& ws, const double* q, double* out) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic;
  std::fill_n(out, n, 0.0);
  if (model.shared) {
    ws.fit_dense(n * (n + 1));
    mass_matrix(model, ws, q, ws.dense.data() + n);
    for (std::size_t i = 0; i < nd; ++i) out[i] = ws.dense[n + i * (n + 1)];
    return;
  }
  std::fill_n(ws.tau.data(), 2 * n, 0.0);
  for (Articulated& body : ws.articulated) body.inverse_D = HUGE_VAL;
  sweep_inertia(model, ws, q, ws.tau.data());
  articulated_solve(model, ws, ws.tau.data(), ws.tau.data() + n);
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.dynamic) out[joint.variable] = joint.ratio * joint.ratio / ws.articulated[i + 1].inverse_D;
  }
}

}  // namespace bough
