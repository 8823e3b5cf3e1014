#include "bough/dynamics/lagrangian_along.hpp"

#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// (LA2)
Inertia inertia_along(const Inertia& I, const Twist& S) {
  const Vec3 &w = S.w, &x = S.v;
  const Mat3 W = skew(w) * I.I, A = outer(I.mc, x);
  Mat3 moments = W + transpose(W) + (-1.0) * A + (-1.0) * transpose(A);
  moments += Mat3::diagonal(2.0 * dot(x, I.mc));
  return {moments, I.m * x + cross(w, I.mc), 0.0};
}

}  // namespace

LagrangianAlong::LagrangianAlong(const Model& model) : model_(model) {
  const std::size_t n = model.joints.size();
  along_.resize(n + 1);
  along_[0] = {Twist::zero(), Twist::zero(), Twist::zero(), Twist::zero(), Inertia::zero(), Wrench::zero()};
  rows_.resize(24 * n + 4);
}

void LagrangianAlong::sweep_out(Workspace& ws, const Place& at) {
  sweep_velocities(model_, ws, at.q, at.v, Origin::local);
  ws.inertia[0] = Inertia::zero();
  ws.momentum[0] = Wrench::zero();
  along_[0].I = Inertia::zero();
  along_[0].h = Wrench::zero();
  Twist ball = Twist::zero();
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const JointState& x = ws.state[i + 1];
    const Along& p = along_[joint.parent];
    Along& to = along_[i + 1];
    const int k = joint.variable;
    if (joint.ball >= 0 && joint.axis == 0) {
      ball = p.Sigma;
      for (int a = 0; a < 3; ++a) ball += at.sigma[k + a] * ws.state[i + 1 + a].J;
    }
    to.J = ad(joint.ball >= 0 ? ball : p.Sigma, x.J);  // (LA1)
    to.Sigma = p.Sigma + (joint.ratio * at.sigma[k]) * x.J;
    to.V = p.V + (joint.ratio * at.v[k]) * to.J + (joint.ratio * at.tau[k]) * x.J;
    to.U = ad(along_[joint.base].V, x.J) + ad(ws.state[joint.base].V, to.J);
    const Inertia I = ws.inertia[i + 1] = world_inertia(model_.links[i], x.g);
    ws.momentum[i + 1] = I * x.V;
    to.I = inertia_along(I, to.Sigma);
    to.h = to.I * x.V + I * to.V;
  }
}

void LagrangianAlong::sweep_in(Workspace& ws) {
  const WrenchRows a = rows(0), b = rows(1), da = rows(2), db = rows(3);
  for (int i = model_.n() - 1; i >= 0; --i) {
    const int parent = model_.joints[i].parent;
    const JointState& x = ws.state[i + 1];
    const Along& of = along_[i + 1];
    const Inertia& Ic = ws.inertia[i + 1];
    const Wrench& hc = ws.momentum[i + 1];
    a.set(i, Ic * x.J);
    b.set(i, Ic * x.U - ad_transpose(x.J, hc));
    da.set(i, of.I * x.J + Ic * of.J);  // (LA3)
    db.set(i, of.I * x.U + Ic * of.U - ad_transpose(of.J, hc) - ad_transpose(x.J, of.h));
    ws.inertia[parent] += Ic;
    ws.momentum[parent] += hc;
    along_[parent].I += of.I;
    along_[parent].h += of.h;
  }
}

void LagrangianAlong::sweep(const Place& at) {
  Workspace& ws = workspace(model_);
  sweep_out(ws, at);
  sweep_in(ws);
}

void LagrangianAlong::evaluate(const Place& at, double* qq, double* qv, double* vv) {
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.n_variables;
  for (double* H : {qq, qv, vv}) std::fill_n(H, size, 0.0);
  sweep(at);
  for_pairs([&](const PairBlock& of) {
    add_pairs<3>(model_, of, {of.qq, of.down, of.vv}, {of.qq, of.up, of.vv}, {qq, qv, vv});
  });
}

}  // namespace bough
