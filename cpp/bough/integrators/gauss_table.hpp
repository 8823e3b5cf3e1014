// Coefficients of the Gauss-Lobatto family with s stages, from the nodes at compile time: c, b of Gauss and d, w of Lobatto
// on [0, 1], l_j the Lagrange polynomials through c. docs/theory/gauss.md.
//
//   a_ij = int_0^{c_i} l_j,   n_kj = int_0^{d_k} l_j,   g_jk = w_k (1 - n_kj / b_j)                              (GL1)
#pragma once

#include <array>

namespace bough {

constexpr int most_stages = 4;

struct GaussTable {
  using Row = std::array<double, most_stages + 1>;
  using Matrix = std::array<Row, most_stages + 1>;
  int stages = 0;
  Row c{}, b{}, d{}, w{};  // i = 0 ... s - 1 and k = 0 ... s
  Matrix a{}, n{};         // (GL1), by [i][j] and [k][j]
  Matrix g{};              // g_jl by [j][l], l = 0 ... s - 1, but 1 in column 0: an impulse, not a force (GL4)
  Matrix slope{};          // [j][k]: rates at the stages from values at the nodes k = 1 ... s, less that at k = 0
  Matrix impulse{};        // [l][k]: inverse of sum_j n_kj g_jl (GL8)
  Matrix half_input[2]{};  // [i][j]: l_j at stage i of the first and the second half of a step
  Matrix half_node[2]{};   // [k][l]: Lagrange polynomials through d at node k of either half
};

namespace gauss_table_detail {

using Real = long double;
using Nodes = std::array<Real, most_stages + 1>;
using Square = std::array<Nodes, most_stages + 1>;

// Lagrange polynomial j of the first `count` nodes at x.
constexpr Real lagrange(const Nodes& nodes, int count, int j, Real x) {
  Real value = 1;
  for (int m = 0; m < count; ++m)
    if (m != j) value *= (x - nodes[m]) / (nodes[j] - nodes[m]);
  return value;
}

// Its integral from 0 to x.
constexpr Real lagrange_integral(const Nodes& nodes, int count, int j, Real x) {
  Nodes power{};  // coefficients of the polynomial
  power[0] = 1;
  int degree = 0;
  for (int m = 0; m < count; ++m) {
    if (m == j) continue;
    const Real scale = nodes[j] - nodes[m];
    for (int e = ++degree; e >= 0; --e) power[e] = ((e > 0 ? power[e - 1] : 0) - nodes[m] * power[e]) / scale;
  }
  Real sum = 0;
  for (int e = degree; e >= 0; --e) sum = (sum + power[e] / (e + 1)) * x;
  return sum;
}

constexpr Square inverse(Square x, int size) {
  Square y{};
  for (int i = 0; i < size; ++i) y[i][i] = 1;
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int i = k; i < size; ++i)
      if (x[i][k] * x[i][k] > x[pivot][k] * x[pivot][k]) pivot = i;
    const Nodes row = x[k], other = y[k];
    x[k] = x[pivot];
    y[k] = y[pivot];
    x[pivot] = row;
    y[pivot] = other;
    const Real scale = 1 / x[k][k];
    for (int j = 0; j < size; ++j) {
      x[k][j] *= scale;
      y[k][j] *= scale;
    }
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const Real factor = x[i][k];
      for (int j = 0; j < size; ++j) {
        x[i][j] -= factor * x[k][j];
        y[i][j] -= factor * y[k][j];
      }
    }
  }
  return y;
}

constexpr GaussTable table(int s, const Nodes& c, const Nodes& d, const Nodes& w) {
  GaussTable t;
  t.stages = s;
  Nodes b{};
  Square n{}, rest{}, product{}, g{};
  for (int j = 0; j < s; ++j) b[j] = lagrange_integral(c, s, j, 1);
  for (int k = 0; k <= s; ++k)
    for (int j = 0; j < s; ++j) n[k][j] = lagrange_integral(c, s, j, d[k]);
  for (int j = 0; j < s; ++j)
    for (int l = 0; l < s; ++l) g[j][l] = l == 0 ? 1 : w[l] * (1 - n[l][j] / b[j]);
  for (int k = 0; k < s; ++k) {
    rest[k] = n[k + 1];
    for (int l = 0; l < s; ++l)
      for (int j = 0; j < s; ++j) product[k][l] += n[k + 1][j] * g[j][l];
  }
  const Square slope = inverse(rest, s), impulse = inverse(product, s);
  for (int i = 0; i < s; ++i) {
    t.c[i] = static_cast<double>(c[i]);
    t.b[i] = static_cast<double>(b[i]);
    for (int j = 0; j < s; ++j) {
      t.a[i][j] = static_cast<double>(lagrange_integral(c, s, j, c[i]));
      t.g[i][j] = static_cast<double>(g[i][j]);
      t.slope[i][j + 1] = static_cast<double>(slope[i][j]);
      t.impulse[i][j + 1] = static_cast<double>(impulse[i][j]);
      for (int half = 0; half < 2; ++half)
        t.half_input[half][i][j] = static_cast<double>(lagrange(c, s, j, (half + c[i]) / 2));
    }
  }
  for (int k = 0; k <= s; ++k) {
    t.d[k] = static_cast<double>(d[k]);
    t.w[k] = static_cast<double>(w[k]);
    for (int j = 0; j < s; ++j) t.n[k][j] = static_cast<double>(n[k][j]);
    for (int l = 0; l <= s; ++l)
      for (int half = 0; half < 2; ++half)
        t.half_node[half][k][l] = static_cast<double>(lagrange(d, s + 1, l, (half + d[k]) / 2));
  }
  return t;
}

}  // namespace gauss_table_detail

// s = 2, 3, 4
constexpr std::array<GaussTable, 3> gauss_tables = [] {
  using gauss_table_detail::table;
  constexpr long double r3 = 1.7320508075688772935274463415058723669L, r15 = 3.8729833462074168851792653997823996108L,
                        r5 = 2.2360679774997896964091736687312762354L, x1 = 0.86113631159405257522394648889280950510L,
                        x2 = 0.33998104358485626480266575910324468720L, y1 = 0.65465367070797714379829245624685835557L;
  return std::array{
      table(2, {0.5L - r3 / 6, 0.5L + r3 / 6}, {0, 0.5L, 1}, {1 / 6.0L, 2 / 3.0L, 1 / 6.0L}),
      table(3, {0.5L - r15 / 10, 0.5L, 0.5L + r15 / 10}, {0, 0.5L - r5 / 10, 0.5L + r5 / 10, 1},
            {1 / 12.0L, 5 / 12.0L, 5 / 12.0L, 1 / 12.0L}),
      table(4, {(1 - x1) / 2, (1 - x2) / 2, (1 + x2) / 2, (1 + x1) / 2}, {0, (1 - y1) / 2, 0.5L, (1 + y1) / 2, 1},
            {1 / 20.0L, 49 / 180.0L, 16 / 45.0L, 49 / 180.0L, 1 / 20.0L})};
}();

}  // namespace bough
