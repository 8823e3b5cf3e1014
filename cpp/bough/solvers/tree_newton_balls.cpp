// Newton's step along a tree with balls, in blocks of three joints.
//
// (N1)-(N4) with the three columns of a ball at once, A0, B0, E of (BJ1)-(BJ3), e = (ad(J_a)^T hc)_a and L_q, L_v of (BJ7):
//
//   Y = J + dt U E,   W = dt U A0 - J B0,   u = P Y - e E,   t = P^T W - e A0                                   (BJ10)
//   D = t^T Y + A0^T e^T J + d(A0^T dt L_q - B0^T L_v)/dphi + A0^T diag(2 d)                                    (BJ11)
//   P_parent += P - u D^-1 t^T
//
// e^T J is the bracket of the three axes, which joints of one variable lack. Gravity takes the factors of its row and of
// its column apart: sigma with 1/2, E in y and with 1/2, A0 in w, gamma with dt/2, dt E in u and with dt/2, dt A0 in t.
#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

inline double lane(const Twist& x, int r) { return r < 4 ? x.w.a[r] : x.v.a[r - 4]; }
inline double lane(const Wrench& x, int r) { return r < 4 ? x.n.a[r] : x.f.a[r - 4]; }
inline Twist with_lanes(const Twist& x, double e0, double e1) {
  return {Vec3(x.w.a + Lane4{0, 0, 0, e0}), Vec3(x.v.a + Lane4{0, 0, 0, e1})};
}
inline Wrench with_lanes(const Wrench& x, double e0, double e1) {
  return {Vec3(x.n.a + Lane4{0, 0, 0, e0}), Vec3(x.f.a + Lane4{0, 0, 0, e1})};
}

inline void add_inertia(Mat8& P, const Mat6& own) {
  for (int r = 0; r < 8; ++r)
    if (r % 4 != 3) P.row[r] += own.row[r < 4 ? r : r - 1];
}

// P y and P^T w.
inline void apply(const Mat8& P, const Twist& y, const Twist& w, Wrench& Py, Wrench& Pw) {
  Lane4 s[8];
  Pw = Wrench::zero();
  for (int r = 0; r < 8; ++r) {
    const Wrench& row = P.row[r];
    s[r] = row.n.a * y.w.a + row.f.a * y.v.a;
    Pw += lane(w, r) * row;
  }
  Py = {Vec3(lane_sums(s[0], s[1], s[2], s[3])), Vec3(lane_sums(s[4], s[5], s[6], s[7]))};
}

bool invert(const Mat3& D, Mat3& out) {
  const Vec3 a = cross(D.c[1], D.c[2]), b = cross(D.c[2], D.c[0]), c = cross(D.c[0], D.c[1]);
  const double det = dot(D.c[0], a);
  if (det == 0.0 || !std::isfinite(det)) return false;
  out = transpose(Mat3{{a / det, b / det, c / det}});
  return true;
}

}  // namespace

