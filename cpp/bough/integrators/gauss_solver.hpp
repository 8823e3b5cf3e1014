// Solves the stages of a step: by the iteration (GL7), (GL9) if it contracts, else by Newton's method on all of them.
#pragma once

#include "bough/integrators/gauss_newton.hpp"
#include "bough/integrators/step_equations.hpp"

namespace bough {

class GaussSolver {
 public:
  GaussSolver(const Model& model, const GaussTable& table, const StepSettings& settings);

  // From the polynomial; if that fails, along the line of its end.
  StepStatus solve(const GaussStep& step, const RatePolynomial& past);

  // Of the step solved last.
  const GaussStages& stages() const { return stages_; }
  const GaussConstraints& constraints() const { return constraints_; }
  double contraction() const { return contraction_; }
  bool by_newton() const { return by_newton_; }

  struct Failure {
    double residual = 0.0;  // the last correction of rates, relative to the largest
    int worst = 0;          // the dynamic variable of it, or one at which M is singular
    int iterations = 0;
  };
  Failure failure;  // of the last attempt
  long iterations = 0;

 private:
  struct Iteration;
  StepStatus attempt(const GaussStep& step, const RatePolynomial& past, bool newton);
  double correct_rates(double* largest_rate);
  int worst() const;
  void take_back();
  double far(const GaussState& from) const;
  bool near_line(double h) const;

  const Model& model_;
  const StepSettings settings_;
  GaussStages stages_;
  GaussConstraints constraints_;
  GaussNewton newton_;
  const std::vector<double> unit_;
  std::vector<double> line_;  // the rate at the start of a step
  double contraction_ = 1.0;
  bool by_newton_ = false;
};

}  // namespace bough
