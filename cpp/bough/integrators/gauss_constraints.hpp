// Constraints of a Gauss-Lobatto step (GL5). The matrix of all multipliers is taken as a product, so that one factorisation
// of as many rows as there are constraints serves all nodes, whatever the number of stages:
//
//   S = (sum_j n_kj g_jl)_{k = 1 ... s, l = 0 ... s-1} x (G M^-1 G^T)_middle                                    (GL8)
//   y_i = M_i^-1 r_i,   delta = -S^-1 (h(N_k) / h + sum_j n_kj G_k y_j),   V_i += y_i + M_i^-1 sum_l g_il G_l^T delta_l  (GL9)
//
// with g_i0 = 1: delta_0 is of the impulse mu, delta_l of h lam_l. Redundant rows are allowed (rank_revealing.hpp).
#pragma once

#include "bough/integrators/gauss_middle.hpp"

namespace bough {

class GaussConstraints {
 public:
  // tolerance: of h, relative to its scale.
  GaussConstraints(const Model& model, const GaussTable& table, double tolerance);

  std::size_t rows() const { return m_; }
  bool any() const { return m_ > 0; }

  // Impulses by node 0 ... s - 1: mu, h lam_1, ...
  std::vector<double> impulses;

  // The start of a step: G_0, which does not change, and the first impulses.
  void begin(const GaussStep& step);
  void guess(const GaussState& past) { std::copy(past.impulses.begin(), past.impulses.end(), impulses.begin()); }
  // h, its scale and G at the nodes k = 1 ... s.
  void evaluate(const GaussStep& step, const GaussStages& stages);
  // Adds the impulses to the residuals (GL4), and measures these.
  void add_to_residuals(const GaussStep& step, GaussStages& stages);
  // The second factor of (GL8).
  void factor(GaussStages& stages) { middle_matrix_.factor(stages, G(table_.stages / 2)); }
  // (GL9): from y_i in r to the corrections of the rates there; the impulses are corrected.
  void correct(const GaussStep& step, GaussStages& stages);
  // Takes back the last correction of the impulses.
  void take_back() { std::copy(measured_.begin(), measured_.end(), impulses.begin()); }
  // p += G_0^T mu + h sum w_k G_k^T lam_k (GL6)
  void add_impulses_of_nodes(double* p) const;

  // Largest residuals of h, and of momenta, relative to the size of their terms.
  double closure() const { return closure_; }
  double momentum() const { return momentum_; }

  const double* h(int node) const { return h_.data() + node * m_; }
  const double* G(int node) const { return G_.data() + node * m_ * model_.n_variables; }
  const std::vector<double>& node(int k) const { return nodes_[k]; }  // N_k
  // The variables of a row, dynamic ones first.
  const std::vector<int>& variables(std::size_t row) const { return rows_.variables[row]; }

 private:
  void evaluate_node(int node, const double* q, const double* size, double t);
  void add_impulses(const std::vector<double>& x, GaussStages& stages);

  const Model& model_;
  const GaussTable& table_;
  const ConstraintRows rows_;
  const std::size_t m_;
  const double tolerance_;
  std::vector<double> measured_, delta_, middle_;  // impulses that were measured; corrections, by node
  std::vector<double> h_, scale_, G_;              // by node 0 ... s
  std::vector<std::vector<double>> nodes_;         // N_k, k = 1 ... s
  std::vector<double> way_, size_;                 // of the terms of dynamic variables in a step, and at a node (GL2)
  std::vector<Lane4> y_;                           // y_i of (GL9)
  double closure_ = 0.0, momentum_ = 0.0;
  std::vector<double> push_;  // the size of what impulses do
  GaussMiddle middle_matrix_;
  Eigen::VectorXd rhs_;
};

}  // namespace bough
