#include "bough/integrators/pair_stage.hpp"

namespace bough {
namespace {

using ConstRows = Eigen::Map<const RowMatrix>;

void fit(ColumnBlock& block, int rows, int columns) {
  if (block.rows() != rows || block.stride() != (columns + 3) / 4) block.resize(rows, columns);
}

void write_rows(const RowMatrix& from, int rows, double* to) {
  std::copy_n(from.data(), static_cast<std::size_t>(rows) * from.cols(), to);
}

}  // namespace

PairLayout::PairLayout(const StepShape& of) : shape(of), ne(of.nd + of.controls()) {
  const auto [nq, nd, nu, nk, m] = shape;
  std::size_t next = 0;
  const auto take = [&next](int rows, int columns) {
    const std::size_t at = next;
    next += static_cast<std::size_t>(rows) * columns;
    return at;
  };
  E = take(nd, ne);
  Y = take(m, ne);
  D1_0 = take(nd, nq);
  D2_0 = take(nd, nq);
  D2_1 = take(nd, nq);
  D2_u = take(nd, nu);
  size = next;
  next = 0;
  W00 = take(nq, nq);
  W01 = take(nq, nq);
  W11 = take(nq, nq);
  Wu0 = take(nu, nq);
  Wu1 = take(nu, nq);
  Wuu = take(nu, nu);
  C = take(m, nq);
  second_size = next;
}

// (DB1): the columns of (DF3) by p0, u and k1.
void PartDerivatives::pair(const PairLayout& at, double* stage) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int ne = at.ne, k = nd + nu;
  ColumnBlock& X = solved_.some;
  fit(X, nd + m, ne);
  using Row = Eigen::Map<Eigen::RowVectorXd>;
  for (int i = 0; i < nd; ++i) {
    Row to(X.row(i), ne);
    to.head(nd).setZero();
    to[i] = -1.0;
    to.segment(nd, nu) = -slots_.D1_u.row(i);
    to.tail(nk) = -slots_.D1_1.row(i).tail(nk);
  }
  for (int r = 0; r < m; ++r) {
    Row to(X.row(nd + r), ne);
    to.head(k).setZero();
    to.tail(nk) = -ConstRows(held_.Dh1.data(), m, nq).row(r).tail(nk);
  }
  matrix_.solve(X);
  for (int i = 0; i < nd; ++i) std::copy_n(X.row(i), ne, stage + at.E + static_cast<std::size_t>(i) * ne);
  for (int r = 0; r < m; ++r) std::copy_n(X.row(nd + r), ne, stage + at.Y + static_cast<std::size_t>(r) * ne);
  write_rows(slots_.D1_0, nd, stage + at.D1_0);
  write_rows(slots_.D2_0, nd, stage + at.D2_0);
  write_rows(slots_.D2_1, nd, stage + at.D2_1);
  write_rows(slots_.D2_u, nd, stage + at.D2_u);
}

void PartDerivatives::curve_pair(const double* weights, const PairLayout& at, double* to) {
  const auto [nq, nd, nu, nk, m] = shape_;
  if (!curvature_) curvature_ = std::make_unique<Curvature>(model_, shape_);
  curve(weights);
  const Curvature& of = *curvature_;
  write_rows(of.W00, nq, to + at.W00);
  write_rows(of.W01, nq, to + at.W01);
  write_rows(of.W11, nq, to + at.W11);
  write_rows(of.Wu0, nu, to + at.Wu0);
  write_rows(of.Wu1, nu, to + at.Wu1);
  write_rows(of.Wuu, nu, to + at.Wuu);
  write_rows(of.C, m, to + at.C);
}

}  // namespace bough
