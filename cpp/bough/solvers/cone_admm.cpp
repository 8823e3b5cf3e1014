#include "bough/solvers/cone_admm.hpp"

#include <numeric>

namespace bough {
namespace {

constexpr double proximal = 1e-6;                    // η, beside G_s of size one
constexpr double first_ratio = 0.03162277660168379;  // ρ / λ_max, 10^-1.5
constexpr int power_iterations = 12;
constexpr int between_changes = 25;  // iterations with one ρ
constexpr double change = 3.0;
constexpr double balance = 10.0;  // ratio of the two residuals that is left alone

double length(const double* x, int n) { return std::sqrt(std::inner_product(x, x + n, x, 0.0)); }

}  // namespace

void ConeAdmm::resize(int rows) {
  for (auto* v : {&x_, &z_, &w_, &before_, &y_, &F_}) v->resize(rows);
}

bool ConeAdmm::factor(int rows) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) matrix_(i, j) = G_[static_cast<std::size_t>(i) * rows + j];
  for (int i = 0; i < rows; ++i) matrix_(i, i) += rho_ + proximal;
  return matrix_.factor(0.0);
}

void ConeAdmm::start(const ScaledCones& p) {
  const int m = p.rows;
  grow(G_, static_cast<std::size_t>(m) * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const std::size_t ij = static_cast<std::size_t>(i) * m + j, ji = static_cast<std::size_t>(j) * m + i;
      G_[ij] = 0.5 * (p.G[ij] + p.G[ji]);
    }
  double largest = 1.0;
  for (int i = 0; i < m; ++i) x_[i] = 1.0 + 0.1 * (i % 7);  // along no eigenvector in particular
  for (int k = 0; k < power_iterations; ++k) {
    const double size = length(x_.data(), m);
    for (int i = 0; i < m; ++i) before_[i] = x_[i] / size;
    for (int i = 0; i < m; ++i)
      x_[i] = std::inner_product(before_.data(), before_.data() + m, G_.data() + static_cast<std::size_t>(i) * m, 0.0);
    largest = length(x_.data(), m);
    if (!(largest > 0.0)) break;
  }
  rho_ = first_ratio * std::max(largest, 1e-3);
  matrix_.resize(m);
  for (auto* v : {&x_, &z_, &w_, &before_}) std::fill_n(v->data(), m, 0.0);
  iterations_ = 0;
}

double ConeAdmm::residual(const ScaledCones& p) {
  const ScaledCones symmetric{p.rows, p.n_contacts, p.contacts, G_.data(), p.b, p.D, p.scale};
  symmetric.y_of(z_.data(), y_.data());
  return cone_residual(symmetric, z_.data(), y_.data(), F_.data()) / p.scale;
}

// (CO6)
void ConeAdmm::iterate(const ScaledCones& p) {
  const int m = p.rows;
  for (int i = 0; i < m; ++i) x_[i] = -p.b[i] + rho_ * z_[i] + proximal * x_[i] + w_[i];
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    const double* w = w_.data() + c.first;
    if (c.rows > 1) x_[c.first] -= c.friction * (c.rows > 2 ? std::hypot(w[1], w[2]) : std::abs(w[1]));
  }
  matrix_.solve(x_.data());
  std::copy_n(z_.data(), m, before_.data());
  for (int i = 0; i < m; ++i) z_[i] = x_[i] - w_[i] / rho_;
  for (int i = 0; i < p.n_contacts; ++i) project_on_cone(p.contacts[i], z_.data());
  for (int i = 0; i < m; ++i) w_[i] -= rho_ * (x_[i] - z_[i]);
}

bool ConeAdmm::reach(const ScaledCones& p, double wanted, int most_iterations) {
  if (!factor(p.rows)) return false;
  while (iterations_ < most_iterations) {
    iterate(p);
    ++iterations_;
    if (residual(p) <= wanted) return true;
    if (iterations_ % between_changes != 0) continue;
    double primal = 0.0, dual = 0.0;
    for (int i = 0; i < p.rows; ++i) {
      primal = std::max(primal, std::abs(x_[i] - z_[i]));
      dual = std::max(dual, rho_ * std::abs(z_[i] - before_[i]));
    }
    if (primal > balance * dual) {
      rho_ *= change;
    } else if (dual > balance * primal) {
      rho_ /= change;
    } else {
      continue;
    }
    if (!factor(p.rows)) return false;
  }
  return false;
}

}  // namespace bough
