// Newton's step along a tree with balls, in blocks of three joints.
//
// (N1)-(N4) with the three columns of a ball at once, A0, B0, E of (BJ1)-(BJ3), e = (ad(J_a)^T hc)_a and L_q, L_v of (BJ7):
//
//   Y = J + dt U E,   W = dt U A0 - J B0,   u = P Y - e E,   t = P^T W - e A0                                   (BJ10)
//   D = t^T Y + A0^T e^T J + d(A0^T dt L_q - B0^T L_v)/dphi + A0^T diag(2 d)                                    (BJ11)
//   P_parent += P - u D^-1 t^T
//
// e^T J = -skew(L_v) is the bracket of the three axes, which joints of one variable lack. Gravity takes the factors of its
// row and of its column apart: sigma with 1/2, E in y and with 1/2, A0 in w, gamma with dt/2, dt E in u and with dt/2, dt A0 in t.
#include "bough/solvers/tree_newton.hpp"
#include "bough/solvers/tree_newton_rows.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

inline void add_inertia(Mat8& P, const Mat6& own) {
  for (int r = 0; r < 8; ++r)
    if (r % 4 != 3) P.row[r] += own.row[r < 4 ? r : r - 1];
}

// P y and P^T w for the three columns of a ball, in one pass over the rows.
inline void apply(const Mat8& P, TreeNode* node, Wrench (&Py)[3], Wrench (&Pw)[3]) {
  for (int a = 0; a < 3; ++a) Pw[a] = Wrench::zero();
  for (int part = 0; part < 8; part += 4) {
    Lane4 s[3][4];
    for (int k = 0; k < 4; ++k) {
      const Wrench row = P.row[part + k];
      for (int a = 0; a < 3; ++a) {
        s[a][k] = row.n.a * node[a].y.w.a + row.f.a * node[a].y.v.a;
        Pw[a] += lane(node[a].w, part + k) * row;
      }
    }
    for (int a = 0; a < 3; ++a) (part == 0 ? Py[a].n : Py[a].f) = Vec3(lane_sums(s[a][0], s[a][1], s[a][2], s[a][3]));
  }
}

bool invert(const Mat3& D, Mat3& out) {
  const Vec3 a = cross(D.c[1], D.c[2]), b = cross(D.c[2], D.c[0]), c = cross(D.c[0], D.c[1]);
  const double det = dot(D.c[0], a);
  if (det == 0.0 || !std::isfinite(det)) return false;
  out = transpose(Mat3{{a / det, b / det, c / det}});
  return true;
}

// (N3) for the block, or the joint of one variable, that ends with joint i. Returns its first joint.
template <bool transposed>
inline int forward(const Model& model, std::vector<TreeNode>& nodes, const std::vector<Mat3>& inverse, int i,
                   const double* x) {
  const Joint& joint = model.joints[i];
  TreeNode& node = nodes[i + 1];
  Wrench s = joint.subtree_end == i + 1 ? Wrench::zero() : node.s;
  int first = i;
  if (joint.ball >= 0) {
    first = i - 2;
    TreeNode* axis = &nodes[first + 1];
    double rest[3];
    for (int a = 0; a < 3; ++a) rest[a] = x[first + a] - dot(transposed ? axis[a].y : axis[a].w, s);
    const Mat3& D = inverse[joint.ball];
    const Vec3 right(rest), c = transposed ? transpose_times(D, right) : D * right;
    for (int a = 0; a < 3; ++a) {
      axis[a].c = c[a];
      s += c[a] * (transposed ? axis[a].t : axis[a].u);
    }
  } else if (joint.dynamic) {
    node.c = (x[i] - dot(transposed ? node.y : node.w, s)) * node.inverse_D;
    s += node.c * (transposed ? node.t : node.u);
  }
  const Joint& top = model.joints[first];
  if (top.last_child)
    nodes[top.parent].s = s;
  else
    nodes[top.parent].s += s;
  return first;
}

