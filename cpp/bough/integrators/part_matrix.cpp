#include "bough/integrators/part_matrix.hpp"

#include <algorithm>

namespace bough {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMajor>;

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
      lu_(of, rows_),
      tree_{StepMatrix(model, rule.along_tree()),
            model.balls.empty() && nd_ > most_variables && lu_.work() > tree_work * nd_,
            model.balls.empty(),
            model.balls.empty() && rule.along_tree() && !model.shared,
            {},
            {}} {
  one_.resize(nd_);
  s_.resize(m_);
  if (m_ == 0) return;
  schur_.S.resize(m_, m_);
  schur_.solver.fit(m_);
}

bool PartMatrix::factor(const double* K, const Jacobians& D) {
  D_ = D;
  way_ = Way::pattern;
  if (tree_.preferred || !lu_.factor(K, nq_, D_.Dh0, D_.Dh1))
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
  pivoted_.K = ConstRows(K, nq_, nq_).topLeftCorner(nd_, nd_);
  pivoted_.lu.factor(pivoted_.K);
  if (nd_ == 0) return true;
  const DenseLu::Pivots found = pivoted_.lu.pivots();
  return found.least > singular * found.largest;
}

// S, and Z if there are pivots.
void PartMatrix::complement() {
  if (m_ == 0) return;
  const ConstRows Dh0(D_.Dh0, m_, nq_), Dh1(D_.Dh1, m_, nq_);
  if (way_ == Way::pattern) {
    for (int c = 0; c < m_; ++c)
      for (int r = 0; r < m_; ++r) schur_.S(r, c) = lu_.complement(r, c);
  } else {
    pivoted_.Z = Dh0.leftCols(nd_).transpose();
    pivoted_.lu.solve_in_place(pivoted_.Z);
    schur_.S.noalias() = Dh1.leftCols(nd_) * pivoted_.Z;
  }
  schur_.solver.factor(schur_.S);
}

// Of the rows of X that follow those of variables.
void PartMatrix::solve_S(ColumnBlock& X) {
  if (schur_.solver.full()) {
    Lane4* Y = X.lanes() + static_cast<std::size_t>(nd_) * X.stride();
    for (int at = 0; at < X.stride(); ++at) schur_.solver.solve(Y + at, X.stride());
    return;
  }
  for (int c = 0; c < 4 * X.stride(); ++c) {
    for (int r = 0; r < m_; ++r) s_[r] = X.row(nd_ + r)[c];
    schur_.solver.solve(s_);
    for (int r = 0; r < m_; ++r) X.row(nd_ + r)[c] = s_[r];
  }
}

void PartMatrix::solve(ColumnBlock& X) {
  if (way_ == Way::tree) return solve_along_tree(X);
  if (way_ == Way::pivots) return solve_with_pivots(X);
  lu_.forward(X);
  if (m_ > 0) solve_S(X);
  lu_.backward(X);
}

// (PT1)
void PartMatrix::solve_with_pivots(ColumnBlock& X) {
  Eigen::Map<RowMajor> x(X.row(0), nd_, 4 * X.stride()), y(X.row(nd_), m_, 4 * X.stride());
  pivoted_.x = x;
  pivoted_.lu.solve_in_place(pivoted_.x);
  x = pivoted_.x;
  if (m_ == 0) return;
  y.noalias() -= ConstRows(D_.Dh1, m_, nq_).leftCols(nd_) * x;
  solve_S(X);
  x.noalias() += pivoted_.Z * y;
}

void PartMatrix::solve_along_tree(ColumnBlock& X) {
  Eigen::Map<RowMajor> x(X.row(0), nd_, 4 * X.stride()), y(X.row(nd_), m_, 4 * X.stride());
  tree_.x = x;
  tree_.y = y;
  tree_.matrix.solve(D_, tree_.x.data(), tree_.y.data(), 4 * X.stride());
  x = tree_.x;
  y = tree_.y;
}

void PartMatrix::solve(double* x, double* y) {
  if (way_ == Way::tree) return tree_.matrix.solve(D_, x, y, 1);
  Map X(x, nd_), Y(y, m_);
  if (way_ == Way::pattern) {
    lu_.forward(x, y);
  } else {
    one_ = X;
    pivoted_.lu.solve(one_, x);
    if (m_ > 0) Y.noalias() -= ConstRows(D_.Dh1, m_, nq_).leftCols(nd_) * X;
  }
  if (m_ > 0) {
    s_ = Y;
    schur_.solver.solve(s_);
    Y = s_;
  }
  if (way_ == Way::pattern)
    lu_.backward(x, y);
  else if (m_ > 0)
    X.noalias() += pivoted_.Z * Y;
}

// (PT2)
void PartMatrix::solve_transposed(double* x, double* y) {
  if (way_ == Way::tree) return tree_.matrix.solve_transposed(D_, x, y, 1);
  Map X(x, nd_), Y(y, m_);
  if (way_ == Way::pattern)
    lu_.forward_transposed(x, y);
  else if (m_ > 0)
    Y.noalias() += pivoted_.Z.transpose() * X;
  if (m_ > 0) {
    s_ = Y;
    schur_.solver.solve_transposed(s_);
    Y = s_;
  }
  if (way_ == Way::pattern) return lu_.backward_transposed(x, y);
  if (m_ > 0) X.noalias() -= ConstRows(D_.Dh1, m_, nq_).leftCols(nd_).transpose() * Y;
  one_ = X;
  pivoted_.lu.solve_transposed(one_, x);
}

}  // namespace bough
