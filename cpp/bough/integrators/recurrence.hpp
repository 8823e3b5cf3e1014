// A guess for motions with oscillations of a few steps, which no polynomial follows: feet on stiff springs, taut cables.
//
// The second differences d_k = q_k - 2 q_k-1 + q_k-2 of a sum of m / 2 oscillations obey a recurrence of order m with constant
// coefficients (of one oscillation, b = (2 cos w dt, -1)), the same for all variables:
//
//   d_k = sum_a b_a d_k-a ,  a = 1 ... m,     b: least squares over all variables of the newest differences          (S8)
//
// and q_1 = 2 q_0 - q_-1 + d_1 continues the motion. A marionette with springs in its feet takes 2.6 iterations a step from it
// and 3.6 from polynomials.
#pragma once

#include <array>

#include "bough/integrators/history.hpp"

namespace bough {

struct Recurrence {
  static constexpr int order = 6, lags = order + 2, equations = 2;  // lags: rows that a guess takes
  static_assert(lags + equations <= History::kept);

  bool known = false;                     // the weights are those of a motion
  std::array<double, lags> weights = {};  // of rows, newest first

  // Finds the weights from the newest rows, if there are enough of them.
  void fit(const History& past);
  // Whether the rows before the one `back` are enough and equally far apart, and that row is as far from them; back = 0: the
  // row that is dt from now.
  bool applies(const History& past, int back, double dt = 0.0) const;
  // The row `back` from those before it, over dynamic variables.
  void extrapolate(const History& past, int back, double* out) const;
};

}  // namespace bough
