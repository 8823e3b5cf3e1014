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

// P += I / dt (unless the link is massless), and P y and P^T w for the three columns of a ball.
template <bool has_inertia>
inline void apply(Mat8& P, const BallFactor& ball, Wrench (&Py)[3], Wrench (&Pw)[3]) {
  for (int a = 0; a < 3; ++a) Pw[a] = Wrench::zero();
  const Mat3 S = skew(ball.mc);  // its columns are minus its rows
  for (int r = 0; r < 8; ++r) {
    Wrench row = P.row[r];
    if constexpr (has_inertia)
      if (r % 4 != 3) {
        row.n += r < 4 ? ball.I.c[r] : S.c[r - 4];
        row.f += r < 4 ? -S.c[r] : ball.m * Vec3::unit(r - 4);
        P.row[r] = row;
      }
    for (int a = 0; a < 3; ++a) Pw[a] += lane(ball.w[a], r) * row;
  }
  for (int a = 0; a < 3; ++a) {
    const auto sums = [&, y = ball.y[a]](int first) {
      const auto with = [&](int r) { return P.row[r].n.a * y.w.a + P.row[r].f.a * y.v.a; };
      return Vec3(lane_sums(with(first), with(first + 1), with(first + 2), with(first + 3)));
    };
    Py[a].n = sums(0);
    Py[a].f = sums(4);
  }
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

// factor times world_inertia(), without a copy of a matrix in between.
inline void set_inertia(const Link& link, const Mat3& R, const Vec3& c, double factor, BallFactor& out) {
  out.m = factor * link.mass;
  const Vec3 mc = out.m * c;
  out.mc = mc;
  const double own = dot(mc, c) + (link.isotropic ? factor * link.inertia(0, 0) : 0.0);
  for (int k = 0; k < 3; ++k) out.I.c[k] = own * Vec3::unit(k) - mc[k] * c;
  if (link.isotropic) return;
  const Vec3 T[3] = {factor * (R * link.inertia.c[0]), factor * (R * link.inertia.c[1]),
                     factor * (R * link.inertia.c[2])};
  for (int k = 0; k < 3; ++k) out.I.c[k] += R.c[0][k] * T[0] + R.c[1][k] * T[1] + R.c[2][k] * T[2];
}

// Minus what (BJ19) adds to t^T Y, in world axes: phi, g = dt L_q and l = L_v there, c2 = c/2 with its derivative by s.
inline Mat3 own_slope(const Vec3& phi, double s, const WithSlope& c2, double kappa, const Vec3& g, const Vec3& l) {
  const double along = dot(phi, l), even = 2.0 - c2.f * s;  // C = even - F/2 + c2 phi phi^T
  const Vec3 across = cross(phi, l);
  const Vec3 k = g - (even * l + 0.5 * across + (c2.f * along) * phi);
  const Vec3 a = 0.5 * l - c2.f * across;  // d(C^T l)/dphi + skew(l) = skew(a) + c2 along + d phi^T
  const Vec3 d = (2.0 * c2.d) * cross(phi, across) - c2.f * l;
  const Vec3 turn = 0.5 * (k - kappa * cross(phi, k)) + even * a + (0.5 * c2.f * along) * phi;
  return skew(turn) + outer(0.5 * phi, a) + Mat3::diagonal(c2.f * along * even - 0.25 * along) +
         outer(c2.f * cross(a, phi) + (c2.f * c2.f * along) * phi + 2.0 * d, phi);
}

}  // namespace

