#include "bough/integrators/history.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bough/spatial/fours.hpp"

namespace bough {
namespace {

// Row `points`: the weights of that many values at equal steps in the polynomial through them, one equal step ahead. From
// a table they take 4 % less of a short pendulum's step than from products.
constexpr auto binomials = [] {
  std::array<std::array<double, History::memory>, History::memory + 1> rows{};
  for (int points = 1; points <= History::memory; ++points) {
    double weight = points % 2 == 1 ? 1.0 : -1.0;
    for (int a = 0; a < points; ++a) {
      rows[points][a] = weight;
      weight *= -static_cast<double>(points - a) / (a + 1);
    }
  }
  return rows;
}();

}  // namespace

const double* polynomial_weights(const double* ages, int points, double dt, double* weights) {
  const double ahead = dt + ages[points - 1];
  const double off = largest_in_fours(points - 1, [=](auto a) { return absolute(a(ages) - a(ages + 1) - ahead); });
  if (off <= 1e-9 * ahead) return binomials[points].data();
  // Four weights at a time: after an impact, nodes are unequal for as many steps as there are rows.
  constexpr int most = History::memory;
  double own[most] = {};
  std::copy_n(ages, points, own);
  for (int first = 0; first < points; first += 4) {
    const AtFour at{first};
    const Four one = {1.0, 1.0, 1.0, 1.0};
    Four product = one;
    for (int b = 0; b < points; ++b) {
      const Four apart = own[b] - at(static_cast<const double*>(own));
      product *= apart == 0.0 ? one : (dt + own[b]) / apart;  // a factor for each other row
    }
    for (int a = first; a < std::min(first + 4, points); ++a) weights[a] = product[a - first];
  }
  return weights;
}

void History::resize(int n_variables, int n_dynamic) {
  n = n_variables;
  nd = n_dynamic;
  past.resize(kept * static_cast<std::size_t>(n));
  age.resize(kept);
}

void History::start(const double* q, const double* v) {
  constexpr double back = 1e-3;  // s
  for (int i = 0; i < n; ++i) {
    past[i] = q[i] - back * v[i];
    past[n + i] = q[i];
  }
  age[0] = back;
  age[1] = 0.0;
  known = 2;
  made_up = 1;
}

void History::start(const double* q, const double* v, const double* a, double back) {
  for (int row = 0; row < 3; ++row) {
    const double before = back * (2 - row);
    for (int i = 0; i < n; ++i) past[row * n + i] = q[i] - before * (v[i] - 0.5 * before * a[i]);
    age[row] = before;
  }
  known = 3;
  made_up = 2;
}

void History::add(const double* q, double dt) {
  if (made_up == 1 || (made_up > 1 && real() == 2))
    keep(real());
  else if (known == kept)
    keep(kept - 1);
  copy_fours(n, q, past.data() + known * n);
  double* ages = age.data();
  in_fours(known, [=](auto a) { a(ages) += dt; });
  age[known++] = 0.0;
}

void History::shift(int variable, const double* by) {
  for (int a = 0; a < known; ++a)
    for (int k = 0; k < 3; ++k) past[a * n + variable + k] -= by[k];
}

void History::shift(const double* by) {
  double* const rows = past.data();
  const int width = n;
  if (known < kept) {
    for (int a = 0; a < known; ++a) in_fours(width, [=, to = rows + a * width](auto i) { i(to) -= i(by); });
    return;
  }
  // The number of rows is that of all steps but the first few: known to the compiler, their loop takes half the time.
  in_fours(width, [=](auto i) {
    const auto off = i(by);
    double* to = rows;
#pragma GCC unroll 16
    for (int a = 1; a < kept; ++a, to += width) i(to) = i(to + width) - off;
  });
  std::copy(age.begin() + 1, age.end(), age.begin());
  known = kept - 1;
}

void History::keep(int rows) {
  if (known <= rows) return;
  std::copy(past.begin() + (known - rows) * n, past.begin() + known * n, past.begin());
  std::copy(age.begin() + (known - rows), age.begin() + known, age.begin());
  made_up = std::max(0, made_up - (known - rows));
  known = rows;
}

void History::extrapolate(double dt, int back, int points, double* __restrict out, bool fused) const {
  const int from = known - back - points;
  double computed[memory];
  const double* weights = polynomial_weights(age.data() + from, points, dt, computed);
  const double* __restrict rows = past.data() + from * n;
  int i = 0;
  if (fused) {
    for (; i + 12 <= nd; i += 12) {  // three registers, as many as four balls have: each weight is read once for them
      const double* row = rows + i;
      const AtFour at{0};
      Four a = weights[0] * at(row), b = weights[0] * at(row + 4), c = weights[0] * at(row + 8);
      for (int k = 1; k < points; ++k) {
        row += n;
        a += weights[k] * at(row);
        b += weights[k] * at(row + 4);
        c += weights[k] * at(row + 8);
      }
      at(out + i) = a;
      at(out + i + 4) = b;
      at(out + i + 8) = c;
    }
    in_fours(nd - i, [=, this, rows = rows + i, out = out + i](auto at) {
      auto sum = weights[0] * at(rows);
      for (int a = 1; a < points; ++a) sum += weights[a] * at(rows + a * n);
      at(out) = sum;
    });
    return;
  }
  for (; i + 4 <= nd; i += 4) {  // four sums at a time stay in registers
    double sum[4] = {};
    for (int a = 0; a < points; ++a)
      for (int k = 0; k < 4; ++k) sum[k] += weights[a] * rows[a * n + i + k];
    std::copy_n(sum, 4, out + i);
  }
  for (; i < nd; ++i) {
    double sum = 0.0;
    for (int a = 0; a < points; ++a) sum += weights[a] * rows[a * n + i];
    out[i] = sum;
  }
}

int History::best_points(double* scratch, bool fused) const {
  const double* truth = row(0);
  double best = 0.0;
  int chosen = memory;
  for (int points = 2; points < memory; ++points) {
    extrapolate(0.0, 1, points, scratch, fused);
    double error = 0.0;
    for (int i = 0; i < nd; ++i) error = std::max(error, std::abs(scratch[i] - truth[i]));
    if (points > 2 && error >= best) continue;
    best = error;
    chosen = points + 1 == memory ? memory : points;
  }
  return chosen;
}

}  // namespace bough
