// Semi-implicit (symplectic) Euler, of first order: the velocities by the forces now, the configuration by the velocities
// then.
//
//   v1 = v0 + dt a(t, q0, v0)                                                                                   (X1)
//   q1 = q0 + dt v1                                                                                             (X2)
#pragma once

#include "bough/integrators/one_step.hpp"

namespace bough {

class SemiImplicitEuler final : public OneStepMethod {
 public:
  explicit SemiImplicitEuler(const Model& model) : a_(model.n_dynamic) {}
  StepStatus step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0, double* q1,
                  double* v1) override;

 private:
  std::vector<double> a_;
};

}  // namespace bough
