// Constraint rows on a tree if they are few: (H1), (H2) of schur.hpp, with Z for all of them in one pass along the tree and
// every product over the joints of a row alone. A border (tree_border.hpp) costs more until some rows close far from the root.
#pragma once

#include "bough/solvers/schur.hpp"
#include "bough/solvers/tree_newton.hpp"

namespace bough {

class FewRows {
 public:
  static constexpr int most = 8;

  // The dynamic joints of each row.
  void resize(const Model& model, const std::vector<std::vector<int>>& joints);

  // Nanoseconds of a factorisation, from the times of trees: marionette, closed chain.
  static double work(int joints, int rows) { return 28.0 * joints * registers(rows) + 10.0 * rows * rows; }

  // Z and S of the rows, with K as the tree holds it.
  void factor(const Model& model, TreeNewton& tree, const Jacobians& D);
  // x is K^-1 r on entry, y is g; the rows are those that were factored.
  void solve(const Model& model, double* x, double* y);
  // (H2) but for K^-T, which is left to the caller: x is r on entry and r - Dh1^T y on return, y is g.
  void solve_transposed(const Model& model, double* x, double* y);

 private:
  static int registers(int rows) { return rows > 4 ? 2 : 1; }

  struct Entry {
    int joint, variable;
    double ratio, row;  // dh/ds of the parameter of the joint
  };
  int registers_ = 1;
  std::vector<int> first_;  // entry of each row, and the end
  std::vector<Entry> entries_;
  std::vector<Lane4> Z_;  // by joint, all columns
  Eigen::MatrixXd S_;
  Eigen::VectorXd y_;
  RankRevealing solver_;
};

}  // namespace bough
