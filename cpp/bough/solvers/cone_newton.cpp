#include "bough/solvers/cone_newton.hpp"

namespace bough {
namespace {

constexpr double round_off = 1e-15;  // a residual that cannot fall further
constexpr int most_halvings = 10;
constexpr int most_exact = 12;  // rows up to which every size has its solver

int next_size(int size) { return size < most_exact ? size + 1 : size + std::max(4, size / 4); }

}  // namespace

void ConeNewton::resize(int rows) {
  for (auto* v : {&y_, &F_, &trial_}) v->resize(rows);
  sizes_.clear();
  for (int size = 1; rows > 0; size = std::min(rows, next_size(size))) {
    sizes_.push_back({size, {}, Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size)});
    sizes_.back().solver.fit(size);
    if (size == rows) break;
  }
}

ConeNewton::Fitted& ConeNewton::fitted(int rows) {
  return *std::find_if(sizes_.begin(), sizes_.end(), [&](const Fitted& one) { return one.size >= rows; });
}

void ConeNewton::set_matrix(const ScaledCones& p, const double* r, const double* y, Eigen::MatrixXd& W) const {
  const auto G = [&](int i, int j) { return p.G[static_cast<std::size_t>(i) * p.rows + j]; };
  W.setZero();
  for (int i = p.rows; i < W.rows(); ++i) W(i, i) = 1.0;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    const int n = c.first;
    const ConeStatus status = status_of(c, r, y);
    if (status == ConeStatus::open) {
      for (int k = 0; k < c.rows; ++k) W(n + k, n + k) = 1.0;
      continue;
    }
    const int equal = status == ConeStatus::stick ? c.rows : 1;
    for (int k = 0; k < equal; ++k)
      for (int j = 0; j < p.rows; ++j) W(n + k, j) = G(n + k, j);
    if (status == ConeStatus::stick) continue;
    const Tangent t = tangent_of(c, r, y);
    const double u[2] = {t.z[0] / t.length, t.z[1] / t.length}, ratio = t.radius / t.length;
    for (int k = 1; k < c.rows; ++k) {
      const double normal = c.friction * u[k - 1];
      W(n + k, n + k) += 1.0;
      W(n + k, n) -= normal;
      for (int j = 0; j < p.rows; ++j) W(n + k, j) += normal * G(n, j);
      for (int l = 1; l < c.rows; ++l) {
        const double turn = ratio * ((k == l ? 1.0 : 0.0) - u[k - 1] * u[l - 1]);
        W(n + k, n + l) -= turn;
        for (int j = 0; j < p.rows; ++j) W(n + k, j) += turn * G(n + l, j);
      }
    }
  }
}

double ConeNewton::solve(const ScaledCones& p, double* r, int most_iterations) {
  iterations_ = 0;
  stagnated_ = false;
  p.y_of(r, y_.data());
  double residual = cone_residual(p, r, y_.data(), F_.data()) / p.scale;
  if (p.rows == 0 || !(residual < HUGE_VAL)) return residual;
  Fitted& f = fitted(p.rows);
  while (iterations_ < most_iterations && residual > round_off) {
    set_matrix(p, r, y_.data(), f.W);
    f.solver.factor(f.W);
    f.x.setZero();
    for (int i = 0; i < p.rows; ++i) f.x[i] = -F_[i];
    f.solver.solve(f.x);
    ++iterations_;
    double length = 1.0, found = HUGE_VAL;
    for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
      for (int i = 0; i < p.rows; ++i) trial_[i] = r[i] + length * f.x[i];
      p.y_of(trial_.data(), y_.data());
      found = cone_residual(p, trial_.data(), y_.data(), F_.data()) / p.scale;
      if (found < residual) break;
    }
    stagnated_ = !(found < residual);
    if (stagnated_) break;
    residual = found;
    std::copy_n(trial_.data(), p.rows, r);
  }
  return residual;
}

void ConeNewton::take_least(const ScaledCones& p, const double* D, double* r, double tolerance) {
  if (p.rows == 0) return;
  Fitted& f = fitted(p.rows);
  p.y_of(r, y_.data());
  cone_residual(p, r, y_.data(), F_.data());
  set_matrix(p, r, y_.data(), f.W);
  for (int i = 0; i < p.rows; ++i) {
    f.x[i] = -F_[i];
    for (int j = 0; j < p.rows; ++j) f.x[i] += f.W(i, j) * r[j];
    f.x[i] /= D[i];
  }
  double largest = 0.0;
  for (int i = 0; i < p.rows; ++i) {
    for (int j = 0; j < p.rows; ++j) f.W(i, j) /= D[i] * D[j];
    largest = std::max(largest, std::abs(f.W(i, i)));
  }
  for (int i = p.rows; i < f.size; ++i) {
    f.W(i, i) = largest;
    f.x[i] = 0.0;
  }
  f.solver.factor(f.W);
  if (f.solver.full()) return;
  f.solver.solve(f.x);
  for (int i = 0; i < p.rows; ++i) trial_[i] = f.x[i] / D[i];
  p.y_of(trial_.data(), y_.data());
  if (cone_residual(p, trial_.data(), y_.data(), F_.data()) / p.scale <= tolerance)
    std::copy_n(trial_.data(), p.rows, r);
}

}  // namespace bough
