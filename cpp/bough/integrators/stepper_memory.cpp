// What a stepper carries from one step to the next, taken out and put back.
#include "bough/integrators/stepper.hpp"

namespace bough {

void Stepper::remember(Memory& to) const {
  to.state = state;
  equations_.remember(to.equations);
  roots_.remember(to.roots);
}

void Stepper::recall(const Memory& memory) {
  state = memory.state;
  equations_.recall(memory.equations);
  roots_.recall(memory.roots);
  rest_.known = false;
  if (contacts_) contacts_->forget();
}

// Whether a memory is of this model, as far as its sizes tell.
bool Stepper::fits(const Memory& memory) const {
  const State& x = memory.state;
  const History &mine = state.history, &past = x.history;
  return x.q.size() == state.q.size() && x.coordinates.size() == state.coordinates.size() &&
         x.p.size() == state.p.size() && x.lam.size() == state.lam.size() && x.shift.size() == state.shift.size() &&
         x.given.size() == state.given.size() && past.n == mine.n && past.nd == mine.nd &&
         past.past.size() == mine.past.size() && past.age.size() == mine.age.size() &&
         x.contacts.status.size() == state.contacts.status.size() &&
         x.contacts.features.size() == state.contacts.features.size() &&
         x.contacts.force.size() == state.contacts.force.size() &&
         x.contacts.slip.size() == state.contacts.slip.size() &&
         x.contacts.drive.size() == state.contacts.drive.size() && 2 <= past.known && past.known <= History::kept &&
         0 <= past.made_up && past.made_up < past.known && equations_.fits(memory.equations) &&
         roots_.fits(memory.roots);
}

void StepEquations::remember(Memory& to) const {
  to.floor = floor_;
  constraints_.remember(to.Dh0, to.Dh0_known);
  to.detour = matrix_.detour;
  rule_->remember_branches(to.branches);
}

void StepEquations::recall(const Memory& memory) {
  floor_ = memory.floor;
  constraints_.recall(memory.Dh0, memory.Dh0_known);
  matrix_.detour = memory.detour;
  rule_->recall_branches(memory.branches);
}

bool StepEquations::fits(const Memory& memory) const {
  const std::size_t entries = static_cast<std::size_t>(constraints_.rows()) * model_.n_variables;
  return memory.Dh0.size() == entries && memory.detour.left >= 0 && memory.detour.next >= 1;
}

void RootChoice::remember(Memory& to) const { to = {points_, age_, last_, follows_, recurrence_}; }

void RootChoice::recall(const Memory& memory) {
  points_ = memory.points;
  age_ = memory.age;
  last_ = memory.last_energy;
  follows_ = memory.follows;
  recurrence_ = memory.recurrence;
}

bool RootChoice::fits(const Memory& memory) const {
  return 2 <= memory.points && memory.points <= History::memory && memory.age >= 0;
}

}  // namespace bough
