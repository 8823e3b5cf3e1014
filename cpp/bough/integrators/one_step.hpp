// A running simulation with a method that goes from (q, v) at one node to (q, v) at the next, without memory.
#pragma once

#include <memory>

#include "bough/integrators/equations_of_motion.hpp"
#include "bough/solvers/step_status.hpp"

namespace bough {

// Vectors are over dynamic variables.
class OneStepMethod {
 public:
  virtual ~OneStepMethod() = default;

  // (q1, v1) at the end of a step from (q0, v0).
  virtual StepStatus step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0,
                          double* q1, double* v1) = 0;

  double work = 0.0;  // of the forces in the step made last, by the stages of the method
};

class OneStep {
 public:
  // projecting: every step ends on the constraints.
  OneStep(const Model& model, std::unique_ptr<OneStepMethod> method, double g1, double g2, bool projecting);

  // Leaves the state as it is where it does not succeed.
  StepStatus step(const Span& span);

  std::vector<double> q, v;  // the state, over dynamic variables; the quaternions of balls follow those of q
  double work = 0.0;         // of the forces since the start
  EquationsOfMotion equations;

 private:
  std::unique_ptr<OneStepMethod> method_;
  const bool projecting_;
  std::vector<double> q1_, v1_;
};

}  // namespace bough
