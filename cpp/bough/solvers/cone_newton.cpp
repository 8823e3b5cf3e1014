#include "bough/solvers/cone_newton.hpp"

namespace bough {
namespace {

constexpr double enough = 1e-13;    // residual at which a step more would be for round-off
constexpr double at_rest = 1e-11;   // of the size of b: y that is zero
constexpr double alike = 1e-9;      // of the largest: what rows that depend on each other may differ by
constexpr double half = 0.5;        // of a residual: more is left of it if rows contradict each other
constexpr double nearly_all = 0.9;  // of a residual: that much is left of it by a damped step that leads nowhere
constexpr int most_slow = 3;        // such steps in a row
constexpr int most_halvings = 10;
constexpr int most_exact = 12;  // rows up to which every size has its solver
constexpr int most_flat = 48;   // and up to which its LU is a flat one

int next_size(int size) { return size < most_exact ? size + 1 : size + std::max(4, size / 4); }

}  // namespace

void ConeNewton::resize(int rows, int contacts) {
  statuses_.resize(contacts);
  for (auto* statuses : {&used_, &resting_}) statuses->resize(contacts);
  for (auto* v : {&y_, &F_, &trial_, &trial_F_, &step_}) v->resize(rows);
  sizes_.clear();
  for (int size = 1; rows > 0; size = std::min(rows, next_size(size))) {
    sizes_.push_back({size, {}, {}, {}});
    if (size == rows) break;
  }
}

ConeNewton::Fitted& ConeNewton::fitted(int rows) {
  Fitted& f = *std::find_if(sizes_.begin(), sizes_.end(), [&](const Fitted& one) { return one.size >= rows; });
  if (f.x.size() == 0) {
    f.W.setZero(f.size, f.size);
    f.x.setZero(f.size);
    f.solver.fit(f.size, most_flat);
  }
  return f;
}

// With `rests`, contacts that neither open nor slide count as sticking, whichever side of the law round-off has put them on.
void ConeNewton::set_statuses(const ScaledCones& p, const double* r, bool rests) {
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    double largest = 0.0;
    for (int k = c.first; k < c.first + c.rows; ++k) largest = std::max(largest, std::abs(y_[k]));
    statuses_[i] = rests && largest <= at_rest * p.scale ? ConeStatus::stick : status_of(c, r, y_.data());
  }
}

