// What a step contracts: Phi = w (sigma . L_q + tau . L_v) + c . f at one place (q, v, u, t), the derivative of w L along
// (q, v) += e (sigma, tau) and the work of forces on c. A rule has one or two such places, where dq/dq0 = at_0,
// dq/dq1 = at_1 and dv/dq1 = -dv/dq0 = 1 / dt.
#pragma once

#include <vector>

#include "bough/spatial/geodesic.hpp"

namespace bough {

// What the second derivatives of a place with balls take from the first ones: the Hessians of L and the derivatives of
// F = L_q + f over variables, by rows and ordered by (BJ6); and a, lp that sigma and tau are made of.
struct PhiBalls {
  const std::vector<MiddleBall>& middle;
  const double *L_qq, *L_qv, *L_vv, *F_q, *F_v, *a, *lp;
};

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
