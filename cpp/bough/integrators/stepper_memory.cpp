// What a stepper carries from one step to the next, taken out and put back.
#include <algorithm>

#include "bough/integrators/stepper.hpp"

namespace bough {

void Stepper::remember(Memory& to) const {
  to.state = state;
  to.floor = floor_;
  to.points = points_;
  to.age = age_;
  to.last_energy = last_energy_;
  to.last_energy_known = last_energy_known_;
  to.Dh0 = Dh0_;
  to.Dh0_known = Dh0_known_;
  to.detour = matrix_.detour;
  method_->remember_branches(to.branches);
}

void Stepper::recall(const Memory& memory) {
  state = memory.state;
  floor_ = memory.floor;
  points_ = memory.points;
  age_ = memory.age;
  last_energy_ = memory.last_energy;
  last_energy_known_ = memory.last_energy_known;
  Dh0_ = memory.Dh0;
  Dh0_known_ = memory.Dh0_known;
  matrix_.detour = memory.detour;
  method_->recall_branches(memory.branches);
}

// Whether a memory is of this model, as far as its sizes tell.
bool Stepper::fits(const Memory& memory) const {
  const State& x = memory.state;
  const History &mine = state.history, &past = x.history;
  const auto in = [](int least, int value, int most) { return least <= value && value <= most; };
  return x.q.size() == state.q.size() && x.p.size() == state.p.size() && x.lam.size() == state.lam.size() &&
         x.shift.size() == state.shift.size() && x.given.size() == state.given.size() && past.n == mine.n &&
         past.nd == mine.nd && past.past.size() == mine.past.size() && past.age.size() == mine.age.size() &&
         in(2, past.known, History::memory) && in(2, memory.points, History::memory) && memory.age >= 0 &&
         memory.Dh0.size() == Dh0_.size() && memory.detour.left >= 0 && memory.detour.next >= 1;
}

}  // namespace bough
