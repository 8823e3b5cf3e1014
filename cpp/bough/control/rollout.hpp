// Motions of any model under its controls, rolled out step by step through feedback gains about another motion:
//
//   c_k = c^_k + length d_k - G_k (x_k - x^_k),    x_(k+1) = step(x_k, c_k)                                       (OR1)
//
// x = (q, p) is that of a step (step_derivatives.hpp), c = (u, k1 - k0) has the inputs and the moves of the kinematic
// variables. One stepper makes all steps, as in a simulation. Of balls, x - x^ is the rotation vector that leads from the
// one to the other.
#pragma once

#include "bough/dynamics/constrained.hpp"
#include "bough/integrators/stepper.hpp"

namespace bough {

class Rollout {
 public:
  Rollout(const Model& model, int method, double alpha, const StepSettings& settings);

  struct About {
    int count;
    double t0, dt;
    const double *x, *c;  // the motion that it is about, (count + 1, numbers) and (count, nc)
    const double *d, *G;  // (count, nc) and (count, nc, moves); null: zero
    double length;
  };
  struct Motion {
    double *x, *c, *lam;  // (count + 1, numbers) with its first row given, (count, nc), (count, m)
  };
  struct Ended {
    StepStatus status = StepStatus::fine;
    int step = -1;  // the one that failed
  };
  Ended run(const About& about, const Motion& motion);

  const Stepper& stepper() const { return stepper_; }
  int numbers() const { return model_.n_coordinates() + nd_; }  // of a state
  int moves() const { return nq_ + nd_; }                       // of a difference of states
  int controls() const { return nu_ + nq_ - nd_; }

 private:
  const Model& model_;
  const int nq_, nd_, nu_;
  Stepper stepper_;
  Stepper::Memory fresh_;  // of a stepper that has made no step
  ConstraintSpace space_;
  std::vector<double> q_, v_, k1_;
};

}  // namespace bough
