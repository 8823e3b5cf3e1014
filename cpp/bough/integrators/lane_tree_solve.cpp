// Newton's matrix of four systems, eliminated along the tree: (RL1), (RL2), (N3), (N4).
#include <algorithm>

#include "bough/integrators/lane_tree.hpp"

namespace bough {

// P += factor I
template <bool isotropic>
[[gnu::always_inline]] inline void LaneTree::add_inertia(const Numbers& link, const Body& body, const Lane4& factor,
                                                         Matrix& P) {
  const Lane4 m = factor * link.mass;
  const LaneVec c = body.c, mc = m * c;
  Lane4 A[6] = {mc.y * c.y + mc.z * c.z, mc.x * c.x + mc.z * c.z, mc.x * c.x + mc.y * c.y,
                -(mc.x * c.y),           -(mc.x * c.z),           -(mc.y * c.z)};
  if constexpr (isotropic) {
    const Lane4 own = factor * link.inertia[xx];
    for (int k = 0; k < 3; ++k) A[k] += own;
  } else {
    const Lane4* I = link.inertia;
    const LaneVec rows[3] = {{I[xx], I[xy], I[xz]}, {I[xy], I[yy], I[yz]}, {I[xz], I[yz], I[zz]}};
    for (int k = 0; k < 3; ++k) {
      const LaneVec a = factor * (body.g.R * rows[k]), b = body.g.R.c[k];
      A[xx] += a.x * b.x;
      A[yy] += a.y * b.y;
      A[zz] += a.z * b.z;
      A[xy] += a.x * b.y;
      A[xz] += a.x * b.z;
      A[yz] += a.y * b.z;
    }
  }
  auto& e = P.entry;
  e[0][0] += A[xx];
  e[1][1] += A[yy];
  e[2][2] += A[zz];
  e[0][1] += A[xy];
  e[1][0] += A[xy];
  e[0][2] += A[xz];
  e[2][0] += A[xz];
  e[1][2] += A[yz];
  e[2][1] += A[yz];
  e[0][4] -= mc.z;
  e[0][5] += mc.y;
  e[1][3] += mc.z;
  e[1][5] -= mc.x;
  e[2][3] -= mc.y;
  e[2][4] += mc.x;
  e[3][1] += mc.z;
  e[3][2] -= mc.y;
  e[4][0] -= mc.z;
  e[4][2] += mc.x;
  e[5][0] += mc.y;
  e[5][1] -= mc.x;
  for (int k = 3; k < 6; ++k) e[k][k] += m;
}

// (RL1), (RL2), (N3)
void LaneTree::eliminate(int i, const Step& step, const LaneArray& d, const LaneArray& x) {
  const Joint& joint = joints_[i];
  const Numbers& a = numbers_[i];
  const Body& body = bodies_[i + 1];
  Node& node = nodes_[i + 1];
  Matrix& P = matrices_[place_[i + 1]];
  const bool leaf = joint.subtree_end == i + 1;
  if (leaf) {
    for (auto& row : P.entry)
      for (Lane4& entry : row) entry = Lane4{};
    node.s = LaneWrench::zero();
  }
  if (!links_[i].massless) {
    if (links_[i].isotropic)
      add_inertia<true>(a, body, step.inverse_dt, P);
    else
      add_inertia<false>(a, body, step.inverse_dt, P);
  }

  const LaneTwist J = body.J, U = body.U;
  const LaneVec G = cross(gravity_, J.w);
  const LaneVec y_w = J.w + step.alpha_dt * U.w, y_v = J.v + step.alpha_dt * U.v + step.eps * G;
  const LaneVec w_w = step.beta_dt * U.w - J.w, w_v = step.beta_dt * U.v - J.v - step.eps * G;
  const Lane4 y[6] = {y_w.x, y_w.y, y_w.z, y_v.x, y_v.y, y_v.z};
  const Lane4 w[6] = {w_w.x, w_w.y, w_w.z, w_v.x, w_v.y, w_v.z};
  Lane4 u[6], t[6] = {};
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) {
    Lane4 sum{};
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      const Lane4 entry = P.entry[r][k];
      sum += entry * y[k];
      t[k] += entry * w[r];
    }
    u[r] = sum;
  }
  const LaneVec e_n = cross(body.h.n, J.w) + cross(body.h.f, J.v), e_f = cross(body.h.f, J.w);
  const LaneVec I_n = step.eps_dt * cross(body.mc, G), I_f = (step.eps_dt * a.subtree_mass) * G;
  const Lane4 e[6] = {e_n.x, e_n.y, e_n.z, e_f.x, e_f.y, e_f.z};
  const Lane4 I[6] = {I_n.x, I_n.y, I_n.z, I_f.x, I_f.y, I_f.z};
  Lane4 D = d[joint.variable] * (a.inverse_ratio * a.inverse_ratio);
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    u[k] -= step.alpha * e[k] + I[k];
    t[k] += I[k] - step.beta * e[k];
    D += t[k] * y[k];
  }
  const Lane4 inverse_D = inverse(D);
  node.inverse_D = inverse_D;
  node.y = {y_w, y_v};
  node.t = {{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
  LaneWrench s = node.s;
  node.c = (x[joint.variable] * a.inverse_ratio - dot(LaneTwist{w_w, w_v}, s)) * inverse_D;
  if (joint.parent == 0) return;
  s += node.c * LaneWrench{{u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
  Node& parent = nodes_[joint.parent];
  if (joint.last_child)
    parent.s = s;
  else
    parent.s += s;
  Matrix& into = matrices_[place_[joint.parent]];
  const bool add = !joint.last_child;
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) {
    const Lane4 scaled = u[r] * inverse_D;
    if (add)
      for (int k = 0; k < 6; ++k) into.entry[r][k] += P.entry[r][k] - scaled * t[k];
    else
      for (int k = 0; k < 6; ++k) P.entry[r][k] -= scaled * t[k];
  }
}

// (N4)
void LaneTree::expand(LaneArray& x) {
  nodes_[0].eta = LaneTwist::zero();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    Node& node = nodes_[i + 1];
    const LaneTwist eta = nodes_[joint.parent].eta;
    const Lane4 moved = node.c - dot(eta, node.t) * node.inverse_D;
    node.eta = eta + moved * node.y;
    x[joint.variable] = moved * numbers_[i].inverse_ratio;
  }
}

void LaneTree::solve(double dt, double alpha, const LaneArray& d, LaneArray& x) {
  const double beta = 1.0 - alpha, eps = -alpha * beta * dt * dt;
  const Step step{broadcast(1.0 / dt), broadcast(alpha * dt), broadcast(beta * dt), broadcast(alpha),
                  broadcast(beta),     broadcast(eps),        broadcast(eps / dt)};
  for (int i = static_cast<int>(joints_.size()) - 1; i >= 0; --i) eliminate(i, step, d, x);
  expand(x);
}

Lane4 LaneTree::inverse_pivots() {
  Lane4 total{};
  std::fill(traces_.begin(), traces_.end(), Lane4{});
  for (int i = static_cast<int>(joints_.size()) - 1; i >= 0; --i) {
    const Numbers& a = numbers_[i];
    const Body& body = bodies_[i + 1];
    Lane4 trace = traces_[i + 1];
    if (!links_[i].massless)
      trace += a.inertia[xx] + a.inertia[yy] + a.inertia[zz] + 2.0 * (a.mass * dot(body.c, body.c));
    traces_[joints_[i].parent] += trace;
    const Lane4 outboard = dot(body.J.w, body.J.w) * trace + dot(body.J.v, body.J.v) * a.subtree_mass;
    total += abs(nodes_[i + 1].inverse_D) * outboard;
  }
  return total;
}

}  // namespace bough
