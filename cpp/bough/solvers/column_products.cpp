#include "bough/solvers/column_products.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bough {
namespace {

const Lane4* row(const ColumnBlock& A, int i) { return A.lanes() + static_cast<std::size_t>(i) * A.stride(); }
Lane4* row(ColumnBlock& A, int i) { return A.lanes() + static_cast<std::size_t>(i) * A.stride(); }

Lane4 load(const double* x) {
  Lane4 lane;
  std::memcpy(&lane, x, sizeof(lane));
  return lane;
}

struct Tile {
  Lane4 row[4];
};

// Rows i ... i + 3 of register `at`, transposed.
Tile transposed_tile(const ColumnBlock& A, int i, int at) {
  const Lane4 a = row(A, i)[at], b = row(A, i + 1)[at], c = row(A, i + 2)[at], d = row(A, i + 3)[at];
  const Lane4 ab = shuffle<0, 4, 2, 6>(a, b), ab_ = shuffle<1, 5, 3, 7>(a, b);
  const Lane4 cd = shuffle<0, 4, 2, 6>(c, d), cd_ = shuffle<1, 5, 3, 7>(c, d);
  return {{shuffle<0, 1, 4, 5>(ab, cd), shuffle<0, 1, 4, 5>(ab_, cd_), shuffle<2, 3, 6, 7>(ab, cd),
           shuffle<2, 3, 6, 7>(ab_, cd_)}};
}

// A as factors of rows i ... i + 3 of a product: A_ik, or A_ki of the transposed one.
struct Rows {
  const double* first;
  std::size_t by_row, by_k;
};
Rows rows_of(const ColumnBlock& A, int i) { return {A.row(i), 4 * static_cast<std::size_t>(A.stride()), 1}; }
Rows columns_of(const ColumnBlock& A, int i) { return {A.row(0) + i, 1, 4 * static_cast<std::size_t>(A.stride())}; }

enum class Into { set, add, subtract };

// R registers from `at` on of four rows of a product.
template <int R, Into into>
void tile(const Rows& A, const ColumnBlock& X, int inner, int i, int at, ColumnBlock& out) {
  Lane4 sum[4][R];
  for (auto& one : sum)
    for (Lane4& x : one) x = Lane4{};
  const double* a = A.first;
  const Lane4* x = X.lanes() + at;
  for (int k = 0; k < inner; ++k, a += A.by_k, x += X.stride())
    for (int t = 0; t < 4; ++t)
      for (int r = 0; r < R; ++r) sum[t][r] += a[t * A.by_row] * x[r];
  for (int t = 0; t < 4; ++t) {
    Lane4* to = row(out, i + t) + at;
    for (int r = 0; r < R; ++r) {
      if constexpr (into == Into::set) to[r] = sum[t][r];
      if constexpr (into == Into::add) to[r] += sum[t][r];
      if constexpr (into == Into::subtract) to[r] -= sum[t][r];
    }
  }
}

// Four rows of a product, from register `at` on.
template <Into into>
void strip(const Rows& A, const ColumnBlock& X, int inner, int i, int at, ColumnBlock& out) {
  const int end = out.stride();
  for (; at + 3 <= end; at += 3) tile<3, into>(A, X, inner, i, at, out);
  if (at + 2 == end) tile<2, into>(A, X, inner, i, at, out);
  if (at + 1 == end) tile<1, into>(A, X, inner, i, at, out);
}

template <Into into>
void transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out) {
  for (int i = 0; i < out.rows(); i += 4) strip<into>(columns_of(A, i), X, inner, i, 0, out);
}

}  // namespace

void set_rows(const double* from, int rows, int columns, ColumnBlock& A) {
  for (int i = 0; i < rows; ++i) std::copy_n(from + static_cast<std::size_t>(i) * columns, columns, A.row(i));
}

void add_rows(const double* from, int rows, int columns, ColumnBlock& A) {
  for (int i = 0; i < rows; ++i) {
    const double* one = from + static_cast<std::size_t>(i) * columns;
    double* to = A.row(i);
    for (int j = 0; j < columns; ++j) to[j] += one[j];
  }
}

void write_rows(const ColumnBlock& A, int rows, int columns, double* to, int stride) {
  for (int i = 0; i < rows; ++i) std::copy_n(A.row(i), columns, to + static_cast<std::size_t>(i) * stride);
}

