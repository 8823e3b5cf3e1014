#include "bough/dynamics/forward_dynamics.hpp"

#include <Eigen/Cholesky>

#include "bough/dynamics/inverse_dynamics.hpp"
#include "bough/dynamics/mass_matrix.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// A pivot below this fraction of the subtree's inertia is round-off: a few units in the last place of that inertia.
constexpr double singular = 1e-15;

// Outward: poses, velocities, link inertias and bias wrenches. a holds kinematic accelerations.
void sweep_bias(const Model& model, Workspace& ws, const double* q, const double* v, const double* a) {
  ws.acceleration[0] = {Vec3::Zero(), -model.gravity};
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& x = ws.state[i + 1];
    const JointState& parent = ws.state[joint.parent];
    const double rate = joint.ratio * v[joint.variable];
    place_joint(joint, parent.g, joint.shift + joint.ratio * q[joint.variable], x.g, x.J);
    x.V = parent.V + rate * x.J;
    Twist& A = ws.acceleration[i + 1];
    A = ws.acceleration[joint.parent] + rate * ad(parent.V, x.J);
    if (!joint.dynamic) A += (joint.ratio * a[joint.variable]) * x.J;

    Articulated& body = ws.articulated[i + 1];
    body.J = pack(x.J);
    const Inertia I = model.links[i].massless ? Inertia::zero() : world_inertia(model.links[i], x.g);
    body.P = pack(I, 1.0);
    body.F = pack(I * A - ad_transpose(x.V, I * x.V));
    body.m = I.m;
    body.Q = I.xx + I.yy + I.zz;
  }
}

// M over variables, its dynamic block factored densely.
int dense_forward_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau,
                           double* a) {
  const int n = model.n_variables, nd = model.n_dynamic;
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (ws.dense.size() < static_cast<std::size_t>(n) * n + n) ws.dense.resize(static_cast<std::size_t>(n) * n + n);
  double* C = ws.dense.data() + static_cast<std::size_t>(n) * n;
  std::fill_n(a, nd, 0.0);
  inverse_dynamics(model, ws, q, v, a, C);
  mass_matrix(model, ws, q, ws.dense.data());
  Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>> M(ws.dense.data(), nd, nd, Eigen::OuterStride<>(n));
  for (int i = 0; i < nd; ++i) a[i] = M(i, i);
  Eigen::LLT<Eigen::Ref<RowMatrix, 0, Eigen::OuterStride<>>> llt(M);
  for (int i = 0; i < nd; ++i)
    if (!(M(i, i) * M(i, i) > singular * a[i])) return i;
  Eigen::Map<Eigen::VectorXd> x(a, nd);
  for (int i = 0; i < nd; ++i) x[i] = tau[i] - C[i];
  llt.solveInPlace(x);
  return -1;
}

}  // namespace

int forward_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau, double* a) {
  if (model.shared) return dense_forward_dynamics(model, ws, q, v, tau, a);
  sweep_bias(model, ws, q, v, a);

  // (D2), (D3): leaves to root.
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    Articulated& body = ws.articulated[i + 1];
    Articulated& parent = ws.articulated[joint.parent];
    parent.m += body.m;
    parent.Q += body.Q;
    if (!joint.dynamic) {
      parent.P += body.P;
      parent.F += body.F;
      continue;
    }
    body.u = transpose_times(body.P, body.J);
    const double D = dot(body.J, body.u);
    const Twist& J = ws.state[i + 1].J;
    if (!(D > singular * (J.w.squaredNorm() * body.Q + J.v.squaredNorm() * body.m))) return joint.variable;
    body.inverse_D = 1.0 / D;
    body.r = (tau[joint.variable] / joint.ratio - dot(body.J, body.F)) * body.inverse_D;
    if (joint.parent == 0) continue;
    add_reduced(parent.P, body.P, body.u, body.u, body.inverse_D);
    parent.F += body.F + body.r * body.u;
  }

  // (D4): root to leaves. F is free by now: it carries E.
  ws.articulated[0].F = {Lane4{}, Lane4{}};
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    Articulated& body = ws.articulated[i + 1];
    const Pack& E = ws.articulated[joint.parent].F;
    if (!joint.dynamic) {
      body.F = E;
      continue;
    }
    const double s = body.r - dot(body.u, E) * body.inverse_D;
    body.F = E + s * body.J;
    a[joint.variable] = s / joint.ratio;
  }
  return -1;
}

}  // namespace bough
