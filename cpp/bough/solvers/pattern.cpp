#include "bough/solvers/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "bough/tree/support.hpp"

namespace bough {
namespace {

constexpr double growth = 1e4;  // of (PL3)

inline Lane4 load(const double* x) {
  Lane4 lane;
  std::memcpy(&lane, x, sizeof(lane));
  return lane;
}

inline void store(double* x, const Lane4& lane) { std::memcpy(x, &lane, sizeof(lane)); }

// Calls work<R>(first) for all registers of a row, eight, four, two or one at a time.
template <class Work>
void for_registers(int count, Work work) {
  int at = 0;
  for (; at + 8 <= count; at += 8) work.template operator()<8>(at);
  if (at + 4 <= count) {
    work.template operator()<4>(at);
    at += 4;
  }
  if (at + 2 <= count) {
    work.template operator()<2>(at);
    at += 2;
  }
  if (at < count) work.template operator()<1>(at);
}

}  // namespace

Pattern Pattern::of(const std::vector<std::vector<int>>& rows) {
  Pattern p;
  p.start.push_back(0);
  for (const auto& row : rows) {
    p.column.insert(p.column.end(), row.begin(), row.end());
    p.start.push_back(static_cast<int>(p.column.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) p.twins.push_back(i + 1 < rows.size() && rows[i] == rows[i + 1]);
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

PatternLu::PatternLu(const VariablePattern& of)
    : n_(of.pattern.rows()), width_(n_ + 4), variable_(of.leaves_first), entries_(of.pattern) {
  std::vector<int> place(n_);
  for (int p = 0; p < n_; ++p) place[variable_[p]] = p;
  std::vector<std::vector<bool>> used(n_, std::vector<bool>(n_, false));
  for (int i = 0; i < n_; ++i)
    for (int e = entries_.start[i]; e < entries_.start[i + 1]; ++e)
      used[place[i]][place[entries_.column[e]]] = used[place[entries_.column[e]]][place[i]] = true;
  std::vector<std::vector<int>> up(n_), down(n_), blocks(n_);
  for (int k = 0; k < n_; ++k) {
    for (int i = k + 1; i < n_; ++i)
      if (used[k][i]) up[k].push_back(i);
    for (const int i : up[k]) {
      down[i].push_back(k);
      for (const int j : up[k]) used[i][j] = true;
      if (blocks[k].empty() || i >= blocks[k].back() + 4) blocks[k].push_back(i);
    }
  }
  up_ = Pattern::of(up);
  down_ = Pattern::of(down);
  blocks_ = Pattern::of(blocks);
  a_.resize(static_cast<std::size_t>(n_) * width_);
  size_.resize(n_);
  inverse_.resize(n_);
  u_.resize(up_.column.size());
  l_.resize(down_.column.size());
}

bool PatternLu::factor(const double* A, int stride) {
  std::fill(a_.begin(), a_.end(), 0.0);
  for (int p = 0; p < n_; ++p) {
    const double* from = A + static_cast<std::size_t>(variable_[p]) * stride;
    double* to = a_.data() + static_cast<std::size_t>(p) * width_;
    to[p] = from[variable_[p]];
    for (int e = up_.start[p]; e < up_.start[p + 1]; ++e) to[up_.column[e]] = from[variable_[up_.column[e]]];
    for (int e = down_.start[p]; e < down_.start[p + 1]; ++e) to[down_.column[e]] = from[variable_[down_.column[e]]];
    size_[p] = growth * std::abs(to[p]);
  }
  bool fine = true;
  for (int k = 0; k < n_; ++k) {
    const double* row = a_.data() + static_cast<std::size_t>(k) * width_;
    const double pivot = row[k], inverse = inverse_[k] = 1.0 / pivot, size = std::abs(pivot);
    const double least = size_[k] / growth;
    fine &= size > 1e-14 * least && std::isfinite(inverse);
    for (int e = up_.start[k]; e < up_.start[k + 1]; ++e) {
      const int i = up_.column[e];
      double* below = a_.data() + static_cast<std::size_t>(i) * width_;
      u_[e] = row[i];
      const double before = below[k], l = below[k] = before * inverse;
      fine &= row[i] * row[i] <= least * size_[i] && before * before <= least * size_[i];  // (PL3)
      for (int b = blocks_.start[k]; b < blocks_.start[k + 1]; ++b) {
        const int at = blocks_.column[b];
        store(below + at, load(below + at) - l * load(row + at));
      }
    }
    for (int e = down_.start[k]; e < down_.start[k + 1]; ++e) l_[e] = row[down_.column[e]];
  }
  return fine;
}

// (PL2)
template <int R>
void PatternLu::solve(Lane4* X, int stride) const {
  Lane4 sum[R];
  for (int i = 0; i < n_; ++i) {
    if (down_.start[i] == down_.start[i + 1]) continue;
    Lane4* to = X + static_cast<std::size_t>(variable_[i]) * stride;
    for (int r = 0; r < R; ++r) sum[r] = to[r];
    for (int e = down_.start[i]; e < down_.start[i + 1]; ++e) {
      const Lane4* from = X + static_cast<std::size_t>(variable_[down_.column[e]]) * stride;
      const double l = l_[e];
      for (int r = 0; r < R; ++r) sum[r] = sum[r] - l * from[r];
    }
    for (int r = 0; r < R; ++r) to[r] = sum[r];
  }
  for (int i = n_ - 1; i >= 0; --i) {
    Lane4* to = X + static_cast<std::size_t>(variable_[i]) * stride;
    for (int r = 0; r < R; ++r) sum[r] = to[r];
    for (int e = up_.start[i]; e < up_.start[i + 1]; ++e) {
      const Lane4* from = X + static_cast<std::size_t>(variable_[up_.column[e]]) * stride;
      const double u = u_[e];
      for (int r = 0; r < R; ++r) sum[r] = sum[r] - u * from[r];
    }
    for (int r = 0; r < R; ++r) to[r] = inverse_[i] * sum[r];
  }
}

void PatternLu::solve(ColumnBlock& X) const {
  for_registers(X.stride(), [&]<int R>(int at) { solve<R>(X.lanes() + at, X.stride()); });
}

void PatternLu::solve(double* x) const {
  for (int i = 0; i < n_; ++i)
    for (int e = down_.start[i]; e < down_.start[i + 1]; ++e) x[variable_[i]] -= l_[e] * x[variable_[down_.column[e]]];
  for (int i = n_ - 1; i >= 0; --i) {
    for (int e = up_.start[i]; e < up_.start[i + 1]; ++e) x[variable_[i]] -= u_[e] * x[variable_[up_.column[e]]];
    x[variable_[i]] *= inverse_[i];
  }
}

void PatternLu::solve_transposed(double* x) const {
  for (int i = 0; i < n_; ++i) {
    const double xi = x[variable_[i]] *= inverse_[i];
    for (int e = up_.start[i]; e < up_.start[i + 1]; ++e) x[variable_[up_.column[e]]] -= u_[e] * xi;
  }
  for (int i = n_ - 1; i >= 0; --i)
    for (int e = down_.start[i]; e < down_.start[i + 1]; ++e) x[variable_[down_.column[e]]] -= l_[e] * x[variable_[i]];
}

namespace {

// Calls put(i, at, sums) with R registers from `at` on of `Rows` rows of A X from i on, which have the same columns.
template <int Rows, int R, class Put>
void multiply_rows(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, int i, int at,
                   Put put) {
  Lane4 sum[Rows][R];
  for (auto& row : sum)
    for (Lane4& x : row) x = Lane4{};
  const double* row = A + static_cast<std::size_t>(i) * A_stride;
  for (int e = pattern.start[i]; e < pattern.start[i + 1]; ++e) {
    const Lane4* from = X.lanes() + static_cast<std::size_t>(pattern.column[e]) * X.stride() + at;
    for (int k = 0; k < Rows; ++k) {
      const double a = row[k * A_stride + pattern.column[e]];
      for (int r = 0; r < R; ++r) sum[k][r] += a * from[r];
    }
  }
  for (int k = 0; k < Rows; ++k)
    for (int r = 0; r < R; ++r) put(i + k, at + r, sum[k][r]);
}

// All rows of A X, or those that have entries in its upper half, a few registers of X after the other, so that these stay in
// the cache; joints of one chain have the same columns, and two of their rows are made at once.
template <bool upper, class Put>
void multiply(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, int registers, Put put) {
  const auto columns = [&]<int R>(int at) {
    const int rows = upper ? std::min(pattern.rows(), 4 * (at + R)) : pattern.rows();
    for (int i = 0; i < rows;) {
      const bool two = pattern.twins[i];
      if (two)
        multiply_rows<2, R>(pattern, A, A_stride, X, i, at, put);
      else
        multiply_rows<1, R>(pattern, A, A_stride, X, i, at, put);
      i += two ? 2 : 1;
    }
  };
  int at = 0;
  for (; at + 4 <= registers; at += 4) columns.template operator()<4>(at);
  if (at + 2 <= registers) {
    columns.template operator()<2>(at);
    at += 2;
  }
  if (at < registers) columns.template operator()<1>(at);
}

}  // namespace

void add_product(const Pattern& pattern, const double* A, int A_stride, double factor, const ColumnBlock& X,
                 double* out, int stride, int columns) {
  multiply<false>(pattern, A, A_stride, X, (columns + 3) / 4, [&](int i, int at, const Lane4& sum) {
    double* to = out + static_cast<std::size_t>(i) * stride + 4 * at;
    if (4 * at + 4 <= columns) return store(to, load(to) + factor * sum);
    for (int c = 0; c < columns - 4 * at; ++c) to[c] += factor * sum[c];
  });
}

void set_product(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, ColumnBlock& out) {
  multiply<false>(pattern, A, A_stride, X, X.stride(), [&](int i, int at, const Lane4& sum) {
    out.lanes()[static_cast<std::size_t>(i) * out.stride() + at] = sum;
  });
}

void set_upper_product(const Pattern& pattern, const double* A, int A_stride, const ColumnBlock& X, ColumnBlock& out) {
  multiply<true>(pattern, A, A_stride, X, X.stride(), [&](int i, int at, const Lane4& sum) {
    out.lanes()[static_cast<std::size_t>(i) * out.stride() + at] = sum;
  });
}

namespace {

// Rows i ... i + 3 of a half product, R registers from `at` on.
template <int R>
void half_tile(const ColumnBlock& A, const ColumnBlock& B, int i, int at, ColumnBlock& out) {
  Lane4 sum[4][R];
  for (auto& row : sum)
    for (Lane4& x : row) x = Lane4{};
  for (int k = 0; k < A.rows(); ++k) {
    const double* a = A.row(k) + i;
    const Lane4* b = B.lanes() + static_cast<std::size_t>(k) * B.stride() + at;
    for (int t = 0; t < 4; ++t)
      for (int r = 0; r < R; ++r) sum[t][r] += a[t] * b[r];
  }
  for (int t = 0; t < 4; ++t)
    for (int r = 0; r < R; ++r) out.lanes()[static_cast<std::size_t>(i + t) * out.stride() + at + r] = sum[t][r];
}

}  // namespace

void set_half_product(const ColumnBlock& A, const ColumnBlock& B, int columns, ColumnBlock& out) {
  const int registers = (columns + 3) / 4;
  for (int block = 0; block < registers; ++block) {
    int at = block;
    for (; at + 3 <= registers; at += 3) half_tile<3>(A, B, 4 * block, at, out);
    for (; at < registers; ++at) half_tile<1>(A, B, 4 * block, at, out);
  }
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

void add_transposed(const ColumnBlock& A, int n, ColumnBlock& out) {
  for (int i = 0; i < n; i += 4)
    for (int j = i; j < n; j += 4) {
      if (j > i && j + 4 <= n) {
        Lane4 x[4];
        for (int t = 0; t < 4; ++t) x[t] = load(A.row(j + t) + i);
        transpose(x);
        for (int t = 0; t < 4; ++t) store(out.row(i + t) + j, load(out.row(i + t) + j) + x[t]);
        continue;
      }
      for (int r = i; r < std::min(i + 4, n); ++r)
        for (int c = std::max(r, j); c < std::min(j + 4, n); ++c) out.row(r)[c] += A.row(c)[r];
    }
}

void set_symmetric(const ColumnBlock& half, int n, double* H) {
  const auto row = [&](int i) { return H + static_cast<std::size_t>(i) * n; };
  for (int i = 0; i < n; i += 4) {
    const int end = std::min(i + 4, n);
    for (int r = i; r < end; ++r) {
      std::copy(half.row(r) + r, half.row(r) + n, row(r) + r);
      for (int c = r + 1; c < end; ++c) row(c)[r] = half.row(r)[c];
    }
    for (int j = i + 4; j < n; j += 4) {
      Lane4 x[4];
      for (int t = 0; t < 4; ++t) x[t] = load(half.row(i + t) + j);
      transpose(x);
      for (int t = 0; t < std::min(4, n - j); ++t) store(row(j + t) + i, x[t]);
    }
  }
}

}  // namespace bough
