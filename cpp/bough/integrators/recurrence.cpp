#include "bough/integrators/recurrence.hpp"

#include <cmath>

#include "bough/spatial/fours.hpp"

namespace bough {
namespace {

constexpr int order = Recurrence::order;
constexpr double damping =
    1e-9;  // of the normal equations, relative to their trace: smooth motions determine few coefficients
constexpr double equal = 1e-9;  // relative difference of steps

// A x = b in place of b for a symmetric A, of which the lower half is given; false unless A is positive.
bool solve_cholesky(double (&A)[order][order], double (&b)[order]) {
  for (int i = 0; i < order; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
      if (j < i) A[i][j] /= A[j][j];
    }
    if (!(A[i][i] > 0.0)) return false;
    A[i][i] = std::sqrt(A[i][i]);
    for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (int i = order - 1; i >= 0; --i) {
    for (int k = i + 1; k < order; ++k) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
  }
  return true;
}

}  // namespace

void Recurrence::fit(const History& past) {  // (S8)
  known = false;
  if (past.real() < lags + equations) return;
  double A[order][order] = {}, b[order] = {};
  for (int i = 0; i < past.nd; ++i) {
    double d[order + equations];
    for (int a = 0; a < order + equations; ++a) d[a] = past.row(a)[i] - 2.0 * past.row(a + 1)[i] + past.row(a + 2)[i];
    for (int e = 0; e < equations; ++e)
      for (int j = 0; j < order; ++j) {
        b[j] += d[e] * d[e + 1 + j];
        for (int k = 0; k <= j; ++k) A[j][k] += d[e + 1 + j] * d[e + 1 + k];
      }
  }
  double trace = 0.0;
  for (int j = 0; j < order; ++j) trace += A[j][j];
  for (int j = 0; j < order; ++j) A[j][j] += damping * trace;
  if (!solve_cholesky(A, b)) return;
  weights = {2.0, -1.0};
  for (int j = 0; j < order; ++j) {
    weights[j] += b[j];
    weights[j + 1] -= 2.0 * b[j];
    weights[j + 2] += b[j];
  }
  known = true;
}

bool Recurrence::applies(const History& past, int back, double dt) const {
  if (!known || past.real() < lags + back) return false;
  const double step = back == 0 ? dt : past.age_of(back) - past.age_of(back - 1);
  for (int a = back; a + 1 < back + lags; ++a)
    if (!(std::abs(past.age_of(a + 1) - past.age_of(a) - step) <= equal * std::abs(step))) return false;
  return true;
}

void Recurrence::extrapolate(const History& past, int back, double* out) const {
  const double *newest = past.row(back), *w = weights.data();
  const int n = past.n;
  in_fours(past.nd, [=](auto i) {
    auto sum = w[0] * i(newest);
    for (int a = 1; a < lags; ++a) sum += w[a] * i(newest - a * n);
    i(out) = sum;
  });
}

}  // namespace bough
