#include "bough/maximal/penalty_springs.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

constexpr int max_power_iterations = 2000;
constexpr double settled = 1e-7;    // relative change of the eigenvalue
constexpr double dependent = 1e-8;  // what is left of a screw that depends on others, relative

PenaltySprings::Vector6 vector(const Twist& x) {
  PenaltySprings::Vector6 y;
  x.w.store(y.data());
  x.v.store(y.data() + 3);
  return y;
}

}  // namespace

Vec3 solve_symmetric(const Mat3& I, const Vec3& b) {
  const Vec3 r0 = cross(I.c[1], I.c[2]), r1 = cross(I.c[2], I.c[0]), r2 = cross(I.c[0], I.c[1]);
  return (1.0 / dot(I.c[0], r0)) * Vec3(dot(r0, b), dot(r1, b), dot(r2, b));
}

PenaltySprings::PenaltySprings(const MaximalParts& parts) : at_(parts), Q_(parts.state.n() + 1) {}

// Q by Gram-Schmidt on the freedom; columns that depend on others, in a singular chain, leave nothing free.
void PenaltySprings::place() {
  const BodyState& state = at_.state;
  for (int b = 1; b <= state.n(); ++b) {
    const Body& body = state.bodies.body[b - 1];
    Q_[b].setIdentity();
    if (state.broken[b] || body.freedom == 6) {
      Q_[b].setZero();
      continue;
    }
    for (int c = 0; c < (body.constant_span ? body.freedom : body.length); ++c) {
      if (!body.constant_span && !state.model.joints[state.bodies.chain[body.chain + c]].dynamic) continue;
      const Vector6 column = body.constant_span ? vector(adjoint_inverse(state.joint[b].G, body.span[c]))
                                                : vector(state.J[body.chain + c]);
      Vector6 z = Q_[b] * column;
      if (!(z.norm() > dependent * column.norm())) continue;
      z /= z.norm();
      Q_[b] -= z * z.transpose();
    }
  }
  at_.rows.evaluate();
}

// -Q K Q e as a world wrench on the body.
Wrench PenaltySprings::pull(int slot, const Vector6& e) const {
  const MaximalSettings& settings = at_.state.settings;
  const Vector6 z = Q_[slot] * e;
  Vector6 y;
  y.head<3>() = -settings.angular_stiffness * z.head<3>();
  y.tail<3>() = -settings.stiffness * z.tail<3>();
  y = Q_[slot] * y;
  return to_world(at_.state.g[slot], {Vec3(y.data()), Vec3(y.data() + 3)});
}

// Rows that turn bodies and do not shift them have the angular stiffness.
double PenaltySprings::row_stiffness(int r) const {
  const double* a = at_.rows.row(r);
  double shift = 0.0, turn = 0.0;
  for (int b = 1; b <= at_.state.n(); ++b, a += 6) {
    const Vec3 f(a + 3), n = Vec3(a) - cross(at_.state.x[b], f);
    shift = std::max(shift, norm(f));
    turn = std::max(turn, norm(n));
  }
  return shift > 1e-12 * turn ? at_.state.settings.stiffness : at_.state.settings.angular_stiffness;
}

void PenaltySprings::forces(std::vector<Wrench>& F) {
  const BodyState& state = at_.state;
  MaximalRows& rows = at_.rows;
  const double relaxation = state.settings.relaxation;
  for (Wrench& y : F) y = Wrench::zero();
  for (int b = 1; b <= state.n(); ++b) {
    const int a = state.bodies.body[b - 1].parent;
    const Twist relative = state.world_twist(b) - (a > 0 ? state.world_twist(a) : Twist::zero()) - state.driven[b];
    const Wrench y = pull(b, vector(state.drift(b)) + relaxation * vector(adjoint_inverse(state.g[b], relative)));
    F[b] += y;
    F[a] += (-1.0) * y;
    at_.breaks.reaction[b] = y;
  }
  for (int r = 0; r < rows.size(); ++r) {
    double rate = rows.rate[r];
    for (int b = 1; b <= state.n(); ++b) {
      const Twist V = state.world_twist(b);
      const Wrench a = rows.on_body(r, b);
      rate += dot(V.w, a.n) + dot(V.v, a.f);
    }
    rows.impulse[r] = -row_stiffness(r) * (rows.C[r] + relaxation * rate);
    for (int b = 1; b <= state.n(); ++b) F[b] += rows.impulse[r] * rows.on_body(r, b);
  }
  rows.set_lam();
}

double PenaltySprings::largest_eigenvalue() {
  BodyState& state = at_.state;
  const MaximalRows& rows = at_.rows;
  const int n = state.n();
  place();
  state.set_inertia();
  std::vector<Twist> X(n + 1, Twist::zero());
  std::vector<Wrench> F(n + 1);
  for (int b = 1; b <= n; ++b)
    X[b] = {Vec3(std::sin(b), std::cos(2.0 * b), std::sin(3.0 * b + 1)),
            Vec3(std::cos(b), std::sin(5.0 * b), std::cos(3.0 * b + 2))};
  double kappa = 0.0;
  for (int k = 0; k < max_power_iterations; ++k) {
    double mass = 0.0;
    for (int b = 1; b <= n; ++b) mass += dot(X[b], state.inertia[b] * X[b]);
    for (int b = 1; b <= n; ++b) X[b] = (1.0 / std::sqrt(mass)) * X[b];
    for (Wrench& y : F) y = Wrench::zero();
    for (int b = 1; b <= n; ++b) {
      const int a = state.bodies.body[b - 1].parent;
      const Wrench y = pull(b, vector(adjoint_inverse(state.g[b], X[b] - X[a])));
      F[b] += (-1.0) * y;
      F[a] += y;
    }
    for (int r = 0; r < rows.size(); ++r) {
      const double rate = rows.product(r, X);
      for (int b = 1; b <= n; ++b) F[b] += row_stiffness(r) * rate * rows.on_body(r, b);
    }
    const double before = kappa;
    kappa = 0.0;
    for (int b = 1; b <= n; ++b) kappa += dot(X[b], F[b]);
    if (kappa == 0.0 || std::abs(kappa - before) <= settled * kappa) break;
    for (int b = 1; b <= n; ++b) {
      const Vec3 f = F[b].f;
      X[b].w = solve_symmetric(state.rotational_inertia(b), F[b].n - cross(state.x[b], f));
      X[b].v = (1.0 / state.inertia[b].m) * f - cross(X[b].w, state.x[b]);
    }
  }
  return kappa;
}

}  // namespace bough
