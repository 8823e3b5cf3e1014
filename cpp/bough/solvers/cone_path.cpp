#include "bough/solvers/cone_path.hpp"

namespace bough {
namespace {

constexpr double shorter = 0.4;      // κ from step to step
constexpr double last = 1e-8;        // κ beside the size of b
constexpr double close = 0.1;        // |Φ| beside κ that is on the path
constexpr int most_iterations = 30;  // with one κ
constexpr int most_halvings = 12;

struct Lorentz {
  double x[3];
};

// x∘y in n components
Lorentz product(const Lorentz& x, const Lorentz& y, int n) {
  Lorentz p{{x.x[0] * y.x[0], 0.0, 0.0}};
  for (int k = 1; k < n; ++k) {
    p.x[0] += x.x[k] * y.x[k];
    p.x[k] = x.x[0] * y.x[k] + y.x[0] * x.x[k];
  }
  return p;
}

// The square root inside the cone.
Lorentz root(const Lorentz& w, int n) {
  const double size = n > 1 ? std::hypot(w.x[1], n > 2 ? w.x[2] : 0.0) : 0.0;
  const double low = std::sqrt(std::max(0.0, w.x[0] - size)), high = std::sqrt(w.x[0] + size);
  Lorentz s{{0.5 * (low + high), 0.0, 0.0}};
  for (int k = 1; k < n; ++k) s.x[k] = w.x[k] / (low + high);
  return s;
}

// L_s⁻¹ x
Lorentz divided(const Lorentz& x, const Lorentz& s, int n) {
  double cross = 0.0, square = 0.0;
  for (int k = 1; k < n; ++k) {
    cross += s.x[k] * x.x[k];
    square += s.x[k] * s.x[k];
  }
  Lorentz q{{(s.x[0] * x.x[0] - cross) / (s.x[0] * s.x[0] - square), 0.0, 0.0}};
  for (int k = 1; k < n; ++k) q.x[k] = (x.x[k] - q.x[0] * s.x[k]) / s.x[0];
  return q;
}

}  // namespace

void ConePath::resize(int rows) {
  for (auto* v : {&r_, &trial_, &step_, &y_, &phi_}) v->resize(rows);
  for (auto* v : {&da_, &dc_}) v->resize(3 * static_cast<std::size_t>(rows));
  matrix_.resize(rows);
}

void ConePath::start(const ScaledCones& p) {
  std::fill_n(r_.data(), p.rows, 0.0);
  kappa_ = size_ = p.scale;
  iterations_ = 0;
  matrix_.resize(p.rows);
}

// Φ of a and c, (CO7) and (CO8), and with derivatives the blocks of (CO9) in r and y; the largest |Φ| is returned.
double ConePath::evaluate(const ScaledCones& p, const double* r, bool derivatives) {
  p.y_of(r, y_.data());
  double largest = 0.0;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& contact = p.contacts[i];
    const int f = contact.first;
    const int n = contact.friction > 0.0 ? contact.rows : 1;  // components in the cone
    const double m = n > 1 ? std::sqrt(contact.friction) : 1.0;
    double square = kappa_ * kappa_;
    for (int k = 1; k < n; ++k) square += y_[f + k] * y_[f + k];
    const double slip = std::sqrt(square);
    Lorentz a{{m * r[f], 0.0, 0.0}}, c{{y_[f] / m + (n > 1 ? m * (slip - kappa_) : 0.0), 0.0, 0.0}};
    for (int k = 1; k < n; ++k) {
      a.x[k] = r[f + k] / m;
      c.x[k] = m * y_[f + k];
    }
    const Lorentz aa = product(a, a, n), cc = product(c, c, n);
    Lorentz w{{aa.x[0] + cc.x[0] + 2.0 * kappa_ * kappa_, aa.x[1] + cc.x[1], aa.x[2] + cc.x[2]}};
    const Lorentz s = root(w, n);
    for (int k = 0; k < contact.rows; ++k) {
      phi_[f + k] = k < n ? a.x[k] + c.x[k] - s.x[k] : r[f + k];  // without friction r_t = 0
      if (!std::isfinite(phi_[f + k])) return HUGE_VAL;
      largest = std::max(largest, std::abs(phi_[f + k]));
    }
    if (!derivatives) continue;
    double *A = da_.data() + 3 * static_cast<std::size_t>(f), *C = dc_.data() + 3 * static_cast<std::size_t>(f);
    std::fill_n(A, 3 * contact.rows, 0.0);
    std::fill_n(C, 3 * contact.rows, 0.0);
    for (int k = n; k < contact.rows; ++k) A[3 * k + k] = 1.0;
    for (int l = 0; l < n; ++l) {  // columns: δr_l, δy_l
      Lorentz da{{0.0, 0.0, 0.0}}, dc{{0.0, 0.0, 0.0}};
      da.x[l] = l == 0 ? m : 1.0 / m;
      dc.x[l] = l == 0 ? 1.0 / m : m;
      if (l > 0) dc.x[0] = m * y_[f + l] / slip;
      const Lorentz qa = divided(product(a, da, n), s, n), qc = divided(product(c, dc, n), s, n);
      for (int k = 0; k < n; ++k) {
        A[3 * k + l] = da.x[k] - qa.x[k];
        C[3 * k + l] = dc.x[k] - qc.x[k];
      }
    }
  }
  return largest;
}

bool ConePath::advance(const ScaledCones& p) {
  if (kappa_ <= last * p.scale) return false;
  kappa_ *= shorter;
  double size = evaluate(p, r_.data(), true);
  for (int k = 0; k < most_iterations && !(size <= close * kappa_); ++k, ++iterations_) {
    for (int i = 0; i < p.n_contacts; ++i) {
      const ConeRows& c = p.contacts[i];
      for (int row = 0; row < c.rows; ++row) {
        const double *A = da_.data() + 3 * (c.first + row), *C = dc_.data() + 3 * (c.first + row);
        for (int j = 0; j < p.rows; ++j) {
          double sum = 0.0;
          for (int l = 0; l < c.rows; ++l) sum += C[l] * p.G[static_cast<std::size_t>(c.first + l) * p.rows + j];
          matrix_(c.first + row, j) = sum;
        }
        for (int l = 0; l < c.rows; ++l) matrix_(c.first + row, c.first + l) += A[l];
      }
    }
    if (!matrix_.factor(0.0)) return false;
    std::copy_n(phi_.data(), p.rows, step_.data());
    matrix_.solve(step_.data());
    double length = 1.0, found = HUGE_VAL;
    for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
      for (int i = 0; i < p.rows; ++i) trial_[i] = r_[i] - length * step_[i];
      found = evaluate(p, trial_.data(), false);
      if (found < size) break;
    }
    if (!(found < size)) return false;
    std::copy_n(trial_.data(), p.rows, r_.data());
    size = evaluate(p, r_.data(), true);
  }
  return size <= close * kappa_;
}

}  // namespace bough
