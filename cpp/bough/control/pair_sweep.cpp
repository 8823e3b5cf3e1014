#include "bough/control/pair_sweep.hpp"

#include <Eigen/Cholesky>

namespace bough {
namespace {

using Strided = Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

Strided matrix(ColumnBlock& block, int columns) {
  return {block.row(0), block.rows(), columns, Eigen::OuterStride<>(4 * block.stride())};
}

// The dynamic variables that an entry of a row of D^T may belong to.
Pattern dynamic_columns(const Model& model, const StepShape& shape) {
  const Pattern all = VariablePattern(model, shape.nq, true).pattern;
  std::vector<std::vector<int>> rows(shape.nq);
  for (int i = 0; i < shape.nq; ++i)
    for (int e = all.start[i]; e < all.start[i + 1]; ++e)
      if (all.column[e] < shape.nd) rows[i].push_back(all.column[e]);
  return Pattern::of(rows);
}

int registers(int columns) { return 4 * ((columns + 3) / 4); }

}  // namespace

PairSweep::PairSweep(const Model& model, const PairLayout& layout)
    : at_(layout),
      nx_(layout.shape.states()),
      nc_(layout.shape.controls()),
      nz_(nx_ + nc_),
      entries_(dynamic_columns(model, layout.shape)) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ne = at_.ne;
  D_.resize(nd, nq);
  for (RowMatrix* A : {&Dt_, &D2_0t_}) A->resize(nq, nd);
  V_.resize(nx_, nx_);
  Q_.setZero(nz_, nz_);
  over_.X.resize(2 * nq, nq);
  over_.X00.resize(nq, nq);
  for (RowMatrix* A : {&over_.Xu1, &over_.Xu0}) A->resize(nu, nq);
  over_.Xuu.resize(nu, nu);
  uE_.resize(nu, ne);
  G_.resize(nc_, nx_);
  block_.S_rr.resize(nd, nd);
  for (ColumnBlock* A : {&block_.Zt, &block_.Ut}) A->resize(nq, nd);
  for (ColumnBlock* A : {&block_.B, &block_.U}) A->resize(nd, nq);
  block_.product.resize(nq, nq);
  block_.E.resize(nd, ne);
  block_.XE.resize(2 * nq, ne);
  block_.half.resize(registers(ne), ne);
  for (ColumnBlock* A : {&block_.Q_c, &block_.G_c}) A->resize(nc_, nx_);
  block_.half_V.resize(registers(nx_), nx_);
}

// The products of S in (DB3), and D of (DB2).
void PairSweep::set_pairs(const PairProblem& problem, const double* stages, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const double* stage = stages + k * at_.size;
  D_ = part(stage, at_.D2_1, nd, nq);
  if (k + 1 < problem.count) D_ += part(stage + at_.size, at_.D1_0, nd, nq);
  Dt_ = D_.transpose();
  D2_0t_ = part(stage, at_.D2_0, nd, nq).transpose();
  matrix(block_.S_rr, nd) = V_.bottomRightCorner(nd, nd);
  set_product(entries_, Dt_.data(), nd, block_.S_rr, block_.Zt);     // (S_rr D)^T
  set_product(entries_, D2_0t_.data(), nd, block_.S_rr, block_.Ut);  // (S_rr D2_0)^T
  auto B = matrix(block_.B, nq), U = matrix(block_.U, nq), product = matrix(block_.product, nq);
  const auto Zt = matrix(block_.Zt, nd), Ut = matrix(block_.Ut, nd);
  B = (V_.topRightCorner(nq, nd) + 0.5 * Zt).transpose();
  set_product(entries_, Dt_.data(), nd, block_.B, block_.product);
  over_.X.topRows(nq) = V_.topLeftCorner(nq, nq) + product + product.transpose();
  B += 0.5 * Zt.transpose();
  set_product(entries_, D2_0t_.data(), nd, block_.B, block_.product);
  over_.X.bottomRows(nq) = product;
  U = Ut.transpose();
  set_product(entries_, D2_0t_.data(), nd, block_.U, block_.product);
  over_.X00 = product;
  if (nu > 0) set_inputs(stage);
}

void PairSweep::set_inputs(const double* stage) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const auto D2_u = part(stage, at_.D2_u, nd, nu);
  over_.Xu1.noalias() = D2_u.transpose() * matrix(block_.B, nq);
  over_.Xu0.noalias() = D2_u.transpose() * matrix(block_.U, nq);
  const RowMatrix SD = matrix(block_.S_rr, nd) * D2_u;
  over_.Xuu.noalias() = D2_u.transpose() * SD;
}

void PairSweep::add_curvature(const double* stage) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  over_.X.topRows(nq) += part(stage, at_.W11, nq, nq);
  over_.X.bottomRows(nq) += part(stage, at_.W01, nq, nq);
  over_.X00 += part(stage, at_.W00, nq, nq);
  if (nu == 0) return;
  over_.Xu1 += part(stage, at_.Wu1, nu, nq);
  over_.Xu0 += part(stage, at_.Wu0, nu, nq);
  over_.Xuu += part(stage, at_.Wuu, nu, nu);
}

