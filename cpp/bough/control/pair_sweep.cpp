#include "bough/control/pair_sweep.hpp"

#include <algorithm>

#include "bough/solvers/column_products.hpp"

namespace bough {
namespace {

// The dynamic variables that an entry of a row of D^T may belong to.
Pattern dynamic_columns(const Model& model, const StepShape& shape) {
  const Pattern all = VariablePattern(model, shape.nq, true).pattern;
  std::vector<std::vector<int>> rows(shape.nq);
  for (int i = 0; i < shape.nq; ++i)
    for (int e = all.start[i]; e < all.start[i + 1]; ++e)
      if (all.column[e] < shape.nd) rows[i].push_back(all.column[e]);
  return Pattern::of(rows);
}

// A += a block of a matrix by rows, whose rows are `stride` apart.
void add_block(const double* from, int stride, int rows, int columns, ColumnBlock& A) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) A.row(i)[j] += from[static_cast<std::size_t>(i) * stride + j];
}

// A = factor B + C
void set_sum(double factor, const ColumnBlock& B, const ColumnBlock& C, ColumnBlock& A) {
  const std::size_t all = static_cast<std::size_t>(A.rows()) * A.stride();
  for (std::size_t i = 0; i < all; ++i) A.lanes()[i] = factor * B.lanes()[i] + C.lanes()[i];
}

}  // namespace

PairSweep::PairSweep(const Model& model, const PairLayout& layout)
    : at_(layout),
      nx_(layout.shape.states()),
      nc_(layout.shape.controls()),
      nz_(nx_ + nc_),
      entries_(dynamic_columns(model, layout.shape)) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ne = at_.ne;
  const auto size = [](int rows, int columns, std::initializer_list<ColumnBlock*> blocks) {
    for (ColumnBlock* block : blocks) resize_tall(*block, rows, columns);
  };
  size(nq, nq, {&S_.qq, &over_.X00, &over_.X01, &over_.X11, &Q_.q0q0, &product_.product});
  size(nd, nq, {&S_.rq, &of_.D, &of_.D2_0, &product_.Z, &product_.U, &product_.B});
  size(nq, nd, {&of_.Dt, &of_.D2_0t, &product_.Zt, &product_.Ut});
  size(nd, nd, {&S_.rr});
  size(nd, nu, {&of_.D2_u, &product_.SD});
  size(nd, ne, {&of_.E});
  size(m, ne, {&of_.Y});
  size(m, nq, {&of_.C});
  size(nu, nq, {&over_.Xu0, &over_.Xu1});
  size(nu, nu, {&over_.Xuu});
  size(nu, ne, {&product_.uE});
  size(nq, ne, {&product_.XE});
  size(ne, nq, {&Q_.eq0});
  size(ne, ne, {&Q_.ee});
  size(nc_, nc_, {&reduced_.L});
  size(nc_, nq, {&reduced_.q0});
  size(nc_, nd, {&reduced_.r});
}

void PairSweep::set_value(const double* S) {
  const int nq = at_.shape.nq, nd = at_.shape.nd;
  for (int i = 0; i < nq; ++i) std::copy_n(S + static_cast<std::size_t>(i) * nx_, nq, S_.qq.row(i));
  for (int i = 0; i < nd; ++i) {
    const double* row = S + static_cast<std::size_t>(nq + i) * nx_;
    std::copy_n(row, nq, S_.rq.row(i));
    std::copy_n(row + nq, nd, S_.rr.row(i));
  }
}

void PairSweep::write_value(double* S) const {
  const int nq = at_.shape.nq, nd = at_.shape.nd;
  double* below = S + static_cast<std::size_t>(nq) * nx_;
  write_rows(S_.qq, nq, nq, S, nx_);
  write_rows(S_.rq, nd, nq, below, nx_);
  write_rows(S_.rr, nd, nd, below + nq, nx_);
  for (int i = 0; i < nq; ++i)
    for (int j = 0; j < nd; ++j) S[static_cast<std::size_t>(i) * nx_ + nq + j] = S_.rq.row(j)[i];
}

