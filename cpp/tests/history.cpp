// History: the polynomials through the last configurations.
#include "bough/integrators/history.hpp"

#include <algorithm>

#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

constexpr int n = 31, nd = 30;  // two groups of twelve variables, one of four, and two more that are guessed

double monomials(double t, int degree, int i) {
  double sum = 0.0, power = 1.0;
  for (int k = 0; k <= degree; ++k, power *= t) sum += (1.0 + 0.3 * (i % 7) - 0.2 * k) * power;
  return sum;
}

// Rows of a polynomial of that degree at the times, the last of which is now.
History rows_of(const std::vector<double>& times, int degree) {
  History history;
  history.resize(n, nd);
  std::vector<double> q(n), v(n, 0.0);
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (int i = 0; i < n; ++i) q[i] = monomials(times[k], degree, i);
    if (k == 0)
      history.start(q.data(), v.data());
    else
      history.add(q.data(), times[k] - times[k - 1]);
  }
  return history;
}

const std::vector<double> equal = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
const std::vector<double> unequal = {0.0, 0.1, 0.15, 0.3, 0.42, 0.5, 0.63, 0.7, 0.72, 0.9, 1.0};

}  // namespace

CASE(history_continues_polynomials) {
  for (const auto* times : {&equal, &unequal})
    for (int points = 1; points <= History::memory; ++points)
      for (int back = 0; back + points <= History::memory; ++back) {
        const History history = rows_of(*times, points - 1);
        std::vector<double> out(n, -7.0);
        history.extrapolate(0.1, back, points, out.data());
        for (int i = 0; i < nd; ++i)
          near(out[i], monomials(times->back() + 0.1, points - 1, i), 1e-9, "guess of " + std::to_string(points));
        near(out[nd], -7.0, 0.0, "a kinematic variable");
        std::vector<double> fused(n, -7.0);
        history.extrapolate(0.1, back, points, fused.data(), true);
        for (int i = 0; i < n; ++i) near(fused[i], out[i], 1e-11, "the same with fused products");
      }
}

CASE(history_moves_to_another_origin) {
  std::vector<double> by(n);
  for (int i = 0; i < n; ++i) by[i] = 0.1 * (i % 7) * (i % 2 == 0 ? 1.0 : -1.0);
  for (const std::size_t rows : {std::size_t{5}, equal.size()}) {
    const std::vector<double> times(equal.begin(), equal.begin() + rows);
    const History history = rows_of(times, 2);
    History moved = history;
    moved.shift(by.data());
    expect(moved.known == std::min(history.known, History::kept - 1), "a full history drops its oldest row");
    for (int back = 0; back < moved.known; ++back) {
      near(moved.age_of(back), history.age_of(back), 0.0, "age");
      for (int i = 0; i < n; ++i) near(moved.row(back)[i], history.row(back)[i] - by[i], 0.0, "row");
    }
  }
}

CASE(history_keeps_the_last_rows) {
  const History history = rows_of(equal, 2);
  expect(history.known == History::kept && history.made_up == 0, "ten rows, none made up");
  for (int back = 0; back < History::kept; ++back) {
    near(history.age_of(back), 0.1 * back, 1e-15, "age");
    near(history.row(back)[3], monomials(equal[equal.size() - 1 - back], 2, 3), 0.0, "row");
  }
}

CASE(history_starts_with_a_velocity) {
  History history;
  history.resize(n, nd);
  std::vector<double> q(n, 1.0), v(n, 0.5), out(n);
  history.start(q.data(), v.data());
  expect(history.known == 2 && history.made_up == 1, "two rows, one made up");
  history.extrapolate(0.2, 0, 2, out.data());
  near(out[0], 1.1, 1e-13, "q + dt v");
  history.add(out.data(), 0.2);
  expect(history.known == 2 && history.made_up == 0, "the row that was made up is gone");
  near(history.row(1)[0], 1.0, 0.0, "where the motion started");
  near(history.age_of(1), 0.2, 0.0, "how long ago");
}

CASE(history_starts_with_an_acceleration) {
  History history;
  history.resize(n, nd);
  std::vector<double> q(n, 1.0), v(n, 0.5), a(n, -3.0), out(n);
  history.start(q.data(), v.data(), a.data(), 0.01);
  expect(history.known == 3 && history.real() == 1, "three rows, one of them real");
  history.extrapolate(0.2, 0, 3, out.data());
  near(out[0], 1.0 + 0.1 - 0.06, 1e-12, "q + dt v + dt^2 a / 2");
  history.add(out.data(), 0.2);
  expect(history.known == 4 && history.real() == 2, "the second guess has the start in it");
  history.extrapolate(0.1, 0, 4, out.data());
  near(out[0], 1.0 + 0.15 - 0.135, 1e-12, "the same parabola");
  history.add(out.data(), 0.1);
  expect(history.known == 3 && history.made_up == 0, "the rows that were made up are gone");
  near(history.row(2)[0], 1.0, 0.0, "where the motion started");
  near(history.age_of(2), 0.3, 1e-15, "how long ago");
}

CASE(history_takes_many_points_of_smooth_motion_only) {
  std::vector<double> scratch(n);
  expect(rows_of(equal, 5).best_points(scratch.data()) >= 6, "many points of a polynomial of degree five");
  History rough = rows_of(equal, 1);
  Random random(3);
  for (double& x : rough.past) x += 0.1 * random();
  expect(rough.best_points(scratch.data()) <= 3, "few points of noise");
}
