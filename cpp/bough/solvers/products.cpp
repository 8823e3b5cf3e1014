#include "bough/solvers/products.hpp"

#include <algorithm>
#include <cstring>

#include "bough/spatial/lane4.hpp"

namespace bough {
namespace {

using Index = std::ptrdiff_t;
using Factor = Strided<const double>;
using Target = Strided<double>;

constexpr int high = 8;    // rows of a tile
constexpr int deep = 256;  // columns of A that are summed at once: what is packed fits the first cache

Lane4 load(const double* x) {
  Lane4 out;
  std::memcpy(&out, x, sizeof out);
  return out;
}
void store(double* x, const Lane4& a) { std::memcpy(x, &a, sizeof a); }

struct Scale {
  double alpha;
  bool add;
  double operator()(double c, double x) const { return add ? c + alpha * x : alpha * x; }
  Lane4 operator()(const double* c, const Lane4& x) const { return add ? load(c) + alpha * x : alpha * x; }
};

// A panel of 4 `lanes` rows of A, its columns `step` apart.
struct Panel {
  const double* data;
  Index step;
};

// rows x columns of C from a panel of A and the rows of B; rows <= 4 lanes. Sums run over the columns of A in their order.
template <int lanes, int columns>
void tile(const Scale& scale, const Panel& a, const Factor& b, const Target& c) {
  Lane4 sum[columns][lanes] = {};
  const double *x = a.data, *y = b.data;
  for (Index k = 0; k < b.rows; ++k, x += a.step, y += b.row) {
    Lane4 column[lanes];
    for (int l = 0; l < lanes; ++l) column[l] = load(x + 4 * l);
    for (int j = 0; j < columns; ++j)
      for (int l = 0; l < lanes; ++l) sum[j][l] += y[j * b.column] * column[l];
  }
  for (int j = 0; j < columns; ++j) {
    double* out = c.data + j * c.column;
    if (c.row == 1 && c.rows == 4 * lanes) {
      for (int l = 0; l < lanes; ++l) store(out + 4 * l, scale(out + 4 * l, sum[j][l]));
      continue;
    }
    double x[4 * lanes];
    for (int l = 0; l < lanes; ++l) store(x + 4 * l, sum[j][l]);
    for (Index i = 0; i < c.rows; ++i) out[i * c.row] = scale(out[i * c.row], x[i]);
  }
}

template <int lanes>
void tiles(const Scale& scale, const Panel& a, Factor b, Target c) {
  const Index n = c.columns;
  for (Index j = 0; j < n; j += 4, b.data += 4 * b.column, c.data += 4 * c.column) {
    if (n - j >= 4)
      tile<lanes, 4>(scale, a, b, c);
    else if (n - j == 3)
      tile<lanes, 3>(scale, a, b, c);
    else if (n - j == 2)
      tile<lanes, 2>(scale, a, b, c);
    else
      tile<lanes, 1>(scale, a, b, c);
  }
}

// The rows of `a` side by side, with zeros up to `rows`.
Panel packed(const Factor& a, int rows, double* out) {
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < a.columns; ++k) out[k * rows + i] = i < a.rows ? a.data[i * a.row + k * a.column] : 0.0;
  return {out, rows};
}

void by_tiles(const Scale& scale, const Factor& A, const Factor& B, const Target& C) {
  double buffer[high * deep];
  for (Index i = 0; i < C.rows; i += high) {
    const Index rows = std::min<Index>(high, C.rows - i);
    const Factor a = {A.data + i * A.row, rows, A.columns, A.row, A.column};
    const Target c = {C.data + i * C.row, rows, C.columns, C.row, C.column};
    const bool straight = A.row == 1 && rows % 4 == 0;
    const Panel panel = straight ? Panel{a.data, a.column} : packed(a, rows > 4 ? 8 : 4, buffer);
    if (rows > 4)
      tiles<2>(scale, panel, B, c);
    else
      tiles<1>(scale, panel, B, c);
  }
}

// One column of C, if the columns of A are contiguous or few: nothing is packed.
void by_columns(const Scale& scale, const Factor& A, const Factor& b, const Target& c) {
  Index i = 0;
  const auto part = [&](Index rows) { return Target{c.data + i * c.row, rows, 1, c.row, 0}; };
  if (A.row == 1) {
    for (; i + 8 <= c.rows; i += 8) tile<2, 1>(scale, {A.data + i, A.column}, b, part(8));
    for (; i + 4 <= c.rows; i += 4) tile<1, 1>(scale, {A.data + i, A.column}, b, part(4));
  }
  for (; i < c.rows; ++i) {
    double sum = 0.0;
    for (Index k = 0; k < b.rows; ++k) sum += A.data[i * A.row + k * A.column] * b.data[k * b.row];
    c.data[i * c.row] = scale(c.data[i * c.row], sum);
  }
}

// One column of C from contiguous rows of A and a contiguous b: `rows` of them side by side.
template <int rows>
void dots(const Scale& scale, const double* a, Index step, const Factor& b, double* c, Index c_step) {
  Lane4 lanes[rows] = {};
  Index k = 0;
  for (; k + 4 <= b.rows; k += 4) {
    const Lane4 x = load(b.data + k);
    for (int i = 0; i < rows; ++i) lanes[i] += load(a + i * step + k) * x;
  }
  double sums[rows];
  for (int i = 0; i < rows; ++i) sums[i] = sum(lanes[i]);
  for (; k < b.rows; ++k)
    for (int i = 0; i < rows; ++i) sums[i] += a[i * step + k] * b.data[k];
  for (int i = 0; i < rows; ++i) c[i * c_step] = scale(c[i * c_step], sums[i]);
}

void by_rows(const Scale& scale, const Factor& A, Factor b, const Target& c) {
  double buffer[deep];
  if (b.row != 1) {
    for (Index k = 0; k < b.rows; ++k) buffer[k] = b.data[k * b.row];
    b = {buffer, b.rows, 1, 1, 0};
  }
  Index i = 0;
  for (; i + 4 <= c.rows; i += 4) dots<4>(scale, A.data + i * A.row, A.row, b, c.data + i * c.row, c.row);
  for (; i < c.rows; ++i) dots<1>(scale, A.data + i * A.row, A.row, b, c.data + i * c.row, c.row);
}

void multiply(Scale scale, Factor A, Factor B, Target C) {
  if (C.rows == 0 || C.columns == 0) return;
  if (C.rows == 1 || (C.row != 1 && C.columns != 1)) {
    std::swap(A, B);
    A = A.transposed();
    B = B.transposed();
    C = C.transposed();
  }
  const Index depth = A.columns;
  for (Index k = 0; k < depth || k == 0; k += deep, scale.add = true) {
    const Index part = std::min<Index>(deep, depth - k);
    const Factor a = {A.data + k * A.column, A.rows, part, A.row, A.column};
    const Factor b = {B.data + k * B.row, part, B.columns, B.row, B.column};
    if (C.columns > 1)
      by_tiles(scale, a, b, C);
    else if (A.row == 1 || A.column != 1)
      by_columns(scale, a, b, C);
    else
      by_rows(scale, a, b, C);
  }
}

// Contiguous columns of C in turn.
template <class Entry>
void for_columns(Factor A, Target C, Entry entry) {
  if (C.row != 1) {
    A = A.transposed();
    C = C.transposed();
  }
  for (Index j = 0; j < C.columns; ++j) {
    const double* from = A.data + j * A.column;
    double* to = C.data + j * C.column;
    if (A.row == 1)
      for (Index i = 0; i < C.rows; ++i) entry(to[i], from[i]);
    else
      for (Index i = 0; i < C.rows; ++i) entry(to[i], from[i * A.row]);
  }
}

}  // namespace

void set_scaled(double alpha, Factor A, Target C) {
  for_columns(A, C, [alpha](double& to, double from) { to = alpha * from; });
}

void add_scaled(double alpha, Factor A, Target C) {
  for_columns(A, C, [alpha](double& to, double from) { to += alpha * from; });
}

void set_product(double alpha, Factor A, Factor B, Target C) { multiply({alpha, false}, A, B, C); }
void add_product(double alpha, Factor A, Factor B, Target C) { multiply({alpha, true}, A, B, C); }

}  // namespace bough
