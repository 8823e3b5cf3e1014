#include "bough/solvers/tree_newton_stages.hpp"

#include <cmath>

#include "bough/solvers/tree_newton.hpp"

namespace bough {
namespace {

// Row b of a small matrix in a register of each column, inverted in place by Gauss and Jordan with row pivots.
bool invert(Lane4* columns, int s) {
  double a[most_stages][2 * most_stages] = {};
  for (int r = 0; r < s; ++r) {
    for (int c = 0; c < s; ++c) a[r][c] = columns[c][r];
    a[r][s + r] = 1.0;
  }
  for (int k = 0; k < s; ++k) {
    int pivot = k;
    for (int r = k + 1; r < s; ++r)
      if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
    if (!(std::abs(a[pivot][k]) > 0.0) || !std::isfinite(a[pivot][k])) return false;
    for (int c = 0; c < 2 * s; ++c) std::swap(a[k][c], a[pivot][c]);
    const double scale = 1.0 / a[k][k];
    for (int c = 0; c < 2 * s; ++c) a[k][c] *= scale;
    for (int r = 0; r < s; ++r) {
      if (r == k) continue;
      const double factor = a[r][k];
      for (int c = 0; c < 2 * s; ++c) a[r][c] -= factor * a[k][c];
    }
  }
  for (int c = 0; c < s; ++c)
    for (int r = 0; r < s; ++r) set_lane(columns[c], r, a[r][s + c]);
  return true;
}

inline void parts(const LaneTwist& x, Lane4* to) {
  to[0] = x.w.x;
  to[1] = x.w.y;
  to[2] = x.w.z;
  to[3] = x.v.x;
  to[4] = x.v.y;
  to[5] = x.v.z;
}

}  // namespace

void TreeNewtonStages::resize(const Model& model, const GaussTable& table) {
  s_ = table.stages;
  table_ = table;
  nodes_.assign(model.joints.size() + 1, Node{});
  P_.resize(model.joints.size() + 1);
  gravity_axes(model.gravity, e_, g_e_);
}

// x . column c in lane c.
inline Lane4 TreeNewtonStages::stage_sums(const Vector* columns, const Vector& x) const {
  Lane4 sums[most] = {};
  for (int c = 0; c < s_; ++c)
    for (int k = 0; k < 8; ++k) sums[c] += columns[c].of[k] * x.of[k];
  return lane_sums(sums[0], sums[1], sums[2], sums[3]);
}

inline Lane4 TreeNewtonStages::by_inverse(const Node& node, const Lane4& x) const {
  Lane4 y{};
  for (int c = 0; c < s_; ++c) y += x[c] * node.inverse_D[c];
  return y;
}

template <int s>
bool TreeNewtonStages::factor_joint(const Model& model, int i, double h, const StageJoint& x, const StageBody& body) {
  const Joint& joint = model.joints[i];
  const Link& link = model.links[i];
  Node& node = nodes_[i + 1];
  Matrix& P = P_[i + 1];
  if (joint.subtree_end == i + 1) P = Matrix{};
  if (!link.massless) {
    LaneInertia own;
    own.set_zero();
    add_inertia(link, x.g, body.c, own);
    const Lane4 *A = own.A, *C = own.C;
    const Lane4 I[6][6] = {{A[0], A[3], A[4], own.B[0][0], own.B[0][1], own.B[0][2]},
                           {A[3], A[1], A[5], own.B[1][0], own.B[1][1], own.B[1][2]},
                           {A[4], A[5], A[2], own.B[2][0], own.B[2][1], own.B[2][2]},
                           {own.B[0][0], own.B[1][0], own.B[2][0], C[0], C[3], C[4]},
                           {own.B[0][1], own.B[1][1], own.B[2][1], C[3], C[1], C[5]},
                           {own.B[0][2], own.B[1][2], own.B[2][2], C[4], C[5], C[2]}};
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < s; ++b)
        for (int l = 0; l < 6; ++l) {
          Lane4& entry = P.row[k][b].of[l];
          set_lane(entry, b, entry[b] + I[k][l][b]);
        }
  }
  if (!joint.dynamic) return true;
  Lane4 J[6], U[6], e[6], sigma[2], gamma[2];
  parts(x.J, J);
  parts(x.U, U);
  const LaneWrench& hc = body.h;
  parts({cross(hc.n, x.J.w), cross(hc.f, x.J.w)}, e);
  const LaneVec more = cross(hc.f, x.J.v);
  e[0] += more.x;
  e[1] += more.y;
  e[2] += more.z;
  const LaneVec l = model.subtree_mass[i + 1] * x.J.v - cross(body.mc, x.J.w);
  for (int k = 0; k < 2; ++k) {
    sigma[k] = dot(broadcast(e_[k]), x.J.w);
    gamma[k] = dot(broadcast(g_e_[k]), l);
  }
  Lane4 by_column[s], by_row[s];  // h a_bc and h a_cb over b
  for (int c = 0; c < s; ++c) {
    Lane4 unit{};
    by_column[c] = by_row[c] = Lane4{};
    set_lane(unit, c, 1.0);
    for (int b = 0; b < s; ++b) {
      set_lane(by_column[c], b, h * table_.a[b][c]);
      set_lane(by_row[c], b, h * table_.a[c][b]);
    }
    for (int k = 0; k < 6; ++k) {  // (GN1)
      node.y[c].of[k] = unit * J[k] + by_column[c] * U[k];
      node.w[c].of[k] = unit * J[k] - by_row[c] * U[k];
    }
    for (int k = 0; k < 2; ++k) {
      node.y[c].of[6 + k] = by_column[c] * sigma[k];
      node.w[c].of[6 + k] = by_row[c] * sigma[k];
    }
  }
  // (GN2)
  for (int c = 0; c < s; ++c) {
    for (int k = 0; k < 6; ++k) node.t[c].of[k] = by_row[c] * e[k];
    for (int k = 0; k < 2; ++k) node.t[c].of[6 + k] = -(by_row[c] * gamma[k]);
  }
  for (int k = 0; k < 8; ++k) {
    Lane4 products[s][4] = {};
    for (int b = 0; b < s; ++b) {
      const Vector& row = P.row[k][b];
      for (int c = 0; c < s; ++c) {
        const double w = node.w[c].of[k][b];
        Lane4 sum{};
        for (int m = 0; m < 8; ++m) {
          sum += row.of[m] * node.y[c].of[m];
          node.t[c].of[m] += w * row.of[m];
        }
        products[c][b] = sum;
      }
    }
    for (int c = 0; c < s; ++c)
      node.u[c].of[k] = lane_sums(products[c][0], products[c][1], products[c][2], products[c][3]) -
                        by_column[c] * (k < 6 ? e[k] : gamma[k - 6]);
  }
  // D = t^T y, by columns
  for (int c = 0; c < s; ++c) {
    node.inverse_D[c] = stage_sums(node.t, node.y[c]);
    for (int r = 0; r < s; ++r) set_lane(node.inverse_D[c], r, node.inverse_D[c][r] + node.diagonal[r][c]);
  }
  if (!invert(node.inverse_D, s)) return false;
  if (joint.parent == 0) return true;
  for (int k = 0; k < 8; ++k)  // P -= u D^-1 t^T
    for (int b = 0; b < s; ++b) {
      double left[s] = {};
      for (int c = 0; c < s; ++c)
        for (int d = 0; d < s; ++d) left[d] += node.u[c].of[k][b] * node.inverse_D[d][c];
      for (int m = 0; m < 8; ++m) {
        Lane4 sum{};
        for (int d = 0; d < s; ++d) sum += left[d] * node.t[d].of[m];
        P.row[k][b].of[m] -= sum;
      }
    }
  return true;
}