// What the block whose last joint is i has of its own: y, w, -e in u, the rest of D in the cofactors. Balls wait for each other
// in factor_ball(), not here.
void TreeNewton::prepare_ball(const Model& model, const TreeSweep& sweep, int i, const MiddleBall& terms) {
  const double dt = sweep.dt;
  const Link& link = model.links[i];
  const MidpointBody& body = sweep.bodies[i + 1];
  const Joint& joint = model.joints[i - 2];
  const Mat3& R = sweep.state[i + 1].g.R;
  const Vec3 p = sweep.state[i + 1].g.p;
  const Twist& from = sweep.state[joint.parent].V;
  BallFactor& ball = balls_[joint.ball];
  const double s = dot(terms.phi, terms.phi), quarter = 0.25 * s;
  const WithSlope c = geodesic_beta(quarter), c2{0.5 * c.f, 0.125 * c.d};
  const double kappa = 0.25 / (1.0 - c.f * quarter), even = 2.0 - c2.f * s;  // (BJ15), (BJ17)
  const Vec3 phi = R * terms.phi;

  const Vec3 z = 0.5 * phi + dt * from.w, v = dt * (from.v + cross(from.w, p)), lever = cross(p, phi);
  const Mat3 Z = skew(z), ZP = outer(z, p) + Mat3::diagonal(-dot(p, z)) + skew(v);  // ZP = skew(p) Z + skew(v)
  const Mat3 N = Mat3::diagonal(even) + outer(c2.f * phi, phi), NP = even * skew(p) + outer(c2.f * lever, phi);
  const Vec3 arm = dt * (model.subtree_mass[i + 1] * p - body.mc), g0 = cross(g_e_[0], arm), g1 = cross(g_e_[1], arm);
  const Mat3 f = skew(body.h.f), n = skew(body.h.n) + outer(p, body.h.f) + Mat3::diagonal(-dot(body.h.f, p));
  for (int a = 0; a < 3; ++a) {  // (BJ18)
    ball.y[a] = with_lanes(Twist{Z.c[a] + N.c[a], ZP.c[a] + NP.c[a]}, e_[0][a], e_[1][a]);
    ball.w[a] = with_lanes(Twist{Z.c[a] - N.c[a], ZP.c[a] - NP.c[a]}, e_[0][a], e_[1][a]);
    ball.u[a] = with_lanes(Wrench{-n.c[a], -f.c[a]}, g0[a], g1[a]);
    ball.R.c[a] = R.c[a];
  }
  const Mat3 own = own_slope(phi, s, c2, kappa, dt * (R * terms.L_q), R * terms.L_v);
  for (int a = 0; a < 3; ++a) ball.cofactors.c[a] = -own.c[a];
  if (!model.elements.potentials.empty() || !model.elements.forces.empty()) {
    const TreeNode* node = &nodes_[i - 1];
    Mat3 held = Mat3::zero();
    for (int a = 0; a < 3; ++a) held += outer((2.0 * node[a].diagonal) * R.c[a], R.c[a]);
    ball.cofactors += held * (N + 0.5 * skew(phi));
  }
  ball.phi = terms.phi;
  const double turned = 2.0 * kappa / (1.0 + kappa * kappa * s);
  ball.rows[0] = -turned;
  ball.rows[1] = kappa * turned;
  ball.column = c2.f;
  if (link.massless) return;
  set_inertia(link, R, body.c, 1.0 / dt, ball);
}

// (N2) for the block whose last joint is i.
bool TreeNewton::factor_ball(const Model& model, int i) {
  const Joint& joint = model.joints[i - 2];
  BallFactor& ball = balls_[joint.ball];
  Mat8& P = matrices_[nodes_[i + 1].place];
  Wrench Py[3], t[3];
  model.links[i].massless ? apply<false>(P, ball, Py, t) : apply<true>(P, ball, Py, t);
  for (int a = 0; a < 3; ++a) {
    t[a] += ball.u[a];
    ball.u[a] += Py[a];
  }
  Mat3 D;  // (BJ19)
  for (int b = 0; b < 3; ++b) D.c[b] = ball.cofactors.c[b] + pairings(ball.y[b], t);
  Mat3 cofactors;
  const double inverse = set_cofactors(D, cofactors);
  if (inverse == 0.0) return false;
  for (int a = 0; a < 3; ++a) {  // while the division takes its time
    const Vec3 by = cofactors.c[a];
    ball.t[a] = inverse * (by[0] * t[0] + by[1] * t[1] + by[2] * t[2]);
    ball.cofactors.c[a] = inverse * by;
  }
  if (joint.parent == 0) return true;
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
  for (std::size_t k = 0; k < balls.size(); ++k) prepare_ball(model, sweep, model.balls[k].joint + 2, balls[k]);
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
