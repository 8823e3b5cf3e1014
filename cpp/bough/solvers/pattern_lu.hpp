// A matrix over a pattern, bordered by rows and columns of constraints, factored without pivots.
//
// The order of elimination is one from the leaves to the root, which makes no new entries on a tree. With up(k) the places
// in row k after k, in that order, and down(i) those before i,
//
//   l_ik = a_ik / u_kk,   a_ij -= l_ik u_kj    for i, j in up(k),   k = 1, 2, ...                                 (PL1)
//   X_i -= sum of l_ik X_k over down(i), then from the last X_i = (X_i - sum of u_ij X_j over up(i)) / u_ii       (PL2)
//   |u_kj|^2, |l_ik u_kk|^2 <= 1e4 |a_kk a_jj|, else the matrix is left to a factorisation with pivots            (PL3)
//
// The last is a bound of the growth of entries: it holds with 1 for a matrix that is definite, as that of a step of moderate
// length is. The places of a border come last and are not eliminated:
//
//   [K, -D0^T; D1, 0] = [L, 0; D1 U^-1, 1] [U, -L^-1 D0^T; 0, S],   S = D1 K^-1 D0^T                             (PL4)
//
// so that the entries of the border stay on the paths of its rows. Rows of X are columns side by side, and joints of one
// chain, which have the same places before and after them, are substituted together.
#pragma once

#include "bough/solvers/pattern.hpp"

namespace bough {

class PatternLu {
 public:
  // border: the variables in each row of D0 and D1.
  PatternLu(const VariablePattern& of, const Pattern& border);

  // K, D0 and D1 by rows, `stride` apart; D0 and D1 may be null without a border. False by (PL3), or if K is singular.
  bool factor(const double* K, int stride, const double* D0, const double* D1);
  double complement(int row, int column) const { return a_[index(n_ + row, n_ + column)]; }  // S

  // The two factors of (PL4), but for S, which lies between both; the rows of the border follow those of the variables.
  void forward(ColumnBlock& X) const;
  void backward(ColumnBlock& X) const;
  // For one column x and the y of its border.
  void forward(double* x, double* y) const;
  void backward(double* x, const double* y) const;
  // The factors of the transposed matrix, in their order: U^T, then L^T.
  void forward_transposed(double* x, double* y) const;
  void backward_transposed(double* x, const double* y) const;
  // Multiplications of a solve for one column, without its border.
  double work() const { return work_; }

 private:
  // Rows that are substituted together: `count` rows from place `first` on, with the common entries begin ... end - 1.
  struct Group {
    int first, count, begin, end;
  };
  struct Factor {
    std::vector<Group> groups;
    std::vector<int> row;             // of X, for each common entry
    std::vector<std::size_t> source;  // of each value in the factored matrix, in the order of use
    std::vector<double> value;
  };

  std::size_t index(int row, int column) const { return static_cast<std::size_t>(row) * width_ + column; }
  void group_rows();
  template <int R>
  void forward(Lane4* X, int stride) const;
  template <int R>
  void backward(Lane4* X, int stride) const;
  template <int Rows, int R>
  const double* substitute_down(const Group& group, const double* value, Lane4* X, int stride) const;
  template <int Rows, int R>
  const double* substitute_up(const Group& group, const double* value, Lane4* X, int stride) const;

  int n_, all_, width_;        // all_: with the border
  std::vector<int> variable_;  // at each place in the order, or row of X
  Pattern up_, down_;          // of places
  Pattern blocks_;             // where runs of four that cover up(k) begin
  Factor lower_, upper_;
  std::vector<double> a_, size_, inverse_;
  double work_ = 0.0;
};

}  // namespace bough
