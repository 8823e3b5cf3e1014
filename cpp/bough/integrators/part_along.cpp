// Derivatives of one part of a step along a few directions D of s = (q0, p0, u, k1), without those along all of them: with
// X, Y the columns of dd1 and dmu that (DF3) has for the right-hand side of D, and E0, Eu, E1 its rows of q0, u and of q1,
//
//   J D has the rows of (DF4),   D^T (d2psi/ds ds) D = E0^T W00 E0 + E1^T W11 E1 + Eu^T Wuu Eu + sym Z,
//   Z = E0^T (W01 E1 - C^T Y) + Eu^T (Wu0 E0 + Wu1 E1)                                                            (DA1)
#include "bough/integrators/part_derivatives.hpp"

namespace bough {
namespace {

using ConstRows = Eigen::Map<const RowMatrix>;

void fit(ColumnBlock& block, int rows, int columns) {
  if (block.rows() != rows || block.stride() != (columns + 3) / 4) block.resize(rows, columns);
}

void load(const RowMatrix& from, ColumnBlock& to, int first) {
  for (int i = 0; i < static_cast<int>(from.rows()); ++i)
    std::copy_n(from.row(i).data(), from.cols(), to.row(first + i));
}

void store(const ColumnBlock& from, int first, int rows, RowMatrix& to, int at) {
  for (int i = 0; i < rows; ++i) std::copy_n(from.row(first + i), to.cols(), to.row(at + i).data());
}

}  // namespace

// (DF3)
void PartDerivatives::solve_some(const RowMatrix& D) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int columns = static_cast<int>(D.cols());
  fit(solved_.some, nd + m, columns);
  RowMatrix& right = solved_.right;
  right = -D.middleRows(shape_.p(), nd);
  right.noalias() -= slots_.D1_0.topRows(nd) * D.topRows(nq);
  if (nu > 0) right.noalias() -= slots_.D1_u.topRows(nd) * D.middleRows(shape_.u(), nu);
  if (nk > 0) right.noalias() -= slots_.D1_1.topRightCorner(nd, nk) * D.middleRows(shape_.k(), nk);
  load(right, solved_.some, 0);
  right.setZero(m, columns);
  if (m > 0 && nk > 0)
    right.noalias() -= ConstRows(held_.Dh1.data(), m, nq).rightCols(nk) * D.middleRows(shape_.k(), nk);
  load(right, solved_.some, nd);
  matrix_.solve(solved_.some);
}

// (DF4)
void PartDerivatives::forward(const RowMatrix& D, RowMatrix& out) {
  const auto [nq, nd, nu, nk, m] = shape_;
  solve_some(D);
  out.resize(shape_.rows(), D.cols());
  store(solved_.some, 0, nd, out, 0);
  out.middleRows(nd, nk) = D.middleRows(shape_.k(), nk);
  auto p1 = out.middleRows(shape_.p(), nd);
  p1.noalias() = slots_.D2_0.topRows(nd) * D.topRows(nq);
  p1.noalias() += slots_.D2_1.topRows(nd) * out.topRows(nq);
  if (nu > 0) p1.noalias() += slots_.D2_u.topRows(nd) * D.middleRows(shape_.u(), nu);
  if (m == 0) return;
  store(solved_.some, nd, m, out, shape_.states());
  if (!least_.needed) return;
  auto mu = out.bottomRows(m);
  mu = (least_.project * mu + least_.C * D.topRows(nq)).eval();
}

// (DA1)
void PartDerivatives::hessian_along(const double* weights, const RowMatrix& D, double* H) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const Eigen::Index columns = D.cols();
  if (!curvature_) curvature_ = std::make_unique<Curvature>(model_, shape_);
  const Curvature& of = *curvature_;
  curve(weights);
  solve_some(D);
  RowMatrix &E1 = solved_.E1, &WE = solved_.WE;
  E1.resize(nq, columns);
  store(solved_.some, 0, nd, E1, 0);
  E1.bottomRows(nk) = D.middleRows(shape_.k(), nk);
  const auto E0 = D.topRows(nq);
  Eigen::Map<RowMatrix> sum(H, columns, columns);
  // W00 and W11 are symmetric: half of them in Z.
  WE.noalias() = of.W01 * E1;
  WE.noalias() += 0.5 * of.W00 * E0;
  if (m > 0) {
    solved_.right.resize(m, columns);
    store(solved_.some, nd, m, solved_.right, 0);
    WE.noalias() -= of.C.transpose() * solved_.right;
  }
  sum.noalias() = E0.transpose() * WE;
  WE.noalias() = 0.5 * of.W11 * E1;
  sum.noalias() += E1.transpose() * WE;
  if (nu > 0) {
    const auto Eu = D.middleRows(shape_.u(), nu);
    WE.noalias() = of.Wu0 * E0;
    WE.noalias() += of.Wu1 * E1;
    WE.noalias() += 0.5 * of.Wuu * Eu;
    sum.noalias() += Eu.transpose() * WE;
  }
  solved_.right = sum;
  sum += solved_.right.transpose();
}

}  // namespace bough
