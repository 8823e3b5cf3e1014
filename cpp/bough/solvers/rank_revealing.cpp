#include "bough/solvers/rank_revealing.hpp"

#include <cmath>

#include "bough/spatial/fours.hpp"

namespace bough {
namespace {

constexpr double well_conditioned = 1e-8;  // smallest pivot, relative, for the plain LU
constexpr double round_off = 1e-13;        // what counts as zero

}  // namespace

void RankRevealing::fit(int m, int most_flat) {
  width_ = (m + 3) / 4 * 4;
  for (auto* v : {&scale_, &rhs_, &tau_}) v->resize(m);
  for (auto* a : {&scaled_, &V_, &N_, &G_}) a->resize(m, m);
  rows_.assign(static_cast<std::size_t>(m) * width_, 0.0);
  for (auto* x : {&squares_, &left_}) x->assign(width_, 0.0);
  order_.resize(m);
  flat_ = m <= most_flat;
  if (flat_) {
    small_.resize(m);
  } else {
    lu_.resize(m);
    four_.resize(m, 4);
  }
}

template <class To>
void RankRevealing::set_scaled(const Eigen::MatrixXd& S, To& to) const {
  const int m = static_cast<int>(scale_.size());
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) to(i, j) = scale_[i] * S(i, j) * scale_[j];
}

void RankRevealing::factor(const Eigen::MatrixXd& S, bool taken_singular) {
  const int m = static_cast<int>(scale_.size());
  double largest = 0.0;
  for (int i = 0; i < m; ++i) largest = std::max(largest, std::abs(S(i, i)));
  for (int i = 0; i < m; ++i) {
    const double d = std::abs(S(i, i));
    scale_[i] = d > 1e-14 * largest ? 1.0 / std::sqrt(d) : (largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0);
  }
  rank_ = m;
  full_ = false;
  if (taken_singular) factor_singular(S);
  if (rank_ < m) return;
  factor_regular(S);
  if (!full_ && !taken_singular) factor_singular(S);
}

void RankRevealing::factor_regular(const Eigen::MatrixXd& S) {
  if (flat_) {
    set_scaled(S, small_);
    full_ = small_.factor(well_conditioned);
    return;
  }
  set_scaled(S, scaled_);
  lu_.factor(scaled_);
  const DenseLu::Pivots pivots = lu_.pivots();
  full_ = pivots.least > well_conditioned * pivots.largest;
}

// (R1), by rows: four columns at a time lose what lies along a Householder vector, and their squares are summed on the way. Columns
// stay where they are: numbers that are moved one by one are not there at once as four.
void RankRevealing::factor_singular(const Eigen::MatrixXd& S) {
  const int m = static_cast<int>(scale_.size());
  std::fill(squares_.begin(), squares_.end(), 0.0);
  std::fill(left_.begin(), left_.end(), 1.0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const double x = R(i, j) = scale_[i] * S(i, j) * scale_[j];
      squares_[j] += x * x;
    }
  rank_ = 0;
  double first = 0.0;
  for (int k = 0; k < m; ++k) {
    int pivot = 0;
    double most = squares_[0];
    for (int j = 1; j < m; ++j) {
      const double x = squares_[j];
      pivot = x > most ? j : pivot;
      most = x > most ? x : most;
    }
    const double norm = std::sqrt(most);
    if (k == 0) first = norm;
    if (!(norm > round_off * first)) break;
    order_[k] = pivot;
    left_[pivot] = 0.0;
    // Householder vector (1, v) with H = 1 - tau (1, v)(1, v)^T
    const double alpha = R(k, pivot), beta = alpha > 0.0 ? -norm : norm;
    tau_[k] = (beta - alpha) / beta;
    for (int i = k + 1; i < m; ++i) V_(i, k) = R(i, pivot) / (alpha - beta);
    int column = 0;
    for (; column + 12 <= width_; column += 12) reflect<3>(k, column);
    if (column + 8 <= width_)
      reflect<2>(k, column);
    else if (column + 4 <= width_)
      reflect<1>(k, column);
    R(k, pivot) = beta;
    ++rank_;
  }
  for (int j = 0, k = rank_; j < m && k < m; ++j)
    if (left_[j] > 0.0) order_[k++] = j;
  set_null_space();
}

// H of step k on columns from `first` on that are left.
template <int registers>
void RankRevealing::reflect(int k, int first) {
  const int m = static_cast<int>(scale_.size()), width = width_;
  const double* v = V_.data() + static_cast<std::size_t>(k) * m;
  double* const top = rows_.data() + static_cast<std::size_t>(k) * width + first;
  Four s[registers], squares[registers] = {};
  for (int c = 0; c < registers; ++c) s[c] = AtFour{4 * c}(top);
  const double* below = top;
  for (int i = k + 1; i < m; ++i) {
    below += width;
    for (int c = 0; c < registers; ++c) s[c] += v[i] * AtFour{4 * c}(below);
  }
  for (int c = 0; c < registers; ++c) {
    s[c] *= tau_[k] * AtFour{first + 4 * c}(left_.data());
    AtFour{4 * c}(top) -= s[c];
  }
  double* row = top;
  for (int i = k + 1; i < m; ++i) {
    row += width;
    for (int c = 0; c < registers; ++c) {
      const Four x = AtFour{4 * c}(row) -= v[i] * s[c];
      squares[c] += x * x;
    }
  }
  for (int c = 0; c < registers; ++c)
    AtFour{first + 4 * c}(squares_.data()) = squares[c] * AtFour{first + 4 * c}(left_.data());
}

