#include "bough/integrators/part_matrix.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr int most_variables = 64;  // up to which the tree is not tried
constexpr double tree_work = 64.0;  // of a solve along the tree, per variable
constexpr double singular = 1e-14;  // smallest pivot, relative

Pattern dynamic_variables(const ConstraintRows& rows, int nd) {
  auto found = rows.variables;
  for (auto& row : found) std::erase_if(row, [nd](int i) { return i >= nd; });
  return Pattern::of(found);
}

}  // namespace

PartMatrix::PartMatrix(const Model& model, DiscreteLagrangian& rule, const ConstraintRows& rows)
    : PartMatrix(model, rule, rows, VariablePattern(model, model.n_dynamic, false)) {}

PartMatrix::PartMatrix(const Model& model, DiscreteLagrangian& rule, const ConstraintRows& rows,
                       const VariablePattern& of)
    : rule_(rule),
      nq_(model.n_variables),
      nd_(model.n_dynamic),
      m_(model.elements.n_constraints),
      pattern_(of.pattern),
      rows_(dynamic_variables(rows, nd_)),
      all_rows_(Pattern::full(nd_, m_)),
      lu_(of),
      tree_{StepMatrix(model, rule.along_tree()),
            model.balls.empty() && nd_ > most_variables && lu_.work() > tree_work * nd_,
            model.balls.empty(),
            model.balls.empty() && rule.along_tree() && !model.shared,
            {},
            {}} {
  one_.resize(nd_);
  s_.resize(m_);
  if (m_ == 0) return;
  schur_.Z.resize(nd_, m_);
  schur_.rows.resize(static_cast<std::size_t>(nd_) * m_);
  schur_.S.resize(m_, m_);
  schur_.solver.fit(m_);
}

bool PartMatrix::factor(const double* K, const Jacobians& D) {
  D_ = D;
  way_ = Way::pattern;
  if (tree_.preferred || !lu_.factor(K, nq_))
    way_ = !tree_.preferred && factor_with_pivots(K) ? Way::pivots : Way::tree;
  if (way_ != Way::tree) {
    complement();
    return true;
  }
  if (!tree_.possible) return false;
  one_.setZero();
  s_.setZero();
  return tree_.matrix.factor(rule_, D_, one_.data(), s_.data());
}

bool PartMatrix::correct(double* x) {
  return tree_.along && tree_.matrix.factor(rule_, {0, nq_, nd_, nullptr, nullptr}, x, nullptr);
}

bool PartMatrix::factor_with_pivots(const double* K) {
  pivoted_.K = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(K, nq_, nq_).topLeftCorner(nd_, nd_);
  pivoted_.lu.factor(pivoted_.K);
  if (nd_ == 0) return true;
  const DenseLu::Pivots found = pivoted_.lu.pivots();
  return found.least > singular * found.largest;
}

// Z and S.
void PartMatrix::complement() {
  if (m_ == 0) return;
  for (int i = 0; i < nd_; ++i)
    for (int r = 0; r < m_; ++r) schur_.Z.row(i)[r] = D_.Dh0[static_cast<std::size_t>(r) * nq_ + i];
  solve_K(schur_.Z);
  for (int i = 0; i < nd_; ++i)
    std::copy_n(schur_.Z.row(i), m_, schur_.rows.begin() + static_cast<std::size_t>(i) * m_);
  for (int r = 0; r < m_; ++r) {
    const double* row = D_.Dh1 + static_cast<std::size_t>(r) * nq_;
    for (int c = 0; c < m_; ++c) {
      double sum = 0.0;
      for (int e = rows_.start[r]; e < rows_.start[r + 1]; ++e)
        sum += row[rows_.column[e]] * schur_.Z.row(rows_.column[e])[c];
      schur_.S(r, c) = sum;
    }
  }
  schur_.solver.factor(schur_.S);
}

void PartMatrix::solve_K(ColumnBlock& X) {
  if (way_ == Way::pattern) return lu_.solve(X);
  const int columns = 4 * X.stride();
  pivoted_.columns.resize(nd_, columns);
  for (int i = 0; i < nd_; ++i)
    for (int c = 0; c < columns; ++c) pivoted_.columns(i, c) = X.row(i)[c];
  pivoted_.lu.solve_in_place(pivoted_.columns);
  for (int i = 0; i < nd_; ++i)
    for (int c = 0; c < columns; ++c) X.row(i)[c] = pivoted_.columns(i, c);
}

