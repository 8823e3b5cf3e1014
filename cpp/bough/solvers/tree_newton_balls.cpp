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

// P += I / dt (unless the link is massless), and t = P^T w - e for the three columns of a ball, whose u has -e so far.
template <bool has_inertia>
[[gnu::always_inline]] inline void apply(Mat8& P, const BallFactor& ball, Wrench (&t)[3]) {
  const Mat3 S = skew(ball.mc);  // its columns are minus its rows
  Wrench upper[3], lower[3];     // sums over the rows of either part, as one sum of eight terms takes twice as long
  for (int a = 0; a < 3; ++a) {
    upper[a].n = ball.u[a].n;
    upper[a].f = ball.u[a].f;
    lower[a] = Wrench::zero();
  }
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
      Wrench& to = r < 4 ? upper[a] : lower[a];
      to.n += w * n;
      to.f += w * f;
    }
  }
  for (int a = 0; a < 3; ++a) t[a] = upper[a] + lower[a];
}

// P y
inline Wrench product(const Mat8& P, const Twist& y) {
  const auto sums = [&](int first) {
    const auto with = [&](int r) { return P.row[r].n.a * y.w.a + P.row[r].f.a * y.v.a; };
    return Vec3(lane_sums(with(first), with(first + 1), with(first + 2), with(first + 3)));
  };
  return {sums(0), sums(4)};
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

// What the joints outboard of joint i have added to s, and what it adds itself to that of the joint before `top`.
inline Wrench gathered(const Joint& joint, const std::vector<TreeNode>& nodes, int i) {
  return joint.subtree_end == i + 1 ? Wrench::zero() : nodes[i + 1].s;
}
inline void hand_on(const Joint& top, std::vector<TreeNode>& nodes, const Wrench& s) {
  if (top.last_child)
    nodes[top.parent].s = s;
  else
    nodes[top.parent].s += s;
}

// (N3) for a joint of one variable.
template <bool transposed>
inline void forward(TreeNode& node, double x, Wrench& s) {
  node.c = (x - dot(transposed ? node.y : node.w, s)) * node.inverse_D;
  s += node.c * (transposed ? node.t : node.u);
}

// (N3) for the block of a ball.
template <bool transposed>
inline void forward(BallFactor& ball, Wrench& s) {
  const Vec3 rest = ball.c - pairings(s, transposed ? ball.y : ball.w);
  ball.c = transposed ? ball.cofactors * rest : transpose_times(ball.cofactors, rest);
  const Vec3& by = transposed ? rest : ball.c;  // t has D^-1
  for (int a = 0; a < 3; ++a) s += by[a] * (transposed ? ball.t[a] : ball.u[a]);
}

// (N4) for a ball and for those that follow it outward as the first joints after each other; `i` is the first joint of the first
// ball, then the last one of the last. With z of the ball before and eta of the one before that,
//
//   z+ = c - D^-1 t^T (eta + Y z) = (c - D^-1 t^T eta) - (D^-1 t^T Y) z                                             (BJ24)
//
// so that a ball waits for the ball before in one product with a matrix, which is there by then, and not in two with a sum over
// lanes between them.
template <bool transposed>
[[gnu::hot, gnu::noinline, gnu::aligned(64)]] void expand_chain(const Model& model, int& i,
                                                                std::vector<TreeNode>& nodes,
                                                                std::vector<BallFactor>& balls) {
  const auto met = [](const BallFactor& of, const Twist& x) __attribute__((always_inline)) {
    return transposed ? of.cofactors * pairings(x, of.u) : pairings(x, of.t);
  };
  const auto moved = [](const BallFactor& of) { return transposed ? of.w : of.y; };
  const Joint* joint = &model.joints[i];
  const Joint* const end = model.joints.data() + model.n();
  BallFactor* ball = &balls[joint->ball];
  Twist eta = Twist::zero();
  if (joint->parent > 0) {
    eta = nodes[joint->parent].eta;
    ball->c = ball->c - met(*ball, eta);
  }
  while (true) {
    const Twist* const by = moved(*ball);
    const Vec3 z = ball->c;
    i += 2;
    joint += 3;
    const bool goes_on = joint != end && joint->ball >= 0 && joint->parent == i + 1;
    if (goes_on) {
      BallFactor& next = balls[joint->ball];
      const Vec3 rest = next.c - met(next, eta), x = met(next, by[0]), y = met(next, by[1]), w = met(next, by[2]);
      next.c = ((rest - z[0] * x) - z[1] * y) - z[2] * w;
      ball = &next;
    }
    for (int a = 0; a < 3; ++a) eta += z[a] * by[a];
    nodes[i + 1].eta = eta;
    if (!goes_on) return;
    ++i;
  }
}

// (N4) for all.
template <bool transposed>
inline void backward(const Model& model, std::vector<TreeNode>& nodes, std::vector<BallFactor>& balls, double* x) {
  nodes[0].eta = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.ball >= 0) {
      expand_chain<transposed>(model, i, nodes, balls);
      continue;
    }
    TreeNode& node = nodes[i + 1];
    const Twist& eta = nodes[joint.parent].eta;
    x[i] = joint.dynamic ? node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D : 0.0;
    node.eta = joint.dynamic ? eta + x[i] * (transposed ? node.w : node.y) : eta;
  }
}

