// Recurrence: (S8) on motions that it continues exactly, and where it must not be used.
#include "bough/integrators/recurrence.hpp"

#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

constexpr int n = 7, nd = 6;  // one group of four variables, and two more that are guessed
constexpr double dt = 0.01;

// A line and three oscillations of 124, 210 and 45 rad/s with amplitudes and phases of their own in each variable.
double motion(double t, int i) {
  return 0.3 * i - 0.2 + (1.0 - 0.4 * i) * t + 0.04 * std::sin(124.0 * t + i) + 0.01 * std::cos(210.0 * t + 2 * i) +
         (0.1 + 0.02 * i) * std::sin(45.0 * t - i);
}

// Nodes of it, the last of which is now.
History nodes(int number, double last_step = dt) {
  History history;
  history.resize(n, nd);
  std::vector<double> q(n), v(n, 0.0);
  double t = 0.0;
  for (int k = 0; k < number; ++k) {
    const double step = k + 1 < number ? dt : last_step;
    if (k > 0) t += step;
    for (int i = 0; i < n; ++i) q[i] = motion(t, i);
    if (k == 0)
      history.start(q.data(), v.data());
    else
      history.add(q.data(), step);
  }
  return history;
}

}  // namespace

CASE(recurrence_continues_oscillations) {
  const int number = 14;
  const History history = nodes(number);
  Recurrence recurrence;
  recurrence.fit(history);
  expect(recurrence.known, "ten rows are enough");
  expect(recurrence.applies(history, 0, dt), "equal steps");
  std::vector<double> out(n, -7.0);
  recurrence.extrapolate(history, 0, out.data());
  // The damping of the normal equations, 1e-9, is felt by the smallest of the oscillations.
  for (int i = 0; i < nd; ++i) near(out[i], motion(number * dt, i), 2e-6, "the next node");
  near(out[nd], -7.0, 0.0, "a kinematic variable");
  recurrence.extrapolate(history, 1, out.data());
  for (int i = 0; i < nd; ++i) near(out[i], history.row(0)[i], 2e-6, "the newest node from those before it");
  std::vector<double> polynomial(n), scratch(n);
  history.extrapolate(dt, 0, history.best_points(scratch.data()), polynomial.data());
  double off = 0.0;
  for (int i = 0; i < nd; ++i) off = std::max(off, std::abs(polynomial[i] - motion(number * dt, i)));
  expect(off > 1e-2, "no polynomial does");
}

CASE(recurrence_continues_lines) {
  History history;
  history.resize(n, nd);
  std::vector<double> q(n), v(n, 0.0), out(n);
  const auto place = [&](int k) {
    for (int i = 0; i < n; ++i) q[i] = 1.0 + 0.25 * i * k;  // exact numbers: no second difference at all
    return q.data();
  };
  history.start(place(0), v.data());
  for (int k = 1; k < 12; ++k) history.add(place(k), dt);
  Recurrence recurrence;
  recurrence.fit(history);
  expect(!recurrence.known, "nothing is told by zeros");
}

CASE(recurrence_needs_rows_at_equal_steps) {
  Recurrence recurrence;
  recurrence.fit(nodes(9));
  expect(!recurrence.known && !recurrence.applies(nodes(9), 0, dt), "nine rows are too few for the weights");
  recurrence.fit(nodes(12));
  expect(recurrence.applies(nodes(8), 0, dt), "eight rows are enough for a guess");
  expect(!recurrence.applies(nodes(8), 1), "but not for the newest of them");
  expect(!recurrence.applies(nodes(12), 0, 0.5 * dt), "the next step is a half");
  expect(!recurrence.applies(nodes(12, 0.5 * dt), 0, dt), "the last step was a half");
  expect(!recurrence.applies(nodes(12, 0.5 * dt), 1), "that half is not told by whole steps");
}
