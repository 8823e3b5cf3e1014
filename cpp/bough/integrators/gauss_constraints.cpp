#include "bough/integrators/gauss_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/tree/kinematics.hpp"

namespace bough {

GaussConstraints::GaussConstraints(const Model& model, const GaussTable& table, double tolerance)
    : model_(model),
      table_(table),
      rows_(model),
      m_(model.elements.n_constraints),
      tolerance_(tolerance),
      middle_matrix_(model, table, rows_) {
  if (m_ == 0) return;
  const std::size_t s = table.stages, n = model.n_variables, nd = model.n_dynamic;
  for (auto* x : {&impulses, &measured_, &delta_, &middle_}) x->resize(s * m_);
  for (auto* x : {&h_, &scale_}) x->resize((s + 1) * m_);
  G_.resize((s + 1) * m_ * n);
  nodes_.assign(s + 1, std::vector<double>(n));
  push_.resize(nd);
  size_.resize(nd);
  way_.resize(nd);
  y_.assign(nd, Lane4{});
  rhs_.resize(m_);
}

void GaussConstraints::begin(const GaussStep& step) {
  const std::vector<double>& q = step.from.q;
  for (std::size_t i = 0; i < size_.size(); ++i) size_[i] = std::abs(q[i]);
  evaluate_node(0, q.data(), size_.data(), step.from.t);
}

// No q has a smaller h than the round-off of its terms leaves, whose sizes are given: where q passes zero, they do not.
void GaussConstraints::evaluate_node(int node, const double* q, const double* size, double t) {
  Workspace& ws = workspace(model_);
  double *h = h_.data() + node * m_, *scale = scale_.data() + node * m_,
         *G = G_.data() + node * m_ * model_.n_variables;
  sweep_poses(model_, ws, q);
  const Instant at{model_, ws.state, q, nullptr, nullptr, t};
  constraint(at, h, scale);
  constraint_dq(at, scale, rows_, G);
  for (std::size_t r = 0; r < m_; ++r) {
    const double* row = G + r * model_.n_variables;
    double sum = 0.0;
    for (const int i : rows_.variables[r]) {
      if (i >= model_.n_dynamic) break;
      sum += std::abs(row[i]) * size[i];
    }
    constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
    scale[r] = std::max(scale[r], digits / tolerance_ * sum);
  }
}

void GaussConstraints::evaluate(const GaussStep& step, const GaussStages& stages) {
  const GaussState& from = step.from;
  const int s = table_.stages, nd = model_.n_dynamic, nk = model_.n_variables - nd;
  closure_ = 0.0;
  double sum = 0.0;
  for (int i = 0; i < nd; ++i) {
    const Lane4 v = abs(stages.v[i]);
    const double most = std::max(std::max(v[0], v[1]), std::max(v[2], v[3]));
    way_[i] = std::max(std::abs(from.q[i]), std::abs(step.h) * most);
  }
  for (int k = 1; k <= s; ++k) {
    std::vector<double>& node = nodes_[k];
    for (int i = 0; i < nd; ++i) {
      double shift = 0.0;
      for (int j = 0; j < s; ++j) shift += table_.n[k][j] * stages.v[i][j];
      node[i] = from.q[i] + (from.q_rest[i] + step.h * shift);
      size_[i] = std::max(std::abs(node[i]), way_[i]);
    }
    std::copy_n(step.drive.node(k), nk, node.begin() + nd);
    evaluate_node(k, node.data(), size_.data(), step.time(table_.d[k]));
    for (std::size_t r = k * m_; r < (k + 1) * m_; ++r) {
      const double ratio = std::abs(h_[r]) / scale_[r];
      closure_ = std::max(closure_, ratio);
      sum += ratio;
    }
  }
  if (!std::isfinite(sum)) closure_ = sum;
}

// r_i += sum_l g_il G_l^T x_l (GL4), for the impulses or their corrections x; the size of it.
void GaussConstraints::add_impulses(const std::vector<double>& x, GaussStages& stages) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  std::fill(push_.begin(), push_.end(), 0.0);
  for (int l = 0; l < s; ++l) {
    const Lane4 g = stages.column(table_.g, l);
    for (std::size_t r = 0; r < m_; ++r) {
      const double impulse = x[l * m_ + r];
      const double* row = G(l) + r * n;
      for (const int i : rows_.variables[r]) {
        if (i >= nd) break;
        const double push = impulse * row[i];
        push_[i] += std::abs(push);
        stages.r[i] += push * g;
      }
    }
  }
}

void GaussConstraints::add_to_residuals(const GaussStep& step, GaussStages& stages) {
  add_impulses(impulses, stages);
  std::copy(impulses.begin(), impulses.end(), measured_.begin());
  momentum_ = 0.0;
  for (int i = 0; i < table_.stages; ++i)
    for (int k = 0; k < model_.n_dynamic; ++k) {
      const double size =
          std::abs(step.from.p[k]) + std::abs(stages.L_v[k][i]) + std::abs(step.h * stages.F[k][i]) + push_[k];
      momentum_ = std::max(momentum_, std::abs(stages.r[k][i]) / (size + std::numeric_limits<double>::min()));
    }
}

void GaussConstraints::add_impulses_of_nodes(double* p) const {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int l = 0; l < s; ++l)
    for (std::size_t r = 0; r < m_; ++r) {
      const double impulse = (l == 0 ? 1.0 : table_.w[l]) * impulses[l * m_ + r];
      const double* row = G(l) + r * n;
      for (const int i : rows_.variables[r]) {
        if (i >= nd) break;
        p[i] += impulse * row[i];
      }
    }
}

void GaussConstraints::correct(const GaussStep& step, GaussStages& stages) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int k = 1; k <= s; ++k) {
    const double* rows = G(k);
    for (std::size_t r = 0; r < m_; ++r) {
      double sum = h_[k * m_ + r] / step.h;
      for (const int i : rows_.variables[r]) {
        if (i >= nd) break;
        double y = 0.0;
        for (int j = 0; j < s; ++j) y += table_.n[k][j] * stages.r[i][j];
        sum += rows[r * n + i] * y;
      }
      rhs_[r] = sum;
    }
    middle_matrix_.solve(rhs_);
    for (std::size_t r = 0; r < m_; ++r) middle_[(k - 1) * m_ + r] = rhs_[r];
  }
  for (int l = 0; l < s; ++l)
    for (std::size_t r = 0; r < m_; ++r) {
      double sum = 0.0;
      for (int k = 1; k <= s; ++k) sum += table_.impulse[l][k] * middle_[(k - 1) * m_ + r];
      delta_[l * m_ + r] = -sum;
      impulses[l * m_ + r] -= sum;
    }
  y_.swap(stages.r);
  std::fill(stages.r.begin(), stages.r.end(), Lane4{});
  add_impulses(delta_, stages);
  stages.solve(stages.r);
  for (int i = 0; i < nd; ++i) stages.r[i] += y_[i];
}

}  // namespace bough
