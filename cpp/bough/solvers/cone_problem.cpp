#include "bough/solvers/cone_problem.hpp"

#include <limits>

namespace bough {
namespace {

constexpr double wanted = 1e-12;     // residual that ends a search
constexpr double round_off = 1e-11;  // residual that is taken at once if it does not fall further
constexpr double stagnation = 1e-9;  // residual that is taken if no method does better
constexpr int most_newton = 12;      // iterations from the last r
constexpr int most_finishing = 25;   // iterations from what another method has found
constexpr int few_admm = 250;        // iterations before the path is tried, which takes about as long as these
constexpr int most_admm = 5000;      // and in all, if the path fails
constexpr double first_admm = 1e-3, last_admm = 1e-10;  // residuals at which Newton is tried

}  // namespace

void ConeProblem::resize(int rows, int contacts) {
  for (auto* v : {&D_, &b_, &r_, &best_, &y_}) v->resize(rows);
  status_.resize(contacts);
  newton_.resize(rows, contacts);
  admm_.resize(rows);
  path_.resize(rows);
}

// (CO3)
void ConeProblem::scale(const double* G, const double* b, const ConeRows* contacts, int n_contacts) {
  const int m = n_contacts > 0 ? contacts[n_contacts - 1].first + contacts[n_contacts - 1].rows : 0;
  double largest = 0.0, largest_D = 0.0;
  grow(G_, static_cast<std::size_t>(m) * m);
  for (int i = 0; i < n_contacts; ++i) {
    const ConeRows& c = contacts[i];
    double trace = 0.0;
    for (int k = c.first; k < c.first + c.rows; ++k) trace += G[static_cast<std::size_t>(k) * m + k];
    const double d = trace > 0.0 ? std::sqrt(c.rows / trace) : 1.0;
    for (int k = c.first; k < c.first + c.rows; ++k) D_[k] = d;
    largest_D = std::max(largest_D, d);
  }
  for (int i = 0; i < m; ++i) {
    b_[i] = D_[i] * b[i];
    largest = std::max(largest, std::abs(b_[i]));
    for (int j = 0; j < m; ++j) {
      const std::size_t ij = static_cast<std::size_t>(i) * m + j;
      G_[ij] = D_[i] * G[ij] * D_[j];
    }
  }
  scale_ = std::max({largest, largest_D * floor_, std::numeric_limits<double>::min()});
}

// Newton from `start`; true if it comes down, and r_ is the best that was found so far in any case.
bool ConeProblem::finish(const ScaledCones& p, const double* start) {
  if (start != best_.data()) std::copy_n(start, p.rows, best_.data());
  const double found =
      newton_.solve(p, best_.data(), method_ == Method::newton ? most_newton : most_finishing, method_ == Method::path);
  if (found < residual_) {
    residual_ = found;
    std::copy_n(best_.data(), p.rows, r_.data());
  }
  if (found <= wanted || (found <= round_off && newton_.stagnated())) return true;
  inconsistent_ = newton_.inconsistent() && (tells_inconsistent || found <= stagnation);
  if (inconsistent_) {
    residual_ = found;
    std::copy_n(best_.data(), p.rows, r_.data());
  }
  return inconsistent_;
}

// To one residual after the other, `next` first, with Newton from each; goes on from where the last call ended.
bool ConeProblem::by_admm(const ScaledCones& p, double& next, int most_iterations) {
  method_ = Method::admm;
  bool done = false;
  for (; next >= last_admm && !done && admm_.reach(p, next, most_iterations); next *= 0.1) done = finish(p, admm_.z());
  iterations_ = admm_.iterations();
  return done;
}

bool ConeProblem::by_path(const ScaledCones& p) {
  method_ = Method::path;
  bool done = false;
  for (bool goes_on = path_.start(p); !done && goes_on; goes_on = !done && path_.advance(p))
    done = path_.tells_statuses() && finish(p, path_.r());
  iterations_ = path_.iterations();
  return done;
}

bool ConeProblem::solve_scaled(const ScaledCones& p) {
  method_ = Method::newton;
  inconsistent_ = false;
  bool done = finish(p, r_.data());
  iterations_ = newton_.iterations();
  if (done) return true;
  admm_.start(p);
  double next = first_admm;
  done = by_admm(p, next, few_admm) || (by_path(p) && (!inconsistent_ || tells_inconsistent)) ||
         by_admm(p, next, most_admm);
  return done || residual_ <= stagnation;
}

bool ConeProblem::solve(const double* G, const double* b, const ConeRows* contacts, int n_contacts, double* r,
                        double* y) {
  scale(G, b, contacts, n_contacts);
  const int m = n_contacts > 0 ? contacts[n_contacts - 1].first + contacts[n_contacts - 1].rows : 0;
  const ScaledCones p{m, n_contacts, contacts, G_.data(), b_.data(), D_.data(), scale_};
  for (int i = 0; i < m; ++i) r_[i] = r[i] / D_[i];
  residual_ = HUGE_VAL;
  const bool done = solve_scaled(p);
  const bool as_given =
      method_ == Method::newton && newton_.iterations() == 0;  // the last impulses, least ones already
  if (done && !as_given) newton_.take_least(p, r_.data(), std::max(residual_, wanted));
  p.y_of(r_.data(), y_.data());
  for (int i = 0; i < n_contacts; ++i) {
    const ConeRows& c = contacts[i];
    status_[i] = status_of(c, r_.data(), y_.data());
    if (status_[i] == ConeStatus::open) std::fill_n(r_.data() + c.first, c.rows, 0.0);
  }
  for (int i = 0; i < m; ++i) r[i] = D_[i] * r_[i];
  for (int i = 0; i < m; ++i) {
    y[i] = b[i];
    for (int j = 0; j < m; ++j) y[i] += G[static_cast<std::size_t>(i) * m + j] * r[j];
  }
  return done && !(inconsistent_ && tells_inconsistent);
}

}  // namespace bough
