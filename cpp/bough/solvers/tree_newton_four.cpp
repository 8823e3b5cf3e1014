// What the blocks of balls have of their own in Newton's step along a tree, four balls side by side: (BJ17)-(BJ20) of
// tree_newton_balls.cpp.
#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/ball_lanes.hpp"

namespace bough {
namespace {

// What inertias that are not the same about every axis add to world_inertia().
inline void add_turned(const Mat3& inertia, const Mat3& R, double factor, Mat3& I) {
  const Vec3 T[3] = {factor * (R * inertia.c[0]), factor * (R * inertia.c[1]), factor * (R * inertia.c[2])};
  for (int k = 0; k < 3; ++k) I.c[k] += R.c[0][k] * T[0] + R.c[1][k] * T[1] + R.c[2][k] * T[2];
}

// diag(2 d) C^T of (BJ19), in world axes.
inline Mat3 held(const TreeNode* node, const Mat3& R, const Vec3& phi) {
  const double s = dot(phi, phi), c2 = 0.5 * geodesic_beta(0.25 * s).f;
  Mat3 sum = Mat3::zero();
  for (int a = 0; a < 3; ++a) sum += outer((2.0 * node[a].diagonal) * R.c[a], R.c[a]);
  return sum * (Mat3::diagonal(2.0 - c2 * s) + outer(c2 * phi, phi) + 0.5 * skew(phi));
}

// (2 + p1 F + p2 F^2) x for F = skew(phi).
inline LaneVec polynomial(const LaneVec& phi, const Lane4& p1, const Lane4& p2, const LaneVec& x) {
  const LaneVec across = cross(phi, x);
  return 2.0 * x + p1 * across + p2 * cross(phi, across);
}

}  // namespace

// What four blocks have of their own: y, w, -e in u, the rest of D in the cofactors. Balls wait for each other in eliminate(),
// not here. What needs no series of phi comes first: it is done while these are summed.
[[gnu::always_inline]] inline void TreeNewton::prepare_balls_inlined(const Model& model, const TreeSweep& sweep,
                                                                     const FourMiddles& from, std::size_t four) {
  const double dt = sweep.dt, per = 1.0 / dt;
  const FourBalls& at = model.fours[four];
  const MidpointBody* body[4];
  const Link* link[4];
  BallFactor* ball[4];
  for (int k = 0; k < 4; ++k) {
    body[k] = &sweep.bodies[at.joint[k] + 3];
    ball[k] = &balls_[at.place[k]];
    link[k] = &model.links[at.joint[k] + 2];
    ball[k]->m = per * link[k]->mass;
  }
  const auto number = [&](auto part) { return Lane4{part(0), part(1), part(2), part(3)}; };
  FourTurns& turns = turns_[four];
  const LaneVec phi = from.R * from.phi, gradient = dt * from.L_q, l = from.l, p = from.p;

  const Lane4 s = dot(phi, phi), one = broadcast(1.0), two = broadcast(2.0), kappa = from.k;
  const Lane4 c2 = 0.5 * from.c, even = two - c2 * s;  // (BJ17)
  const Lane4 turned = 2.0 * kappa * inverse(one + kappa * kappa * s),
              c2_slope = 0.125 * geodesic_beta_slope(0.25 * s).d;
  for (int k = 0; k < 3; ++k) turns.R.c[k] = from.R.c[k];
  turns.phi = from.phi;
  turns.rows[0] = -turned;
  turns.rows[1] = kappa * turned;
  turns.column = c2;

  // -e, and gravity
  const LaneVec n = from.n, f = from.f, arm = dt * from.arm;
  const LaneVec g0 = cross(broadcast(g_e_[0]), arm), g1 = cross(broadcast(g_e_[1]), arm);
  const Lane4 fp = dot(f, p), none{};
  const auto wrench = [&](int j, const LaneVec& moment, const Lane4& e0, const LaneVec& force, const Lane4& e1) {
    scatter(moment, e0, [&](int i) -> Vec3& { return ball[i]->u[j].n; });
    scatter(force, e1, [&](int i) -> Vec3& { return ball[i]->u[j].f; });
  };
  wrench(0, LaneVec{fp, -n.z, n.y} - f.x * p, g0.x, {none, -f.z, f.y}, g1.x);
  wrench(1, LaneVec{n.z, fp, -n.x} - f.y * p, g0.y, {f.z, none, -f.x}, g1.y);
  wrench(2, LaneVec{-n.y, n.x, fp} - f.z * p, g0.z, {-f.y, f.x, none}, g1.z);

  // Inertias at the world's origin, over dt.
  const LaneVec com = gather([&](int k) -> const Vec3& { return body[k]->c; });
  const LaneVec mc = number([&](int k) { return ball[k]->m; }) * com;
  const Lane4 level =
      dot(mc, com) + number([&](int k) { return link[k]->isotropic ? per * link[k]->inertia(0, 0) : 0.0; });
  const auto inertia = [&](int j, const LaneVec& own, const Lane4& mc_j) {
    scatter(own - mc_j * com, none, [&](int i) -> Vec3& { return ball[i]->I.c[j]; });
  };
  inertia(0, {level, none, none}, mc.x);
  inertia(1, {none, level, none}, mc.y);
  inertia(2, {none, none, level}, mc.z);
  scatter(mc, none, [&](int i) -> Vec3& { return ball[i]->mc; });

  // (BJ18)
  const LaneVec z = 0.5 * phi + dt * from.w, v = dt * from.v, scaled = c2 * phi;
  const LaneVec lever = cross(p, scaled), high = even * p;
  const Lane4 pz = -dot(p, z);
  // Columns of skew(z), even + scaled phi^T; of skew(p) skew(z) + skew(v), even skew(p) + lever phi^T.
  const auto columns = [&](int j, const LaneVec& Z, const LaneVec& N, const LaneVec& ZP, const LaneVec& NP)
                           __attribute__((always_inline)) {
                             const Lane4 e0 = broadcast(e_[0][j]), e1 = broadcast(e_[1][j]);
                             scatter(Z + N, e0, [&](int i) -> Vec3& { return ball[i]->y[j].w; });
                             scatter(Z - N, e0, [&](int i) -> Vec3& { return ball[i]->w[j].w; });
                             scatter(ZP + NP, e1, [&](int i) -> Vec3& { return ball[i]->y[j].v; });
                             scatter(ZP - NP, e1, [&](int i) -> Vec3& { return ball[i]->w[j].v; });
                           };
  columns(0, {none, z.z, -z.y}, LaneVec{even, none, none} + phi.x * scaled, LaneVec{pz, v.z, -v.y} + p.x * z,
          LaneVec{none, high.z, -high.y} + phi.x * lever);
  columns(1, {-z.z, none, z.x}, LaneVec{none, even, none} + phi.y * scaled, LaneVec{-v.z, pz, v.x} + p.y * z,
          LaneVec{-high.z, none, high.x} + phi.y * lever);
  columns(2, {z.y, -z.x, none}, LaneVec{none, none, even} + phi.z * scaled, LaneVec{v.y, -v.x, pz} + p.z * z,
          LaneVec{high.y, -high.x, none} + phi.z * lever);

  {  // (BJ19), but for t^T Y: C = even - F/2 + c2 phi phi^T
    const Lane4 along = dot(phi, l);
    const LaneVec across = cross(phi, l);
    const LaneVec k = gradient - (even * l + 0.5 * across + (c2 * along) * phi);
    const LaneVec a = 0.5 * l - c2 * across;  // d(C^T l)/dphi + skew(l) = skew(a) + c2 along + d phi^T
    const LaneVec d = (2.0 * c2_slope) * cross(phi, across) - c2 * l;
    const LaneVec turn = 0.5 * (k - kappa * cross(phi, k)) + even * a + (0.5 * c2 * along) * phi;
    const LaneVec right = c2 * cross(a, phi) + (c2 * c2 * along) * phi + 2.0 * d, half = 0.5 * phi;
    const Lane4 level = along * (c2 * even - broadcast(0.25));
    const auto own = [&](int j, const LaneVec& skewed, const Lane4& a_j, const Lane4& phi_j) {
      scatter(LaneVec::zero() - (skewed + a_j * half + phi_j * right), none,
              [&](int i) -> Vec3& { return ball[i]->cofactors.c[j]; });
    };
    own(0, {level, turn.z, -turn.y}, a.x, phi.x);
    own(1, {-turn.z, level, turn.x}, a.y, phi.y);
    own(2, {turn.y, -turn.x, level}, a.z, phi.z);
  }

  const bool elements = !model.elements.potentials.empty() || !model.elements.forces.empty();
  for (int k = 0; k < 4; ++k) {
    if (k > 0 && ball[k] == ball[k - 1]) break;
    const Mat3& turn = sweep.state[at.joint[k] + 3].g.R;
    if (!link[k]->isotropic) add_turned(link[k]->inertia, turn, per, ball[k]->I);
    if (elements) ball[k]->cofactors += held(&nodes_[at.joint[k] + 1], turn, turn * lane_of(from.phi, k));
  }
}

[[BOUGH_WITH_32_REGISTERS, gnu::aligned(64)]] void TreeNewton::prepare_balls_with_32(const Model& model,
                                                                                     const TreeSweep& sweep,
                                                                                     const FourMiddles& from,
                                                                                     std::size_t four) {
  prepare_balls_inlined(model, sweep, from, four);
}

[[gnu::hot, gnu::aligned(64)]] void TreeNewton::prepare_balls(const Model& model, const TreeSweep& sweep,
                                                              const FourMiddles& from, std::size_t four) {
  has_32_registers ? prepare_balls_with_32(model, sweep, from, four) : prepare_balls_inlined(model, sweep, from, four);
}

// Right-hand sides to the rows that are eliminated (BJ20), and solutions from their columns (BJ17); transposed, the other way
// round.
template <bool transposed>
void TreeNewton::turn_to_rows(const Model& model, const double* x) {
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const FourTurns& by = turns_[k];
    const LaneVec own = vectors(model.fours[k].joint, x);
    const Lane4 minus_half = broadcast(-0.5);
    scatter(by.R * polynomial(by.phi, transposed ? minus_half : by.rows[0], transposed ? by.column : by.rows[1], own),
            Lane4{}, [&](int j) -> Vec3& { return balls_[model.fours[k].place[j]].c; });
  }
}
template <bool transposed>
void TreeNewton::turn_from_columns(const Model& model, double* x) const {
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const FourTurns& by = turns_[k];
    const LaneVec own =
        transpose_times(by.R, gather([&](int j) -> const Vec3& { return balls_[model.fours[k].place[j]].c; }));
    const Lane4 half = broadcast(0.5);
    set_vectors(model.fours[k].joint, x,
                polynomial(by.phi, transposed ? -by.rows[0] : half, transposed ? by.rows[1] : by.column, own));
  }
}

template void TreeNewton::turn_to_rows<false>(const Model& model, const double* x);
template void TreeNewton::turn_to_rows<true>(const Model& model, const double* x);
template void TreeNewton::turn_from_columns<false>(const Model& model, double* x) const;
template void TreeNewton::turn_from_columns<true>(const Model& model, double* x) const;

}  // namespace bough
