#include "bough/solvers/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "bough/tree/support.hpp"

namespace bough {
namespace {

inline Lane4 load(const double* x) {
  Lane4 lane;
  std::memcpy(&lane, x, sizeof(lane));
  return lane;
}

inline void store(double* x, const Lane4& lane) { std::memcpy(x, &lane, sizeof(lane)); }

}  // namespace

Pattern Pattern::of(const std::vector<std::vector<int>>& rows) {
  Pattern p;
  p.start.push_back(0);
  for (const auto& row : rows) {
    p.column.insert(p.column.end(), row.begin(), row.end());
    p.start.push_back(static_cast<int>(p.column.size()));
  }
  p.alike.assign(rows.size(), 1);
  for (std::size_t i = rows.size(); i-- > 1;)
    if (rows[i - 1] == rows[i]) p.alike[i - 1] = p.alike[i] + 1;
  return p;
}

Pattern Pattern::full(int rows, int columns) {
  std::vector<int> all(columns);
  std::iota(all.begin(), all.end(), 0);
  return of(std::vector<std::vector<int>>(rows, all));
}

VariablePattern::VariablePattern(const Model& model, int count, bool constraints) {
  std::vector<std::vector<bool>> used(count, std::vector<bool>(count, false));
  for (int i = 0; i < count; ++i) used[i][i] = true;
  const auto couple = [&](const std::vector<int>& variables) {
    for (const int i : variables)
      for (const int j : variables)
        if (i < count && j < count) used[i][j] = true;
  };
  const auto variables_of = [&](const Support& support) {
    std::vector<int> found = support.variables;
    if (!support.known) {
      found.resize(model.n_variables);
      std::iota(found.begin(), found.end(), 0);
    } else {
      for (const int joint : joints(model, support)) found.push_back(model.joints[joint].variable);
    }
    return found;
  };
  for (int slot = 1; slot <= model.n(); ++slot)
    for (int above = slot; above > 0; above = model.joints[above - 1].parent)
      couple({model.joints[slot - 1].variable, model.joints[above - 1].variable});
  for (const auto& e : model.elements.potentials)
    if (!e->diagonal()) couple(variables_of(e->support(model)));
  for (const auto& e : model.elements.forces)
    if (!e->diagonal()) couple(variables_of(e->support(model)));
  if (constraints)
    for (const auto& e : model.elements.constraints) {
      Support support = e->support(model);
      support.fork = 0;  // second derivatives reach above the fork
      couple(variables_of(support));
    }
  std::vector<std::vector<int>> rows(count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      if (used[i][j]) rows[i].push_back(j);
  pattern = Pattern::of(rows);
  std::vector<int> first(model.n_variables, -1);  // joint
  for (int i = model.n() - 1; i >= 0; --i) first[model.joints[i].variable] = i;
  leaves_first.resize(count);
  std::iota(leaves_first.begin(), leaves_first.end(), 0);
  std::stable_sort(leaves_first.begin(), leaves_first.end(), [&](int a, int b) { return first[a] > first[b]; });
}

PairPlaces::PairPlaces(const Model& model, bool constraints) : known_(model.balls.empty() && !model.shared) {
  const int n = model.n_variables;
  std::vector<bool> pair(static_cast<std::size_t>(n) * n, false);
  for (int slot = 1; slot <= model.n(); ++slot)
    for (int above = slot; above > 0; above = model.joints[above - 1].parent) {
      const int i = model.joints[slot - 1].variable, j = model.joints[above - 1].variable;
      pair[i * n + j] = pair[j * n + i] = true;
    }
  const Pattern all = VariablePattern(model, n, constraints).pattern;
  for (int i = 0; i < n; ++i)
    for (int e = all.start[i]; e < all.start[i + 1]; ++e)
      if (!pair[i * n + all.column[e]]) others_.push_back(i * n + all.column[e]);
}

namespace {

enum class Into { set, add };

// R registers from `at` on of `Rows` rows of A X from i on, which have the same columns; `out` is the first of these rows.
template <Into into, int Rows, int R>
void multiply_tile(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, int i, int at,
                   Lane4* out, int stride) {
  Lane4 sum[Rows][R];
  for (int k = 0; k < Rows; ++k)
    for (int r = 0; r < R; ++r) sum[k][r] = into == Into::add ? out[k * stride + at + r] : Lane4{};
  const double* row = A + static_cast<std::size_t>(i) * A_stride;
  const int *column = pattern.column.data() + pattern.start[i], *end = pattern.column.data() + pattern.start[i + 1];
  for (; column < end; ++column) {
    const Lane4* from = X.lanes + static_cast<std::size_t>(*column) * X.stride + at;
    for (int r = 0; r < R; ++r)
      for (int k = 0; k < Rows; ++k) sum[k][r] += row[k * A_stride + *column] * from[r];
  }
  for (int k = 0; k < Rows; ++k)
    for (int r = 0; r < R; ++r) out[k * stride + at + r] = sum[k][r];
}

// These rows from register `at` on.
template <Into into, int Rows>
void multiply_rows(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, int i, int at,
                   Lane4* out, int stride) {
  constexpr int wide = Rows == 1 ? 8 : 4;
  for (; at + wide <= X.stride; at += wide)
    multiply_tile<into, Rows, wide>(pattern, A, A_stride, X, i, at, out, stride);
  if (wide > 4 && at + 4 <= X.stride) {
    multiply_tile<into, Rows, 4>(pattern, A, A_stride, X, i, at, out, stride);
    at += 4;
  }
  if (at + 2 <= X.stride) {
    multiply_tile<into, Rows, 2>(pattern, A, A_stride, X, i, at, out, stride);
    at += 2;
  }
  if (at < X.stride) multiply_tile<into, Rows, 1>(pattern, A, A_stride, X, i, at, out, stride);
}

// As many rows at once as have the same columns, but three, or two and two of the last four: 12 sums are in registers.
template <Into into>
int multiply(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, int i, int at, Lane4* out,
             int stride) {
  const int alike = pattern.alike[i];
  if (alike == 3 || alike >= 5) {
    multiply_rows<into, 3>(pattern, A, A_stride, X, i, at, out, stride);
    return 3;
  }
  if (alike > 1) {
    multiply_rows<into, 2>(pattern, A, A_stride, X, i, at, out, stride);
    return 2;
  }
  multiply_rows<into, 1>(pattern, A, A_stride, X, i, at, out, stride);
  return 1;
}

Lane4* lanes_of_row(ColumnBlock& of, int i) { return of.lanes() + static_cast<std::size_t>(i) * of.stride(); }

}  // namespace

int set_product_rows(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, int i, Lane4* out) {
  return multiply<Into::set>(pattern, A, A_stride, X, i, 0, out, X.stride);
}

void set_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out) {
  for (int i = 0; i < pattern.rows();)
    i += multiply<Into::set>(pattern, A, A_stride, X, i, 0, lanes_of_row(out, i), out.stride());
}

void add_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out) {
  for (int i = 0; i < pattern.rows();)
    i += multiply<Into::add>(pattern, A, A_stride, X, i, 0, lanes_of_row(out, i), out.stride());
}

