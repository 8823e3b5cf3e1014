// Tools for pair quantities H_ij = c_i . X_j over joints i in the subtree of j.
#pragma once

#include <algorithm>
#include <cstring>

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

// c_i . X for four wrenches from i on; those beyond the last one are not defined, and neither is a result of theirs. Each
// register is loaded by itself: an array of them is copied in halves, which the loads that follow wait for.
inline Lane4 pair_lanes(const WrenchRows& c, const Twist& X, int i) {
  const auto row = [&c, i](int k) {
    Lane4 x;
    std::memcpy(&x, c.data + k * c.stride + i, sizeof(Lane4));
    return x;
  };
  return (X.w[0] * row(0) + X.w[1] * row(1) + X.w[2] * row(2)) + (X.v[0] * row(3) + X.v[1] * row(4) + X.v[2] * row(5));
}

// Of joint j and of the joints i ... i + count - 1 at or below it, at most four: d2L/dv_i dv_j, d2L/dq_j dv_i, d2L/dq_i dv_j
// and d2L/dq_i dq_j, or their derivatives along a direction.
struct PairBlock {
  int j, i, count;
  Lane4 vv, down, up, qq;
};

// Whether the joints of the block have variables that follow each other, and all ratios are one.
inline bool in_a_row(const Model& model, const PairBlock& of) {
  const Joint* below = model.joints.data() + of.i;
  bool found = model.joints[of.j].ratio == 1.0;
  for (int c = 0; c < of.count; ++c) found &= below[c].variable == below[0].variable + c && below[c].ratio == 1.0;
  return found;
}

// to_k (n_variables square) += row_k at (variable of j, variable of i) and column_k at (variable of i, variable of j); with
// `set` they take these values.
template <int N, bool set = false>
inline void add_pairs(const Model& model, const PairBlock& of, const Lane4 (&row)[N], const Lane4 (&column)[N],
                      double* const (&to)[N]) {
  const auto put = [](double& x, double value) { x = set ? value : x + value; };
  const Joint& above = model.joints[of.j];
  const std::size_t n = model.n_variables;
  if (of.count == 4 && in_a_row(model, of)) {
    const std::size_t first = model.joints[of.i].variable, across = above.variable * n + first;
    for (int k = 0; k < N; ++k) {
      Lane4 sum = row[k];
      if constexpr (!set) {
        std::memcpy(&sum, to[k] + across, sizeof(Lane4));
        sum += row[k];
      }
      std::memcpy(to[k] + across, &sum, sizeof(Lane4));
      double* down = to[k] + first * n + above.variable;
      for (int c = of.i == of.j ? 1 : 0; c < 4; ++c) put(down[c * n], column[k][c]);
    }
    return;
  }
  for (int c = 0; c < of.count; ++c) {
    const Joint& below = model.joints[of.i + c];
    const double ratio = above.ratio * below.ratio;
    const std::size_t across = above.variable * n + below.variable, down = below.variable * n + above.variable;
    for (int k = 0; k < N; ++k) put(to[k][across], ratio * row[k][c]);
    if (of.i + c == of.j) continue;
    for (int k = 0; k < N; ++k) put(to[k][down], ratio * column[k][c]);
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

// out (n_variables square) = chain rule of the joint-space matrix H (n joints square), of which only pairs of joints are read that are
// outboard of each other; of a symmetric one only the upper triangle. Rotors of motors are such joints beside the tree, as many as
// it has itself.
template <bool symmetric>
void gather_variables(const Model& model, const double* H, double* out) {
  const int n = model.n(), m = model.n_variables;
  std::fill_n(out, static_cast<std::size_t>(m) * m, 0.0);
  for (int i = 0; i < n; ++i) {
    const Joint& a = model.joints[i];
    const auto add = [&](int j) {
      const Joint& b = model.joints[j];
      out[a.variable * m + b.variable] += a.ratio * b.ratio * H[symmetric && j < i ? j * n + i : i * n + j];
    };
    for (int j = 0; j < i;) {
      const bool inboard = model.joints[j].subtree_end > i;
      if (inboard) add(j);
      j = inboard ? j + 1 : model.joints[j].subtree_end;
    }
    for (int j = i; j < a.subtree_end; ++j) add(j);
  }
}

}  // namespace bough