// The products of S in (DB3), and D of (DB2).
void PairSweep::set_pairs(const PairProblem& problem, const double* stages, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const double* stage = stages + k * at_.size;
  set_rows(stage + at_.D2_1, nd, nq, of_.D);
  if (k + 1 < problem.count) add_rows(stage + at_.size + at_.D1_0, nd, nq, of_.D);
  set_rows(stage + at_.D2_0, nd, nq, of_.D2_0);
  set_transposed(of_.D, of_.Dt);
  set_transposed(of_.D2_0, of_.D2_0t);
  const double *Dt = of_.Dt.row(0), *D2_0t = of_.D2_0t.row(0);
  const int stride = 4 * of_.Dt.stride();
  auto& [Zt, Z, Ut, U, B, product, SD, XE, uE] = product_;
  set_product(entries_, Dt, stride, S_.rr, Zt);     // (S_rr D)^T
  set_product(entries_, D2_0t, stride, S_.rr, Ut);  // (S_rr D2_0)^T
  set_transposed(Zt, Z);
  set_transposed(Ut, U);
  set_sum(0.5, Z, S_.rq, B);
  set_product(entries_, Dt, stride, B, product);
  over_.X11 = S_.qq;
  add_with_transposed(product, over_.X11);
  set_sum(1.0, Z, S_.rq, B);
  set_product(entries_, D2_0t, stride, B, over_.X01);
  set_upper_product(entries_, D2_0t, stride, U, over_.X00);
  mirror(over_.X00);
  if (nu > 0) set_inputs(stage);
}

void PairSweep::set_inputs(const double* stage) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  set_rows(stage + at_.D2_u, nd, nu, of_.D2_u);
  set_transposed_product(of_.D2_u, product_.B, nd, over_.Xu1);
  set_transposed_product(of_.D2_u, product_.U, nd, over_.Xu0);
  set_product(S_.rr, nd, of_.D2_u, product_.SD);
  set_upper_product(of_.D2_u, product_.SD, nd, over_.Xuu);
  mirror(over_.Xuu);
}

void PairSweep::add_curvature(const double* second) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  add_rows(second + at_.W11, nq, nq, over_.X11);
  add_rows(second + at_.W01, nq, nq, over_.X01);
  add_rows(second + at_.W00, nq, nq, over_.X00);
  add_rows(second + at_.Wu1, nu, nq, over_.Xu1);
  add_rows(second + at_.Wu0, nu, nq, over_.Xu0);
  add_rows(second + at_.Wuu, nu, nu, over_.Xuu);
}

// Rates of kinematic variables are controls, and are added to Q.
void PairSweep::add_costs(const PairProblem& problem, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ny = 2 * nq + nu;
  const std::size_t row = k;
  auto& [X00, X01, X11, Xu0, Xu1, Xuu] = over_;
  if (problem.l_d) {
    const double* l_d = problem.l_d + row * ny;
    for (int i = 0; i < nq; ++i) {
      X00.row(i)[i] += l_d[i];
      X11.row(i)[i] += l_d[nq + i];
    }
    for (int i = 0; i < nu; ++i) Xuu.row(i)[i] += l_d[2 * nq + i];
  }
  if (problem.l_rr)
    for (int i = 0; i < nd; ++i) {
      const double rate = problem.l_rr[row * nq + i] / (problem.dt * problem.dt);
      X00.row(i)[i] += rate;
      X11.row(i)[i] += rate;
      X01.row(i)[i] -= rate;
    }
  if (!problem.l_yy) return;
  const double *L = problem.l_yy + row * ny * ny, *by_q1 = L + std::size_t(nq) * ny,
               *by_u = L + std::size_t(2) * nq * ny;
  add_block(L, ny, nq, nq, X00);
  add_block(by_q1 + nq, ny, nq, nq, X11);
  add_block(L + nq, ny, nq, nq, X01);
  add_block(by_u + 2 * nq, ny, nu, nu, Xuu);
  add_block(by_u, ny, nu, nq, Xu0);
  add_block(by_u + nq, ny, nu, nq, Xu1);
}