void ConeNewton::set_matrix(const ScaledCones& p, const double* r, const double* y, Eigen::MatrixXd& W) const {
  const auto G = [&](int i, int j) { return p.G[static_cast<std::size_t>(i) * p.rows + j]; };
  W.setZero();
  for (int i = p.rows; i < W.rows(); ++i) W(i, i) = 1.0;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    const int n = c.first;
    const ConeStatus status = statuses_[i];
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

// D⁻¹ W D⁻¹, so that the solver takes what is least after D.
void ConeNewton::factor(const ScaledCones& p, const double* r, Fitted& f) const {
  set_matrix(p, r, y_.data(), f.W);
  double largest = 0.0;
  for (int j = 0; j < p.rows; ++j)
    for (int i = 0; i < p.rows; ++i) f.W(i, j) /= p.D[i] * p.D[j];
  for (int i = 0; i < p.rows; ++i) largest = std::max(largest, std::abs(f.W(i, i)));
  for (int i = p.rows; i < f.size; ++i) f.W(i, i) = largest > 0.0 ? largest : 1.0;
  f.solver.factor(f.W);
}

// (CO5) if `whole`, (CO4) if not, into step_: what is added to r.
void ConeNewton::find_step(const ScaledCones& p, const double* r, bool whole, Fitted& f) {
  f.x.setZero();
  for (int i = 0; i < p.rows; ++i) f.x[i] = -F_[i] / p.D[i];
  if (whole)
    for (int j = 0; j < p.rows; ++j)
      for (int i = 0; i < p.rows; ++i) f.x[i] += f.W(i, j) * p.D[j] * r[j];
  f.solver.solve(f.x);
  for (int i = 0; i < p.rows; ++i) step_[i] = f.x[i] / p.D[i] - (whole ? r[i] : 0.0);
}

// What step_ leaves of F as W tells it, the largest: least squares leave what rows that depend on each other contradict each other by.
double ConeNewton::unreachable(const ScaledCones& p, Fitted& f) const {
  f.x.setZero();
  for (int j = 0; j < p.rows; ++j)
    for (int i = 0; i < p.rows; ++i) f.x[i] += f.W(i, j) * p.D[j] * step_[j];
  double largest = 0.0;
  for (int i = 0; i < p.rows; ++i) largest = std::max(largest, std::abs(F_[i] + p.D[i] * f.x[i]));
  return largest / p.scale;
}

// The residual of r + length step_, with y_ and trial_ of it.
double ConeNewton::try_step(const ScaledCones& p, const double* r, double length, double* F) {
  for (int i = 0; i < p.rows; ++i) trial_[i] = r[i] + length * step_[i];
  p.y_of(trial_.data(), y_.data());
  return cone_residual(p, trial_.data(), y_.data(), F) / p.scale;
}

double ConeNewton::solve(const ScaledCones& p, double* r, int most_iterations, bool patient) {
  iterations_ = 0;
  stagnated_ = least_ = inconsistent_ = false;
  p.y_of(r, y_.data());
  double residual = cone_residual(p, r, y_.data(), F_.data()) / p.scale;
  if (p.rows == 0 || !(residual < HUGE_VAL)) return residual;
  Fitted& f = fitted(p.rows);
  int slow = 0;
  while (iterations_ < most_iterations && residual > enough && (patient || slow < most_slow)) {
    set_statuses(p, r, false);
    factor(p, r, f);
    ++iterations_;
    find_step(p, r, true, f);
    double found = try_step(p, r, 1.0, trial_F_.data());
    if (!(found < residual) && f.solver.truncate(alike)) {
      find_step(p, r, true, f);
      found = try_step(p, r, 1.0, trial_F_.data());
    }
    least_ = found < residual;
    if (!least_) {
      find_step(p, r, false, f);
      double length = 1.0;
      for (int halving = 0; halving <= most_halvings && !(found < residual); ++halving, length *= 0.5)
        found = try_step(p, r, length, trial_F_.data());
    }
    inconsistent_ = !(found < half * residual) && !f.solver.full() && unreachable(p, f) > half * residual;
    stagnated_ = !(found < residual);
    if (stagnated_) break;
    slow = !least_ && found > nearly_all * residual ? slow + 1 : 0;
    residual = found;
    std::copy_n(trial_.data(), p.rows, r);
    std::copy_n(trial_F_.data(), p.rows, F_.data());
    if (inconsistent_) break;
  }
  return residual;
}

void ConeNewton::take_least(const ScaledCones& p, double* r, double tolerance) {
  if (p.rows == 0) return;
  Fitted& f = fitted(p.rows);
  std::swap(statuses_, used_);
  for (const bool rests : {true, false}) {
    p.y_of(r, y_.data());
    cone_residual(p, r, y_.data(), F_.data());
    set_statuses(p, r, rests);
    if (!rests && std::equal(resting_.begin(), resting_.begin() + p.n_contacts, statuses_.begin())) return;
    if (rests) resting_ = statuses_;
    if (least_ && std::equal(used_.begin(), used_.begin() + p.n_contacts, statuses_.begin())) return;  // it is there
    factor(p, r, f);
    if (f.solver.full()) return;
    find_step(p, r, true, f);
    bool found = try_step(p, r, 1.0, trial_F_.data()) <= tolerance;
    if (!found && f.solver.truncate(alike)) {
      find_step(p, r, true, f);
      found = try_step(p, r, 1.0, trial_F_.data()) <= tolerance;
    }
    if (!found) continue;
    std::copy_n(trial_.data(), p.rows, r);
    return;
  }
}

}  // namespace bough
