// The equations of one reduced step, (V2) and (V3) of reduced.hpp, and Newton's method on them.
#pragma once

#include "bough/dynamics/reduced_forces.hpp"
#include "bough/integrators/reduced_span.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/solvers/dense.hpp"
#include "bough/solvers/newton.hpp"

namespace bough {

struct ReducedSettings {
  double alpha;
  Retraction tau;
  double tolerance;  // of (V2), (V3), relative to the size of the terms of each row, times the number of rows
  int max_iterations, max_halvings;
  int order = 2;  // or 4, 6, 8, of steps with alpha = 1/2 (composition.hpp)
};

// What a step starts from: pose, shape, spatial momentum, momenta of the shape.
struct ReducedStart {
  double t;
  const Pose& g;
  const double* r;
  const Wrench& mu;
  const double* p;
};

// Impulses of potentials and forces at the ends of a step, F and f of (V2) to (V4).
struct ReducedImpulses {
  ReducedImpulses(const Model& model, const ReducedLayout& layout);

  // dV at a state, in `gradient`.
  void set_gradient(const Pose& g, const double* r, const double* z, Eigen::VectorXd& gradient);

  ReducedForces forces;
  Eigen::VectorXd gradient0, gradient1, F0, F1;  // dV and impulses at the start and at the end
};

class ReducedEquations {
 public:
  ReducedEquations(const Model& model, const ReducedLayout& layout, const ReducedSettings& settings);

  // The metric and dV at a start; z: velocities near those of the step. False if the locked inertia is singular.
  bool begin(const ReducedStart& start, const double* z);
  void forget_start() { begun_ = false; }

  // Newton's method from the velocities in z, once it has begun; damped: corrections that do not help are shortened.
  StepStatus solve(const ReducedStart& start, const StepPart& part, bool damped);

  // (V4), (V5) of the step solved last, whose end becomes the start of the next one. An element of a user may raise
  // before anything is written.
  void finish(Pose& g, double* r, Wrench& mu, double* p, double& work);

  // (S5), at the end of the step finished last.
  bool fed_back(const ReducedStart& end);

  Eigen::VectorXd z;      // velocities (xi, r'): the unknowns, then the rates of the kinematic variables
  double residual = 0.0;  // relative to tolerance
  int worst_row = 0;
  int attempted = 0;    // iterations of the last solve()
  long iterations = 0;  // of all steps

  // For newton().
  static constexpr double shortest_move = 1e-2;
  StepStatus evaluate();
  bool solved(int iteration) const;
  StepStatus correct();
  void move(double factor) { z.head(nb_ + nd_) = corrected_ + factor * delta_; }
  void retract(double) {}  // nothing to undo: move() always starts from the same velocities
  bool decreased(double factor) const { return residual <= (1.0 - 0.1 * factor) * before_; }
  Judgement judge(double factor) const;

 private:
  void measure(const ReducedStart& start);

  const ReducedSettings settings_;
  const int nb_, nr_, nd_;
  const double unit_;  // of the residual: the tolerance times the number of rows
  ReducedSpan span_;
  ReducedImpulses impulses_;
  const ReducedStart* start_ = nullptr;
  StepPart part_{};
  bool begun_ = false;
  double before_ = 0.0;                // residual before the last correction
  Eigen::VectorXd P0_, r1_;            // momentum of the base at the start, shape at the end
  Eigen::VectorXd f_, scale_;          // residuals and the sizes of their terms
  Eigen::VectorXd delta_, corrected_;  // the correction, and the velocities that it corrects
  Eigen::MatrixXd K_;
  DenseLu lu_;
};

}  // namespace bough
