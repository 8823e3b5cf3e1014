// Steps of variable length that are reversible: a density z of steps is carried beside the state (E. Hairer, G. Soderlind,
// Explicit, time reversible, adaptive step size control, 2005), driven by how fast bodies turn and pairs of points pass.
//
//   sigma^-2 = w0^2 + sum_links |omega_i|^2 + sum_pairs |x'_ab|^2 / |x_ab|^2                                        (SD1)
//   h_{n+1/2} = eps / z_{n+1/2},   ln(z_{n+1/2} / z_{n-1/2}) = 2 eps G(q_n, v_n) / (z_{n-1/2} + z_{n+1/2})          (SD2)
//   G = -[ln sigma(q + eta v, v + eta a) - ln sigma(q - eta v, v - eta a)] / (2 eta),   eta = 1e-4 / w0            (SD3)
//
// from 1 / sigma at the start, half a step on. sigma is even in v and G odd, so that the map of (q, p, z) made of (SD2) and a
// symmetric step is reversible.
#pragma once

#include <array>

#include "bough/integrators/equations_of_motion.hpp"

namespace bough {

class StepDensity {
 public:
  // pairs: of frames. w0 > 0: the slowest rate, in 1/s.
  StepDensity(const Model& model, std::vector<std::array<int, 2>> pairs, double epsilon, double w0);

  // 1 / sigma with another w0 (SD1).
  double rate(const double* q, const double* v, double w0);
  // The length of the step from a node with momenta p over dynamic variables (SD2); 0 where the mass matrix is singular.
  double length(double t, const double* q, const double* p, const double* u);

  double z = 0.0;   // 0: to be set at the start
  long resets = 0;  // how often it strayed from the rate and was reset, where the motion is not reversible

 private:
  const Model& model_;
  const std::vector<std::array<int, 2>> pairs_;
  const double epsilon_, w0_;
  EquationsOfMotion equations_;
  ConstraintSpace space_;
  std::vector<double> v_, a_, q_beside_, v_beside_, zero_;
};

}  // namespace bough