// (z, x, y) of a cross product (x, y, z).
inline Lane4 turned_cross(const Vec3& x, const Vec3& y) {
  return x.a * shuffle<1, 2, 0, 3>(y.a, y.a) - shuffle<1, 2, 0, 3>(x.a, x.a) * y.a;
}

// Instructions before this line in the source stay before those after it.
inline void in_order() { asm volatile("" ::: "memory"); }

// (N2), (N3) for the block of a ball: false if D has no inverse. Balls wait for each other here, from P through D back to P: all
// that does not need the inverse of the determinant is multiplied out before it is there, and the rest is a product and a sum.
// A processor looks some sixty operations ahead for one that need not wait, so P y, which P waits for last, is spread over what
// P waits for first. GCC by itself puts it behind: a ball takes a sixth longer then.
template <bool has_inertia>
[[gnu::always_inline]] inline bool eliminate(bool at_world, Mat8& P, BallFactor& ball, Wrench& s) {
  Wrench t[3];
  apply<has_inertia>(P, ball, t);
  const auto multiply = [&](int a) __attribute__((always_inline)) {
    if (!at_world) ball.u[a] += product(P, ball.y[a]);
  };
  in_order();
  const Vec3 rest = ball.c - pairings(s, ball.w);
  multiply(0);
  in_order();
  Vec3 D[3];  // (BJ19), by columns
  for (int b = 0; b < 3; ++b) D[b] = ball.cofactors.c[b] + pairings(ball.y[b], t);
  in_order();
  multiply(1);
  in_order();
  // D^-T times the determinant, its rows in the order 2, 0, 1, in which cross products arise.
  const Lane4 of[3] = {turned_cross(D[1], D[2]), turned_cross(D[2], D[0]), turned_cross(D[0], D[1])};
  in_order();
  multiply(2);
  in_order();
  const Lane4 by = inverse(sum_in_all(shuffle<2, 0, 1, 3>(D[0].a, D[0].a) * of[0]));
  const Lane4 turned = shuffle<2, 0, 1, 3>(rest.a, rest.a);
  const Vec3 c(lane_sums(of[0] * turned, of[1] * turned, of[2] * turned, Lane4{}));
  ball.c = Vec3(by * c.a);
  Wrench k[3];
  for (int a = 0; a < 3; ++a) {  // while the division takes its time
    k[a] = of[a][1] * t[0] + of[a][2] * t[1] + of[a][0] * t[2];
    ball.t[a] = {Vec3(by * k[a].n.a), Vec3(by * k[a].f.a)};
    ball.cofactors.c[a] = Vec3(by * shuffle<1, 2, 0, 3>(of[a], of[a]));
  }
  if (!at_world) {
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      const double u0 = lane(ball.u[0], r), u1 = lane(ball.u[1], r), u2 = lane(ball.u[2], r);
      const Wrench sum = u0 * k[0] + u1 * k[1] + u2 * k[2];
      P.row[r].n = Vec3(P.row[r].n.a - by * sum.n.a);
      P.row[r].f = Vec3(P.row[r].f.a - by * sum.f.a);
    }
    const Wrench sum = c[0] * ball.u[0] + c[1] * ball.u[1] + c[2] * ball.u[2];
    s.n.a += by * sum.n.a;
    s.f.a += by * sum.f.a;
  }
  return std::isfinite(by[0]) && by[0] != 0.0;
}