void set_upper_product(const Pattern& pattern, const double* A, int A_stride, const ColumnRows& X, ColumnBlock& out) {
  for (int i = 0; i < pattern.rows();)
    i += multiply<Into::set>(pattern, A, A_stride, X, i, i / 4, lanes_of_row(out, i), out.stride());
}

namespace {

// Four rows of four become columns.
void transpose(Lane4 (&x)[4]) {
  const Lane4 a = shuffle<0, 4, 2, 6>(x[0], x[1]), b = shuffle<1, 5, 3, 7>(x[0], x[1]),
              c = shuffle<0, 4, 2, 6>(x[2], x[3]), d = shuffle<1, 5, 3, 7>(x[2], x[3]);
  x[0] = shuffle<0, 1, 4, 5>(a, c);
  x[1] = shuffle<0, 1, 4, 5>(b, d);
  x[2] = shuffle<2, 3, 6, 7>(a, c);
  x[3] = shuffle<2, 3, 6, 7>(b, d);
}

}  // namespace

void add_lower_half(ColumnBlock& A, int n) {
  for (int i = 0; i < n; i += 4)
    for (int j = i; j < n; j += 4) {
      if (j > i && j + 4 <= n) {
        Lane4 x[4];
        for (int t = 0; t < 4; ++t) x[t] = load(A.row(j + t) + i);
        transpose(x);
        for (int t = 0; t < 4; ++t) store(A.row(i + t) + j, load(A.row(i + t) + j) + x[t]);
        continue;
      }
      for (int r = i; r < std::min(i + 4, n); ++r)
        for (int c = std::max(r, j); c < std::min(j + 4, n); ++c) A.row(r)[c] += A.row(c)[r];
    }
}

namespace {

// A block of four by four at (i, j), j >= i, of a symmetric H, and its mirror image.
inline void put_symmetric(Lane4 (&x)[4], int i, int j, int n, double* H) {
  const auto row = [&](int r) { return H + static_cast<std::size_t>(r) * n; };
  if (j > i && j + 4 <= n) {
    for (int t = 0; t < 4; ++t) store(row(i + t) + j, x[t]);
    transpose(x);
    for (int t = 0; t < 4; ++t) store(row(j + t) + i, x[t]);
    return;
  }
  for (int t = 0; t < std::min(4, n - i); ++t)
    for (int c = j > i ? 0 : t; c < std::min(4, n - j); ++c) row(i + t)[j + c] = row(j + c)[i + t] = x[t][c];
}

// Rows i ... i + 3 of a symmetric product, R registers from `at` on, which are written while the next ones are made.
template <int R>
void symmetric_tile(const ColumnBlock& A, const ColumnBlock& B, int inner, const ColumnBlock* C, int i, int at, int n,
                    double* H) {
  Lane4 sum[R][4];
  for (int r = 0; r < R; ++r)
    for (int t = 0; t < 4; ++t) sum[r][t] = C ? load(C->row(i + t) + 4 * (at + r)) : Lane4{};
  const double* a = A.row(0) + i;
  const Lane4* b = B.lanes() + at;
  for (int k = 0; k < inner; ++k, a += 4 * A.stride(), b += B.stride())
    for (int t = 0; t < 4; ++t)
      for (int r = 0; r < R; ++r) sum[r][t] += a[t] * b[r];
  for (int r = 0; r < R; ++r) {
    Lane4 x[4];  // a copy, so that the sums stay in registers
    for (int t = 0; t < 4; ++t) x[t] = sum[r][t];
    put_symmetric(x, i, 4 * (at + r), n, H);
  }
}

}  // namespace

void set_symmetric_product(const ColumnBlock& A, const ColumnBlock& B, int inner, const ColumnBlock* C, int n,
                           double* H) {
  const int registers = (n + 3) / 4;
  for (int block = 0; block < registers; ++block) {
    int at = block;
    for (; at + 3 <= registers; at += 3) symmetric_tile<3>(A, B, inner, C, 4 * block, at, n, H);
    for (; at < registers; ++at) symmetric_tile<1>(A, B, inner, C, 4 * block, at, n, H);
  }
}

}  // namespace bough
