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
//
// The block is eliminated for the turn E dphi of the middle, by rows times A0^-T, both in world axes, where most factors
// are gone. With F = skew(phi), r = |phi|^2/4 and c = b(r) of (BJ2),
//
//   E^-1 = C^T,   B0 A0^-1 = C,   C = 2 - F/2 + c/2 F^2                                                         (BJ17)
//   Y = J C^T + dt U,   W = dt U - J C,   u = P Y - e,   t = P^T W - e,   gravity without factors but dt         (BJ18)
//   D = t^T Y - skew(A0 (dt L_q - C^T L_v)) - (d(C^T L_v)/dphi + skew(L_v)) C^T + diag(2 d) C^T                  (BJ19)
//   A0^-T = 2 - 2 k/(1 + k^2 s) F + 2 k^2/(1 + k^2 s) F^2                                                      (BJ20)
//
// In world axes, with the centre p of the ball and the twist (w, v) of its parent, J x = (x, p x x) and
// U x = (w x x, p x (w x x) + (v + w x p) x x), so that Y and W are skew matrices and outer products.
#include "bough/solvers/tree_newton.hpp"
#include "bough/solvers/tree_newton_rows.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// P += I / dt (unless the link is massless), and t += P^T w for the three columns of a ball.
template <bool has_inertia>
[[gnu::always_inline]] inline void apply(Mat8& P, const BallFactor& ball, Wrench (&t)[3]) {
  const Mat3 S = skew(ball.mc);  // its columns are minus its rows
#pragma GCC unroll 8  // GCC by itself leaves a loop, with a branch for every kind of row: twice the instructions
  for (int r = 0; r < 8; ++r) {
    Vec3 n = P.row[r].n, f = P.row[r].f;
    if constexpr (has_inertia)
      if (r % 4 != 3) {
        n += r < 4 ? ball.I.c[r] : S.c[r - 4];
        f += r < 4 ? -S.c[r] : ball.m * Vec3::unit(r - 4);
        P.row[r].n = n;
        P.row[r].f = f;
      }
    for (int a = 0; a < 3; ++a) {
      const double w = lane(ball.w[a], r);
      t[a].n += w * n;
      t[a].f += w * f;
    }
  }
}

// P y
inline Wrench product(const Mat8& P, const Twist& y) {
  const auto sums = [&](int first) {
    const auto with = [&](int r) { return P.row[r].n.a * y.w.a + P.row[r].f.a * y.v.a; };
    return Vec3(lane_sums(with(first), with(first + 1), with(first + 2), with(first + 3)));
  };
  return {sums(0), sums(4)};
}

// D^-T times the determinant of D, and the inverse of that; zero if there is none.
inline double set_cofactors(const Mat3& D, Mat3& out) {
  out.c[0] = cross(D.c[1], D.c[2]);
  out.c[1] = cross(D.c[2], D.c[0]);
  out.c[2] = cross(D.c[0], D.c[1]);
  const double det = dot(D.c[0], out.c[0]);
  return det == 0.0 || !std::isfinite(det) ? 0.0 : 1.0 / det;
}

// (p0 + p1 F + p2 F^2) x for F = skew(phi).
inline Vec3 polynomial(const Vec3& phi, double p0, double p1, double p2, const Vec3& x) {
  const Vec3 across = cross(phi, x);
  return p0 * x + p1 * across + p2 * cross(phi, across);
}

// A right-hand side to the rows that are eliminated (BJ20), and a solution from their columns (BJ17); transposed, the other way
// round.
template <bool transposed>
inline Vec3 to_rows(const BallFactor& ball, const Vec3& x) {
  return ball.R * (transposed ? polynomial(ball.phi, 2.0, -0.5, ball.column, x)
                              : polynomial(ball.phi, 2.0, ball.rows[0], ball.rows[1], x));
}
template <bool transposed>
inline Vec3 from_columns(const BallFactor& ball, const Vec3& z) {
  const Vec3 x = transpose_times(ball.R, z);
  return transposed ? polynomial(ball.phi, 2.0, -ball.rows[0], ball.rows[1], x)
                    : polynomial(ball.phi, 2.0, 0.5, ball.column, x);
}

// The pairings of one with three.
inline Vec3 pairings(const Twist& x, const Wrench (&y)[3]) {
  const auto pair = [&](int a) { return x.w.a * y[a].n.a + x.v.a * y[a].f.a; };
  return Vec3(lane_sums(pair(0), pair(1), pair(2), Lane4{}));
}
inline Vec3 pairings(const Wrench& y, const Twist (&x)[3]) {
  const auto pair = [&](int a) { return x[a].w.a * y.n.a + x[a].v.a * y.f.a; };
  return Vec3(lane_sums(pair(0), pair(1), pair(2), Lane4{}));
}