void set_transposed(const ColumnBlock& A, ColumnBlock& out) {
  for (int i = 0; i < A.rows(); i += 4)
    for (int at = 0; at < A.stride(); ++at) {
      const Tile part = transposed_tile(A, i, at);
      for (int t = 0; t < 4; ++t) row(out, 4 * at + t)[i / 4] = part.row[t];
    }
}

void add_with_transposed(const ColumnBlock& A, ColumnBlock& out) {
  for (int i = 0; i < A.rows(); i += 4)
    for (int at = 0; at < A.stride(); ++at) {
      const Tile part = transposed_tile(A, 4 * at, i / 4);
      for (int t = 0; t < 4; ++t) row(out, i + t)[at] += row(A, i + t)[at] + part.row[t];
    }
}

void mirror(ColumnBlock& A) {
  for (int i = 0; i < A.rows(); i += 4) {
    for (int t = 1; t < 4; ++t)
      for (int j = 0; j < t; ++j) A.row(i + t)[i + j] = A.row(i + j)[i + t];
    for (int at = i / 4 + 1; at < A.stride(); ++at) {
      const Tile part = transposed_tile(A, i, at);
      for (int t = 0; t < 4; ++t) row(A, 4 * at + t)[i / 4] = part.row[t];
    }
  }
}

void set_product(const ColumnBlock& A, int inner, const ColumnBlock& X, ColumnBlock& out) {
  for (int i = 0; i < out.rows(); i += 4) strip<Into::set>(rows_of(A, i), X, inner, i, 0, out);
}

void set_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out) {
  transposed_product<Into::set>(A, X, inner, out);
}

void add_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out) {
  transposed_product<Into::add>(A, X, inner, out);
}

void subtract_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out) {
  transposed_product<Into::subtract>(A, X, inner, out);
}

void set_upper_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out) {
  for (int i = 0; i < out.rows(); i += 4) strip<Into::set>(columns_of(A, i), X, inner, i, i / 4, out);
}

void add_product(const double* A, int rows, int inner, const double* x, int columns, double* out) {
  for (int i = 0; i < rows; ++i, A += inner, out += columns) {
    int j = 0;
    if (columns == 1) {
      Lane4 sums[2] = {Lane4{}, Lane4{}};
      for (; j + 8 <= inner; j += 8)
        for (int r = 0; r < 2; ++r) sums[r] += load(A + j + 4 * r) * load(x + j + 4 * r);
      *out += sum(sums[0] + sums[1]);
    }
    for (; j < inner; ++j)
      for (int c = 0; c < columns; ++c) out[c] += A[j] * x[j * columns + c];
  }
}

bool factor_cholesky(ColumnBlock& A, int n) {
  for (int i = 0; i < n; ++i) {
    double* a = A.row(i);
    for (int j = 0; j <= i; ++j) {
      const double* l = A.row(j);
      double sum = a[j];
      for (int k = 0; k < j; ++k) sum -= a[k] * l[k];
      if (j < i) {
        a[j] = sum / l[j];
      } else {
        if (!(sum > 0.0)) return false;
        a[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

void solve_lower(const ColumnBlock& L, int n, ColumnBlock& X) {
  for (int i = 0; i < n; ++i) {
    Lane4* to = row(X, i);
    for (int j = 0; j < i; ++j) {
      const double l = L.row(i)[j];
      const Lane4* from = row(X, j);
      for (int r = 0; r < X.stride(); ++r) to[r] = to[r] - l * from[r];
    }
    const double inverse = 1.0 / L.row(i)[i];
    for (int r = 0; r < X.stride(); ++r) to[r] = inverse * to[r];
  }
}

void solve_lower_transposed(const ColumnBlock& L, int n, ColumnBlock& X) {
  for (int i = n - 1; i >= 0; --i) {
    Lane4* to = row(X, i);
    for (int j = i + 1; j < n; ++j) {
      const double l = L.row(j)[i];
      const Lane4* from = row(X, j);
      for (int r = 0; r < X.stride(); ++r) to[r] = to[r] - l * from[r];
    }
    const double inverse = 1.0 / L.row(i)[i];
    for (int r = 0; r < X.stride(); ++r) to[r] = inverse * to[r];
  }
}

}  // namespace bough