// Rates of kinematic variables are controls, and are added to Q.
void PairSweep::add_costs(const PairProblem& problem, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ny = 2 * nq + nu;
  const std::size_t row = k;
  if (problem.l_d) {
    const ConstVector l_d(problem.l_d + row * ny, ny);
    over_.X00.diagonal() += l_d.head(nq);
    over_.X.topRows(nq).diagonal() += l_d.segment(nq, nq);
    over_.Xuu.diagonal() += l_d.tail(nu);
  }
  if (problem.l_rr) {
    const Eigen::VectorXd rates = ConstVector(problem.l_rr + row * nq, nd) / (problem.dt * problem.dt);
    over_.X00.diagonal().head(nd) += rates;
    over_.X.topRows(nq).diagonal().head(nd) += rates;
    over_.X.bottomRows(nq).diagonal().head(nd) -= rates;
  }
  if (!problem.l_yy) return;
  const Matrix L(problem.l_yy + row * ny * ny, ny, ny);
  over_.X00 += L.topLeftCorner(nq, nq);
  over_.X.topRows(nq) += L.block(nq, nq, nq, nq);
  over_.X.bottomRows(nq) += L.block(0, nq, nq, nq);
  over_.Xuu += L.bottomRightCorner(nu, nu);
  over_.Xu0 += L.block(2 * nq, 0, nu, nq);
  over_.Xu1 += L.block(2 * nq, nq, nu, nq);
}

// (DB4)
void PairSweep::set_Q(const PairProblem& problem, const double* stage, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ne = at_.ne;
  auto E = matrix(block_.E, ne), XE = matrix(block_.XE, ne);
  E = part(stage, at_.E, nd, ne);
  XE.noalias() = over_.X.leftCols(nd) * E;
  XE.rightCols(nk) += over_.X.rightCols(nk);
  set_half_product(block_.E, block_.XE, ne, block_.half);  // of the rows of dynamic variables
  const auto half = matrix(block_.half, ne);
  auto Q_0e = Q_.topRightCorner(nq, ne), Q_ee = Q_.bottomRightCorner(ne, ne);
  Q_ee.triangularView<Eigen::Upper>() = half.topRows(ne);
  Q_ee.bottomRightCorner(nk, nk) += XE.block(nd, ne - nk, nk, nk);
  Q_0e = XE.bottomRows(nq);
  if (problem.curved && m > 0) Q_0e.noalias() -= part(stage, at_.C, m, nq).transpose() * part(stage, at_.Y, m, ne);
  if (nu > 0) {
    uE_.noalias() = over_.Xu1.leftCols(nd) * E;
    uE_.rightCols(nk) += over_.Xu1.rightCols(nk);
    Q_0e.middleCols(nd, nu) += over_.Xu0.transpose();
    Q_ee.middleCols(nd, nu) += uE_.transpose();
    Q_ee.middleRows(nd, nu) += uE_;
    Q_ee.block(nd, nd, nu, nu) += over_.Xuu;
  }
  Q_ee.triangularView<Eigen::StrictlyLower>() = Q_ee.transpose();
  auto Q_00 = Q_.topLeftCorner(nq, nq);
  Q_00 = over_.X00;
  if (nk > 0) {  // by moves k1 - k0
    const auto Q_0k = Q_.topRightCorner(nq, nk);
    Q_00.middleCols(nd, nk) += Q_0k;
    Q_00.middleRows(nd, nk) += Q_0k.transpose();
    Q_00.block(nd, nd, nk, nk) += Q_ee.bottomRightCorner(nk, nk);
    Q_0e.middleRows(nd, nk) += Q_ee.bottomRows(nk);
    if (problem.l_rr)
      Q_.diagonal().tail(nk) += ConstVector(problem.l_rr + std::size_t(k) * nq + nd, nk) / (problem.dt * problem.dt);
  }
  Q_.bottomLeftCorner(nc_, nq) = Q_.topRightCorner(nq, nc_).transpose();
  if (problem.H) Q_ += Matrix(problem.H + std::size_t(k) * nz_ * nz_, nz_, nz_);
}

void PairSweep::set_right_side(const PairProblem& problem, const double* stage, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const auto s_r = s_.bottomRows(nd);
  q_.topRows(nq).noalias() = D2_0t_ * s_r;
  Eigen::MatrixXd at_end = s_.topRows(nq);
  at_end.noalias() += Dt_ * s_r;
  auto by_e = q_.bottomRows(at_.ne);
  by_e.noalias() = part(stage, at_.E, nd, at_.ne).transpose() * at_end.topRows(nd);
  by_e.bottomRows(nk) += at_end.bottomRows(nk);
  if (nu > 0) by_e.middleRows(nd, nu).noalias() += part(stage, at_.D2_u, nd, nu).transpose() * s_r;
  q_.middleRows(nd, nk) += q_.bottomRows(nk);
  q_.col(0) += ConstVector(problem.b + std::size_t(k) * nz_, nz_);
}

