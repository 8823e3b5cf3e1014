// Derivatives of a chain of steps x_(k+1) = step(x_k, c_k; theta), by its start, its controls and parameters.
//
// Backward, for a scalar psi with the gradients w_k by the states x_k, all of it in one sweep:
//
//   lambda_N = w_N,   lambda_k = w_k + A_k^T lambda_(k+1),   psi_c_k = B_k^T lambda_(k+1),
//   psi_theta = sum_k (dstep_k/dtheta)^T lambda_(k+1)                                                           (RD1)
//
// Forward, for the columns of all states by x_0, by controls that change in all steps alike, and by theta:
//
//   S_(k+1) = A_k S_k + [0, B_k, dstep_k/dtheta],   S_0 = [1, e, 0],  e: kinematic variables start with k          (RD2)
#pragma once

#include "bough/integrators/step_derivatives.hpp"

namespace bough {

class RunDerivatives {
 public:
  RunDerivatives(StepLinearization& step, ParameterGradient& by);

  // Steps of a run: their lengths, the times they start at, the states at all nodes and the controls.
  struct Chain {
    std::size_t count;
    const double *dt, *t, *x, *control;
  };
  // How a sweep ended, and at which step.
  struct Ended {
    StepStatus status;
    std::size_t step;
  };

  // The states x after the first, from the first.
  Ended roll(const Chain& chain, double* x);
  // (RD1); weights (count + 1, states). lambda (states) comes in with what follows the last node and goes out at the first,
  // without its weights; by_control (count, controls) is set, by_parameters is added to.
  Ended backward(const Chain& chain, const double* weights, double* lambda, double* by_control, double* by_parameters);
  // (RD2); S (states, states + controls + parameters) comes in at the first node and goes out at the last.
  Ended forward(const Chain& chain, double* S);

 private:
  StepStatus linearize(const Chain& chain, std::size_t k);

  StepLinearization& step_;
  ParameterGradient& by_;
  const StepShape shape_;
  std::vector<double> row_, by_s_;
  RowMatrix J_, J_theta_, next_;
};

}  // namespace bough
