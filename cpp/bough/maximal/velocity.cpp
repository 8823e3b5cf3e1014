// Velocity-level constraints ([L] attempt 2):
//
//   v1 = v0 + h M^-1 (F + A^T lambda),  A v1 = -(beta / h) C(p0) - C_t                                                (ML1)
//   p1 = p0 + h v1,  orientations by quaternions                                                                     (ML2)
//
// lambda of the tree's joints is never formed: tree_velocity eliminates it. With projection, beta is zero and the step ends
// with the nearest bodies, in the metric of mass, that meet the constraints, and the nearest velocities that keep them:
//
//   min 1/2 d^T M d  with  A d = -C(p1), repeated;   min 1/2 (v - v1)^T M (v - v1)  with  A v = -C_t                  (ML3)
#include <algorithm>
#include <cmath>

#include "bough/maximal/engine.hpp"

namespace bough {
namespace {

constexpr double closed = 1e-13;  // drift of a projected joint, relative to the size of the system or to one radian
constexpr int max_projections = 20;

}  // namespace

MaximalStatus MaximalEngine::step_velocity(double dt, const double* k1, const double* u) {
  save();
  events.clear();
  momenta(dt, u, y_);
  find_basis();
  set_driven(dt, k1);
  find_rows();
  const double beta = settings.projection ? 0.0 : settings.beta;
  for (int b = 1; b <= bodies_.n(); ++b) {
    f_[b] = y_[b];
    c_[b] = broken[b] ? Twist::zero() : driven_[b] - (beta / dt) * adjoint(g_[b], drift[b]);
  }
  for (int r = 0; r < m_; ++r) target_[r] = -(beta / dt) * C_[r] - rate_[r];
  const MaximalStatus status = constrained_solve(c_.data(), target_);  // (ML1)
  if (status != MaximalStatus::fine) return fail(status);
  std::fill(lam.begin(), lam.end(), 0.0);
  for (Wrench& y : reaction_) y = Wrench::zero();
  add_reactions(dt);
  set_velocities();
  move(dt);  // (ML2)
  if (!finite()) return fail(MaximalStatus::not_finite);
  const MaximalStatus placed = finish(dt, k1);
  if (placed == MaximalStatus::fine) check_breaks();
  return placed;
}

// What the positions say at the end of a step.
MaximalStatus MaximalEngine::finish(double dt, const double* k1) {
  t += dt;
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    s_[i] = joint.dynamic ? s_[i] + dt * joint.ratio * q_rate[joint.variable]
                          : joint.shift + joint.ratio * k1[joint.variable - model_.n_dynamic];
  }
  for (int i = model_.n_dynamic; i < model_.n_variables; ++i) q[i] = k1[i - model_.n_dynamic];
  set_poses();
  recover_joints();
  if (settings.projection) {
    const MaximalStatus status = project_positions();
    if (status != MaximalStatus::fine) return fail(status);
    project_velocities();
    add_reactions(dt);
  } else {
    recover_rates();
  }
  return MaximalStatus::fine;
}

// (ML3)
MaximalStatus MaximalEngine::project_positions() {
  const double size = extent();
  double before = INFINITY;
  for (int k = 0; k < max_projections; ++k) {
    find_rows();
    double worst = 0.0;
    for (int b = 1; b <= bodies_.n(); ++b)
      if (!broken[b]) worst = std::max({worst, norm(drift[b].w), norm(drift[b].v) / size});
    for (int r = 0; r < m_; ++r) worst = std::max(worst, std::abs(C_[r]) / std::max(scale_[r], 1e-17));
    if (!std::isfinite(worst)) return MaximalStatus::not_finite;
    if (worst <= closed || (worst <= 1e3 * closed && worst > 0.5 * before)) return MaximalStatus::fine;
    before = worst;
    find_basis();
    for (int b = 1; b <= bodies_.n(); ++b) {
      inertia_[b] = body_inertia(b);
      f_[b] = Wrench::zero();
      c_[b] = broken[b] ? Twist::zero() : (-1.0) * adjoint(g_[b], drift[b]);
    }
    for (int r = 0; r < m_; ++r) target_[r] = -C_[r];
    if (constrained_solve(c_.data(), target_) != MaximalStatus::fine) return MaximalStatus::singular;
    for (int b = 1; b <= bodies_.n(); ++b) {
      x[b] += V_[b].v + cross(V_[b].w, x[b]);
      o[b] = turned(o[b], V_[b].w);
    }
    set_poses();
    recover_joints();
  }
  return MaximalStatus::no_convergence;
}

void MaximalEngine::project_velocities() {
  find_basis();
  place_driven();
  find_rows();
  for (int b = 1; b <= bodies_.n(); ++b) {
    inertia_[b] = body_inertia(b);
    f_[b] = y_[b] = inertia_[b] * world_twist(b);
    c_[b] = broken[b] ? Twist::zero() : driven_[b];
  }
  for (int r = 0; r < m_; ++r) target_[r] = -rate_[r];
  if (constrained_solve(c_.data(), target_) == MaximalStatus::fine) set_velocities();
  recover_rates();
}

// Adds the forces of the last solution, whose momenta before it are in y_: lam, and the reactions of the joints. The impulse
// of a joint is what the bodies behind it gained and nothing else gave them.
void MaximalEngine::add_reactions(double dt) {
  for (int r = 0; r < m_; ++r)
    if (row_of_[r] >= 0) lam[row_of_[r]] += impulse_[r] / dt;
  if (!watched_) return;
  const std::size_t columns = space_.n_variables;
  for (int b = 1; b <= bodies_.n(); ++b) {
    f_[b] = inertia_[b] * V_[b] - y_[b];
    for (int r = 0; r < m_; ++r) {
      const double* a = &A_[r * columns + 6 * (b - 1)];
      f_[b] = f_[b] - impulse_[r] * Wrench{Vec3(a), Vec3(a + 3)};
    }
  }
  for (int b = bodies_.n(); b > 0; --b) {
    reaction_[b] += (1.0 / dt) * f_[b];
    f_[bodies_.body[b - 1].parent] += f_[b];
  }
}

// Constraints and joints whose force in the step was above their threshold.
void MaximalEngine::check_breaks() {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const MaximalConstraint& c = constraints_[i];
    if (!c.enabled || c.break_above < 0.0) continue;
    double sum = 0.0;
    for (int r = 0; r < c.rows; ++r) sum += lam[c.row + r] * lam[c.row + r];
    if (std::sqrt(sum) > c.break_above) events.push_back(static_cast<int>(i));
  }
  for (int b = 1; watched_ && b <= bodies_.n(); ++b)
    if (break_joint_above_[b] >= 0.0 && !broken[b] && norm(reaction_[b].f) > break_joint_above_[b])
      events.push_back(-b);
}

}  // namespace bough
