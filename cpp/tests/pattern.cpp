// PatternLu and the products over patterns, against dense arithmetic.
#include "bough/solvers/pattern_lu.hpp"

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
      PatternLu lu(of.of, Pattern::of({}));
      expect(lu.factor(of.A.data(), of.n, nullptr, nullptr), "the matrix is safe without pivots");
      Random random(7);
      ColumnBlock X;
      X.resize(of.n, columns);
      std::vector<double> B(of.n * columns);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) B[i * columns + c] = X.row(i)[c] = random();
      lu.forward(X);
      lu.backward(X);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) {
          double sum = 0.0;
          for (int j = 0; j < of.n; ++j) sum += of.A[i * of.n + j] * X.row(j)[c];
          near(sum, B[i * columns + c], 1e-13, "A X");
        }
      ColumnBlock product;
      product.resize(of.n, columns + 8);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) product.row(i)[c] = 1.0;
      add_product(of.of.pattern, of.A.data(), of.n, X, product);
      for (int i = 0; i < of.n; ++i)
        for (int c = 0; c < columns; ++c) near(product.row(i)[c], 1.0 + B[i * columns + c], 1e-13, "1 + A X");
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
      PatternLu lu(of.of, Pattern::of({}));
      lu.factor(of.A.data(), of.n, nullptr, nullptr);
      const std::vector<double> b = random_matrix(1, of.n, 3)[0];
      std::vector<double> x = b;
      transposed ? lu.forward_transposed(x.data(), nullptr) : lu.forward(x.data(), nullptr);
      transposed ? lu.backward_transposed(x.data(), nullptr) : lu.backward(x.data(), nullptr);
      for (int i = 0; i < of.n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < of.n; ++j) sum += of.at(i, j, transposed) * x[j];
        near(sum, b[i], 1e-13, transposed ? "A^T x" : "A x");
      }
    }
}

CASE(pattern_lu_leaves_growing_entries_to_pivots) {
  const Sparse of({-1, 0, 1, 2, 3}, true);
  PatternLu lu(of.of, Pattern::of({}));
  expect(!lu.factor(of.A.data(), of.n, nullptr, nullptr), "a small diagonal is not safe");
}

// (PL4): one row on the path to the last joint, one on the path to another, with S solved by hand.
CASE(pattern_lu_with_a_border) {
  const Sparse of(trees[2]);
  const int n = of.n, m = 2, columns = 13, all = n + m;
  const std::vector<std::vector<int>> rows = {{6, 9, 10}, {0, 1, 3}};
  std::vector<double> D0(m * n, 0.0), D1(m * n, 0.0);
  Random random(11);
  for (int r = 0; r < m; ++r)
    for (const int i : rows[r]) {
      D0[r * n + i] = random();
      D1[r * n + i] = random();
    }
  PatternLu lu(of.of, Pattern::of(rows));
  expect(lu.factor(of.A.data(), n, D0.data(), D1.data()), "the matrix is safe without pivots");
  const double a = lu.complement(0, 0), b = lu.complement(0, 1), c = lu.complement(1, 0), d = lu.complement(1, 1);
  const auto solve_S = [&](double& x, double& y, bool transposed) {
    const double det = a * d - b * c, u = x, v = y, up = transposed ? c : b, low = transposed ? b : c;
    x = (d * u - up * v) / det;
    y = (a * v - low * u) / det;
  };
  const auto T = [&](int i, int j) {
    if (i < n && j < n) return of.A[i * n + j];
    return i < n ? -D0[(j - n) * n + i] : j < n ? D1[(i - n) * n + j] : 0.0;
  };
  ColumnBlock X;
  X.resize(all, columns);
  std::vector<double> B(all * columns);
  for (int i = 0; i < all; ++i)
    for (int k = 0; k < columns; ++k) B[i * columns + k] = X.row(i)[k] = random();
  lu.forward(X);
  for (int k = 0; k < columns; ++k) solve_S(X.row(n)[k], X.row(n + 1)[k], false);
  lu.backward(X);
  for (int i = 0; i < all; ++i)
    for (int k = 0; k < columns; ++k) {
      double sum = 0.0;
      for (int j = 0; j < all; ++j) sum += T(i, j) * X.row(j)[k];
      near(sum, B[i * columns + k], 1e-11, "T X");
    }
  for (const bool transposed : {false, true}) {
    std::vector<double> x(all), y;
    for (int i = 0; i < all; ++i) x[i] = B[i * columns];
    y.assign(x.begin() + n, x.end());
    transposed ? lu.forward_transposed(x.data(), y.data()) : lu.forward(x.data(), y.data());
    solve_S(y[0], y[1], transposed);
    transposed ? lu.backward_transposed(x.data(), y.data()) : lu.backward(x.data(), y.data());
    std::copy(y.begin(), y.end(), x.begin() + n);
    for (int i = 0; i < all; ++i) {
      double sum = 0.0;
      for (int j = 0; j < all; ++j) sum += (transposed ? T(j, i) : T(i, j)) * x[j];
      near(sum, B[i * columns], 1e-11, transposed ? "T^T x" : "T x");
    }
  }
}

CASE(pattern_products_of_rows_that_are_alike) {
  for (const int alike : {1, 2, 3, 4, 5, 7})
    for (const int columns : {3, 10, 33}) {
      const Pattern pattern = Pattern::full(alike, 5);
      Random random(static_cast<unsigned>(alike + columns));
      std::vector<double> A(alike * 5);
      for (double& x : A) x = random();
      ColumnBlock X, out;
      X.resize(5, columns);
      out.resize(alike, columns);
      for (int k = 0; k < 5; ++k)
        for (int c = 0; c < columns; ++c) X.row(k)[c] = random();
      set_product(pattern, A.data(), 5, X, out);
      std::vector<Lane4> rows(most_rows_at_once * X.stride());
      for (int i = 0; i < alike;) {
        const int made = set_product_rows(pattern, A.data(), 5, X, i, rows.data());
        for (int r = 0; r < made; ++r, ++i)
          for (int c = 0; c < columns; ++c) {
            double sum = 0.0;
            for (int k = 0; k < 5; ++k) sum += A[i * 5 + k] * X.row(k)[c];
            near(out.row(i)[c], sum, 1e-14, "A X");
            expect(rows[r * X.stride() + c / 4][c % 4] == out.row(i)[c], "the same rows by themselves");
          }
      }
    }
}

CASE(pattern_symmetric_product) {
  for (const int n : {1, 4, 5, 13, 26})
    for (const bool with : {false, true}) {
      const int rows = 6;
      Random random(static_cast<unsigned>(n));
      ColumnBlock A, B, C;
      A.resize(rows, n);
      B.resize(rows + 1, n);
      C.resize(4 * ((n + 3) / 4), n);
      for (int k = 0; k < rows; ++k)
        for (int c = 0; c < n; ++c) {
          A.row(k)[c] = random();
          B.row(k)[c] = random();
        }
      std::vector<double> lower(n * n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) lower[i * n + j] = C.row(i)[j] = random();
      add_lower_half(C, n);
      std::vector<double> H(n * n, 0.0);
      set_symmetric_product(A, B, rows, with ? &C : nullptr, n, H.data());
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) {
          double sum = with ? lower[i * n + j] + lower[j * n + i] : 0.0;
          for (int k = 0; k < rows; ++k) sum += A.row(k)[i] * B.row(k)[j];
          near(H[i * n + j], sum, 1e-14, "A^T B + C");
          expect(H[j * n + i] == H[i * n + j], "both halves");
        }
    }
}
