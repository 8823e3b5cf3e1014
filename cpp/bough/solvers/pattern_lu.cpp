#include "bough/solvers/pattern_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bough {
namespace {

constexpr double growth = 1e4;  // of (PL3)
constexpr int most_rows = 3;    // that are substituted together: 12 sums in registers

inline Lane4 load(const double* x) {
  Lane4 lane;
  std::memcpy(&lane, x, sizeof(lane));
  return lane;
}

inline void store(double* x, const Lane4& lane) { std::memcpy(x, &lane, sizeof(lane)); }

std::vector<int> row_of(const Pattern& pattern, int i) {
  return {pattern.column.begin() + pattern.start[i], pattern.column.begin() + pattern.start[i + 1]};
}

}  // namespace

PatternLu::PatternLu(const VariablePattern& of, const Pattern& border)
    : n_(of.pattern.rows()), all_(n_ + border.rows()), width_(all_ + 4), variable_(of.leaves_first) {
  std::vector<int> place(n_);
  for (int p = 0; p < n_; ++p) place[variable_[p]] = p;
  std::vector<std::vector<bool>> used(all_, std::vector<bool>(all_, false));
  const auto use = [&](int i, int j) { used[i][j] = used[j][i] = true; };
  for (int i = 0; i < n_; ++i)
    for (const int j : row_of(of.pattern, i)) use(place[i], place[j]);
  for (int r = 0; r < border.rows(); ++r) {
    for (const int j : row_of(border, r)) use(n_ + r, place[j]);
    variable_.push_back(n_ + r);
  }
  std::vector<std::vector<int>> up(all_), down(all_), blocks(all_);
  for (int k = 0; k < n_; ++k) {
    for (int i = k + 1; i < all_; ++i)
      if (used[k][i]) up[k].push_back(i);
    for (const int i : up[k]) {
      down[i].push_back(k);
      work_ += i < n_ ? 2.0 : 0.0;
      for (const int j : up[k]) used[i][j] = true;
      if (blocks[k].empty() || i >= blocks[k].back() + 4) blocks[k].push_back(i);
    }
  }
  up_ = Pattern::of(up);
  down_ = Pattern::of(down);
  blocks_ = Pattern::of(blocks);
  a_.resize(index(all_, 0));
  size_.resize(all_);
  inverse_.resize(n_);
  group_rows();
}

// Rows i, i + 1, ... go together if each has the places of the one before it, and that one, before them; or, from the last
// one backwards, after them.
void PatternLu::group_rows() {
  for (int i = 0; i < all_;) {
    std::vector<int> common = row_of(down_, i), next = common;
    int count = 1;
    while (count < most_rows && i + count < all_) {
      next.push_back(i + count - 1);
      if (next != row_of(down_, i + count)) break;
      ++count;
    }
    const int begin = static_cast<int>(lower_.row.size());
    for (const int k : common) {
      lower_.row.push_back(variable_[k]);
      for (int r = 0; r < count; ++r) lower_.source.push_back(index(i + r, k));
    }
    for (int r = 1; r < count; ++r)
      for (int k = 0; k < r; ++k) lower_.source.push_back(index(i + r, i + k));
    lower_.groups.push_back({i, count, begin, static_cast<int>(lower_.row.size())});
    i += count;
  }
  for (int last = n_ - 1; last >= 0;) {
    std::vector<int> common = row_of(up_, last), next = common;
    int count = 1;
    while (count < most_rows && count <= last) {
      next.insert(next.begin(), last - count + 1);
      if (next != row_of(up_, last - count)) break;
      ++count;
    }
    const int first = last - count + 1, begin = static_cast<int>(upper_.row.size());
    for (const int j : common) {
      upper_.row.push_back(variable_[j]);
      for (int r = 0; r < count; ++r) upper_.source.push_back(index(first + r, j));
    }
    for (int r = count - 1; r >= 0; --r)
      for (int k = r + 1; k < count; ++k) upper_.source.push_back(index(first + r, first + k));
    upper_.groups.push_back({first, count, begin, static_cast<int>(upper_.row.size())});
    last -= count;
  }
  for (Factor* factor : {&lower_, &upper_}) factor->value.resize(factor->source.size());
}

