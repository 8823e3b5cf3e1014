// What a step contracts: Phi = w (sigma . L_q + tau . L_v) + c . f at one place (q, v, u, t), the derivative of w L along
// (q, v) += e (sigma, tau) and the work of forces on c. A rule has one or two such places, where dq/dq0 = at_0,
// dq/dq1 = at_1 and dv/dq1 = -dv/dq0 = 1 / dt.
#pragma once

#include <vector>

namespace bough {

struct PhiPlace {
  double weight, t;
  const double *q, *v, *u, *sigma, *tau, *c;
  double at_0 = 0.0, at_1 = 0.0;
};

// Memory for the covectors of a place, and for those that a step makes them of.
struct Covectors {
  std::vector<double> sigma, tau, c, a, lp;
  void fit(std::size_t n) {
    for (auto* x : {&sigma, &tau, &c, &a, &lp}) x->resize(n);
  }
};

}  // namespace bough
