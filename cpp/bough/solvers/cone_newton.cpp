#include "bough/solvers/cone_newton.hpp"

namespace bough {
namespace {

constexpr double enough = 1e-13;    // residual at which a step more would be for round-off
constexpr double keeps_W = 1e-11;   // residual below which a step is for round-off alone
constexpr double at_rest = 1e-11;   // of the size of b: y that is zero
constexpr double alike = 1e-9;      // of the largest: what rows that depend on each other may differ by
constexpr double depends = 1e-9;    // of its terms: the determinant of rows that depend on the others
constexpr double outside = 1e-6;    // residual that is none of round-off
constexpr double half = 0.5;        // of a residual: more is left of it if rows contradict each other
constexpr double nearly_all = 0.9;  // of a residual: that much is left of it by a damped step that leads nowhere
constexpr double yielding = 1e-3;   // weight of rows along tangents, whose square counts
constexpr int most_slow = 3;        // such steps in a row
constexpr int most_halvings = 10;
constexpr int most_exact = 12;  // rows up to which every size has its solver
constexpr int most_flat = 48;   // and up to which its LU is a flat one

int next_size(int size) { return size < most_exact ? size + 1 : size + std::max(4, size / 4); }

}  // namespace

void ConeNewton::resize(int rows, int contacts) {
  statuses_.resize(contacts);
  active_.reserve(rows);
  for (auto* statuses : {&used_, &resting_}) statuses->resize(contacts);
  for (auto* v : {&y_, &F_, &trial_, &trial_F_, &step_}) v->resize(rows);
  sizes_.clear();
  for (int size = 1; rows > 0; size = std::min(rows, next_size(size))) {
    sizes_.push_back({size, {}, false, {}, {}});
    if (size == rows) break;
  }
}

ConeNewton::Fitted& ConeNewton::fitted(int rows) {
  Fitted& f = *std::find_if(sizes_.begin(), sizes_.end(), [&](const Fitted& one) { return one.size >= rows; });
  if (f.x.size() == 0) {
    f.W.setZero(f.size, f.size);
    if (columns_.size() < static_cast<std::size_t>(f.size)) columns_.resize(f.size);
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

// D⁻¹ W D⁻¹, so that the solver takes what is least after D. What was singular in the step before is so again, as a rule: the LU that
// would fail is left out, and nothing else changes by it.
void ConeNewton::factor(const ScaledCones& p, const double* r, Fitted& f, bool taken_singular) const {
  set_matrix(p, r, y_.data(), f.W);
  double largest = 0.0;
  for (int j = 0; j < p.rows; ++j)
    for (int i = 0; i < p.rows; ++i) f.W(i, j) /= p.D[i] * p.D[j];
  for (int i = 0; i < p.rows; ++i) largest = std::max(largest, std::abs(f.W(i, i)));
  for (int i = p.rows; i < f.size; ++i) f.W(i, i) = largest > 0.0 ? largest : 1.0;
  f.solver.factor(f.W, taken_singular || f.singular);
  f.singular = !f.solver.full();
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

// (CO11): Ω^1/2 b loses what is in the null space of the transpose of Ω^1/2 G Ω^1/2, which is what G does not reach.
void ConeNewton::reconcile(const ScaledCones& p, const double* r, double within, bool tangents, double* b) {
  p.y_of(r, y_.data());
  active_.clear();
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    if (!(y_[c.first] <= within)) continue;
    const int rows = tangents && status_of(c, r, y_.data()) == ConeStatus::stick ? c.rows : 1;
    for (int k = 0; k < rows; ++k) active_.push_back({c.first + k, k > 0 ? yielding : 1.0});
  }
  const int count = static_cast<int>(active_.size());
  if (count < 2) return;
  Fitted& f = fitted(count);
  f.W.setZero();
  f.x.setZero();
  for (int i = count; i < f.size; ++i) f.W(i, i) = 1.0;
  for (int i = 0; i < count; ++i) {
    const auto& [row, weight] = active_[i];
    f.x[i] = step_[i] = weight * y_[row];
    for (int j = 0; j < count; ++j)
      f.W(j, i) = weight * active_[j].weight * p.G[static_cast<std::size_t>(row) * p.rows + active_[j].row];
  }
  least_ = false;  // f has another matrix than that of a step
  f.solver.factor(f.W);
  if (f.solver.full()) return;
  f.solver.truncate(alike);
  f.solver.project(f.x);
  for (int i = 0; i < count; ++i) b[active_[i].row] -= (step_[i] - f.x[i]) / active_[i].weight;
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
    std::swap(statuses_, used_);
    set_statuses(p, r, false);
    const bool kept = iterations_ > 0 && residual <= keeps_W &&
                      std::equal(used_.begin(), used_.begin() + p.n_contacts, statuses_.begin());
    if (!kept) factor(p, r, f);
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

// (CO12): whether r with a contact that sticks in place of sliding, and with the least impulses, leaves its cones. W is that of the
// statuses before.
bool ConeNewton::least_slides(const ScaledCones& p, const double* r, Fitted& f) {
  int other = -1, others = 0;
  for (int i = 0; i < p.n_contacts; ++i)
    if (used_[i] != statuses_[i]) {
      other = i;
      ++others;
    }
  if (others != 1 || used_[other] != ConeStatus::slide || !least_ || !f.solver.full()) return false;
  const ConeRows& c = p.contacts[other];
  const int rows = c.rows - 1;
  const int first = c.first + 1;
  std::fill_n(columns_.begin(), f.size, Lane4{});
  columns_[first] = Lane4{1.0, 0.0, 0.0, 0.0};
  if (rows == 2) columns_[first + 1] = Lane4{0.0, 1.0, 0.0, 0.0};
  f.solver.solve(columns_.data(), 1);
  double M[2][2] = {}, size[2] = {};
  for (int b = 0; b < rows; ++b)
    for (int j = 0; j < p.rows; ++j) {
      const double entry = p.G[static_cast<std::size_t>(first + b) * p.rows + j] / p.D[j];
      for (int a = 0; a < rows; ++a) {
        M[b][a] += entry * columns_[j][a];
        size[b] += std::abs(entry * columns_[j][a]);
      }
    }
  double by[2] = {1.0, 0.0};
  if (rows == 1) {
    if (!(std::abs(M[0][0]) <= depends * size[0])) return false;
  } else {
    const int b = std::abs(M[0][0]) + std::abs(M[0][1]) > std::abs(M[1][0]) + std::abs(M[1][1]) ? 0 : 1;
    if (!(std::abs(M[0][0] * M[1][1] - M[0][1] * M[1][0]) <= depends * size[0] * size[1])) return false;
    by[0] = M[b][1];
    by[1] = -M[b][0];
  }
  double square = 0.0, along = 0.0;
  for (int j = 0; j < p.rows; ++j) {
    const double x = by[0] * columns_[j][0] + by[1] * columns_[j][1];
    square += x * x;
    along += x * p.D[j] * r[j];
    step_[j] = x / p.D[j];
  }
  return square > 0.0 && try_step(p, r, -along / square, trial_F_.data()) > outside;
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
    if (rests && least_slides(p, r, f)) continue;
    p.y_of(r, y_.data());
    factor(p, r, f, true);
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
