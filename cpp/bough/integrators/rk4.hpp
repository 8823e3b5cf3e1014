// The classical Runge-Kutta method, of fourth order. On q' = v, v' = a its stages for q follow from those for v:
//
//   a1 = a(t,          q0,                               v0)                                                    (K1)
//   a2 = a(t + dt / 2, q0 + dt / 2 v0,                   v0 + dt / 2 a1)                                        (K2)
//   a3 = a(t + dt / 2, q0 + dt / 2 v0 + dt^2 / 4 a1,     v0 + dt / 2 a2)                                        (K3)
//   a4 = a(t + dt,     q0 + dt v0 + dt^2 / 2 a2,         v0 + dt a3)                                            (K4)
//   q1 = q0 + dt v0 + dt^2 / 6 (a1 + a2 + a3)                                                                   (K5)
//   v1 = v0 + dt / 6 (a1 + 2 a2 + 2 a3 + a4)                                                                    (K6)
#pragma once

#include <array>

#include "bough/integrators/one_step.hpp"

namespace bough {

class RK4 final : public OneStepMethod {
 public:
  explicit RK4(const Model& model);
  StepStatus step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0, double* q1,
                  double* v1) override;

 private:
  std::array<std::vector<double>, 4> a_, Q_;  // accelerations, and rates of the quaternions of balls
};

}  // namespace bough