// (N4) for all.
template <bool transposed>
inline void backward(const Model& model, std::vector<TreeNode>& nodes, const std::vector<Mat3>& inverse, double* x) {
  nodes[0].eta = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Twist eta = nodes[joint.parent].eta;
    if (joint.ball >= 0) {
      TreeNode* axis = &nodes[i + 1];
      double rest[3];
      for (int a = 0; a < 3; ++a) rest[a] = dot(eta, transposed ? axis[a].u : axis[a].t);
      const Mat3& D = inverse[joint.ball];
      const Vec3 right(rest), c = transposed ? transpose_times(D, right) : D * right;
      Twist moved = eta;
      for (int a = 0; a < 3; ++a) {
        x[i + a] = axis[a].c - c[a];
        moved += x[i + a] * (transposed ? axis[a].w : axis[a].y);
      }
      axis[2].eta = moved;
      i += 2;
      continue;
    }
    TreeNode& node = nodes[i + 1];
    x[i] = joint.dynamic ? node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D : 0.0;
    node.eta = joint.dynamic ? eta + x[i] * (transposed ? node.w : node.y) : eta;
  }
}

}  // namespace

// The block whose last joint is i.
bool TreeNewton::factor_ball(const Model& model, const TreeSweep& sweep, int i, const BallTerms& terms) {
  const int first = i - 2;
  const auto& [A0, B0, E, own] = terms;
  const double dt = sweep.dt;
  const Link& link = model.links[i];
  const MidpointBody& body = sweep.bodies[i + 1];
  const JointState* x = &sweep.state[first + 1];
  TreeNode* node = &nodes_[first + 1];
  Mat8& P = matrices_[nodes_[i + 1].place];
  if (!link.massless) add_inertia(P, matrix(world_inertia(link, x[2].g, body.c), 1.0 / dt));
  Twist U[3];
  Wrench e[3];
  Vec3 l[3];
  for (int a = 0; a < 3; ++a) {
    U[a] = dt * x[a].U;
    e[a] = ad_transpose(x[a].J, body.h);
    l[a] = (dt * model.subtree_mass[i + 1]) * x[a].J.v - dt * cross(body.mc, x[a].J.w);
  }
  const auto dots = [](const Vec3& with, const Vec3& y0, const Vec3& y1, const Vec3& y2) {
    return Vec3(lane_sums(with.a * y0.a, with.a * y1.a, with.a * y2.a, Lane4{}));
  };
  const Vec3 s0 = dots(e_[0], x[0].J.w, x[1].J.w, x[2].J.w), s1 = dots(e_[1], x[0].J.w, x[1].J.w, x[2].J.w);
  const Vec3 g0 = dots(g_e_[0], l[0], l[1], l[2]), g1 = dots(g_e_[1], l[0], l[1], l[2]);
  const Vec3 s0_E = transpose_times(E, s0), s1_E = transpose_times(E, s1);
  const Vec3 s0_A = transpose_times(A0, s0), s1_A = transpose_times(A0, s1);
  const auto mixed = [](const auto& x0, const auto& x1, const auto& x2, const Vec3& c) {
    return c[0] * x0 + c[1] * x1 + c[2] * x2;
  };
  for (int a = 0; a < 3; ++a) {  // (BJ10)
    node[a].y = with_lanes(x[a].J + mixed(U[0], U[1], U[2], E.c[a]), s0_E[a], s1_E[a]);
    node[a].w = with_lanes(mixed(U[0], U[1], U[2], A0.c[a]) - mixed(x[0].J, x[1].J, x[2].J, B0.c[a]), s0_A[a], s1_A[a]);
  }
  Wrench Py[3], Pw[3];
  apply(P, node, Py, Pw);
  const Vec3 g0_E = transpose_times(E, g0), g1_E = transpose_times(E, g1);
  const Vec3 g0_A = transpose_times(A0, g0), g1_A = transpose_times(A0, g1);
  for (int a = 0; a < 3; ++a) {
    node[a].u = Py[a] + with_lanes((-1.0) * mixed(e[0], e[1], e[2], E.c[a]), g0_E[a], g1_E[a]);
    node[a].t = Pw[a] + with_lanes((-1.0) * mixed(e[0], e[1], e[2], A0.c[a]), g0_A[a], g1_A[a]);
  }
  Mat3 D = own;  // (BJ11)
  for (int b = 0; b < 3; ++b) {
    const auto pair = [&](int a) { return node[b].y.w.a * node[a].t.n.a + node[b].y.v.a * node[a].t.f.a; };
    D.c[b] += Vec3(lane_sums(pair(0), pair(1), pair(2), Lane4{}));
    const double d = 2.0 * node[b].diagonal;
    D.c[b] += d * Vec3(A0(b, 0), A0(b, 1), A0(b, 2));
  }
  Mat3& inverse = inverse_[model.joints[i].ball];
  if (!invert(D, inverse)) return false;
  if (model.joints[first].parent == 0) return true;
  Wrench k[3];
  for (int a = 0; a < 3; ++a) k[a] = mixed(node[0].u, node[1].u, node[2].u, inverse.c[a]);
  for (int r = 0; r < 8; ++r) {
    Wrench row = P.row[r];
    for (int a = 0; a < 3; ++a) row = row - lane(k[a], r) * node[a].t;
    P.row[r] = row;
  }
  return true;
}

