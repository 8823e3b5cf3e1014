// Which root of the equations of a step is accepted: they may have several. docs/theory/variational.md.
//
// Energy E = -dLd/d(dt) of two steps that meet at q0 differs by the work of forces, and of what is moved: kinematic
// variables k by the impulse that their rows lack, constraints by h_t, the mean over both steps at fixed q0,
//
//   E1 - E0 = v . (fd+(0) + fd-(1)) + v_k . (Dh(q0)^T mu - D2(0) - D1(1))_k + mu . h_t + O(dt^2),  v = (v0 + v1) / 2      (S4)
//
// Along the chord of a step, the forces do the work
//
//   W1 - W0 = (q1 - q0) . (fd- + fd+) / dt                                                                      (S6)
#pragma once

#include "bough/integrators/recurrence.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/integrators/variational_state.hpp"

namespace bough {

class RootChoice {
 public:
  // uneven: steps differ in length and direction from one to the next, as in a composition. Polynomials through their nodes
  // are bad guesses then; the velocity of the last step is taken.
  RootChoice(const Model& model, StepEquations& equations, bool uneven);

  // Solves the equations for a root that the motion before leads to; no_convergence if none is accepted. The state is as
  // before. halved: if the guess leads to no such root, the step is halved, which costs less than a search for others and
  // is more accurate; the search is for steps that can be halved no more. first: a guess in place of that of the steps before.
  StepStatus solve(const VariationalState& state, const StepPart& part, bool halved, const double* first = nullptr);

  // Enters what the step solved last says of energy and work into a state that is still at its start.
  void add_work(VariationalState& state, double dt);
  // Of a step at rest on contacts that repeats the one before.
  void add_rest(VariationalState& state) const;
  // The history of the state has that step: it serves the next guess.
  void accepted(const History& history);

  // What it carries from one step to the next.
  struct Energy {
    bool known = false;
    DiscreteLagrangian::Energy value{};
  };
  struct Memory {
    int points = 0, age = 0;
    Energy last_energy;
    bool follows = false;
    Recurrence recurrence;
  };
  void remember(Memory& to) const;
  void recall(const Memory& memory);
  bool fits(const Memory& memory) const;

  void forget();         // of the steps before, only configurations are known
  void forget_energy();  // of the step before
  void count_coarse(double t);
  bool conservative() const { return conservative_; }

  long coarse = 0;  // steps whose solution is far from where the motion led: dt is too long for what happens there
  double coarse_time = 0.0;  // start of the first of them

 private:
  StepStatus attempt(const VariationalState& state, const StepPart& part, bool damped);
  StepStatus solve_carefully(const VariationalState& state, const StepPart& part, bool found);
  double correction(const VariationalState& state, double dt, double* step);
  bool plausible(const VariationalState& state, double dt);
  void choose_recurrence(const History& history);
  bool keeps_energy(const VariationalState& state, double dt);
  double mean_velocity(const VariationalState& state, double dt, int i) const;
  double force_work(const VariationalState& state, double dt) const;
  double drive_work(const VariationalState& state, double dt);
  double chord_work(const VariationalState& state, double dt) const;

  const Model& model_;
  StepEquations& equations_;
  const bool uneven_;
  bool moved_ = false;         // some constraint depends on time
  bool conservative_ = false;  // nothing but potentials and fixed constraints acts
  Energy last_, now_;          // of the step before and of this one
  std::vector<double> guess_, line_, root_;
  std::vector<double> h_, h_scale_;
  int points_ = History::memory;  // how many configurations the guess is drawn through
  int age_ = 0;                   // steps since that was chosen
  bool follows_ = false;          // the guess is that of the recurrence
  Recurrence recurrence_;
};

}  // namespace bough
