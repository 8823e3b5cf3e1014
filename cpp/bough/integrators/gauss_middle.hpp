// The second factor of (GL8), S = G M^-1 G^T with G of the node and M of the stage nearest to the middle of a step. A few rows
// take it as a matrix. Many take the border of the tree (tree_border.hpp), which costs in proportion to their number:
//
//   [-M, -G^T; G, 0] [x; y] = [0; g]:   y = -S^-1 g                                                              (GL14)
#pragma once

#include <memory>

#include "bough/dynamics/elements.hpp"
#include "bough/integrators/gauss_stages.hpp"
#include "bough/solvers/step_matrix.hpp"

namespace bough {

class GaussMiddle final : public StepTerms {
 public:
  GaussMiddle(const Model& model, const GaussTable& table, const ConstraintRows& rows);

  // With the mass matrices that the stages have factored.
  void factor(GaussStages& stages, const double* G);
  // x = S^-1 x
  void solve(Eigen::VectorXd& x);

  // The M of the stage is (N1) of its bodies alone, at rest, in a step of one second.
  bool along_tree() const override { return true; }
  TreeTerms tree_terms() const override { return {state_, bodies_, 1.0, 0.0}; }
  void set_dense(double* K) override;

 private:
  void factor_rows(GaussStages& stages, const double* G);

  const Model& model_;
  const ConstraintRows& rows_;
  const int middle_, m_;
  const double* G_ = nullptr;
  std::vector<Lane4> column_;
  Eigen::MatrixXd S_;
  RankRevealing solver_;
  std::unique_ptr<StepMatrix> border_;  // of many rows
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  std::vector<double> q_, x_, none_;
};

}  // namespace bough
