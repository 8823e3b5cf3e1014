// Penalty springs and dampers at the joints, stepped explicitly ([L] first attempt):
//
//   y_b = -Q (K e + eta K Q (V_b - V_a)),  -y_b on the body before it;  lam_r = -k_r (C_r + eta Cdot_r)                (ME1)
//   v1 = v0 + h M^-1 (F + y),  then positions by v1                                                                  (ME2)
//
// in the axes of the body: e the drift of its joint (MK2), K = (k_ang, k_ang, k_ang, k, k, k), eta damping over stiffness,
// Q the orthogonal projector that takes away what the joint leaves free.
#include <Eigen/Core>
#include <cmath>

#include "bough/maximal/engine.hpp"

namespace bough {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

Vector6 vector(const Twist& x) {
  Vector6 y;
  x.w.store(y.data());
  x.v.store(y.data() + 3);
  return y;
}

}  // namespace

Vec3 solve_symmetric(const Mat3& I, const Vec3& b) {
  const Vec3 r0 = cross(I.c[1], I.c[2]), r1 = cross(I.c[2], I.c[0]), r2 = cross(I.c[0], I.c[1]);
  return (1.0 / dot(I.c[0], r0)) * Vec3(dot(r0, b), dot(r1, b), dot(r2, b));
}

// Q by Gram-Schmidt on the freedom; columns that depend on others, in a singular chain, leave nothing free.
void MaximalEngine::penalty_projectors() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Body& body = bodies_.body[b - 1];
    Q_[b].setIdentity();
    if (broken[b] || body.freedom == 6) {
      Q_[b].setZero();
      continue;
    }
    for (int c = 0; c < (body.constant_span ? body.freedom : body.length); ++c) {
      if (!body.constant_span && !model_.joints[bodies_.chain[body.chain + c]].dynamic) continue;
      const Vector6 column =
          body.constant_span ? vector(adjoint_inverse(joint_[b].G, body.span[c])) : vector(J_[body.chain + c]);
      Vector6 z = Q_[b] * column;
      if (!(z.norm() > 1e-8 * column.norm())) continue;
      z /= z.norm();
      Q_[b] -= z * z.transpose();
    }
  }
}

// (ME1), a world wrench on the body.
Wrench MaximalEngine::penalty(int slot, const Twist& relative) const {
  const Vector6 z =
      Q_[slot] * (vector(drift[slot]) + settings.relaxation * vector(adjoint_inverse(g_[slot], relative)));
  Vector6 y;
  y.head<3>() = -settings.angular_stiffness * z.head<3>();
  y.tail<3>() = -settings.stiffness * z.tail<3>();
  y = Q_[slot] * y;
  return to_world(g_[slot], {Vec3(y.data()), Vec3(y.data() + 3)});
}

// Rows that turn bodies and do not shift them have the angular stiffness.
double MaximalEngine::row_stiffness(int r) const {
  const double* a = &A_[static_cast<std::size_t>(r) * space_.n_variables];
  double shift = 0.0, turn = 0.0;
  for (int b = 1; b <= bodies_.n(); ++b, a += 6) {
    const Vec3 f(a + 3), n = Vec3(a) - cross(x[b], f);
    shift = std::max(shift, norm(f));
    turn = std::max(turn, norm(n));
  }
  return shift > 1e-12 * turn ? settings.stiffness : settings.angular_stiffness;
}

// F += (ME1) of all joints and rows; lam of the rows.
void MaximalEngine::add_penalties(std::vector<Wrench>& F) {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const int a = bodies_.body[b - 1].parent;
    const Wrench y = penalty(b, world_twist(b) - (a > 0 ? world_twist(a) : Twist::zero()) - driven_[b]);
    F[b] += y;
    F[a] += (-1.0) * y;
    reaction_[b] = y;
  }
  const std::size_t columns = space_.n_variables;
  for (int r = 0; r < m_; ++r) {
    double rate = rate_[r];
    const double* a = &A_[r * columns];
    for (int b = 1; b <= bodies_.n(); ++b) {
      const Twist V = world_twist(b);
      rate += dot(V.w, Vec3(a + 6 * (b - 1))) + dot(V.v, Vec3(a + 6 * (b - 1) + 3));
    }
    impulse_[r] = -row_stiffness(r) * (C_[r] + settings.relaxation * rate);
    if (row_of_[r] >= 0) lam[row_of_[r]] = impulse_[r];
    for (int b = 1; b <= bodies_.n(); ++b)
      F[b] += impulse_[r] * Wrench{Vec3(a + 6 * (b - 1)), Vec3(a + 6 * (b - 1) + 3)};
  }
}

MaximalStatus MaximalEngine::step_penalty_explicit(double dt, const double* k1, const double* u) {
  save();
  events.clear();
  momenta(dt, u, f_);
  set_driven(dt, k1);
  penalty_projectors();
  find_rows();
  for (Wrench& y : y_) y = Wrench::zero();
  std::fill(lam.begin(), lam.end(), 0.0);
  add_penalties(y_);
  check_breaks();
  for (int b = 1; b <= bodies_.n(); ++b) {  // (ME2)
    const Wrench p = f_[b] + dt * y_[b];
    v[b] = (1.0 / inertia_[b].m) * p.f;
    w[b] = solve_symmetric(rotational(b), p.n - cross(x[b], p.f));
  }
  move(dt);
  if (!finite()) return fail(MaximalStatus::exploded);
  const MaximalStatus status = finish(dt, k1);
  if (status != MaximalStatus::fine) return status;
  const double size = extent();
  for (int b = 1; b <= bodies_.n(); ++b)
    if (!broken[b] && !(norm(drift[b].w) < 1.0 && norm(drift[b].v) < size)) return fail(MaximalStatus::exploded);
  return MaximalStatus::fine;
}

}  // namespace bough
