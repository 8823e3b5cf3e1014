#include "bough/integrators/gauss_newton.hpp"

#include <cmath>

#include "bough/dynamics/lagrangian.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {

GaussNewton::GaussNewton(const Model& model, const GaussTable& table) : model_(model), table_(table) {
  const int unknowns = table.stages * (model.n_dynamic + model.elements.n_constraints);
  along_tree_ = !model.shared && (model.elements.n_constraints == 0 || unknowns > most_unknowns);
  for (const auto& e : model.elements.potentials) along_tree_ &= e->diagonal();
  for (const auto& e : model.elements.forces) along_tree_ &= e->diagonal();
}

void GaussNewton::fit(int rows) {
  const int n = model_.n_variables, size = table_.stages * model_.n_dynamic, all = table_.stages * rows;
  if (along_tree_) {
    tree_.resize(model_, table_);
    joint_.resize(model_.joints.size());
    for (auto* x : {&by_q_, &by_v_}) x->assign(table_.stages, std::vector<double>(n));
  } else {
    for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &f_v_}) x->resize(n * n);
    DDh_.resize(rows * n * n);
    J_.resize(size, size);
    lu_.resize(size);
  }
  for (auto* x : {&r_, &y_}) x->resize(size);
  columns_.resize(size, all);
  S_.resize(all, all);
  delta_.resize(all);
  if (all > 0) schur_.fit(all);
}

// sum_j n_kj G_k x_j in delta, for all nodes and rows.
void GaussNewton::set_node_rates(const GaussConstraints& constraints, const Eigen::VectorXd& x) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int k = 1; k <= s; ++k)
    for (std::size_t r = 0; r < constraints.rows(); ++r) {
      double sum = 0.0;
      const double* row = constraints.G(k) + r * n;
      for (const int i : constraints.variables(r)) {
        if (i >= nd) break;
        for (int j = 0; j < s; ++j) sum += table_.n[k][j] * row[i] * x[j * nd + i];
      }
      delta_[(k - 1) * constraints.rows() + r] = sum;
    }
}

// What stage j has in (GL10).
void GaussNewton::add_stage(int j, const GaussStep& step, const GaussStages& stages) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  const double h = step.h;
  const Instant at = stages.instant(j, step.time(table_.c[j]), step.drive.stage(j));
  lagrangian_hessians(model_, workspace(model_), at.q, at.v, L_qq_.data(), L_qv_.data(), L_vv_.data());
  f_v_ = L_qv_;
  add_forces_dq(at, 1.0, L_qq_.data());
  add_forces_dv(at, 1.0, f_v_.data());
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const Rows F_q(L_qq_.data(), n, n), F_v(f_v_.data(), n, n), cross(L_qv_.data(), n, n), M(L_vv_.data(), n, n);
  for (int b = 0; b < nd; ++b)
    for (int a = 0; a < nd; ++a) {
      for (int i = 0; i < s; ++i) {
        const double by_q = h * h * table_.a[i][j] * F_q(a, b);
        for (int k = 0; k < s; ++k) J_(i * nd + a, k * nd + b) -= table_.a[j][k] * by_q;
        J_(i * nd + a, j * nd + b) -= h * table_.a[i][j] * F_v(a, b);
        J_(j * nd + a, i * nd + b) += h * table_.a[j][i] * cross(b, a);
      }
      J_(j * nd + a, j * nd + b) += M(a, b);
    }
}

// What the constraints of node l have in (GL10).
void GaussNewton::add_node(int l, const GaussStep& step, const GaussConstraints& constraints) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  Workspace& ws = workspace(model_);
  const double* q = constraints.node(l).data();
  sweep_poses(model_, ws, q);
  constraint_dqdq({model_, ws.state, q, nullptr, nullptr, step.time(table_.d[l])}, DDh_.data());
  for (std::size_t r = 0; r < constraints.rows(); ++r)
    for (int b = 0; b < nd; ++b)
      for (int a = 0; a < nd; ++a) {
        const double curved = step.h * constraints.impulses[l * constraints.rows() + r] * DDh_[(r * n + a) * n + b];
        if (curved == 0.0) continue;
        for (int i = 0; i < s; ++i)
          for (int k = 0; k < s; ++k) J_(i * nd + a, k * nd + b) -= table_.g[i][l] * table_.n[l][k] * curved;
      }
}

