// Steps of four runs at once with the generalised midpoint rule, one run in each lane of a register: docs/theory/lanes.md.
//
// The guess, the equations and what a root is accepted by are those of `Stepper`. A lane that does not converge, or whose
// root is doubtful, makes that step with a `Stepper` of its own and comes back. Decisions are made for each lane by
// itself, so that the numbers of a run depend neither on its neighbours nor on its lane.
#pragma once

#include <memory>

#include "bough/integrators/lane_equations.hpp"
#include "bough/integrators/lane_history.hpp"
#include "bough/integrators/stepper.hpp"

namespace bough {

class LaneStepper {
 public:
  LaneStepper(const Model& model, double alpha, const StepSettings& settings);

  // No lane runs, and the time is t; then some start, with models of one structure. After the last of them: begin(), with
  // the length and the inputs of the first step. A lane whose mass matrix is singular ends there.
  void clear(double t);
  void start(int lane, const Model& model, const double* q, const double* p);
  void begin(double dt, const double* const* u);

  // One step of all lanes that run; u: the inputs of each lane.
  void step(double dt, const double* const* u);

  // What a lane has done since it started.
  struct Run {
    bool runs = false;
    StepStatus status = StepStatus::fine;
    long steps = 0, alone = 0;  // alone: with a stepper of its own
    long iterations = 0, halvings = 0, coarse = 0;
    double work = 0.0;   // as of VariationalState
    double chord = 0.0;  // kinetic energy (CS4) of the last step; NaN if not known
    Stepper::Failure failure{};
  };
  const Run& run(int lane) const { return runs_[lane]; }
  bool any() const;
  // Whether beginning() holds for a lane: not if its mass matrix is nearly singular.
  bool begun(int lane) const;
  const LaneEquations::Beginning& beginning() const { return equations_.beginning(); }
  LaneTree& tree() { return equations_.tree(); }
  void q(int lane, double* out) const { take_lane(q_, lane, out); }
  void p(int lane, double* out) const { take_lane(p_, lane, out); }

 private:
  // What the choice of a root knows of the steps before, by lane.
  struct Past {
    double floor = 0.0, peak = 0.0;
    RootChoice::Energy energy;
    bool given_known = false;
  };
  struct Alone {
    const Model* model = nullptr;
    std::unique_ptr<Stepper> stepper;  // made where it is first needed
  };
  // Lengths by which a root is judged: as of RootChoice.
  struct Lengths {
    Lane4 correction, guess, step, last;
  };

  Lengths lengths(double dt) const;
  Lane4 pushed(double dt) const;
  void judge_roots(double dt);
  bool plausible(int lane, const Lengths& found) const;
  bool keeps_energy(int lane) const;
  void accept(double dt);
  void step_alone(int lane, double dt, const double* u);
  void take_up(int lane);
  void begin_alone(int lane);
  void stop(int lane);

  const double alpha_;
  const StepSettings settings_;
  const bool conservative_;
  LaneEquations equations_;
  LaneHistory history_;
  double t_ = 0.0, dt_before_ = 0.0;
  LaneArray q_, p_, guess_, given_;
  Lane4 pushed_;
  LaneEquations::Energy energy_;  // of the step being made
  LaneEquations::Trial trials_[lanes];
  bool trusted_[lanes], checked_[lanes];  // whether the root of this step is, and whether its energy was checked
  Run runs_[lanes];
  Past past_[lanes];
  Alone alone_[lanes];
  Stepper::Memory memory_;
};

}  // namespace bough