bool PatternLu::factor(const double* K, int stride, const double* D0, const double* D1) {
  std::fill(a_.begin(), a_.end(), 0.0);
  for (int p = 0; p < n_; ++p) {
    const double* from = K + static_cast<std::size_t>(variable_[p]) * stride;
    double* to = a_.data() + index(p, 0);
    to[p] = from[variable_[p]];
    for (int e = down_.start[p]; e < down_.start[p + 1]; ++e) to[down_.column[e]] = from[variable_[down_.column[e]]];
    for (int e = up_.start[p]; e < up_.start[p + 1]; ++e) {
      const int j = up_.column[e];
      to[j] = j < n_ ? from[variable_[j]] : -D0[static_cast<std::size_t>(j - n_) * stride + variable_[p]];
    }
    size_[p] = growth * std::abs(to[p]);
  }
  for (int p = n_; p < all_; ++p) {
    const double* from = D1 + static_cast<std::size_t>(p - n_) * stride;
    double* to = a_.data() + index(p, 0);
    for (int e = down_.start[p]; e < down_.start[p + 1]; ++e) to[down_.column[e]] = from[variable_[down_.column[e]]];
  }
  bool fine = true;
  for (int k = 0; k < n_; ++k) {
    const double* row = a_.data() + index(k, 0);
    const double pivot = row[k], inverse = inverse_[k] = 1.0 / pivot, size = std::abs(pivot);
    const double least = size_[k] / growth;
    fine &= size > 1e-14 * least && std::isfinite(inverse);
    for (int e = up_.start[k]; e < up_.start[k + 1]; ++e) {
      const int i = up_.column[e];
      double* below = a_.data() + index(i, 0);
      const double before = below[k], l = below[k] = before * inverse;                                  // (PL1)
      fine &= i >= n_ || (row[i] * row[i] <= least * size_[i] && before * before <= least * size_[i]);  // (PL3)
      for (int b = blocks_.start[k]; b < blocks_.start[k + 1]; ++b) {
        const int at = blocks_.column[b];
        store(below + at, load(below + at) - l * load(row + at));
      }
    }
  }
  for (Factor* factor : {&lower_, &upper_})
    for (std::size_t v = 0; v < factor->value.size(); ++v) factor->value[v] = a_[factor->source[v]];
  return fine;
}

namespace {

// sum_k -= value_k X over the common entries of some rows. Returns what follows these values.
template <int Rows, int R>
inline const double* take_common(const int* row, const int* end, const double* value, const Lane4* X, int stride,
                                 Lane4 (&sum)[Rows][R]) {
  for (; row < end; ++row, value += Rows) {
    const Lane4* from = X + static_cast<std::size_t>(*row) * stride;
    for (int r = 0; r < R; ++r)
      for (int k = 0; k < Rows; ++k) sum[k][r] = sum[k][r] - value[k] * from[r];
  }
  return value;
}

}  // namespace

template <int Rows, int R>
const double* PatternLu::substitute_down(const Group& group, const double* value, Lane4* X, int stride) const {
  Lane4* to[Rows];
  Lane4 sum[Rows][R];
  for (int k = 0; k < Rows; ++k) {
    to[k] = X + static_cast<std::size_t>(variable_[group.first + k]) * stride;
    for (int r = 0; r < R; ++r) sum[k][r] = to[k][r];
  }
  value = take_common(lower_.row.data() + group.begin, lower_.row.data() + group.end, value, X, stride, sum);
  for (int k = 1; k < Rows; ++k)
    for (int j = 0; j < k; ++j, ++value)
      for (int r = 0; r < R; ++r) sum[k][r] = sum[k][r] - *value * sum[j][r];
  for (int k = 0; k < Rows; ++k)
    for (int r = 0; r < R; ++r) to[k][r] = sum[k][r];
  return value;
}

