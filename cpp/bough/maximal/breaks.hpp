// Joints and constraints that break: forces of the joints where they are watched, thresholds, and what broke in a step.
#pragma once

#include "bough/maximal/maximal_rows.hpp"

namespace bough {

struct Breaks {
  explicit Breaks(int slots) : above(slots, -1.0), reaction(slots, Wrench::zero()) { events.reserve(slots); }

  std::vector<double> above;     // force of the joint by slot, negative: never
  bool watched = false;          // whether any joint has a threshold
  std::vector<Wrench> reaction;  // forces of the joints in the last step, by slot
  std::vector<int> events;  // constraints, or -slot of joints, whose force in the last step was above their threshold

  void check(const MaximalRows& rows, const BodyState& state) {
    rows.find_overloaded(events);
    for (int b = 1; watched && b <= state.n(); ++b)
      if (above[b] >= 0.0 && !state.broken[b] && norm(reaction[b].f) > above[b]) events.push_back(-b);
  }
};

// What the three steppers share. A stepper returns the status of a step; unless it is fine, the state has to be restored.
struct MaximalParts {
  BodyState& state;
  AppliedForces& forces;
  MaximalRows& rows;
  Breaks& breaks;
};

}  // namespace bough