bool TreeNewtonStages::factor(const Model& model, double h, const std::vector<StageJoint>& joints,
                              const std::vector<StageBody>& bodies) {
  for (int i = model.n() - 1; i >= 0; --i) {
    const StageJoint& x = joints[i + 1];
    const StageBody& body = bodies[i + 1];
    const bool regular = s_ == 2   ? factor_joint<2>(model, i, h, x, body)
                         : s_ == 3 ? factor_joint<3>(model, i, h, x, body)
                                   : factor_joint<4>(model, i, h, x, body);
    if (!regular) return false;
    const Joint& joint = model.joints[i];
    if (joint.parent == 0) continue;
    Matrix& parent = P_[joint.parent];
    if (joint.last_child) {
      parent = P_[i + 1];
      continue;
    }
    for (int k = 0; k < 8; ++k)
      for (int b = 0; b < s_; ++b)
        for (int m = 0; m < 8; ++m) parent.row[k][b].of[m] += P_[i + 1].row[k][b].of[m];
  }
  return true;
}

void TreeNewtonStages::solve(const Model& model, std::vector<Lane4>& x) {
  for (int i = model.n() - 1; i >= 0; --i) {  // (N3)
    const Joint& joint = model.joints[i];
    Node& node = nodes_[i + 1];
    Vector s = joint.subtree_end == i + 1 ? Vector{} : node.s;
    if (joint.dynamic) {
      node.c = by_inverse(node, x[i] - stage_sums(node.w, s));
      for (int c = 0; c < s_; ++c)
        for (int k = 0; k < 8; ++k) s.of[k] += node.c[c] * node.u[c].of[k];
    }
    Vector& parent = nodes_[joint.parent].s;
    if (joint.last_child)
      parent = s;
    else
      for (int k = 0; k < 8; ++k) parent.of[k] += s.of[k];
  }
  nodes_[0].eta = Vector{};
  for (int i = 0; i < model.n(); ++i) {  // (N4)
    const Joint& joint = model.joints[i];
    Node& node = nodes_[i + 1];
    const Vector& eta = nodes_[joint.parent].eta;
    node.eta = eta;
    x[i] = Lane4{};
    if (!joint.dynamic) continue;
    x[i] = node.c - by_inverse(node, stage_sums(node.t, eta));
    for (int c = 0; c < s_; ++c)
      for (int k = 0; k < 8; ++k) node.eta.of[k] += x[i][c] * node.y[c].of[k];
  }
}

}  // namespace bough
