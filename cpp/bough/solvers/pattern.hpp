// Square matrices whose entries are known to be zero but at some places, with many columns side by side.
//
// Over the variables of a tree an entry differs from zero only if one joint is at or above the other, or if an element
// couples them. Such a matrix is factored without pivots, in an order from the leaves to the root that makes no new entries
// on a tree. With up(k) the places in row k after k, in that order, and down(i) those before i,
//
//   l_ik = a_ik / u_kk,   a_ij -= l_ik u_kj    for i, j in up(k),   k = 1, 2, ...                                 (PL1)
//   X_i -= sum of l_ik X_k over down(i), then from the last X_i = (X_i - sum of u_ij X_j over up(i)) / u_ii       (PL2)
//   |u_kj|^2, |l_ik u_kk|^2 <= 1e4 |a_kk a_jj|, else the matrix is left to a factorisation with pivots            (PL3)
//
// The last is a bound of the growth of entries: it holds with 1 for a matrix that is definite, as that of a step of moderate
// length is. Rows of X are columns side by side, taken in several registers at once.
#pragma once

#include <vector>

#include "bough/spatial/lane4.hpp"
#include "bough/tree/model.hpp"

namespace bough {

// For each row, the columns that may differ from zero, in increasing order.
struct Pattern {
  std::vector<int> start, column;  // those of row i: column[start[i]] ... column[start[i + 1] - 1]
  std::vector<char> twins;         // whether row i + 1 has the columns of row i
  int rows() const { return static_cast<int>(start.size()) - 1; }
  static Pattern full(int rows, int columns);
  static Pattern of(const std::vector<std::vector<int>>& rows);
};

// Over the first `count` variables: joints on one path, elements that couple joints, and constraints, if they are asked for.
// `leaf` is the order of elimination.
struct VariablePattern {
  VariablePattern(const Model& model, int count, bool constraints);
  Pattern pattern;
  std::vector<int> leaves_first;
};

// Rows of columns side by side, each in full registers; what is beyond the last column is zero.
class ColumnBlock {
 public:
  void resize(int rows, int columns) {
    stride_ = (columns + 3) / 4;
    rows_ = rows;
    lanes_.assign(static_cast<std::size_t>(rows) * stride_, Lane4{});
  }
  // As many rows of fewer columns, in the same memory; their values are not defined.
  void use(int columns) { stride_ = (columns + 3) / 4; }
  double* row(int i) { return reinterpret_cast<double*>(lanes_.data() + static_cast<std::size_t>(i) * stride_); }
  const double* row(int i) const {
    return reinterpret_cast<const double*>(lanes_.data() + static_cast<std::size_t>(i) * stride_);
  }
  Lane4* lanes() { return lanes_.data(); }
  const Lane4* lanes() const { return lanes_.data(); }
  int stride() const { return stride_; }  // in registers
  int rows() const { return rows_; }

 private:
  std::vector<Lane4> lanes_;
  int stride_ = 0, rows_ = 0;
};

// (PL1)-(PL3)
class PatternLu {
 public:
  explicit PatternLu(const VariablePattern& of);
  // A by rows, `stride` apart. False by (PL3), or if it is singular.
  bool factor(const double* A, int stride);
  void solve(ColumnBlock& X) const;
  void solve(double* x) const;             // one column
  void solve_transposed(double* x) const;  // A^T x = b
  // Multiplications of a solve for one column.
  double work() const { return static_cast<double>(up_.column.size() + down_.column.size()); }

 private:
  template <int R>
  void solve(Lane4* X, int stride) const;

  int n_, width_;
  std::vector<int> variable_;    // at each place in the order
  Pattern entries_, up_, down_;  // up_, down_: of places
  Pattern blocks_;               // where runs of four that cover up(k) begin
  std::vector<double> a_, size_, l_, u_, inverse_;
};

// out_i += factor A_ij X_j over a pattern, A by rows. The rows of out are `stride` apart and have `columns` entries.
void add_product(const Pattern& pattern, const double* A, int A_stride, double factor, const ColumnBlock& X,
                 double* out, int stride, int columns);
// out = A X, all registers.
void set_product(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, ColumnBlock& out);
// The upper half of a product that is symmetric, to be mirrored, and some entries below it.
void set_upper_product(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, ColumnBlock& out);
// out_ij = sum_k A_ki B_kj for all registers from that of i on: the upper half of a symmetric product.
void set_half_product(const ColumnBlock& A, const ColumnBlock& B, int columns, ColumnBlock& out);
// The upper half of out, n square, += that of A^T.
void add_transposed(const ColumnBlock& A, int n, ColumnBlock& out);
// H (n square, by rows) from its upper half.
void set_symmetric(const ColumnBlock& half, int n, double* H);

}  // namespace bough
