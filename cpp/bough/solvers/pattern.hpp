// Square matrices whose entries are known to be zero but at some places, with many columns side by side.
//
// Over the variables of a tree an entry differs from zero only if one joint is at or above the other, or if an element
// couples them. Rows of X are columns side by side, taken in several registers at once.
#pragma once

#include <vector>

#include "bough/spatial/lane4.hpp"
#include "bough/tree/model.hpp"

namespace bough {

// For each row, the columns that may differ from zero, in increasing order.
struct Pattern {
  std::vector<int> start, column;  // those of row i: column[start[i]] ... column[start[i + 1] - 1]
  std::vector<int> alike;          // how many rows from i on have the columns of row i
  int rows() const { return static_cast<int>(start.size()) - 1; }
  static Pattern full(int rows, int columns);
  static Pattern of(const std::vector<std::vector<int>>& rows);
};

// Over the first `count` variables: joints on one path, elements that couple joints, and constraints, if they are asked for.
// `leaves_first` is the order of elimination.
struct VariablePattern {
  VariablePattern(const Model& model, int count, bool constraints);
  Pattern pattern;
  std::vector<int> leaves_first;
};

// A square matrix over all variables that is made again and again: the pairs of joints on one path, which are always set,
// and the places of what elements add, which are set to zero before.
class PairPlaces {
 public:
  PairPlaces(const Model& model, bool constraints);
  // Whether joints set their pairs, and no others have to be cleared than those below: no two joints have one variable.
  bool known() const { return known_; }
  void clear(double* A) const {
    for (const int place : others_) A[place] = 0.0;
  }

 private:
  bool known_;
  std::vector<int> others_;
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

// Rows of a block, from its first or from another one on.
struct ColumnRows {
  ColumnRows(const ColumnBlock& of, int first = 0)
      : lanes(of.lanes() + static_cast<std::size_t>(first) * of.stride()), stride(of.stride()) {}
  const Lane4* lanes;
  int stride;  // in registers
};

// out = A X and out += A X over a pattern, A by rows, all registers.
void set_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out);
void add_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out);
// The rows of A X from i on that are made at once, at most most_rows_at_once; returns how many.
constexpr int most_rows_at_once = 3;
int set_product_rows(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, int i, Lane4* out);
// The upper half of a product that is symmetric, to be mirrored, and some entries below it.
void set_upper_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out);
// The upper half of A, n square, += its lower half.
void add_lower_half(ColumnBlock& A, int n);
// H (n square, by rows) = A^T B + C over the first `inner` rows, symmetric: the upper half of all three is taken. C has its
// rows in multiples of four, and may be null.
void set_symmetric_product(const ColumnBlock& A, const ColumnBlock& B, int inner, const ColumnBlock* C, int n,
                           double* H);

}  // namespace bough
