// A = P^T L U of a small matrix in one array, by rows, with row pivots: for a few rows the loops of a general library cost
// more than the arithmetic. Right-hand sides may be numbers or registers of them, one column in each lane. They are
// substituted: the product with an explicit inverse loses a digit.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace bough {

class FlatLu {
 public:
  void resize(int m) {
    m_ = m;
    a_.resize(static_cast<std::size_t>(m) * m);
    inverse_.resize(m);
    swap_.resize(m);
  }

  // A before factor().
  double& operator()(int row, int column) { return a_[row * m_ + column]; }

  // False unless the smallest pivot exceeds `least` times the largest: it ends with the first that does not.
  bool factor(double least) {
    double smallest = 0.0, largest = 0.0;
    bool finite = true;
    for (int k = 0; k < m_; ++k) {
      int pivot = k;
      for (int i = k + 1; i < m_; ++i)
        if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
      swap_[k] = pivot;
      double* __restrict top = row(k);
      if (pivot != k) std::swap_ranges(top, top + m_, row(pivot));
      const double size = std::abs(top[k]);
      smallest = k == 0 || size < smallest ? size : smallest;
      largest = size > largest ? size : largest;
      finite &= std::isfinite(size);
      if (size <= least * largest) return false;
      const double inverse = inverse_[k] = 1.0 / top[k];
      for (int i = k + 1; i < m_; ++i) {
        double* __restrict below = row(i);
        const double l = below[k] *= inverse;
        for (int j = k + 1; j < m_; ++j) below[j] -= l * top[j];
      }
    }
    return finite && smallest > least * largest;
  }

  // A x = b in place; the entries of x are `stride` apart.
  template <class T>
  void solve(T* x, int stride = 1) const {
    for (int i = 0; i < m_; ++i)
      if (swap_[i] != i) std::swap(x[i * stride], x[swap_[i] * stride]);
    for (int i = 1; i < m_; ++i) {
      T sum = x[i * stride];
      for (int j = 0; j < i; ++j) sum = sum - row(i)[j] * x[j * stride];
      x[i * stride] = sum;
    }
    for (int i = m_ - 1; i >= 0; --i) {
      T sum = x[i * stride];
      for (int j = i + 1; j < m_; ++j) sum = sum - row(i)[j] * x[j * stride];
      x[i * stride] = inverse_[i] * sum;
    }
  }

  // A^T x = b in place.
  void solve_transposed(double* x) const {
    for (int i = 0; i < m_; ++i) {
      const double xi = x[i] *= inverse_[i];
      for (int j = i + 1; j < m_; ++j) x[j] -= row(i)[j] * xi;
    }
    for (int i = m_ - 1; i > 0; --i)
      for (int j = 0; j < i; ++j) x[j] -= row(i)[j] * x[i];
    for (int i = m_ - 1; i >= 0; --i) std::swap(x[i], x[swap_[i]]);
  }

 private:
  double* row(int i) { return a_.data() + i * m_; }
  const double* row(int i) const { return a_.data() + i * m_; }

  int m_ = 0;
  std::vector<double> a_, inverse_;  // L below the diagonal, U from it on; 1 / U_ii
  std::vector<int> swap_;            // row k was exchanged with this one
};

}  // namespace bough