// The block whose last joint is i.
bool TreeNewton::factor_ball(const Model& model, const TreeSweep& sweep, int i, const BallTerms& terms) {
  const int first = i - 2;
  const auto& [A0, B0, E, own] = terms;
  const double dt = sweep.dt;
  const Link& link = model.links[i];
  const MidpointBody& body = sweep.bodies[i + 1];
  Mat8& P = matrices_[nodes_[i + 1].place];
  if (!link.massless) add_inertia(P, matrix(world_inertia(link, sweep.state[i + 1].g, body.c), 1.0 / dt));
  Twist J[3], U[3];
  Wrench e[3];
  double s0[3], s1[3], g0[3], g1[3];
  for (int a = 0; a < 3; ++a) {
    const JointState& x = sweep.state[first + a + 1];
    J[a] = x.J;
    U[a] = x.U;
    e[a] = ad_transpose(x.J, body.h);
    s0[a] = dot(e_[0], x.J.w);
    s1[a] = dot(e_[1], x.J.w);
    const Vec3 l = (dt * model.subtree_mass[i + 1]) * x.J.v - dt * cross(body.mc, x.J.w);
    g0[a] = dot(l, g_e_[0]);
    g1[a] = dot(l, g_e_[1]);
  }
  double D[9];                   // by rows
  for (int a = 0; a < 3; ++a) {  // (BJ10)
    TreeNode& node = nodes_[first + a + 1];
    const Vec3 E_a = E.c[a], A_a = A0.c[a], B_a = B0.c[a];
    const auto mixed = [](const auto* x, const Vec3& c) { return c[0] * x[0] + c[1] * x[1] + c[2] * x[2]; };
    node.y = with_lanes(J[a] + dt * mixed(U, E_a), mixed(s0, E_a), mixed(s1, E_a));
    node.w = with_lanes(dt * mixed(U, A_a) - mixed(J, B_a), mixed(s0, A_a), mixed(s1, A_a));
    Wrench Py, Pw;
    apply(P, node.y, node.w, Py, Pw);
    node.u = Py + with_lanes((-1.0) * mixed(e, E_a), mixed(g0, E_a), mixed(g1, E_a));
    const Wrench eA = mixed(e, A_a);
    node.t = Pw + with_lanes((-1.0) * eA, mixed(g0, A_a), mixed(g1, A_a));
    for (int b = 0; b < 3; ++b)
      D[3 * a + b] = own(a, b) + dot(J[b], eA) + 2.0 * A0(b, a) * nodes_[first + b + 1].diagonal;
  }
  for (int b = 0; b < 3; ++b)  // (BJ11)
    for (int a = 0; a < 3; ++a) D[3 * a + b] += dot(nodes_[first + b + 1].y, nodes_[first + a + 1].t);
  Mat3& inverse = inverse_[model.joints[i].ball];
  if (!invert(Mat3::from_rows(D), inverse)) return false;
  if (model.joints[first].parent == 0) return true;
  for (int a = 0; a < 3; ++a) {
    Wrench k = Wrench::zero();
    for (int b = 0; b < 3; ++b) k += inverse(b, a) * nodes_[first + b + 1].u;
    const Wrench& t = nodes_[first + a + 1].t;
    for (int r = 0; r < 8; ++r) P.row[r] = P.row[r] - lane(k, r) * t;
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
      if (!link.massless) add_inertia(P, matrix(world_inertia(link, x.g, body.c), 1.0 / dt));
      const double s0 = 0.5 * dot(e_[0], x.J.w), s1 = 0.5 * dot(e_[1], x.J.w);
      node.y = with_lanes(x.J + half * x.U, s0, s1);
      node.w = with_lanes(half * x.U - x.J, s0, s1);
      if (joint.dynamic) {
        Wrench Py, Pw;
        apply(P, node.y, node.w, Py, Pw);
        const Vec3 l = (half * model.subtree_mass[i + 1]) * x.J.v - half * cross(body.mc, x.J.w);
        const double g0 = dot(l, g_e_[0]), g1 = dot(l, g_e_[1]);
        const Wrench e = ad_transpose(x.J, body.h);
        node.u = Py + with_lanes(-0.5 * e, g0, g1);
        node.t = Pw + with_lanes(-0.5 * e, g0, g1);
        const double D = dot(node.y, node.t) + node.diagonal;
        if (D == 0.0 || !std::isfinite(D)) return false;
        node.inverse_D = 1.0 / D;
        if (joint.parent > 0) {
          const Wrench k = node.inverse_D * node.u;
          for (int row = 0; row < 8; ++row) P.row[row] = P.row[row] - lane(k, row) * node.t;
        }
      }
    }
    const Joint& top = model.joints[first];
    if (!top.last_child && top.parent > 0) {
      Mat8& parent = matrices_[nodes_[top.parent].place];
      for (int row = 0; row < 8; ++row) parent.row[row] += P.row[row];
    }
    i = first;
  }
  solve_blocks<false>(model, r);
  return true;
}

// (N3), (N4) with (BJ11); transposed: (N5).
template <bool transposed>
void TreeNewton::solve_blocks(const Model& model, double* x) {
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Wrench s = joint.subtree_end == i + 1 ? Wrench::zero() : node.s;
    int first = i;
    if (joint.ball >= 0) {
      first = i - 2;
      const Mat3& inverse = inverse_[joint.ball];
      double rest[3];
      for (int a = 0; a < 3; ++a) {
        const TreeNode& axis = nodes_[first + a + 1];
        rest[a] = x[first + a] - dot(transposed ? axis.y : axis.w, s);
      }
      const Vec3 right(rest), c = transposed ? transpose_times(inverse, right) : inverse * right;
      for (int a = 0; a < 3; ++a) {
        TreeNode& axis = nodes_[first + a + 1];
        axis.c = c[a];
        s += c[a] * (transposed ? axis.t : axis.u);
      }
    } else if (joint.dynamic) {
      node.c = (x[i] - dot(transposed ? node.y : node.w, s)) * node.inverse_D;
      s += node.c * (transposed ? node.t : node.u);
    }
    const Joint& top = model.joints[first];
    if (top.last_child)
      nodes_[top.parent].s = s;
    else
      nodes_[top.parent].s += s;
    i = first;
  }
  nodes_[0].eta = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Twist eta = nodes_[joint.parent].eta;
    if (joint.ball >= 0) {
      const Mat3& inverse = inverse_[joint.ball];
      double rest[3];
      for (int a = 0; a < 3; ++a) {
        const TreeNode& axis = nodes_[i + a + 1];
        rest[a] = dot(eta, transposed ? axis.u : axis.t);
      }
      const Vec3 right(rest), c = transposed ? transpose_times(inverse, right) : inverse * right;
      Twist moved = eta;
      for (int a = 0; a < 3; ++a) {
        const TreeNode& axis = nodes_[i + a + 1];
        x[i + a] = axis.c - c[a];
        moved += x[i + a] * (transposed ? axis.w : axis.y);
      }
      nodes_[i + 3].eta = moved;
      i += 2;
      continue;
    }
    TreeNode& node = nodes_[i + 1];
    x[i] = joint.dynamic ? node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D : 0.0;
    node.eta = joint.dynamic ? eta + x[i] * (transposed ? node.w : node.y) : eta;
  }
}

template void TreeNewton::solve_blocks<false>(const Model& model, double* x);
template void TreeNewton::solve_blocks<true>(const Model& model, double* x);

}  // namespace bough
