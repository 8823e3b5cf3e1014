// T = [K, -Dh0^T; Dh1, 0] of a step, factored for derivatives: many right-hand sides, and the transposed matrix.
//
// K is factored over its entries that may differ from zero, bordered by the rows of constraints (pattern_lu.hpp), or with
// pivots if that is not safe; the rows take their Schur complement,
//
//   Z = K^-1 Dh0^T,  S = Dh1 Z,   T [X; Y] = [B; C]:   S Y = C - Dh1 K^-1 B,   X = K^-1 B + Z Y                   (PT1)
//   T^T [a; b] = [B; C]:   S^T b = C + Z^T B,   a = K^-T (B - Dh1^T b)                                            (PT2)
//
// which without pivots stands between the two factors of (PL4).
//
// Long chains, and a K that is singular although T is not, are left to the matrix of Newton's method (step_matrix.hpp).
#pragma once

#include "bough/dynamics/elements.hpp"
#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/solvers/dense.hpp"
#include "bough/solvers/pattern_lu.hpp"

namespace bough {

class PartMatrix {
 public:
  PartMatrix(const Model& model, DiscreteLagrangian& rule, const ConstraintRows& rows);

  // K over all variables, by rows, is that of the interval that the rule evaluated last. False if T is singular.
  bool factor(const double* K, const Jacobians& D);
  // In place, over dynamic variables and over rows: one column, and all columns of X, with Y in the rows that follow.
  void solve(double* x, double* y);
  void solve_transposed(double* x, double* y);
  void solve(ColumnBlock& X);
  // x = K^-1 x along the tree alone, with K of the interval that the rule evaluated last; nothing is left for other solves. False
  // if K does not follow the tree, or is singular.
  bool correct(double* x);
  // Whether no row is known to depend on others.
  bool independent() const { return m_ == 0 || (way_ != Way::tree && schur_.solver.full()); }
  // The entries of K over dynamic variables, and the dynamic variables in each row of constraints.
  const Pattern& pattern() const { return pattern_; }
  const Pattern& rows() const { return rows_; }

 private:
  enum class Way { pattern, pivots, tree };
  PartMatrix(const Model& model, DiscreteLagrangian& rule, const ConstraintRows& rows, const VariablePattern& of);
  bool factor_with_pivots(const double* K);
  void complement();
  void solve_S(ColumnBlock& X);
  void solve_with_pivots(ColumnBlock& X);
  void solve_along_tree(ColumnBlock& X);

  DiscreteLagrangian& rule_;
  const int nq_, nd_, m_;
  const Pattern pattern_, rows_;
  PatternLu lu_;
  Way way_ = Way::pattern;
  Jacobians D_{};
  struct Pivoted {
    Eigen::MatrixXd K, Z, x, y;
    DenseLu lu;
  };
  Pivoted pivoted_;
  struct Tree {
    StepMatrix matrix;
    bool preferred;  // whether it costs less
    bool possible;   // its unknowns are those of T: without balls
    bool along;      // K follows the tree
    Eigen::MatrixXd x, y;
  };
  Tree tree_;
  struct Complement {
    Eigen::MatrixXd S;
    RankRevealing solver;
  };
  Complement schur_;
  Eigen::VectorXd one_, s_;
};

}  // namespace bough
