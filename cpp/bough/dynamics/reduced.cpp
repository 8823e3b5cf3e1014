#include "bough/dynamics/reduced.hpp"

namespace bough {
namespace {

using Dense = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double singular = 1e-13;  // smallest pivot, relative

// One n x n matrix of (B4) or (B5), in its blocks.
struct Blocks {
  Dense I, N, m;
  Blocks(const double* data, int nb, int nr) {
    const Eigen::Map<const Rows> M(data, nb + nr, nb + nr);
    I = M.block(0, 0, nb, nb);
    N = M.block(0, nb, nb, nr);
    m = M.block(nb, nb, nr, nr);
  }
};

// Products of whole matrices only: every other kind of operand would be instantiated too.
Dense product(const Dense& a, const Dense& b) { return a * b; }
Dense transposed_product(const Dense& a, const Dense& b) { return a.transpose() * b; }

void write(const Dense& x, double* out, std::size_t index = 0) {
  Eigen::Map<Rows>(out + index * x.size(), x.rows(), x.cols()) = x;
}

}  // namespace

bool LockedInertia::factor(const Eigen::MatrixXd& M) {
  const Eigen::Matrix<double, 6, 6> I = M.topLeftCorner<6, 6>();
  if (!llt_.factor(I)) return false;
  for (int k = 0; k < 6; ++k) {
    const double pivot = llt_.pivot(k);
    if (!(pivot * pivot > singular * I(k, k))) return false;
  }
  return true;
}

bool reduced_tensors(const ReducedLayout& layout, ReducedMetric& metric, const double* r, int order,
                     const ReducedTensors& out) {
  const int n = layout.n(), nb = layout.nb(), nr = layout.nr();
  const std::size_t square = static_cast<std::size_t>(n) * n;
  metric.set_shape(r);
  Dense M(n, n);
  metric.metric(M);
  LockedInertia inertia;
  if (nb > 0 && !inertia.factor(M)) return false;
  const auto solve = [&](Dense x) {
    inertia.solve_in_place(x);
    return x;
  };
  const Dense N = M.block(0, nb, nb, nr), m = M.block(nb, nb, nr, nr), A = solve(N);
  write(M.block(0, 0, nb, nb), out.I);
  write(m, out.m);
  write(A, out.A);
  write(m - transposed_product(N, A), out.S);  // (B7)
  if (order == 0) return true;

  std::vector<double> first(nr * square), second(order > 1 ? nr * nr * square : 0);
  metric.derivatives(first.data(), order > 1 ? second.data() : nullptr);
  std::vector<Dense> K(nr), dA(nr), dI(nr);
  for (int j = 0; j < nr; ++j) {
    const Blocks d(first.data() + j * square, nb, nr);
    dI[j] = d.I;
    K[j] = d.N - product(d.I, A);
    dA[j] = solve(K[j]);  // (B8)
    write(d.I, out.I_dr, j);
    write(d.m, out.m_dr, j);
    write(dA[j], out.A_dr, j);
    write(d.m - transposed_product(d.N, A) - transposed_product(A, K[j]), out.S_dr, j);  // (B9)
  }
  if (order == 1) return true;

  for (int j = 0; j < nr; ++j)
    for (int l = 0; l < nr; ++l) {
      const std::size_t at = static_cast<std::size_t>(j) * nr + l;
      const Blocks d(second.data() + at * square, nb, nr);
      write(d.I, out.I_drdr, at);
      write(d.m, out.m_drdr, at);
      write(solve(d.N - product(d.I, A) - product(dI[j], dA[l]) - product(dI[l], dA[j])), out.A_drdr, at);  // (B10)
      write(d.m - transposed_product(d.N, A) - transposed_product(A, d.N) + product(transposed_product(A, d.I), A) -
                transposed_product(K[j], dA[l]) - transposed_product(K[l], dA[j]),
            out.S_drdr, at);  // (B11)
    }
  return true;
}

}  // namespace bough