// The same for a ball and for those that follow it inward as the only children of each other, where P is one matrix and s stays in
// registers; `joint` is the last one of the first ball, then that of the last.
[[gnu::hot, gnu::noinline, gnu::aligned(64)]] bool eliminate_chain(const Model& model, int& joint, Mat8& P,
                                                                   std::vector<BallFactor>& balls, Wrench& s_of_chain) {
  Wrench s;
  s.n = s_of_chain.n;
  s.f = s_of_chain.f;
  int last = joint;
  while (true) {
    const Joint& top = model.joints[last - 2];
    BallFactor& ball = balls[top.ball];
    const bool at_world = top.parent == 0;
    if (!(model.links[last].massless ? eliminate<false>(at_world, P, ball, s) : eliminate<true>(at_world, P, ball, s)))
      return false;
    const bool only_child = !at_world && top.parent == last - 2 && top.last_child;
    if (!only_child || model.joints[last - 3].ball < 0) break;
    last -= 3;
  }
  joint = last;
  s_of_chain.n = s.n;
  s_of_chain.f = s.f;
  return true;
}

}  // namespace

[[gnu::hot, gnu::aligned(64)]] bool TreeNewton::factor(const Model& model, const TreeSweep& sweep,
                                                       const std::vector<FourMiddles>& balls, double* r) {
  const double dt = sweep.dt, half = 0.5 * dt;
  balls_.resize(model.balls.size());
  turns_.resize(model.fours.size());
  for (std::size_t k = model.fours.size(); k-- > 0;) prepare_balls(model, sweep, balls[k], k);
  turn_to_rows<false>(model, r);
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Mat8& P = matrices_[node.place];
    if (joint.subtree_end == i + 1) P = Mat8{};
    int first = i;
    Wrench s = gathered(joint, nodes_, i);
    if (joint.ball >= 0) {
      if (!eliminate_chain(model, i, P, balls_, s)) return false;
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
        forward<false>(node, r[i], s);
      }
    }
    const Joint& top = model.joints[first];
    if (!top.last_child && top.parent > 0) {
      Mat8& parent = matrices_[nodes_[top.parent].place];
      for (int row = 0; row < 8; ++row) parent.row[row] += P.row[row];
    }
    hand_on(top, nodes_, s);
    i = first;
  }
  backward<false>(model, nodes_, balls_, r);
  turn_from_columns<false>(model, r);
  return true;
}

// (N3), (N4) with (BJ11); transposed: (N5).
template <bool transposed>
void TreeNewton::solve_blocks(const Model& model, double* x) {
  turn_to_rows<transposed>(model, x);
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    Wrench s = gathered(joint, nodes_, i);
    if (joint.ball >= 0) {
      forward<transposed>(balls_[joint.ball], s);
      i -= 2;
    } else if (joint.dynamic) {
      forward<transposed>(nodes_[i + 1], x[i], s);
    }
    hand_on(model.joints[i], nodes_, s);
  }
  backward<transposed>(model, nodes_, balls_, x);
  turn_from_columns<transposed>(model, x);
}

template void TreeNewton::solve_blocks<false>(const Model& model, double* x);
template void TreeNewton::solve_blocks<true>(const Model& model, double* x);

}  // namespace bough
