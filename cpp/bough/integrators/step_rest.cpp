// Rest on contacts: q1 is q0, and the impulses balance what presses on them. Those of the step before do so but for round-off,
// which is taken out of the impulses by the least change, with J the rows J0 of (CT6) and -Dh(q0) of constraints:
//
//   J^T dr = -f ,  |dr| least:   dr = -J x ,  (J^T J) x = f                                                      (CT10)
//
// in variables that are scaled to a unit diagonal. Nothing is moved, so that no creep comes of it; and a change that leaves the
// cone, or does not balance f, is not made: the equations of the step are then solved as always.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/integrators/step_contacts.hpp"

namespace bough {
namespace {

constexpr double regular = 1e-12;  // of the diagonal: what contacts do not hold takes no part
constexpr double dust = 1e-16;     // of the largest impulse: in a variable that nothing acts on, there is nothing else
constexpr double small = 1e-6;     // of an impulse: a larger change is not one of round-off

// A x = b in place for a symmetric A, by rows, of which the lower half is read and lost. False if it is not positive.
bool solve_positive(std::vector<double>& A, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t j = 0; j < n; ++j) {
    double* row = A.data() + j * n;
    for (std::size_t k = 0; k < j; ++k) {
      const double* other = A.data() + k * n;
      double sum = row[k];
      for (std::size_t i = 0; i < k; ++i) sum -= row[i] * other[i];
      row[k] = sum / other[k];
    }
    double sum = row[j];
    for (std::size_t i = 0; i < j; ++i) sum -= row[i] * row[i];
    if (!(sum > 0.0)) return false;
    row[j] = std::sqrt(sum);
    for (std::size_t i = 0; i < j; ++i) x[j] -= row[i] * x[i];
    x[j] /= row[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    x[j] /= A[j * n + j];
    for (std::size_t i = 0; i < j; ++i) x[i] -= A[j * n + i] * x[j];
  }
  return true;
}

}  // namespace

bool StepContacts::balanced(const double* f, const double* scale, const double* lever, double part) const {
  const int n = model_.n_variables;
  double largest = 0.0;
  for (const ConeRows& c : cones_) largest = std::max(largest, impulse_.r[c.first]);
  for (int i = 0; i < model_.n_dynamic; ++i) {
    double size = scale[i];
    for (const ConeRows& c : cones_)
      for (int r = c.first + 1; r < c.first + c.rows; ++r)
        size += std::abs(linear_.J0[static_cast<std::size_t>(r) * n + i]) * c.friction * impulse_.r[c.first];
    if (!(std::abs(f[i]) <= part * size + dust * largest * lever[i])) return false;
  }
  return true;
}

// (CT10)
bool StepContacts::settle(double* f, const Jacobians& D, double* mu) {
  const std::size_t n = model_.n_variables, nd = model_.n_dynamic, rows = rows_;
  auto& [J0, J1, Z, Zmu, G, b, across, A, x, unit] = linear_;
  std::fill(A.begin(), A.end(), 0.0);
  const auto pressed = [&](const ConeRows& c) { return impulse_.r[c.first] > 0.0; };
  const auto add_square = [&, &A = A](const double* J) {
    for (std::size_t i = 0; i < nd; ++i)
      for (std::size_t j = 0; J[i] != 0.0 && j <= i; ++j) A[i * nd + j] += J[i] * J[j];
  };
  for (const ConeRows& c : cones_)
    for (int r = c.first; r < c.first + (pressed(c) ? c.rows : 0); ++r) add_square(J0.data() + r * n);
  for (int r = 0; r < D.rows; ++r) add_square(D.Dh0 + r * n);
  for (std::size_t i = 0; i < nd; ++i) unit[i] = A[i * nd + i] > 0.0 ? 1.0 / std::sqrt(A[i * nd + i]) : 1.0;
  for (std::size_t i = 0; i < nd; ++i) {
    for (std::size_t j = 0; j <= i; ++j) A[i * nd + j] *= unit[i] * unit[j];
    A[i * nd + i] += regular;
    x[i] = unit[i] * f[i];
  }
  if (!solve_positive(A, x)) return false;
  for (std::size_t i = 0; i < nd; ++i) x[i] *= unit[i];
  std::copy_n(impulse_.r.begin(), rows, impulse_.base.begin());
  std::fill_n(impulse_.change.begin(), rows, 0.0);
  for (const ConeRows& c : cones_) {
    if (!pressed(c)) continue;
    for (int r = c.first; r < c.first + c.rows; ++r) {
      for (std::size_t i = 0; i < nd; ++i) impulse_.change[r] -= J0[r * n + i] * x[i];
      if (!(std::abs(impulse_.change[r]) <= small * impulse_.r[c.first])) return false;
    }
    const double *old = impulse_.r.data() + c.first, *add = impulse_.change.data() + c.first;
    const double tangential = c.rows > 2   ? std::hypot(old[1] + add[1], old[2] + add[2])
                              : c.rows > 1 ? std::abs(old[1] + add[1])
                                           : 0.0;
    if (!(old[0] + add[0] > 0.0 && tangential <= c.friction * (old[0] + add[0]))) return false;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    impulse_.r[r] += impulse_.change[r];
    for (std::size_t i = 0; i < nd; ++i) f[i] += J0[r * n + i] * impulse_.change[r];
  }
  for (int r = 0; r < D.rows; ++r) {
    const double* row = D.Dh0 + r * n;
    const double change = std::inner_product(row, row + nd, x.begin(), 0.0);
    mu[r] += change;
    for (std::size_t i = 0; i < nd; ++i) f[i] -= row[i] * change;
  }
  return true;
}

}  // namespace bough
