#include "bough/integrators/impact_law.hpp"

namespace bough {
namespace {

constexpr double round_off = 1e-12;       // of the largest velocity: what rests
constexpr double gain_round_off = 1e-15;  // of the terms of ΔT
constexpr int most_passes = 10;           // for each contact

}  // namespace

void ImpactLaw::resize(int rows, int contacts) {
  cone_.resize(rows, contacts);
  cones_.reserve(contacts);
  row_.reserve(rows);
  D_.resize(contacts);
  for (auto* v : {&U_, &e_, &b_, &r_, &plain_, &y_}) v->resize(rows);
}

// (IL1); velocities are compared after the scaling of (CO3).
bool ImpactLaw::approaching(const Given& given, const double* U) const {
  for (int i = 0; i < given.n_contacts; ++i)
    if (D_[i] * U[given.contacts[i].rows.first] < -closed_) return true;
  return false;
}

// G and U of the contacts that approach, or of all.
void ImpactLaw::gather(const Given& given, const double* U, bool all) {
  cones_.clear();
  row_.clear();
  for (int i = 0; i < given.n_contacts; ++i) {
    const ConeRows& c = given.contacts[i].rows;
    if (!all && !(D_[i] * U[c.first] < -closed_)) continue;
    cones_.push_back({static_cast<int>(row_.size()), c.rows, c.friction});
    e_[row_.size()] = given.contacts[i].restitution;
    for (int k = 0; k < c.rows; ++k) row_.push_back(c.first + k);
  }
  const std::size_t m = row_.size();
  grow(G_, m * m);
  for (std::size_t i = 0; i < m; ++i) {
    U_[i] = U[row_[i]];
    for (std::size_t j = 0; j < m; ++j)
      G_[i * m + j] = given.G[static_cast<std::size_t>(row_[i]) * given.rows + row_[j]];
  }
}

// (IL3)
double ImpactLaw::gain(int rows, const double* r) const {
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    double velocity = 0.0;
    for (int j = 0; j < rows; ++j) velocity += G_[static_cast<std::size_t>(i) * rows + j] * r[j];
    sum += r[i] * (U_[i] + 0.5 * velocity);
  }
  return sum;
}

// The sum of the sizes of the terms of (IL3).
double ImpactLaw::terms(int rows, const double* r) const {
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    double velocity = std::abs(U_[i]);
    for (int j = 0; j < rows; ++j) velocity += 0.5 * std::abs(G_[static_cast<std::size_t>(i) * rows + j] * r[j]);
    sum += std::abs(r[i]) * velocity;
  }
  return sum;
}

// (IL4): ½ θ² dᵀGd + θ dᵀ(U + ½ (G + Gᵀ) r_0) + ΔT(r_0) = 0 with d = r_e - r_0.
void ImpactLaw::guard(int rows) {
  double square = 0.0, slope = 0.0;
  for (int i = 0; i < rows; ++i) {
    const double d = r_[i] - plain_[i];
    slope += d * U_[i];
    for (int j = 0; j < rows; ++j) {
      const double G = G_[static_cast<std::size_t>(i) * rows + j], dj = r_[j] - plain_[j];
      square += 0.5 * d * G * dj;
      slope += 0.5 * G * (d * plain_[j] + plain_[i] * dj);
    }
  }
  const double least = std::min(0.0, gain(rows, plain_.data()));
  const double root = std::sqrt(std::max(0.0, slope * slope - 4.0 * square * least));
  // the positive root, without cancellation
  double theta = slope > 0.0 ? -2.0 * least / (slope + root) : square > 0.0 ? (root - slope) / (2.0 * square) : 0.0;
  theta = std::clamp(theta, 0.0, 1.0);
  for (int i = 0; i < rows; ++i) b_[i] = r_[i] - plain_[i];
  // r_e can be far beyond θ: ΔT is then known to the round-off of its terms only, and has to be below that.
  for (double less = 1e-15;; less *= 4.0) {
    for (int i = 0; i < rows; ++i) r_[i] = plain_[i] + theta * b_[i];
    if (theta == 0.0 || gain(rows, r_.data()) <= -gain_round_off * terms(rows, r_.data())) break;
    theta = less < 1.0 ? theta * (1.0 - less) : 0.0;
  }
  theta_ = std::min(theta_, theta);
}

// (IL2) on what was gathered; adds to r and U.
bool ImpactLaw::pass(const Given& given, bool with_restitution, double* r, double* U) {
  const int m = static_cast<int>(row_.size()), n = static_cast<int>(cones_.size());
  std::copy_n(U_.data(), m, b_.data());
  if (with_restitution)
    for (const ConeRows& c : cones_) b_[c.first] += e_[c.first] * U_[c.first];
  std::fill_n(r_.data(), m, 0.0);
  if (m == 1 && G_[0] > 0.0)
    r_[0] = std::max(0.0, -b_[0] / G_[0]);  // the cone problem of one row without friction
  else if (!cone_.solve(G_.data(), b_.data(), cones_.data(), n, r_.data(), y_.data()))
    return false;
  if (with_restitution && gain(m, r_.data()) > 0.0) {
    std::fill_n(plain_.data(), m, 0.0);
    if (!cone_.solve(G_.data(), U_.data(), cones_.data(), n, plain_.data(), y_.data())) return false;
    guard(m);
  }
  gain_ += gain(m, r_.data());
  for (int j = 0; j < m; ++j) {
    r[row_[j]] += r_[j];
    for (int i = 0; i < given.rows; ++i) U[i] += given.G[static_cast<std::size_t>(i) * given.rows + row_[j]] * r_[j];
  }
  ++passes_;
  return true;
}

bool ImpactLaw::apply(const double* G, const ImpactContact* contacts, int n_contacts, const double* U, double* r,
                      double* U_plus) {
  const ConeRows none{0, 0, 0.0}, &end = n_contacts > 0 ? contacts[n_contacts - 1].rows : none;
  const Given given{G, contacts, n_contacts, end.first + end.rows};
  std::fill_n(r, given.rows, 0.0);
  std::copy_n(U, given.rows, U_plus);
  passes_ = 0;
  theta_ = 1.0;
  gain_ = 0.0;
  plastic_ = false;
  double largest = 0.0, largest_D = 0.0;
  for (int i = 0; i < n_contacts; ++i) {
    const ConeRows& c = contacts[i].rows;
    double trace = 0.0;
    for (int k = c.first; k < c.first + c.rows; ++k) trace += G[static_cast<std::size_t>(k) * given.rows + k];
    D_[i] = trace > 0.0 ? std::sqrt(c.rows / trace) : 1.0;
    largest_D = std::max(largest_D, D_[i]);
    for (int k = c.first; k < c.first + c.rows; ++k) largest = std::max(largest, D_[i] * std::abs(U[k]));
  }
  const double size = std::max(largest, largest_D * floor_);
  cone_.set_floor(largest_D > 0.0 ? size / largest_D : 0.0);  // later passes are as exact as the first
  closed_ = round_off * size;
  while (approaching(given, U_plus)) {
    gather(given, U_plus, false);
    bool bounces = false;
    for (const ConeRows& c : cones_) bounces |= e_[c.first] > 0.0;
    if (bounces && passes_ < most_passes * n_contacts && pass(given, true, r, U_plus)) continue;
    plastic_ = bounces;
    gather(given, U_plus, true);
    return pass(given, false, r, U_plus);
  }
  return true;
}

}  // namespace bough