// (DB4)
void PairSweep::set_Q(const PairProblem& problem, const PairMemory& stages, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int ne = at_.ne;
  const double *stage = stages.first + k * at_.size, *second = stages.second + k * at_.second_size;
  auto& [q0q0, eq0, ee] = Q_;
  ColumnBlock &XE = product_.XE, &uE = product_.uE;
  // what q1 has beside E
  const auto add_kinematic = [&, nk = nk, nd = nd](const ColumnBlock& X, int rows, ColumnBlock& to) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < nk; ++j) to.row(i)[ne - nk + j] += X.row(i)[nd + j];
  };
  set_rows(stage + at_.E, nd, ne, of_.E);
  set_product(over_.X11, nd, of_.E, XE);
  add_kinematic(over_.X11, nq, XE);
  set_upper_product(of_.E, XE, nd, ee);
  for (int i = 0; i < nk; ++i)
    for (int j = 0; j < nk; ++j) ee.row(ne - nk + i)[ne - nk + j] += XE.row(nd + i)[ne - nk + j];
  set_product(over_.X01, nd, of_.E, XE);
  add_kinematic(over_.X01, nq, XE);
  set_transposed(XE, eq0);
  if (problem.curved && m > 0) {
    set_rows(stage + at_.Y, m, ne, of_.Y);
    set_rows(second + at_.C, m, nq, of_.C);
    subtract_transposed_product(of_.Y, of_.C, m, eq0);
  }
  if (nu > 0) {
    set_product(over_.Xu1, nd, of_.E, uE);
    add_kinematic(over_.Xu1, nu, uE);
    for (int i = 0; i < nu; ++i) {
      for (int j = 0; j < ne; ++j) ee.row(nd + i)[j] += uE.row(i)[j];
      for (int j = 0; j < ne; ++j) ee.row(j)[nd + i] += uE.row(i)[j];
      for (int j = 0; j < nu; ++j) ee.row(nd + i)[nd + j] += over_.Xuu.row(i)[j];
      for (int j = 0; j < nq; ++j) eq0.row(nd + i)[j] += over_.Xu0.row(i)[j];
    }
  }
  mirror(ee);
  q0q0 = over_.X00;
  if (nk > 0) add_moves(problem, k);
  if (problem.H) add_to_Q(problem.H + static_cast<std::size_t>(k) * nz_ * nz_);
}

// From k1 to moves k1 - k0, whose rates have costs.
void PairSweep::add_moves(const PairProblem& problem, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int first = at_.ne - nk;
  auto& [q0q0, eq0, ee] = Q_;
  for (int i = 0; i < nk; ++i) {
    const double* by_k = eq0.row(first + i);
    for (int j = 0; j < nd; ++j) {
      q0q0.row(nd + i)[j] += by_k[j];
      q0q0.row(j)[nd + i] += by_k[j];
    }
    for (int j = 0; j < nk; ++j)
      q0q0.row(nd + i)[nd + j] += (by_k[nd + j] + eq0.row(first + j)[nd + i]) + ee.row(first + i)[first + j];
  }
  for (int i = 0; i < at_.ne; ++i)
    for (int j = 0; j < nk; ++j) eq0.row(i)[nd + j] += ee.row(i)[first + j];
  if (!problem.l_rr) return;
  const double* rates = problem.l_rr + static_cast<std::size_t>(k) * nq + nd;
  for (int i = 0; i < nk; ++i) ee.row(first + i)[first + i] += rates[i] / (problem.dt * problem.dt);
}