// (CN2)
bool PairSweep::eliminate(const PairProblem& problem, const PairGains& gains, int k) {
  Q_.diagonal().tail(nc_).array() += problem.shift;
  const Eigen::LLT<Eigen::MatrixXd> factor(Q_.bottomRightCorner(nc_, nc_));
  if (factor.info() != Eigen::Success) return false;
  const auto Q_cx = Q_.bottomLeftCorner(nc_, nx_);
  G_ = factor.solve(Q_cx);
  w_ = factor.solve(q_.bottomRows(nc_));
  Eigen::Map<RowMatrix>(gains.G + std::size_t(k) * nc_ * nx_, nc_, nx_) = G_;
  Eigen::Map<RowMatrix>(gains.w + std::size_t(k) * nc_ * w_.cols(), nc_, w_.cols()) = w_;
  matrix(block_.Q_c, nx_) = Q_cx;
  matrix(block_.G_c, nx_) = G_;
  set_half_product(block_.Q_c, block_.G_c, nx_, block_.half_V);
  V_.triangularView<Eigen::Upper>() = Q_.topLeftCorner(nx_, nx_) - matrix(block_.half_V, nx_).topRows(nx_);
  V_.triangularView<Eigen::StrictlyLower>() = V_.transpose();
  s_ = q_.topRows(nx_);
  s_.noalias() -= Q_cx.transpose() * w_;
  return true;
}

int PairSweep::backward(const PairProblem& problem, const double* stages, const PairGains& gains) {
  const int columns = problem.columns;
  V_ = Matrix(problem.S, nx_, nx_);
  s_ = Matrix(problem.s, nx_, columns);
  q_.resize(nz_, columns);
  for (int k = problem.count - 1; k >= 0; --k) {
    const double* stage = stages + k * at_.size;
    set_pairs(problem, stages, k);
    if (problem.curved) add_curvature(stage);
    add_costs(problem, k);
    set_Q(problem, stage, k);
    set_right_side(problem, stage, k);
    if (!eliminate(problem, gains, k)) return k;
  }
  Eigen::Map<RowMatrix>(gains.P, nx_, nx_) = V_;
  Eigen::Map<RowMatrix>(gains.s, nx_, columns) = s_;
  return -1;
}

void PairSweep::forward(const PairProblem& problem, const double* stages, const PairGains& gains, double* x,
                        double* c) const {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int columns = problem.columns;
  using Rows = Eigen::Map<RowMatrix>;
  // Products go into memory of their own: Eigen rounds them by the alignment of what they are written to.
  RowMatrix e(at_.ne, columns), q1(nq, columns), rho(nd, columns), move(nc_, columns);
  for (std::size_t k = 0; k < static_cast<std::size_t>(problem.count); ++k) {
    const double* stage = stages + k * at_.size;
    const Rows now(x + k * nx_ * columns, nx_, columns);
    Rows then(x + (k + 1) * nx_ * columns, nx_, columns);
    move = -Matrix(gains.w + k * nc_ * columns, nc_, columns);
    move.noalias() -= Matrix(gains.G + k * nc_ * nx_, nc_, nx_) * now;
    Rows(c + k * nc_ * columns, nc_, columns) = move;
    e.topRows(nd) = now.bottomRows(nd);
    e.bottomRows(nc_) = move;
    e.bottomRows(nk) += now.middleRows(nd, nk);
    q1.topRows(nd).noalias() = part(stage, at_.E, nd, at_.ne) * e;
    q1.bottomRows(nk) = e.bottomRows(nk);
    then.topRows(nq) = q1;
    rho.noalias() = part(stage, at_.D2_0, nd, nq) * now.topRows(nq);
    rho.noalias() += part(stage, at_.D2_1, nd, nq) * q1;
    if (k + 1 < static_cast<std::size_t>(problem.count)) rho.noalias() += part(stage + at_.size, at_.D1_0, nd, nq) * q1;
    if (nu > 0) rho.noalias() += part(stage, at_.D2_u, nd, nu) * move.topRows(nu);
    then.bottomRows(nd) = rho;
  }
}

void PairSweep::control_diagonal(const PairProblem& problem, const double* stages, int k, double* diagonal) {
  const double* stage = stages + k * at_.size;
  for (RowMatrix* A : {&over_.X, &over_.X00, &over_.Xu1, &over_.Xu0, &over_.Xuu}) A->setZero();
  if (problem.curved) add_curvature(stage);
  add_costs(problem, k);
  set_Q(problem, stage, k);
  Eigen::Map<Eigen::VectorXd>(diagonal, nc_) = Q_.diagonal().tail(nc_);
}

}  // namespace bough
