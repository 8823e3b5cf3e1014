#include "bough/dynamics/lagrangian_along.hpp"

#include "bough/dynamics/pairs.hpp"
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

// out[i] (+)= c_i . X + d_i . Y for i in [begin, end).
template <bool accumulate = false>
void pair_rows(const WrenchRows& c, const Twist& X, const WrenchRows& d, const Twist& Y, int begin, int end,
               double* out) {
  pair_row<accumulate>(c, X, begin, end, out);
  pair_row<true>(d, Y, begin, end, out);
}

}  // namespace

LagrangianAlong::LagrangianAlong(const Model& model) : model_(model) {
  const std::size_t n = model.joints.size();
  along_.resize(n + 1);
  along_[0] = {Twist::zero(), Twist::zero(), Twist::zero(), Twist::zero(), Inertia::zero(), Wrench::zero()};
  rows_.resize(24 * n);
  column_.resize(n);
  if (!model.one_to_one) joints_.resize(3 * n * n);
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
  const int n = model_.n();
  double* rows = rows_.data();
  const WrenchRows a{rows, n}, b{rows + 6 * n, n}, da{rows + 12 * n, n}, db{rows + 18 * n, n};
  for (int i = n - 1; i >= 0; --i) {
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

// (LA4)
void LagrangianAlong::pairs(const Workspace& ws, double* qq, double* qv, double* vv) {
  const int n = model_.n();
  double* rows = rows_.data();
  const WrenchRows a{rows, n}, b{rows + 6 * n, n}, da{rows + 12 * n, n}, db{rows + 18 * n, n};
  const std::size_t size = static_cast<std::size_t>(n) * n;
  for (double* H : {qq, qv, vv}) std::fill_n(H, size, 0.0);
  for (int j = 0; j < n; ++j) {
    const JointState& x = ws.state[j + 1];
    const Along& d = along_[j + 1];
    const int end = model_.joints[j].subtree_end;
    pair_rows(da, x.J, a, d.J, j, end, vv + j * n);
    pair_rows(da, x.U, a, d.U, j, end, qv + j * n);
    pair_rows(db, x.J, b, d.J, j, end, column_.data());
    for (int i = j; i < end; ++i) qv[i * n + j] = column_[i];
    pair_rows(db, x.U, b, d.U, j, end, qq + j * n);
    const Twist G{Vec3::zero(), cross(model_.gravity, x.J.w)}, dG{Vec3::zero(), cross(model_.gravity, d.J.w)};
    pair_rows<true>(da, G, a, dG, j, end, qq + j * n);
  }
  mirror(vv, n);
  mirror(qq, n);
}

void LagrangianAlong::evaluate(const Place& at, double* qq, double* qv, double* vv) {
  Workspace& ws = workspace(model_);
  sweep_out(ws, at);
  sweep_in(ws);
  if (model_.one_to_one) {
    pairs(ws, qq, qv, vv);
    return;
  }
  const std::size_t size = model_.joints.size() * model_.joints.size();
  double* to[3] = {joints_.data(), joints_.data() + size, joints_.data() + 2 * size};
  pairs(ws, to[0], to[1], to[2]);
  gather_variables(model_, to[0], qq);
  gather_variables(model_, to[1], qv);
  gather_variables(model_, to[2], vv);
}

}  // namespace bough