void PairSweep::add_to_Q(const double* H) {
  const int nq = at_.shape.nq, ne = at_.ne;
  const double* below = H + static_cast<std::size_t>(nq) * nz_;
  add_block(H, nz_, nq, nq, Q_.q0q0);
  add_block(below, nz_, ne, nq, Q_.eq0);
  add_block(below + nq, nz_, ne, ne, Q_.ee);
}

void PairSweep::set_right_side(const PairProblem& problem, const double* stage, int k) {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int first = at_.ne - nk;
  auto& [s_q, s_r, q0, e, end] = right_;
  set_product(of_.D2_0t, nd, s_r, q0);
  set_product(of_.Dt, nd, s_r, end);
  set_sum(1.0, end, s_q, end);
  set_transposed_product(of_.E, end, nd, e);
  const auto add_row = [](const double* from, int count, double* to) {
    for (int c = 0; c < count; ++c) to[c] += from[c];
  };
  const int columns = problem.columns;
  for (int i = 0; i < nk; ++i) add_row(end.row(nd + i), columns, e.row(first + i));
  for (int i = 0; i < nu; ++i)
    for (int j = 0; j < nd; ++j)
      for (int c = 0; c < columns; ++c) e.row(nd + i)[c] += stage[at_.D2_u + j * nu + i] * s_r.row(j)[c];
  for (int i = 0; i < nk; ++i) add_row(e.row(first + i), columns, q0.row(nd + i));
  const double* b = problem.b + static_cast<std::size_t>(k) * nz_;
  for (int i = 0; i < nq; ++i) q0.row(i)[0] += b[i];
  for (int i = 0; i < at_.ne; ++i) e.row(i)[0] += b[nq + i];
}

// (DB6)
bool PairSweep::eliminate(const PairProblem& problem, const PairGains& gains, int k) {
  const int nq = at_.shape.nq, nd = at_.shape.nd, columns = problem.columns;
  auto& [L, Y_q, Y_r, y] = reduced_;
  for (int i = 0; i < nc_; ++i) {
    const double *ee = Q_.ee.row(nd + i), *eq0 = Q_.eq0.row(nd + i), *e = right_.e.row(nd + i);
    std::copy_n(ee + nd, nc_, L.row(i));
    L.row(i)[i] += problem.shift;
    std::copy_n(eq0, nq, Y_q.row(i));
    std::copy_n(ee, nd, Y_r.row(i));
    std::copy_n(e, columns, y.row(i));
  }
  if (!factor_cholesky(L, nc_)) return false;
  for (ColumnBlock* Y : {&Y_q, &Y_r, &y}) solve_lower(L, nc_, *Y);
  S_.qq = Q_.q0q0;
  for (int i = 0; i < nd; ++i) {
    std::copy_n(Q_.eq0.row(i), nq, S_.rq.row(i));
    std::copy_n(Q_.ee.row(i), nd, S_.rr.row(i));
    std::copy_n(right_.e.row(i), columns, right_.s_r.row(i));
  }
  right_.s_q = right_.q0;
  subtract_transposed_product(Y_q, Y_q, nc_, S_.qq);
  subtract_transposed_product(Y_r, Y_q, nc_, S_.rq);
  subtract_transposed_product(Y_r, Y_r, nc_, S_.rr);
  subtract_transposed_product(Y_q, y, nc_, right_.s_q);
  subtract_transposed_product(Y_r, y, nc_, right_.s_r);
  for (ColumnBlock* Y : {&Y_q, &Y_r, &y}) solve_lower_transposed(L, nc_, *Y);
  double* G = gains.G + static_cast<std::size_t>(k) * nc_ * nx_;
  write_rows(Y_q, nc_, nq, G, nx_);
  write_rows(Y_r, nc_, nd, G + nq, nx_);
  write_rows(y, nc_, columns, gains.w + static_cast<std::size_t>(k) * nc_ * columns, columns);
  return true;
}