bool GaussNewton::factor_dense(const GaussStep& step, GaussStages& stages, const GaussConstraints& constraints) {
  J_.setZero();
  stages.split(true);
  for (int j = 0; j < table_.stages; ++j) add_stage(j, step, stages);
  for (int l = 1; l < table_.stages && constraints.any(); ++l) add_node(l, step, constraints);
  lu_.factor(J_);
  const DenseLu::Pivots pivots = lu_.pivots();
  return pivots.least > 0.0 && std::isfinite(pivots.largest);
}

// What springs and dampers of single variables have in D of (GN2).
void GaussNewton::set_diagonal(const GaussStep& step, GaussStages& stages) {
  const int s = table_.stages;
  const double h = step.h;
  const Elements& elements = model_.elements;
  if (elements.potentials.empty() && elements.forces.empty()) return;
  stages.split(false);
  for (int j = 0; j < s; ++j) {
    const Instant at = stages.instant(j, step.time(table_.c[j]), step.drive.stage(j));
    for (auto* x : {&by_q_[j], &by_v_[j]}) std::fill(x->begin(), x->end(), 0.0);
    for (const auto& e : elements.potentials) e->add_diagonal(at, -1.0, by_q_[j].data());
    for (const auto& e : elements.forces) {
      e->add_diagonal(at, 1.0, 0.0, by_q_[j].data());
      e->add_diagonal(at, 0.0, 1.0, by_v_[j].data());
    }
  }
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const double square = joint.ratio * joint.ratio;
    for (int b = 0; b < s; ++b) {
      Lane4 row{};
      for (int c = 0; c < s; ++c) {
        double sum = h * table_.a[b][c] * by_v_[c][joint.variable];
        for (int k = 0; k < s; ++k) sum += h * h * table_.a[b][k] * table_.a[k][c] * by_q_[k][joint.variable];
        set_lane(row, c, -sum / square);
      }
      tree_.diagonal(i, b) = row;
    }
  }
}

bool GaussNewton::factor_tree(const GaussStep& step, GaussStages& stages) {
  set_diagonal(step, stages);
  return tree_.factor(model_, step.h, stages.joints(), stages.bodies());
}

// x = J^-1 x
void GaussNewton::solve_stages(Eigen::VectorXd& x) {
  if (!along_tree_) {
    lu_.solve(x, y_.data());
    x.swap(y_);
    return;
  }
  const int s = table_.stages, nd = model_.n_dynamic;
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    joint_[i] = Lane4{};
    for (int b = 0; b < s && joint.dynamic; ++b) set_lane(joint_[i], b, x[b * nd + joint.variable] / joint.ratio);
  }
  tree_.solve(model_, joint_);
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    for (int b = 0; b < s && joint.dynamic; ++b) x[b * nd + joint.variable] = joint_[i][b] / joint.ratio;
  }
}

bool GaussNewton::factor(const GaussStep& step, GaussStages& stages, const GaussConstraints& constraints) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  if (r_.size() == 0) fit(static_cast<int>(constraints.rows()));
  if (!(along_tree_ ? factor_tree(step, stages) : factor_dense(step, stages, constraints))) return false;
  if (!constraints.any()) return true;
  for (int l = 0; l < s; ++l)
    for (std::size_t c = 0; c < constraints.rows(); ++c) {  // (GL11)
      const int place = static_cast<int>(l * constraints.rows() + c);
      for (int i = 0; i < s; ++i)
        for (int a = 0; a < nd; ++a) r_[i * nd + a] = table_.g[i][l] * constraints.G(l)[c * n + a];
      solve_stages(r_);
      columns_.col(place) = r_;
      set_node_rates(constraints, r_);
      S_.col(place) = delta_;
    }
  schur_.factor(S_);
  return true;
}

void GaussNewton::solve(const GaussStep& step, GaussStages& stages, GaussConstraints& constraints) {
  const int s = table_.stages, nd = model_.n_dynamic;
  for (int i = 0; i < s; ++i)
    for (int a = 0; a < nd; ++a) r_[i * nd + a] = stages.r[a][i];
  solve_stages(r_);
  if (constraints.any()) {
    set_node_rates(constraints, r_);
    const double* h = constraints.h(1);
    for (Eigen::Index row = 0; row < delta_.size(); ++row) delta_[row] += h[row] / step.h;
    schur_.solve(delta_);
    r_.noalias() -= columns_ * delta_;
    for (Eigen::Index row = 0; row < delta_.size(); ++row) constraints.impulses[row] -= delta_[row];
  }
  for (int i = 0; i < s; ++i)
    for (int a = 0; a < nd; ++a) set_lane(stages.r[a], i, r_[i * nd + a]);
}

}  // namespace bough
