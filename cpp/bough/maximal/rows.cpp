// Rows beyond the joints of the tree: constraints of the model, variables that drive several joints, contacts.
//
//   Cdot = a . V + rate,  solved on top of the tree by the Schur complement S = A T^-1 A^T, where rows may be redundant (MS1)
#include <algorithm>
#include <cmath>

#include "bough/maximal/engine.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double no_mobility = 1e-13;  // of a row that the joints hold already, relative to that of free bodies

}  // namespace

// row += Dh dv/dV, rate += Dh vk of the kinematic variables, less what these do in the joints of the others
void MaximalEngine::add_row_of_variables(const double* Dh, double* row, double* rate) const {
  for (int i = 0; i < model_.n_variables; ++i) {
    if (Dh[i] == 0.0) continue;
    if (i >= model_.n_dynamic) {
      *rate += Dh[i] * vk_[i];
      continue;
    }
    const int j = bodies_.first_joint[i], b = bodies_.owner[j], a = bodies_.body[b - 1].parent;
    if (broken[b]) continue;
    const Wrench y = (Dh[i] / model_.joints[j].ratio) * world_dual_[bodies_.place[j]];
    *rate -= dot(driven_[b], y);
    double part[6];
    y.n.store(part);
    y.f.store(part + 3);
    for (int k = 0; k < 6; ++k) row[6 * (b - 1) + k] += part[k];
    for (int k = 0; a > 0 && k < 6; ++k) row[6 * (a - 1) + k] -= part[k];
  }
}

void MaximalEngine::find_rows() {
  if (m_ == 0) return;
  const std::size_t columns = space_.n_variables, n = model_.n_variables;
  std::fill(A_.begin(), A_.end(), 0.0);
  std::fill(rate_.begin(), rate_.end(), 0.0);
  for (int b = 1; b <= bodies_.n(); ++b) space_state_[6 * b].g = g_[b];
  const Instant on_bodies{space_, space_state_, space_q_.data(), space_q_.data(), nullptr, t};
  bool swept = false;
  int r = 0;
  for (const MaximalConstraint& c : constraints_) {
    if (!c.enabled) continue;
    double* A = &A_[r * columns];
    if (c.contact >= 0) {
      const Contact& contact = contacts_[c.contact];
      contact_rows(contact, g_[contact.place.joint / 6], static_cast<int>(columns), A, &C_[r], &scale_[r]);
    } else if (c.on_bodies) {
      c.on_bodies->value(on_bodies, &C_[r], &scale_[r]);
      c.on_bodies->gradient(on_bodies, A);
      c.on_bodies->rate(on_bodies, &rate_[r]);
    } else {
      Workspace& ws = workspace(model_);
      if (!swept) sweep_velocities(model_, ws, q.data(), q_rate.data());
      swept = true;
      const Instant at{model_, ws.state, q.data(), q_rate.data(), nullptr, t};
      c.on_variables->value(at, &C_[r], &scale_[r]);
      c.on_variables->rate(at, &rate_[r]);
      std::fill_n(Dh_.begin(), c.rows * n, 0.0);
      c.on_variables->gradient(at, Dh_.data());
      for (int k = 0; k < c.rows; ++k) add_row_of_variables(&Dh_[k * n], A + k * columns, &rate_[r + k]);
    }
    r += c.rows;
  }
  for (const int j : coupled_) {  // s_j / ratio_j and that of the first joint are one variable
    const Joint& joint = model_.joints[j];
    const int first = bodies_.first_joint[joint.variable];
    C_[r] = (s_[j] - joint.shift) / joint.ratio - q[joint.variable];
    scale_[r] = 1.0 + std::abs(q[joint.variable]);
    for (const int i : {j, first}) {
      const int b = bodies_.owner[i], a = bodies_.body[b - 1].parent;
      const Wrench y = ((i == j ? 1.0 : -1.0) / model_.joints[i].ratio) * world_dual_[bodies_.place[i]];
      rate_[r] -= dot(driven_[b], y);
      double part[6];
      y.n.store(part);
      y.f.store(part + 3);
      for (int k = 0; k < 6; ++k) A_[r * columns + 6 * (b - 1) + k] += part[k];
      for (int k = 0; a > 0 && k < 6; ++k) A_[r * columns + 6 * (a - 1) + k] -= part[k];
    }
    ++r;
  }
}

// V is the solution without rows; adds what makes A V = target. The impulses are in impulse_.
MaximalStatus MaximalEngine::solve_rows(const std::vector<double>& target, std::vector<Twist>& V) {
  const std::size_t columns = space_.n_variables;
  const auto row_dot = [&](int r, const std::vector<Twist>& X) {
    double sum = 0.0;
    const double* a = &A_[r * columns];
    for (int b = 1; b <= bodies_.n(); ++b, a += 6) sum += dot(X[b].w, Vec3(a)) + dot(X[b].v, Vec3(a + 3));
    return sum;
  };
  for (int r = 0; r < m_; ++r) mu_[r] = target[r] - row_dot(r, V);
  for (int r = 0; r < m_; ++r) {
    double mobility = 0.0;  // of free bodies: what the joints leave is at most this
    for (int b = 1; b <= bodies_.n(); ++b) {
      const double* a = &A_[r * columns + 6 * (b - 1)];
      f_[b] = {Vec3(a), Vec3(a + 3)};
      const Vec3 n = f_[b].n - cross(x[b], f_[b].f);
      const Link& link = model_.links[bodies_.body[b - 1].link];
      const double m = link.mass, about = link.inertia(0, 0) + link.inertia(1, 1) + link.inertia(2, 2);
      if (m > 0.0) mobility += dot(f_[b].f, f_[b].f) / m;
      if (about > 0.0) mobility += dot(n, n) / about;
    }
    tree_.solve(f_, nullptr, c_);
    const double S = row_dot(r, c_);
    const bool held = !(S > no_mobility * mobility);
    double* z = &Z_[r * columns];
    for (int b = 1; b <= bodies_.n(); ++b, z += 6) {
      (held ? Vec3::zero() : c_[b].w).store(z);
      (held ? Vec3::zero() : c_[b].v).store(z + 3);
    }
    if (held) {
      std::fill_n(&A_[r * columns], columns, 0.0);
      mu_[r] = 0.0;
    }
  }
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  S_.noalias() = Rows(A_.data(), m_, columns) * Rows(Z_.data(), m_, columns).transpose();  // (MS1)
  schur_.factor(S_);
  schur_.solve(mu_);
  for (int r = 0; r < m_; ++r) {
    impulse_[r] = mu_[r];
    const double* z = &Z_[r * columns];
    for (int b = 1; b <= bodies_.n(); ++b, z += 6) V[b] += mu_[r] * Twist{Vec3(z), Vec3(z + 3)};
  }
  return MaximalStatus::fine;
}

// T V = f_ with the joints moving by c and the rows by target.
MaximalStatus MaximalEngine::constrained_solve(const Twist* c, const std::vector<double>& target) {
  failed_slot = tree_.factor(inertia_, B_, freedom_);
  if (failed_slot >= 0) return MaximalStatus::singular;
  tree_.solve(f_, c, V_);
  return m_ > 0 ? solve_rows(target, V_) : MaximalStatus::fine;
}

}  // namespace bough
