#include "bough/dynamics/lagrangian.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/pairs.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// World inertias and momenta of all links, zero in slot 0.
void link_momenta(const Model& model, const std::vector<JointState>& state, Workspace& ws) {
  ws.inertia[0] = Inertia::zero();
  ws.momentum[0] = Wrench::zero();
  for (int i = 0; i < model.n(); ++i) {
    const JointState& x = state[i + 1];
    if (model.links[i].massless) {
      ws.inertia[i + 1] = Inertia::zero();
      ws.momentum[i + 1] = Wrench::zero();
    } else {
      ws.inertia[i + 1] = world_inertia(model.links[i], x.g);
      ws.momentum[i + 1] = ws.inertia[i + 1] * x.V;  // (L1)
    }
  }
}

// (BJ6) for L without potentials; momenta and inertias are those of subtrees.
void order_kinetic(const Model& model, const std::vector<JointState>& state, Workspace& ws, double* L_dqdq,
                   double* L_dqdv) {
  std::fill_n(ws.tau.data(), 2 * model.n_variables, 0.0);
  double *L_q = ws.tau.data(), *L_v = L_q + model.n_variables;
  for (const Ball& ball : model.balls)
    for (int axis = 0; axis < 3; ++axis) {
      const int slot = ball.joint + axis + 1;
      const JointState& x = state[slot];
      const Inertia& Ic = ws.inertia[slot];
      L_v[ball.variable + axis] = dot(x.J, ws.momentum[slot]);
      L_q[ball.variable + axis] =
          dot(x.U, ws.momentum[slot]) + dot(x.J, Wrench{cross(Ic.mc, model.gravity), Ic.m * model.gravity});
    }
  if (L_dqdq) order_hessian(model, L_q, 1.0, L_dqdq);
  if (L_dqdv) order_mixed(model, L_v, L_dqdv);
}

}  // namespace

void lagrangian_gradient(const Model& model, Workspace& ws, const double* q, const double* v, double* L_dq,
                         double* L_dv) {
  sweep_velocities(model, ws, q, v, Origin::local);
  link_momenta(model, ws.state, ws);
  if (L_dq) std::fill_n(L_dq, model.n_variables, 0.0);
  if (L_dv) std::fill_n(L_dv, model.n_variables, 0.0);
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    const JointState& x = ws.state[i + 1];
    const Wrench& hc = ws.momentum[i + 1];
    const Inertia& Ic = ws.inertia[i + 1];
    const Wrench Fc{cross(Ic.mc, model.gravity), Ic.m * model.gravity};
    if (L_dv) L_dv[joint.variable] += joint.ratio * dot(x.J, hc);                   // (L2)
    if (L_dq) L_dq[joint.variable] += joint.ratio * (dot(x.U, hc) + dot(x.J, Fc));  // (L3)
    ws.momentum[joint.parent] += hc;
    ws.inertia[joint.parent].m += Ic.m;
    ws.inertia[joint.parent].mc += Ic.mc;
  }
  if (L_dq) add_potential_gradient({model, ws.state, q}, -1.0, L_dq);
}

// (L4), leaves to root.
void set_pair_wrenches(const Model& model, const std::vector<JointState>& state, Workspace& ws) {
  link_momenta(model, state, ws);
  const int n = model.n();
  const WrenchRows a = momenta_of_pairs(ws, n), b = rates_of_pairs(ws, n);
  for (int i = n - 1; i >= 0; --i) {
    const JointState& x = state[i + 1];
    const Inertia& Ic = ws.inertia[i + 1];
    const Wrench& hc = ws.momentum[i + 1];
    a.set(i, Ic * x.J);
    b.set(i, Ic * x.U - ad_transpose(x.J, hc));
    ws.inertia[model.joints[i].parent] += Ic;
    ws.momentum[model.joints[i].parent] += hc;
  }
}

void lagrangian_hessians(const Model& model, Workspace& ws, const double* q, const double* v, double* L_dqdq,
                         double* L_dqdv, double* L_dvdv) {
  const int n = model.n();
  const std::size_t size = static_cast<std::size_t>(n) * n;
  sweep_velocities(model, ws, q, v, Origin::local);
  set_pair_wrenches(model, ws.state, ws);
  const WrenchRows a = momenta_of_pairs(ws, n), b = rates_of_pairs(ws, n);

  // Joint space is variable space for most models; otherwise work in scratch and apply the chain rule.
  double *qq = L_dqdq, *qv = L_dqdv, *vv = L_dvdv;
  if (!model.one_to_one) {
    if (ws.matrix.size() < 4 * size) ws.matrix.resize(4 * size);
    qq = ws.matrix.data();
    qv = qq + size;
    vv = qv + size;
  } else {
    for (double* H : {qq, qv, vv})
      if (H) std::fill_n(H, size, 0.0);
  }
  double* column = ws.column.data();
  for (int j = 0; j < n; ++j) {
    const JointState& x = ws.state[j + 1];
    const int end = model.joints[j].subtree_end;
    if (vv) pair_row(a, x.J, j, end, vv + j * n);  // (L5)
    if (qv) {
      pair_row(a, x.U, j, end, qv + j * n);  // (L6)
      pair_row(b, x.J, j, end, column);      // (L7)
      for (int i = j; i < end; ++i) qv[i * n + j] = column[i];
    }
    if (qq) {
      pair_row(b, x.U, j, end, qq + j * n);  // (L8)
      pair_row<true>(a, Twist{Vec3::zero(), cross(model.gravity, x.J.w)}, j, end, qq + j * n);
    }
  }
  if (model.one_to_one) {
    if (vv) mirror(vv, n);
    if (qq) mirror(qq, n);
  } else {
    if (L_dqdq) gather_variables<true>(model, qq, L_dqdq);
    if (L_dqdv) gather_variables<false>(model, qv, L_dqdv);
    if (L_dvdv) gather_variables<true>(model, vv, L_dvdv);
  }
  if (!model.balls.empty()) order_kinetic(model, ws.state, ws, L_dqdq, L_dqdv);
  if (L_dqdq) add_potential_hessian({model, ws.state, q}, -1.0, L_dqdq);
}

void lagrangian_hessians_at(const Model& model, const std::vector<JointState>& state, Workspace& ws, const double* q,
                            double* L_dqdq, double* L_dqdv, double* L_dvdv) {
  const std::size_t size = static_cast<std::size_t>(model.n_variables) * model.n_variables;
  for (double* H : {L_dqdq, L_dqdv, L_dvdv}) std::fill_n(H, size, 0.0);
  set_pair_wrenches(model, state, ws);
  for_lagrangian_pairs(model, state, ws, [&](const PairBlock& of) {
    add_pairs<3>(model, of, {of.qq, of.down, of.vv}, {of.qq, of.up, of.vv}, {L_dqdq, L_dqdv, L_dvdv});
  });
  if (!model.balls.empty()) order_kinetic(model, state, ws, L_dqdq, L_dqdv);
  add_potential_hessian({model, state, q}, -1.0, L_dqdq);
}

}  // namespace bough
