// V = k (q_i - rest)^2 / 2
#pragma once

#include "bough/tree/elements.hpp"

namespace bough {

inline double energy(const ConfigurationSpring& e, const double* q) {
  const double x = q[e.variable] - e.rest;
  return 0.5 * e.stiffness * x * x;
}

// out += factor * dV/dq
inline void add_gradient(const ConfigurationSpring& e, const double* q, double factor, double* out) {
  out[e.variable] += factor * e.stiffness * (q[e.variable] - e.rest);
}

}  // namespace bough
