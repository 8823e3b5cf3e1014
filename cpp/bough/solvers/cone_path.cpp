#include "bough/solvers/cone_path.hpp"

namespace bough {
namespace {

constexpr double first_kappas[] = {1.0, 0.4, 0.16};  // beside the size of b: where the path is looked for from r = 0
constexpr double last = 1e-13;        // κ beside the size of b: what is left of the law is less than what ends a search
constexpr double small = 1e-2;        // likewise: the statuses can be read
constexpr double smaller = 0.4;       // κ beside that at which they were read before
constexpr double close = 0.01;        // |Φ| beside κ that is on the path
constexpr double first_length = 0.5;  // of a step, (CO10)
constexpr double shortest_length = 1e-4;  // likewise
constexpr double farthest = 4.0;          // lengths of a step from its start to where it is on the path again
constexpr int most_at_start = 30, most_at_step = 6, few = 2;  // iterations of Newton's method
constexpr int most_iterations = 1000;                         // all along
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
  for (auto* v : {&at_.r, &trial_.r, &further_.r, &y_, &phi_, &dkappa_}) v->resize(rows);
  for (auto* v : {&tangent_, &step_}) v->resize(rows + 1);
  for (auto* v : {&da_, &dc_}) v->resize(3 * static_cast<std::size_t>(rows));
}

bool ConePath::start(const ScaledCones& p) {
  size_ = told_ = p.scale;
  length_ = first_length;
  iterations_ = 0;
  matrix_.resize(p.rows + 1);
  std::fill_n(tangent_.data(), p.rows, 0.0);
  tangent_[p.rows] = -1.0;  // κ stays as it is
  for (const double first : first_kappas) {
    std::fill_n(trial_.r.data(), p.rows, 0.0);
    trial_.kappa = unit_ = first * size_;
    if (!correct(p, most_at_start)) continue;
    std::swap(at_, trial_);
    return true;
  }
  return false;
}

bool ConePath::tells_statuses() {
  if (at_.kappa > small * size_ || at_.kappa > smaller * told_) return false;
  told_ = at_.kappa;
  return true;
}

// Φ of a and c, (CO7) and (CO8), and with derivatives the blocks of (CO9) in r and y, and its column of κ; the largest |Φ| is returned.
double ConePath::evaluate(const ScaledCones& p, const Place& at, bool derivatives) {
  const double* r = at.r.data();
  const double kappa = at.kappa;
  p.y_of(r, y_.data());
  double largest = 0.0;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& contact = p.contacts[i];
    const int f = contact.first;
    const int n = contact.friction > 0.0 ? contact.rows : 1;  // components in the cone
    const double m = n > 1 ? std::sqrt(contact.friction) : 1.0;
    double square = kappa * kappa;
    for (int k = 1; k < n; ++k) square += y_[f + k] * y_[f + k];
    const double slip = std::sqrt(square);
    Lorentz a{{m * r[f], 0.0, 0.0}}, c{{y_[f] / m + (n > 1 ? m * (slip - kappa) : 0.0), 0.0, 0.0}};
    for (int k = 1; k < n; ++k) {
      a.x[k] = r[f + k] / m;
      c.x[k] = m * y_[f + k];
    }
    const Lorentz aa = product(a, a, n), cc = product(c, c, n);
    Lorentz w{{aa.x[0] + cc.x[0] + 2.0 * kappa * kappa, aa.x[1] + cc.x[1], aa.x[2] + cc.x[2]}};
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
    std::fill_n(dkappa_.data() + f, contact.rows, 0.0);
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
    const Lorentz dc{{n > 1 ? m * (kappa / slip - 1.0) : 0.0, 0.0, 0.0}}, moved = product(c, dc, n);
    const Lorentz q = divided({{moved.x[0] + 2.0 * kappa, moved.x[1], moved.x[2]}}, s, n);
    for (int k = 0; k < n; ++k) dkappa_[f + k] = dc.x[k] - q.x[k];
  }
  return largest;
}

// The matrix of (CO10), where evaluate() was last, above the tangent.
bool ConePath::factor(const ScaledCones& p, const Place& at) {
  const int m = p.rows;
  ++iterations_;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    for (int row = 0; row < c.rows; ++row) {
      const double *A = da_.data() + 3 * (c.first + row), *C = dc_.data() + 3 * (c.first + row);
      for (int j = 0; j < m; ++j) {
        double sum = 0.0;
        for (int l = 0; l < c.rows; ++l) sum += C[l] * p.G[static_cast<std::size_t>(c.first + l) * m + j];
        matrix_(c.first + row, j) = sum;
      }
      for (int l = 0; l < c.rows; ++l) matrix_(c.first + row, c.first + l) += A[l];
    }
  }
  for (int i = 0; i < m; ++i) matrix_(i, m) = dkappa_[i] * at.kappa / unit_;
  for (int j = 0; j <= m; ++j) matrix_(m, j) = tangent_[j];
  return matrix_.factor(0.0);
}

void ConePath::set_further(int rows, const Place& from, const std::vector<double>& direction, double length,
                           Place& to) const {
  for (int i = 0; i < rows; ++i) to.r[i] = from.r[i] + length * unit_ * direction[i];
  to.kappa = from.kappa * std::exp(length * direction[rows]);
}

// Takes trial_ to Φ = 0, across the tangent. False if that is not near.
bool ConePath::correct(const ScaledCones& p, int most) {
  double off = evaluate(p, trial_, true) / trial_.kappa;
  for (int k = 0; k < most && !(off <= close); ++k) {
    if (!(off < HUGE_VAL) || !factor(p, trial_)) return false;
    for (int i = 0; i < p.rows; ++i) step_[i] = -phi_[i] / unit_;
    step_[p.rows] = 0.0;
    matrix_.solve(step_.data());
    double length = 1.0, found = HUGE_VAL;
    for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
      set_further(p.rows, trial_, step_, length, further_);
      found = evaluate(p, further_, false) / further_.kappa;
      if (found < off) break;
    }
    if (!(found < off)) return false;
    std::swap(trial_, further_);
    off = evaluate(p, trial_, true) / trial_.kappa;
  }
  return off <= close;
}

// (CO10)
bool ConePath::advance(const ScaledCones& p) {
  const int m = p.rows;
  if (at_.kappa <= last * size_ || iterations_ >= most_iterations) return false;
  unit_ = at_.kappa;
  evaluate(p, at_, true);
  if (!factor(p, at_)) return false;
  std::fill_n(tangent_.data(), m, 0.0);
  tangent_[m] = 1.0;  // on the side of the tangent before
  matrix_.solve(tangent_.data());
  double square = 0.0;
  for (int i = 0; i <= m; ++i) square += tangent_[i] * tangent_[i];
  for (int i = 0; i <= m; ++i) tangent_[i] /= std::sqrt(square);
  for (; length_ >= shortest_length; length_ *= 0.5) {
    set_further(m, at_, tangent_, length_, trial_);
    const int before = iterations_;
    if (!correct(p, most_at_step)) continue;
    double way = std::pow(std::log(trial_.kappa / at_.kappa), 2);
    for (int i = 0; i < m; ++i) way += std::pow((trial_.r[i] - at_.r[i]) / unit_, 2);
    if (!(way <= std::pow(farthest * length_, 2))) continue;
    std::swap(at_, trial_);
    if (iterations_ - before <= few) length_ *= 2.0;
    return true;
  }
  return false;
}

}  // namespace bough
