// How a step ended, the same for all ways to step.
#pragma once

namespace bough {

enum class StepStatus : int {
  fine,
  no_convergence,
  not_finite,
  fed_back,    // damping feeds the motion in the part of a composed step that goes back in time
  user_error,  // an element that a user wrote raised
  singular,    // the mass matrix, or a locked inertia
  exploded,    // the springs of an explicit penalty step let the joints come apart
};

}  // namespace bough