bool TreeNewton::factor(const Model& model, const TreeSweep& sweep, const std::vector<BallTerms>& balls, double* r) {
  const double dt = sweep.dt, half = 0.5 * dt;
  inverse_.resize(model.balls.size());
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Mat8& P = matrices_[node.place];
    if (joint.subtree_end == i + 1) P = Mat8{};
    int first = i;
    if (joint.ball >= 0) {
      if (!factor_ball(model, sweep, i, balls[joint.ball])) return false;
      first = i - 2;
    } else {
      const Link& link = model.links[i];
      const JointState& x = sweep.state[i + 1];
      const MidpointBody& body = sweep.bodies[i + 1];
      const double s0 = 0.5 * dot(e_[0], x.J.w), s1 = 0.5 * dot(e_[1], x.J.w);
      node.y = with_lanes(x.J + half * x.U, s0, s1);
      node.w = with_lanes(half * x.U - x.J, s0, s1);
      Wrench Py, Pw;
      if (link.massless)
        apply<false>(P, Mat6{}, node.y, node.w, Py, Pw);
      else
        apply<true>(P, matrix(world_inertia(link, x.g, body.c), 1.0 / dt), node.y, node.w, Py, Pw);
      if (joint.dynamic) {
        const Vec3 l = (half * model.subtree_mass[i + 1]) * x.J.v - half * cross(body.mc, x.J.w);
        const double g0 = dot(l, g_e_[0]), g1 = dot(l, g_e_[1]);
        const Wrench e = ad_transpose(x.J, body.h);
        node.u = Py + with_lanes(-0.5 * e, g0, g1);
        node.t = Pw + with_lanes(-0.5 * e, g0, g1);
        const double D = dot(node.y, node.t) + node.diagonal;
        if (D == 0.0 || !std::isfinite(D)) return false;
        node.inverse_D = 1.0 / D;
        if (joint.parent > 0) reduce_matrix(P, node.u, node.t, node.inverse_D);
      }
    }
    const Joint& top = model.joints[first];
    if (!top.last_child && top.parent > 0) {
      Mat8& parent = matrices_[nodes_[top.parent].place];
      for (int row = 0; row < 8; ++row) parent.row[row] += P.row[row];
    }
    i = forward<false>(model, nodes_, inverse_, i, r);
  }
  backward<false>(model, nodes_, inverse_, r);
  return true;
}

// (N3), (N4) with (BJ11); transposed: (N5).
template <bool transposed>
void TreeNewton::solve_blocks(const Model& model, double* x) {
  for (int i = model.n() - 1; i >= 0; --i) i = forward<transposed>(model, nodes_, inverse_, i, x);
  backward<transposed>(model, nodes_, inverse_, x);
}

template void TreeNewton::solve_blocks<false>(const Model& model, double* x);
template void TreeNewton::solve_blocks<true>(const Model& model, double* x);

}  // namespace bough
