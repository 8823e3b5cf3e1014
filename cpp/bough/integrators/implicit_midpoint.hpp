// The implicit midpoint rule on q' = v, v' = a, of second order and stable at any step. With the mean velocity vm as the
// unknown,
//
//   qm = q0 + dt / 2 vm,   F(vm) = v0 + dt / 2 a(t + dt / 2, qm, vm) - vm = 0                                   (I1)
//   q1 = q0 + dt vm,   v1 = 2 vm - v0                                                                           (I2)
//   B = 1 - dt / 2 da/dvm   by differences                                                                      (I3)
//
// (I1) is solved by B d = F(vm), vm += d. B = 1 is the fixed-point iteration, which is all that short steps need. If that
// converges slowly, B is (I3), kept over steps until it serves badly.
//
// This is not the variational midpoint rule: that one is the midpoint rule on (q, p), which conserves momenta and is
// symplectic; in (q, v) it is neither where the mass matrix varies.
#pragma once

#include "bough/integrators/one_step.hpp"
#include "bough/solvers/dense.hpp"
#include "bough/solvers/newton.hpp"

namespace bough {

class ImplicitMidpoint final : public OneStepMethod {
 public:
  // tolerance: of the last correction, relative to the largest velocity and its change.
  ImplicitMidpoint(const Model& model, double tolerance, int max_iterations);
  StepStatus step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0, double* q1,
                  double* v1) override;

 private:
  bool evaluate(EquationsOfMotion& equations, const Span& span, const double* q0, const double* vm, double* a);
  bool factor(EquationsOfMotion& equations, const Span& span, const double* q0);
  struct Equations;

  const double tolerance_;
  const int max_iterations_;
  bool factored_ = false;
  std::vector<double> vm_, qm_, a_, column_;
  Eigen::MatrixXd B_;
  Eigen::VectorXd F_, d_;
  DenseLu lu_;
};

}  // namespace bough