template <int Rows, int R>
const double* PatternLu::substitute_up(const Group& group, const double* value, Lane4* X, int stride) const {
  Lane4* to[Rows];
  Lane4 sum[Rows][R];
  for (int k = 0; k < Rows; ++k) {
    to[k] = X + static_cast<std::size_t>(variable_[group.first + k]) * stride;
    for (int r = 0; r < R; ++r) sum[k][r] = to[k][r];
  }
  value = take_common(upper_.row.data() + group.begin, upper_.row.data() + group.end, value, X, stride, sum);
  for (int k = Rows - 1; k >= 0; --k) {
    for (int j = k + 1; j < Rows; ++j, ++value)
      for (int r = 0; r < R; ++r) sum[k][r] = sum[k][r] - *value * sum[j][r];
    for (int r = 0; r < R; ++r) to[k][r] = sum[k][r] = inverse_[group.first + k] * sum[k][r];
  }
  return value;
}

// (PL2)
template <int R>
void PatternLu::forward(Lane4* X, int stride) const {
  const double* value = lower_.value.data();
  for (const Group& group : lower_.groups)
    value = group.count == 3   ? substitute_down<3, R>(group, value, X, stride)
            : group.count == 2 ? substitute_down<2, R>(group, value, X, stride)
                               : substitute_down<1, R>(group, value, X, stride);
}

template <int R>
void PatternLu::backward(Lane4* X, int stride) const {
  const double* value = upper_.value.data();
  for (const Group& group : upper_.groups)
    value = group.count == 3   ? substitute_up<3, R>(group, value, X, stride)
            : group.count == 2 ? substitute_up<2, R>(group, value, X, stride)
                               : substitute_up<1, R>(group, value, X, stride);
}

namespace {

// Calls work<R>(first) for all registers of a row, four, two or one at a time, so that those of all rows stay in the cache.
template <class Work>
void for_registers(int count, Work work) {
  int at = 0;
  for (; at + 4 <= count; at += 4) work.template operator()<4>(at);
  if (at + 2 <= count) {
    work.template operator()<2>(at);
    at += 2;
  }
  if (at < count) work.template operator()<1>(at);
}

}  // namespace

void PatternLu::forward(ColumnBlock& X) const {
  for_registers(X.stride(), [&]<int R>(int at) { forward<R>(X.lanes() + at, X.stride()); });
}

void PatternLu::backward(ColumnBlock& X) const {
  for_registers(X.stride(), [&]<int R>(int at) { backward<R>(X.lanes() + at, X.stride()); });
}

void PatternLu::forward(double* x, double* y) const {
  for (int i = 0; i < all_; ++i) {
    double& to = i < n_ ? x[variable_[i]] : y[i - n_];
    for (int e = down_.start[i]; e < down_.start[i + 1]; ++e)
      to -= a_[index(i, down_.column[e])] * x[variable_[down_.column[e]]];
  }
}

void PatternLu::backward(double* x, const double* y) const {
  for (int i = n_ - 1; i >= 0; --i) {
    double& to = x[variable_[i]];
    for (int e = up_.start[i]; e < up_.start[i + 1]; ++e) {
      const int j = up_.column[e];
      to -= a_[index(i, j)] * (j < n_ ? x[variable_[j]] : y[j - n_]);
    }
    to *= inverse_[i];
  }
}

void PatternLu::forward_transposed(double* x, double* y) const {
  for (int i = 0; i < n_; ++i) {
    const double xi = x[variable_[i]] *= inverse_[i];
    for (int e = up_.start[i]; e < up_.start[i + 1]; ++e) {
      const int j = up_.column[e];
      (j < n_ ? x[variable_[j]] : y[j - n_]) -= a_[index(i, j)] * xi;
    }
  }
}

void PatternLu::backward_transposed(double* x, const double* y) const {
  for (int i = all_ - 1; i >= 0; --i) {
    const double xi = i < n_ ? x[variable_[i]] : y[i - n_];
    for (int e = down_.start[i]; e < down_.start[i + 1]; ++e)
      x[variable_[down_.column[e]]] -= a_[index(i, down_.column[e])] * xi;
  }
}

}  // namespace bough
