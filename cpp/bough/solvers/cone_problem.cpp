#include "bough/solvers/cone_problem.hpp"

#include <limits>

namespace bough {
namespace {

constexpr double wanted = 1e-12;        // residual that ends a search
constexpr double round_off = 1e-11;     // residual that is taken at once if it does not fall further
constexpr double stagnation = 1e-9;     // residual that is taken if no method does better
constexpr int most_newton = 12;         // iterations from the last r
constexpr int most_finishing = 25;      // iterations from what another method has found
constexpr int few_admm = 250;           // iterations before the path is tried, which takes about as long as these
constexpr int most_admm = 5000;         // and in all, if the path fails
constexpr double contradiction = 1e-5;  // of b: what rows that depend on each other may contradict each other by
constexpr double closed = 10.0;         // of the residual: y_n of a contact that may be closed
constexpr double at_once = 0.04;        // of what normals may contradict each other by: before other methods are asked
constexpr int most_reconciled = 3;      // times that b goes without what rows contradict each other by
constexpr double first_admm = 1e-3, last_admm = 1e-10;  // residuals at which Newton is tried

// `registers` of the columns of a row of G. On a tree, most rows of J lack most variables.
template <int registers>
void set_entries(int variables, const double* row, const double* z, int width, double* g) {
  Four sum[registers] = {};
  for (int i = 0; i < variables; ++i, z += width) {
    if (row[i] == 0.0) continue;
    for (int c = 0; c < registers; ++c) sum[c] += row[i] * AtFour{4 * c}(z);
  }
  for (int c = 0; c < registers; ++c) AtFour{4 * c}(g) = sum[c];
}

}  // namespace

void set_cone_matrix(int rows, int n, int n_dynamic, const double* J, const double* Z, std::vector<double>& across,
                     std::vector<double>& G) {
  const int width = (rows + 3) / 4 * 4;
  grow(across, static_cast<std::size_t>(n_dynamic + 1) * width);
  double* const row = across.data() + static_cast<std::size_t>(n_dynamic) * width;
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < n_dynamic; ++i) across[static_cast<std::size_t>(i) * width + k] = *Z++;
  for (int r = 0; r < rows; ++r, J += n) {
    const double* z = across.data();
    int k = 0;
    for (; k + 12 <= width; k += 12) set_entries<3>(n_dynamic, J, z + k, width, row + k);
    if (k + 8 <= width)
      set_entries<2>(n_dynamic, J, z + k, width, row + k);
    else if (k + 4 <= width)
      set_entries<1>(n_dynamic, J, z + k, width, row + k);
    std::copy_n(row, rows, G.data() + static_cast<std::size_t>(r) * rows);
  }
}

void ConeProblem::resize(int rows, int contacts) {
  for (auto* v : {&D_, &b_, &r_, &best_, &y_, &given_}) v->resize(rows);
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
  for (; next >= last_admm && !done && admm_.reach(p, next, most_iterations); next *= 0.1)
    done = finish_reconciled(p, admm_.z());
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

// (CO11) with the best r so far, if there is something to be taken out and not too much. Tangents yield only if it is not to be told.
bool ConeProblem::reconcile(const ScaledCones& p) {
  std::copy_n(b_.begin(), p.rows, y_.begin());
  newton_.reconcile(p, r_.data(), closed * std::min(residual_, 1.0) * p.scale, !tells_inconsistent, b_.data());
  bool any = false, little = true;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    for (int k = c.first; k < c.first + c.rows; ++k) {
      any |= std::abs(b_[k] - y_[k]) > wanted * p.scale;
      little &= std::abs(b_[k] - given_[k]) <= (k == c.first ? yields_ * D_[k] : contradiction * p.scale);
    }
  }
  if (any && little) return reconciled_ = true;
  std::copy_n(y_.begin(), p.rows, b_.begin());
  return false;
}

// finish() with b as given, and if that does not come down, without what rows contradict each other by.
bool ConeProblem::finish_reconciled(const ScaledCones& p, const double* start) {
  std::copy_n(given_.begin(), p.rows, b_.begin());
  if (reconciled_) residual_ = HUGE_VAL;
  reconciled_ = false;
  bool done = finish(p, start);
  for (int times = 0; times < most_reconciled; ++times) {
    if ((done && !(inconsistent_ && tells_inconsistent)) || !reconcile(p)) break;
    residual_ = HUGE_VAL;
    inconsistent_ = false;
    std::copy_n(r_.begin(), p.rows, y_.begin());
    done = finish(p, y_.data());
  }
  return done;
}

bool ConeProblem::solve_scaled(const ScaledCones& p) {
  method_ = Method::newton;
  inconsistent_ = reconciled_ = false;
  yields_ = normals_yield_ * at_once;
  std::copy_n(b_.begin(), p.rows, given_.begin());
  const bool done = finish_reconciled(p, r_.data());
  iterations_ = reconciled_ ? std::max(1, newton_.iterations()) : newton_.iterations();
  if (done) return true;
  admm_.start(p);
  double next = first_admm;
  if (by_admm(p, next, few_admm) || (by_path(p) && (!inconsistent_ || tells_inconsistent)) ||
      by_admm(p, next, most_admm) || residual_ <= stagnation)
    return true;
  yields_ = normals_yield_;
  std::copy_n(r_.begin(), p.rows, y_.begin());
  return finish_reconciled(p, y_.data());
}

bool ConeProblem::solve(const double* G, const double* b, const ConeRows* contacts, int n_contacts, double* r,
                        double* y) {
  scale(G, b, contacts, n_contacts);
  const int m = n_contacts > 0 ? contacts[n_contacts - 1].first + contacts[n_contacts - 1].rows : 0;
  const ScaledCones p{m, n_contacts, contacts, G_.data(), b_.data(), D_.data(), scale_};
  for (int i = 0; i < m; ++i) r_[i] = r[i] / D_[i];
  residual_ = HUGE_VAL;
  const bool done = solve_scaled(p);
  const bool as_given = method_ == Method::newton && iterations_ == 0;  // the last impulses, least ones already
  if (done && !as_given) newton_.take_least(p, r_.data(), std::max(residual_, wanted));
  p.y_of(r_.data(), y_.data());
  for (int i = 0; i < n_contacts; ++i) {
    const ConeRows& c = contacts[i];
    status_[i] = status_of(c, r_.data(), y_.data());
    if (status_[i] == ConeStatus::open) std::fill_n(r_.data() + c.first, c.rows, 0.0);
  }
  for (int i = 0; i < m; ++i) r[i] = D_[i] * r_[i];
  ScaledCones{m, n_contacts, contacts, G, b, nullptr, 1.0}.y_of(r, y);
  return done && !(inconsistent_ && tells_inconsistent);
}

}  // namespace bough
