// Newton's method on the stages (GL4), (GL5) all at once, where the iteration (GL7) does not contract: stiff elements, rough
// steps. Over dynamic variables, with M, L_vq at stage i and F_v, F_q at the stage they belong to,
//
//   J_ik = delta_ik M_i + h a_ik (L_vq,i - F_v,k) - h^2 sum_j a_ij a_jk F_q,j - h^2 sum_l g_il n_lk lam_l . DDh(N_l)   (GL10)
//   S_kl = sum_ij n_kj G_k (J^-1)_ji g_il G_l^T,   delta = -S^-1 (h(N_k) / h + sum_j n_kj G_k y_j),   y = J^-1 r  (GL11)
//
// J follows the tree (tree_newton_stages.hpp) if every element acts on a single variable and there are no constraints, whose
// curvature couples joints, or too many unknowns for a dense matrix; then that curvature is left out, which does not change
// what the iteration converges to. Otherwise J is dense: a factorisation costs what many iterations cost. Either is kept while
// it contracts well.
#pragma once

#include "bough/integrators/gauss_constraints.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {

class GaussNewton {
 public:
  GaussNewton(const Model& model, const GaussTable& table);

  // Whether it is of a size for it.
  bool fits() const { return along_tree_ || table_.stages * model_.n_dynamic <= most_unknowns; }
  // At the stages and nodes evaluated last; false if the matrix is singular.
  bool factor(const GaussStep& step, GaussStages& stages, const GaussConstraints& constraints);
  // From the residuals in r to the corrections of the rates there; the impulses are corrected.
  void solve(const GaussStep& step, GaussStages& stages, GaussConstraints& constraints);

 private:
  static constexpr int most_unknowns = 600;
  void fit(int rows);
  void add_stage(int j, const GaussStep& step, const GaussStages& stages);
  void add_node(int l, const GaussStep& step, const GaussConstraints& constraints);
  bool factor_dense(const GaussStep& step, GaussStages& stages, const GaussConstraints& constraints);
  bool factor_tree(const GaussStep& step, GaussStages& stages);
  void set_diagonal(const GaussStep& step, GaussStages& stages);
  void solve_stages(Eigen::VectorXd& x);
  void set_node_rates(const GaussConstraints& constraints, const Eigen::VectorXd& x);

  const Model& model_;
  const GaussTable& table_;
  bool along_tree_;
  TreeNewtonStages tree_;
  std::vector<Lane4> joint_;                      // right-hand side over joints
  std::vector<std::vector<double>> by_q_, by_v_;  // F_q and F_v of single variables, by stage
  std::vector<double> L_qq_, L_qv_, L_vv_, f_v_, DDh_;
  Eigen::MatrixXd J_;  // made when it is needed first
  DenseLu lu_;
  Eigen::VectorXd r_, y_;
  Eigen::MatrixXd columns_, S_;
  Eigen::VectorXd delta_;
  RankRevealing schur_;
};

}  // namespace bough