bool RankRevealing::truncate(double part) {
  if (full_) return false;
  const int before = rank_;
  while (rank_ > 0 && std::abs(U(rank_ - 1, rank_ - 1)) <= part * std::abs(U(0, 0))) --rank_;
  if (rank_ < before) set_null_space();
  return rank_ < before;
}

// R11^-1 in rhs_, by columns: what each of them takes off waits for nothing.
void RankRevealing::solve_upper() {
  for (int i = rank_ - 1; i >= 0; --i) {
    const double* column = rows_.data() + order_[i];
    const double x = rhs_[i] /= column[i * width_];
    for (int j = 0; j < i; ++j) rhs_[j] -= column[j * width_] * x;
  }
}

// N of (R2), and the same made orthonormal by modified Gram-Schmidt.
void RankRevealing::set_null_space() {
  const int m = static_cast<int>(scale_.size());
  for (int c = 0; c < m - rank_; ++c) {
    for (int i = 0; i < rank_; ++i) rhs_[i] = -U(i, rank_ + c);
    solve_upper();
    N_.col(c).setZero();
    for (int i = 0; i < rank_; ++i) N_(order_[i], c) = scale_[order_[i]] * rhs_[i];
    N_(order_[rank_ + c], c) = scale_[order_[rank_ + c]];
  }
  for (int c = 0; c < m - rank_; ++c) {
    G_.col(c) = N_.col(c);
    for (int d = 0; d < c; ++d) G_.col(c) -= G_.col(d).dot(G_.col(c)) * G_.col(d);
    G_.col(c) /= G_.col(c).norm();
  }
}

void RankRevealing::solve(Eigen::VectorXd& x) {
  const int m = static_cast<int>(scale_.size());
  if (full_ && flat_) {
    for (int i = 0; i < m; ++i) x[i] *= scale_[i];
    small_.solve(x.data());
    for (int i = 0; i < m; ++i) x[i] *= scale_[i];
    return;
  }
  rhs_ = scale_.cwiseProduct(x);
  if (full_) {
    lu_.solve(rhs_, x.data());
    x = scale_.cwiseProduct(x);
    return;
  }
  for (int i = 0; i < rank_; ++i) {  // Q^T
    const double s = tau_[i] * (rhs_[i] + V_.col(i).tail(m - i - 1).dot(rhs_.tail(m - i - 1)));
    rhs_[i] -= s;
    rhs_.tail(m - i - 1) -= s * V_.col(i).tail(m - i - 1);
  }
  solve_upper();
  x.setZero();
  for (int i = 0; i < rank_; ++i) x[order_[i]] = rhs_[i];  // (R2)
  x = scale_.cwiseProduct(x);
  project(x);
}

void RankRevealing::solve(Lane4* x, int stride) {
  const int m = static_cast<int>(scale_.size());
  for (int i = 0; i < m; ++i) x[i * stride] = scale_[i] * x[i * stride];
  if (flat_) {
    small_.solve(x, stride);
  } else {
    for (int i = 0; i < m; ++i)
      for (int lane = 0; lane < 4; ++lane) four_(i, lane) = x[i * stride][lane];
    for (int lane = 0; lane < 4; ++lane) {
      rhs_ = four_.col(lane);
      lu_.solve(rhs_, four_.col(lane).data());
    }
    for (int i = 0; i < m; ++i) x[i * stride] = Lane4{four_(i, 0), four_(i, 1), four_(i, 2), four_(i, 3)};
  }
  for (int i = 0; i < m; ++i) x[i * stride] = scale_[i] * x[i * stride];
}

void RankRevealing::solve_transposed(Eigen::VectorXd& x) {
  const int m = static_cast<int>(scale_.size());
  if (!full_) project(x);
  rhs_ = scale_.cwiseProduct(x);
  if (full_ && flat_) {
    small_.solve_transposed(rhs_.data());
    x = scale_.cwiseProduct(rhs_);
    return;
  }
  if (full_) {
    lu_.solve_transposed(rhs_, x.data());
    x = scale_.cwiseProduct(x);
    return;
  }
  x.setZero();
  for (int i = 0; i < rank_; ++i) {  // R11^-T
    double sum = rhs_[order_[i]];
    for (int j = 0; j < i; ++j) sum -= U(j, i) * x[j];
    x[i] = sum / U(i, i);
  }
  for (int i = rank_ - 1; i >= 0; --i) {  // Q
    const double s = tau_[i] * (x[i] + V_.col(i).tail(m - i - 1).dot(x.tail(m - i - 1)));
    x[i] -= s;
    x.tail(m - i - 1) -= s * V_.col(i).tail(m - i - 1);
  }
  x = scale_.cwiseProduct(x);
}

// (R3): takes from x what lies along N.
void RankRevealing::project(Eigen::VectorXd& x) {
  for (int c = 0; c < static_cast<int>(scale_.size()) - rank_; ++c) x -= G_.col(c).dot(x) * G_.col(c);
}

}  // namespace bough