// (N3) for the block, or the joint of one variable, that ends with joint i. Returns its first joint.
template <bool transposed>
inline int forward(const Model& model, std::vector<TreeNode>& nodes, std::vector<BallFactor>& balls, int i,
                   const double* x) {
  const Joint& joint = model.joints[i];
  TreeNode& node = nodes[i + 1];
  Wrench s = joint.subtree_end == i + 1 ? Wrench::zero() : node.s;
  int first = i;
  if (joint.ball >= 0) {
    first = i - 2;
    BallFactor& ball = balls[joint.ball];
    const Vec3 rest = to_rows<transposed>(ball, Vec3(x + first)) - pairings(s, transposed ? ball.y : ball.w);
    ball.c = transposed ? ball.cofactors * rest : transpose_times(ball.cofactors, rest);
    const Vec3& by = transposed ? rest : ball.c;  // t has D^-1
    for (int a = 0; a < 3; ++a) s += by[a] * (transposed ? ball.t[a] : ball.u[a]);
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
inline void backward(const Model& model, std::vector<TreeNode>& nodes, const std::vector<BallFactor>& balls,
                     double* x) {
  nodes[0].eta = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Twist eta = nodes[joint.parent].eta;
    if (joint.ball >= 0) {
      const BallFactor& ball = balls[joint.ball];
      const Vec3 z = ball.c - (transposed ? ball.cofactors * pairings(eta, ball.u) : pairings(eta, ball.t));
      Twist moved = eta;
      for (int a = 0; a < 3; ++a) moved += z[a] * (transposed ? ball.w[a] : ball.y[a]);
      nodes[i + 3].eta = moved;
      from_columns<transposed>(ball, z).store(x + i);
      i += 2;
      continue;
    }
    TreeNode& node = nodes[i + 1];
    x[i] = joint.dynamic ? node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D : 0.0;
    node.eta = joint.dynamic ? eta + x[i] * (transposed ? node.w : node.y) : eta;
  }
}

}  // namespace

// (N2) for the block whose last joint is i.
bool TreeNewton::factor_ball(const Model& model, int i) {
  const Joint& joint = model.joints[i - 2];
  BallFactor& ball = balls_[joint.ball];
  Mat8& P = matrices_[nodes_[i + 1].place];
  Wrench t[3];
  for (int a = 0; a < 3; ++a) {
    t[a].n = ball.u[a].n;
    t[a].f = ball.u[a].f;
  }
  model.links[i].massless ? apply<false>(P, ball, t) : apply<true>(P, ball, t);
  Mat3 D;  // (BJ19)
  for (int b = 0; b < 3; ++b) D.c[b] = ball.cofactors.c[b] + pairings(ball.y[b], t);
  Mat3 cofactors;
  const double inverse = set_cofactors(D, cofactors);
  if (inverse == 0.0) return false;
  for (int a = 0; a < 3; ++a) ball.u[a] += product(P, ball.y[a]);
  for (int a = 0; a < 3; ++a) {  // while the division takes its time
    const Vec3 by = cofactors.c[a];
    ball.t[a] = inverse * (by[0] * t[0] + by[1] * t[1] + by[2] * t[2]);
    ball.cofactors.c[a] = inverse * by;
  }
  if (joint.parent == 0) return true;
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {
    Wrench row = P.row[r];
    for (int a = 0; a < 3; ++a) row = row - lane(ball.u[a], r) * ball.t[a];
    P.row[r] = row;
  }
  return true;
}

bool TreeNewton::factor(const Model& model, const TreeSweep& sweep, const std::vector<MiddleBall>& balls, double* r) {
  const double dt = sweep.dt, half = 0.5 * dt;
  balls_.resize(model.balls.size());
  for (int k = (static_cast<int>(balls.size()) - 1) / 4 * 4; k >= 0; k -= 4) prepare_ball(model, sweep, k, balls[k]);
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Mat8& P = matrices_[node.place];
    if (joint.subtree_end == i + 1) P = Mat8{};
    int first = i;
    if (joint.ball >= 0) {
      if (!factor_ball(model, i)) return false;
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
    i = forward<false>(model, nodes_, balls_, i, r);
  }
  backward<false>(model, nodes_, balls_, r);
  return true;
}

// (N3), (N4) with (BJ11); transposed: (N5).
template <bool transposed>
void TreeNewton::solve_blocks(const Model& model, double* x) {
  for (int i = model.n() - 1; i >= 0; --i) i = forward<transposed>(model, nodes_, balls_, i, x);
  backward<transposed>(model, nodes_, balls_, x);
}

template void TreeNewton::solve_blocks<false>(const Model& model, double* x);
template void TreeNewton::solve_blocks<true>(const Model& model, double* x);

}  // namespace bough
