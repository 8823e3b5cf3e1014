// Constraints of a Gauss-Lobatto step (GL5). The matrix of all multipliers is taken as a product, so that one factorisation
// of as many rows as there are constraints serves all nodes, whatever the number of stages:
//
//   S = (sum_j n_kj g_jl)_{k = 1 ... s, l = 0 ... s-1} x (G M^-1 G^T)_middle                                    (GL8)
//   y_i = M_i^-1 r_i,   delta = -S^-1 (h(N_k) / h + sum_j n_kj G_k y_j),   V_i += y_i + M_i^-1 sum_l g_il G_l^T delta_l  (GL9)
//
// with g_i0 = 1: delta_0 is of the impulse mu, delta_l of h lam_l. Redundant rows are allowed (rank_revealing.hpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/integrators/gauss.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {

// h, its scale and G at a node. No q has a smaller h than its own round-off leaves.
void GaussStepper::evaluate_node(int node, const double* q, double t) {
  Workspace& ws = workspace(model_);
  const std::size_t at_row = node * constraints_.m;
  sweep_poses(model_, ws, q);
  const Instant at{model_, ws.state, q, nullptr, nullptr, t};
  constraint(at, constraints_.h.data() + at_row, constraints_.h_scale.data() + at_row);
  constraint_dq(at, constraints_.h_scale.data() + at_row, constraints_.rows, G(node));
  for (std::size_t r = 0; r < constraints_.m; ++r) {
    const double* row = G(node) + r * model_.n_variables;
    double sum = 0.0;
    for (const int i : constraints_.rows.variables[r]) {
      if (i >= model_.n_dynamic) break;
      sum += std::abs(row[i] * q[i]);
    }
    constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
    double& scale = constraints_.h_scale[at_row + r];
    scale = std::max(scale, digits / settings_.constraint_tolerance * sum);
  }
}

void GaussStepper::evaluate_nodes(double h, const Drive& drive) {
  const int s = table_.stages, nd = model_.n_dynamic, nk = model_.n_variables - nd;
  constraints_.closure = 0.0;
  double sum = 0.0;
  for (int k = 1; k <= s; ++k) {
    std::vector<double>& node = nodes_[k];
    for (int i = 0; i < nd; ++i) {
      double shift = 0.0;
      for (int j = 0; j < s; ++j) shift += table_.n[k][j] * stages_[j].v[i];
      node[i] = state.q[i] + (state.q_rest[i] + h * shift);
    }
    std::copy_n(drive.node(k), nk, node.begin() + nd);
    evaluate_node(k, node.data(), state.t + (state.t_rest + table_.d[k] * h));
    for (std::size_t r = k * constraints_.m; r < (k + 1) * constraints_.m; ++r) {
      const double ratio = std::abs(constraints_.h[r]) / constraints_.h_scale[r];
      constraints_.closure = std::max(constraints_.closure, ratio);
      sum += ratio;
    }
  }
  if (!std::isfinite(sum)) constraints_.closure = sum;
}

// r_i += sum_l g_il G_l^T x_l (GL4), for the impulses or their corrections x; the size of it.
void GaussStepper::add_impulses(const std::vector<double>& x) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  std::fill(constraints_.push.begin(), constraints_.push.end(), 0.0);
  for (int l = 0; l < s; ++l)
    for (std::size_t r = 0; r < constraints_.m; ++r) {
      const double impulse = x[l * constraints_.m + r];
      const double* row = G(l) + r * n;
      for (const int i : constraints_.rows.variables[r]) {
        if (i >= nd) break;
        const double push = impulse * row[i];
        constraints_.push[i] += std::abs(push);
        for (int j = 0; j < s; ++j) r_[j][i] += table_.g[j][l] * push;
      }
    }
}

// p += G_0^T mu + h sum w_k G_k^T lam_k (GL6)
void GaussStepper::add_node_impulses(double* p) const {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int l = 0; l < s; ++l)
    for (std::size_t r = 0; r < constraints_.m; ++r) {
      const double impulse = (l == 0 ? 1.0 : table_.w[l]) * constraints_.impulses[l * constraints_.m + r];
      const double* row = G(l) + r * n;
      for (const int i : constraints_.rows.variables[r]) {
        if (i >= nd) break;
        p[i] += impulse * row[i];
      }
    }
}

// The second factor of (GL8), with G of the node and M of the stage nearest to the middle.
void GaussStepper::factor_constraints() {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  const double* rows = G(s / 2);
  const auto dot = [&](std::size_t r, const std::vector<double>& x) {
    double sum = 0.0;
    for (const int i : constraints_.rows.variables[r]) {
      if (i >= nd) break;
      sum += rows[r * n + i] * x[i];
    }
    return sum;
  };
  for (std::size_t c = 0; c < constraints_.m; ++c) {
    std::copy_n(rows + c * n, nd, column_.begin());
    stages_[s / 2].solve(column_.data());
    for (std::size_t r = 0; r < constraints_.m; ++r) constraints_.S(r, c) = dot(r, column_);
  }
  constraints_.schur.factor(constraints_.S);
}

// (GL9): from y_i in r_ to the corrections of the rates there; the impulses are corrected.
void GaussStepper::correct_constraints(double h) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int k = 1; k <= s; ++k) {
    const double* rows = G(k);
    for (std::size_t r = 0; r < constraints_.m; ++r) {
      double sum = constraints_.h[k * constraints_.m + r] / h;
      for (const int i : constraints_.rows.variables[r]) {
        if (i >= nd) break;
        double y = 0.0;
        for (int j = 0; j < s; ++j) y += table_.n[k][j] * r_[j][i];
        sum += rows[r * n + i] * y;
      }
      constraints_.rhs[r] = sum;
    }
    constraints_.schur.solve(constraints_.rhs);
    for (std::size_t r = 0; r < constraints_.m; ++r)
      constraints_.middle[(k - 1) * constraints_.m + r] = constraints_.rhs[r];
  }
  for (int l = 0; l < s; ++l)
    for (std::size_t r = 0; r < constraints_.m; ++r) {
      double sum = 0.0;
      for (int k = 1; k <= s; ++k) sum += table_.impulse[l][k] * constraints_.middle[(k - 1) * constraints_.m + r];
      constraints_.delta[l * constraints_.m + r] = -sum;
      constraints_.impulses[l * constraints_.m + r] -= sum;
    }
  for (int j = 0; j < s; ++j) {
    y_[j].swap(r_[j]);
    std::fill(r_[j].begin(), r_[j].end(), 0.0);
  }
  add_impulses(constraints_.delta);
  for (int j = 0; j < s; ++j) {
    stages_[j].solve(r_[j].data());
    for (int i = 0; i < nd; ++i) r_[j][i] += y_[j][i];
  }
}

}  // namespace bough
