#include "bough/solvers/rank_revealing.hpp"

#include <cmath>
#include <numeric>

namespace bough {
namespace {

constexpr double well_conditioned = 1e-8;  // smallest pivot, relative, for the plain LU
constexpr double round_off = 1e-13;        // what counts as zero

}  // namespace

void RankRevealing::fit(int m, int most_flat) {
  for (auto* v : {&scale_, &rhs_, &tau_, &norms_}) v->resize(m);
  for (auto* a : {&scaled_, &R_, &N_, &G_}) a->resize(m, m);
  order_.resize(m);
  flat_ = m <= most_flat;
  if (flat_) {
    small_.resize(m);
  } else {
    lu_.resize(m);
    four_.resize(m, 4);
  }
}

void RankRevealing::factor(const Eigen::MatrixXd& S) {
  const int m = static_cast<int>(scale_.size());
  double largest = 0.0;
  for (int i = 0; i < m; ++i) largest = std::max(largest, std::abs(S(i, i)));
  for (int i = 0; i < m; ++i) {
    const double d = std::abs(S(i, i));
    scale_[i] = d > 1e-14 * largest ? 1.0 / std::sqrt(d) : (largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0);
  }
  const auto set_scaled = [&](auto& to) {
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) to(i, j) = scale_[i] * S(i, j) * scale_[j];
  };
  if (flat_) {
    set_scaled(small_);
    full_ = small_.factor(well_conditioned);
    if (!full_) set_scaled(scaled_);
  } else {
    set_scaled(scaled_);
    lu_.factor(scaled_);
    const DenseLu::Pivots pivots = lu_.pivots();
    full_ = pivots.least > well_conditioned * pivots.largest;
  }
  rank_ = m;
  if (!full_) factor_singular();
}

// (R1)
void RankRevealing::factor_singular() {
  const int m = static_cast<int>(scale_.size());
  R_ = scaled_;
  std::iota(order_.begin(), order_.end(), 0);
  rank_ = 0;
  double first = 0.0;
  for (int k = 0; k < m; ++k) {
    int pivot = k;
    for (int j = k; j < m; ++j) {
      norms_[j] = R_.col(j).tail(m - k).norm();
      if (norms_[j] > norms_[pivot]) pivot = j;
    }
    if (k == 0) first = norms_[pivot];
    if (!(norms_[pivot] > round_off * first)) break;
    R_.col(k).swap(R_.col(pivot));
    std::swap(order_[k], order_[pivot]);
    std::swap(norms_[k], norms_[pivot]);
    // Householder vector (1, v) with H = 1 - tau (1, v)(1, v)^T
    const double alpha = R_(k, k), beta = alpha > 0.0 ? -norms_[k] : norms_[k];
    tau_[k] = (beta - alpha) / beta;
    R_.col(k).tail(m - k - 1) /= alpha - beta;
    R_(k, k) = beta;
    for (int j = k + 1; j < m; ++j) {
      const double s = tau_[k] * (R_(k, j) + R_.col(k).tail(m - k - 1).dot(R_.col(j).tail(m - k - 1)));
      R_(k, j) -= s;
      R_.col(j).tail(m - k - 1) -= s * R_.col(k).tail(m - k - 1);
    }
    ++rank_;
  }
  set_null_space();
}

bool RankRevealing::truncate(double part) {
  if (full_) return false;
  const int before = rank_;
  while (rank_ > 0 && std::abs(R_(rank_ - 1, rank_ - 1)) <= part * std::abs(R_(0, 0))) --rank_;
  if (rank_ < before) set_null_space();
  return rank_ < before;
}

// N of (R2).
void RankRevealing::set_null_space() {
  const int m = static_cast<int>(scale_.size());
  for (int c = 0; c < m - rank_; ++c) {
    for (int i = 0; i < m; ++i) N_(i, c) = 0.0;
    for (int i = rank_ - 1; i >= 0; --i) {
      double sum = -R_(i, rank_ + c);
      for (int j = i + 1; j < rank_; ++j) sum -= R_(i, j) * N_(order_[j], c);
      N_(order_[i], c) = sum / R_(i, i);
    }
    N_(order_[rank_ + c], c) = 1.0;
  }
  for (int c = 0; c < m - rank_; ++c)
    for (int i = 0; i < m; ++i) N_(i, c) *= scale_[i];
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
    const double s = tau_[i] * (rhs_[i] + R_.col(i).tail(m - i - 1).dot(rhs_.tail(m - i - 1)));
    rhs_[i] -= s;
    rhs_.tail(m - i - 1) -= s * R_.col(i).tail(m - i - 1);
  }
  x.setZero();
  for (int i = rank_ - 1; i >= 0; --i) {  // (R2)
    double sum = rhs_[i];
    for (int j = i + 1; j < rank_; ++j) sum -= R_(i, j) * x[order_[j]];
    x[order_[i]] = sum / R_(i, i);
  }
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
    for (int j = 0; j < i; ++j) sum -= R_(j, i) * x[j];
    x[i] = sum / R_(i, i);
  }
  for (int i = rank_ - 1; i >= 0; --i) {  // Q
    const double s = tau_[i] * (x[i] + R_.col(i).tail(m - i - 1).dot(x.tail(m - i - 1)));
    x[i] -= s;
    x.tail(m - i - 1) -= s * R_.col(i).tail(m - i - 1);
  }
  x = scale_.cwiseProduct(x);
}

// (R3) by modified Gram-Schmidt: takes from x what lies along N.
void RankRevealing::project(Eigen::VectorXd& x) {
  for (int c = 0; c < static_cast<int>(scale_.size()) - rank_; ++c) {
    G_.col(c) = N_.col(c);
    for (int d = 0; d < c; ++d) G_.col(c) -= G_.col(d).dot(G_.col(c)) * G_.col(d);
    G_.col(c) /= G_.col(c).norm();
    x -= G_.col(c).dot(x) * G_.col(c);
  }
}

}  // namespace bough
