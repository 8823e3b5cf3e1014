// PatternLu and the products over patterns, against dense arithmetic.
#include "bough/solvers/pattern.hpp"

#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// A matrix over the pattern of a tree, with a dominant diagonal unless `weak`.
struct Sparse {
  explicit Sparse(const std::vector<int>& parents, bool weak = false)
      : of(tree(parents), static_cast<int>(parents.size()), false), n(of.pattern.rows()), A(n * n, 0.0) {
    Random random(static_cast<unsigned>(n));
    for (int i = 0; i < n; ++i)
      for (int e = of.pattern.start[i]; e < of.pattern.start[i + 1]; ++e) A[i * n + of.pattern.column[e]] = random();
    for (int i = 0; i < n; ++i) A[i * n + i] = weak ? 1e-9 : -3.0 * n;
  }
  double at(int i, int j, bool transposed) const { return transposed ? A[j * n + i] : A[i * n + j]; }

  VariablePattern of;
  int n;
  std::vector<double> A;
};

const std::vector<std::vector<int>> trees = {{-1}, {-1, 0, 1, 2, 3, 4, 5, 6, 7}, {-1, 0, 1, 1, 0, 4, -1, 6, 7, 6, 9}};

}  // namespace

CASE(pattern_of_a_tree_has_paths_alone) {
  const Sparse of({-1, 0, 1, 0});
  const std::vector<std::vector<int>> rows = {{0, 1, 2, 3}, {0, 1, 2}, {0, 1, 2}, {0, 3}};
  const Pattern expected = Pattern::of(rows);
  expect(of.of.pattern.column == expected.column && of.of.pattern.start == expected.start, "the pattern of a tree");
}

CASE(pattern_lu_solves_columns_side_by_side) {
  for (const auto& parents : trees)
    for (const int columns : {1, 3, 4, 7, 37}) {
      const Sparse of(parents);
      PatternLu lu(of.of);
      expect(lu.factor(of.A.data(), of.n), "the matrix is safe without pivots");
      Random random(7);
      ColumnBlock X;
      X.resize(of.n, columns);
      std::vector<double> B(of.n * columns);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) B[i * columns + c] = X.row(i)[c] = random();
      lu.solve(X);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) {
          double sum = 0.0;
          for (int j = 0; j < of.n; ++j) sum += of.A[i * of.n + j] * X.row(j)[c];
          near(sum, B[i * columns + c], 1e-13, "A X");
        }
      std::vector<double> product(of.n * columns, 1.0);
      add_product(of.of.pattern, of.A.data(), of.n, -1.0, X, product.data(), columns, columns);
      for (std::size_t e = 0; e < product.size(); ++e) near(product[e], 1.0 - B[e], 1e-13, "1 - A X");
    }
}

CASE(pattern_products_and_their_upper_half) {
  for (const auto& parents : trees) {
    const Sparse of(parents);
    ColumnBlock X, all, upper;
    for (ColumnBlock* block : {&X, &all, &upper}) block->resize(of.n, of.n);
    for (int i = 0; i < of.n; ++i)
      for (int j = 0; j < of.n; ++j) X.row(i)[j] = of.A[j * of.n + i];
    set_product(of.of.pattern, of.A.data(), of.n, X, all);
    set_upper_product(of.of.pattern, of.A.data(), of.n, X, upper);
    for (int i = 0; i < of.n; ++i)
      for (int j = 0; j < of.n; ++j) {
        double sum = 0.0;
        for (int k = 0; k < of.n; ++k) sum += of.A[i * of.n + k] * of.A[j * of.n + k];
        near(all.row(i)[j], sum, 1e-12, "A A^T");
        if (j >= i) expect(upper.row(i)[j] == all.row(i)[j], "the same bits in the upper half");
      }
  }
}

CASE(pattern_lu_solves_one_column_and_its_transpose) {
  for (const auto& parents : trees)
    for (const bool transposed : {false, true}) {
      const Sparse of(parents);
      PatternLu lu(of.of);
      lu.factor(of.A.data(), of.n);
      const std::vector<double> b = random_matrix(1, of.n, 3)[0];
      std::vector<double> x = b;
      transposed ? lu.solve_transposed(x.data()) : lu.solve(x.data());
      for (int i = 0; i < of.n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < of.n; ++j) sum += of.at(i, j, transposed) * x[j];
        near(sum, b[i], 1e-13, transposed ? "A^T x" : "A x");
      }
    }
}

CASE(pattern_lu_leaves_growing_entries_to_pivots) {
  const Sparse of({-1, 0, 1, 2, 3}, true);
  PatternLu lu(of.of);
  expect(!lu.factor(of.A.data(), of.n), "a small diagonal is not safe");
}

CASE(pattern_half_of_a_symmetric_product) {
  for (const int columns : {1, 4, 5, 13, 26}) {
    const int rows = 6;
    Random random(static_cast<unsigned>(columns));
    ColumnBlock A, B, out;
    A.resize(rows, columns);
    B.resize(rows, columns);
    out.resize(4 * ((columns + 3) / 4), columns);
    for (int k = 0; k < rows; ++k)
      for (int c = 0; c < columns; ++c) {
        A.row(k)[c] = random();
        B.row(k)[c] = random();
      }
    set_half_product(A, B, columns, out);
    for (int i = 0; i < columns; ++i)
      for (int j = i; j < columns; ++j) {
        double sum = 0.0;
        for (int k = 0; k < rows; ++k) sum += A.row(k)[i] * B.row(k)[j];
        near(out.row(i)[j], sum, 1e-14, "A^T B");
      }
  }
}