int PairSweep::backward(const PairProblem& problem, const PairMemory& stages, const PairGains& gains,
                        const std::function<void(int)>& curve) {
  const int columns = problem.columns, nq = at_.shape.nq, nd = at_.shape.nd;
  set_value(problem.S);
  for (ColumnBlock* block : {&right_.s_q, &right_.q0, &right_.end}) resize_tall(*block, nq, columns);
  resize_tall(right_.s_r, nd, columns);
  resize_tall(right_.e, at_.ne, columns);
  resize_tall(reduced_.y, nc_, columns);
  set_rows(problem.s, nq, columns, right_.s_q);
  set_rows(problem.s + static_cast<std::size_t>(nq) * columns, nd, columns, right_.s_r);
  for (int k = problem.count - 1; k >= 0; --k) {
    if (problem.curved) curve(k);
    set_pairs(problem, stages.first, k);
    if (problem.curved) add_curvature(stages.second + k * at_.second_size);
    add_costs(problem, k);
    set_Q(problem, stages, k);
    set_right_side(problem, stages.first + k * at_.size, k);
    if (!eliminate(problem, gains, k)) return k;
  }
  write_value(gains.P);
  write_rows(right_.s_q, nq, columns, gains.s, columns);
  write_rows(right_.s_r, nd, columns, gains.s + static_cast<std::size_t>(nq) * columns, columns);
  return -1;
}

void PairSweep::forward(const PairProblem& problem, const double* stages, const PairGains& gains, double* x,
                        double* c) const {
  const auto [nq, nd, nu, nk, m] = at_.shape;
  const int columns = problem.columns;
  const std::size_t states = static_cast<std::size_t>(nx_) * columns,
                    controls = static_cast<std::size_t>(nc_) * columns;
  std::vector<double> e(static_cast<std::size_t>(at_.ne) * columns);  // (rho, u, k1)
  for (std::size_t k = 0; k < static_cast<std::size_t>(problem.count); ++k) {
    const double *stage = stages + k * at_.size, *now = x + k * states, *w = gains.w + k * controls;
    double *q1 = x + (k + 1) * states, *rho1 = q1 + nq * columns, *move = c + k * controls;
    std::fill_n(move, controls, 0.0);
    add_product(gains.G + k * nc_ * nx_, nc_, nx_, now, columns, move);
    for (std::size_t i = 0; i < controls; ++i) move[i] = -w[i] - move[i];
    std::copy_n(now + nq * columns, nd * columns, e.begin());
    std::copy_n(move, controls, e.begin() + nd * columns);
    double* k1 = e.data() + (nd + nu) * columns;
    for (int i = 0; i < nk * columns; ++i) k1[i] += now[nd * columns + i];
    std::fill_n(q1, states, 0.0);
    add_product(stage + at_.E, nd, at_.ne, e.data(), columns, q1);
    std::copy_n(k1, nk * columns, q1 + nd * columns);
    add_product(stage + at_.D2_0, nd, nq, now, columns, rho1);
    add_product(stage + at_.D2_1, nd, nq, q1, columns, rho1);
    if (k + 1 < static_cast<std::size_t>(problem.count))
      add_product(stage + at_.size + at_.D1_0, nd, nq, q1, columns, rho1);
    if (nu > 0) add_product(stage + at_.D2_u, nd, nu, move, columns, rho1);
  }
}

void PairSweep::control_diagonal(const PairProblem& problem, const PairMemory& stages, int k, double* diagonal) {
  for (ColumnBlock* A : {&over_.X00, &over_.X01, &over_.X11, &over_.Xu0, &over_.Xu1, &over_.Xuu})
    std::fill_n(A->lanes(), static_cast<std::size_t>(A->rows()) * A->stride(), Lane4{});
  if (problem.curved) add_curvature(stages.second + k * at_.second_size);
  add_costs(problem, k);
  set_Q(problem, stages, k);
  for (int i = 0; i < nc_; ++i) diagonal[i] = Q_.ee.row(at_.shape.nd + i)[at_.shape.nd + i];
}

}  // namespace bough