void PartMatrix::solve_S(ColumnBlock& Y) {
  if (schur_.solver.full()) {
    for (int at = 0; at < Y.stride(); ++at) schur_.solver.solve(Y.lanes() + at, Y.stride());
    return;
  }
  for (int c = 0; c < 4 * Y.stride(); ++c) {
    for (int r = 0; r < m_; ++r) s_[r] = Y.row(r)[c];
    schur_.solver.solve(s_);
    for (int r = 0; r < m_; ++r) Y.row(r)[c] = s_[r];
  }
}

// (PT1)
void PartMatrix::solve(ColumnBlock& X, ColumnBlock& Y) {
  if (way_ == Way::tree) {
    const int columns = 4 * X.stride();
    tree_.x.resize(nd_, columns);
    tree_.y.resize(m_, columns);
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < nd_; ++i) tree_.x(i, c) = X.row(i)[c];
      for (int r = 0; r < m_; ++r) tree_.y(r, c) = Y.row(r)[c];
    }
    tree_.matrix.solve(D_, tree_.x.data(), tree_.y.data(), columns);
    for (int i = 0; i < nd_; ++i)
      for (int c = 0; c < columns; ++c) X.row(i)[c] = tree_.x(i, c);
    for (int r = 0; r < m_; ++r)
      for (int c = 0; c < columns; ++c) Y.row(r)[c] = tree_.y(r, c);
    return;
  }
  solve_K(X);
  if (m_ == 0) return;
  add_product(rows_, D_.Dh1, nq_, -1.0, X, Y.row(0), 4 * Y.stride(), 4 * Y.stride());
  solve_S(Y);
  add_product(all_rows_, schur_.rows.data(), m_, 1.0, Y, X.row(0), 4 * X.stride(), 4 * X.stride());
}

void PartMatrix::solve(double* x, double* y) {
  if (way_ == Way::tree) return tree_.matrix.solve(D_, x, y, 1);
  if (way_ == Way::pattern) {
    lu_.solve(x);
  } else {
    one_ = Eigen::Map<Eigen::VectorXd>(x, nd_);
    pivoted_.lu.solve(one_, x);
  }
  for (int r = 0; r < m_; ++r) {
    const double* row = D_.Dh1 + static_cast<std::size_t>(r) * nq_;
    s_[r] = y[r];
    for (int e = rows_.start[r]; e < rows_.start[r + 1]; ++e) s_[r] -= row[rows_.column[e]] * x[rows_.column[e]];
  }
  if (m_ == 0) return;
  schur_.solver.solve(s_);
  std::copy_n(s_.data(), m_, y);
  for (int i = 0; i < nd_; ++i)
    for (int r = 0; r < m_; ++r) x[i] += schur_.rows[static_cast<std::size_t>(i) * m_ + r] * y[r];
}

// (PT2)
void PartMatrix::solve_transposed(double* x, double* y) {
  if (way_ == Way::tree) return tree_.matrix.solve_transposed(D_, x, y, 1);
  if (m_ > 0) {
    for (int r = 0; r < m_; ++r) s_[r] = y[r];
    for (int i = 0; i < nd_; ++i)
      for (int r = 0; r < m_; ++r) s_[r] += schur_.rows[static_cast<std::size_t>(i) * m_ + r] * x[i];
    schur_.solver.solve_transposed(s_);
    for (int r = 0; r < m_; ++r) {
      const double* row = D_.Dh1 + static_cast<std::size_t>(r) * nq_;
      y[r] = s_[r];
      for (int e = rows_.start[r]; e < rows_.start[r + 1]; ++e) x[rows_.column[e]] -= row[rows_.column[e]] * s_[r];
    }
  }
  if (way_ == Way::pattern) return lu_.solve_transposed(x);
  one_ = Eigen::Map<Eigen::VectorXd>(x, nd_);
  pivoted_.lu.solve_transposed(one_, x);
}

}  // namespace bough
