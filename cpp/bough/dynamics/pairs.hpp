// Tools for pair quantities H_ij = c_i . X_j over joints i in the subtree of j.
#pragma once

#include <algorithm>

#include "bough/tree/workspace.hpp"

namespace bough {

// Six rows of n: component k of wrench i at data[k * stride + i].
struct WrenchRows {
  double* data;
  int stride;
  void set(int i, const Wrench& F) const {
    for (int k = 0; k < 3; ++k) {
      data[k * stride + i] = F.n[k];
      data[(k + 3) * stride + i] = F.f[k];
    }
  }
};

// out[i] = c_i . X for i in [begin, end); with `accumulate`, out[i] +=.
template <bool accumulate = false>
inline void pair_row(const WrenchRows& c, const Twist& X, int begin, int end, double* __restrict out) {
  const double* __restrict c0 = c.data, * __restrict c1 = c0 + c.stride, * __restrict c2 = c1 + c.stride;
  const double* __restrict c3 = c2 + c.stride, * __restrict c4 = c3 + c.stride, * __restrict c5 = c4 + c.stride;
  const double x0 = X.w[0], x1 = X.w[1], x2 = X.w[2], x3 = X.v[0], x4 = X.v[1], x5 = X.v[2];
  for (int i = begin; i < end; ++i) {
    const double sum = c0[i] * x0 + c1[i] * x1 + c2[i] * x2 + c3[i] * x3 + c4[i] * x4 + c5[i] * x5;
    if constexpr (accumulate)
      out[i] += sum;
    else
      out[i] = sum;
  }
}

// Copies the upper triangle of the n x n row-major H to the lower one, in tiles that stay in the cache.
inline void mirror(double* H, int n) {
  constexpr int tile = 16;
  for (int ib = 0; ib < n; ib += tile)
    for (int jb = ib; jb < n; jb += tile)
      for (int i = ib; i < std::min(ib + tile, n); ++i)
        for (int j = std::max(jb, i + 1); j < std::min(jb + tile, n); ++j) H[j * n + i] = H[i * n + j];
}

// to = H^T, n x n, in tiles that stay in the cache.
inline void set_transposed(const double* H, int n, double* to) {
  constexpr int tile = 8;
  for (int ib = 0; ib < n; ib += tile)
    for (int jb = 0; jb < n; jb += tile)
      for (int i = ib; i < std::min(ib + tile, n); ++i)
        for (int j = jb; j < std::min(jb + tile, n); ++j) to[j * n + i] = H[i * n + j];
}

// out (n_variables square) = chain rule of the joint-space matrix H (n joints square).
inline void gather_variables(const Model& model, const double* H, double* out) {
  const int n = model.n(), m = model.n_variables;
  std::fill_n(out, static_cast<std::size_t>(m) * m, 0.0);
  for (int i = 0; i < n; ++i) {
    const Joint& a = model.joints[i];
    for (int j = 0; j < n; ++j) {
      const Joint& b = model.joints[j];
      out[a.variable * m + b.variable] += a.ratio * b.ratio * H[i * n + j];
    }
  }
}

}  // namespace bough
