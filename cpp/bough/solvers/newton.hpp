// The loop of Newton's method that implicit steps share. Equations hold their unknowns x and have
//
//   StepStatus evaluate()            the residuals at x
//   bool solved(int iteration)       whether these are small enough
//   StepStatus correct()             finds a correction of x; equations that are judged by it alone evaluate here
//   void move(double factor)         x = (x that was corrected) + factor * correction
//   Judgement judge(double factor)   after a correction: whether it was small enough, or the last one that gains anything
//
// and, if corrections may be shortened,
//
//   bool decreased(double factor)    whether the residuals are less than before the correction
//   void retract(double factor)      takes back what move() added to
//   shortest_move                    the factor that is taken even if they are not
#pragma once

#include "bough/solvers/step_status.hpp"

namespace bough {

enum class Judgement { go_on, accept, give_up };

template <class Equations>
StepStatus newton(Equations& equations, int max_iterations, bool damped = false) {
  StepStatus status = equations.evaluate();
  for (int k = 0; status == StepStatus::fine; ++k) {
    if (equations.solved(k)) return StepStatus::fine;
    if (k == max_iterations) return StepStatus::no_convergence;
    status = equations.correct();
    if (status != StepStatus::fine) break;
    double factor = 1.0;
    equations.move(factor);
    status = equations.evaluate();
    if constexpr (requires { equations.retract(factor); })
      while (damped && factor > Equations::shortest_move &&
             !(status == StepStatus::fine && equations.decreased(factor))) {
        equations.retract(factor);
        factor *= 0.5;
        equations.move(factor);
        status = equations.evaluate();
      }
    if (status != StepStatus::fine) break;
    const Judgement judgement = equations.judge(factor);
    if (judgement == Judgement::accept) return StepStatus::fine;
    if (judgement == Judgement::give_up) return StepStatus::no_convergence;
  }
  return status;
}

}  // namespace bough
