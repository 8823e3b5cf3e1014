// A running simulation with a variational rule of second order, or with several of its steps as one of order 4, 6 or 8.
//
// In the parts of such a step that go back in time, damping feeds the motion: in one of length c, K is singular if it gives
// as much as inertia holds, - c v . f_v v / 2 = v . L_vv v.                                                       (S5)
//
// The force reported is lam = -mu / w with w the time the node stands for, half of the steps on its two sides. The residual
// left in f is carried into p1, so that it is made up for in the next step and momentum does not drift.
//
// At rest on contacts a step leads from a state to the same one. If the next one is given the same, and nothing depends on time, it is
// not computed again.
#pragma once

#include "bough/integrators/carried_residual.hpp"
#include "bough/integrators/composition.hpp"
#include "bough/integrators/contact_steps.hpp"
#include "bough/integrators/root_choice.hpp"
#include "bough/integrators/substeps.hpp"

namespace bough {

class Stepper final : public Substeps<StepPart>, private SmoothSteps {
 public:
  Stepper(const Model& model, std::unique_ptr<DiscreteLagrangian> rule, const StepSettings& settings);

  // v is used for the first guess, and for contacts that touch. False if the impact of these has no solution.
  bool start(double t, const double* q, const double* p, const double* v);
  // The state after a step from q0 to q1, p1 = D2(q0, q1).
  void start_from_configurations(double t0, const double* q0, double t1, const double* q1, const double* u);
  StepStatus step(double dt, const double* k1, const double* u);

  using State = VariationalState;
  State state;

  // All that the next step depends on: a stepper that recalls it goes on as the one that remembers it, bit for bit.
  struct Memory {
    State state;
    StepEquations::Memory equations;
    RootChoice::Memory roots;
  };
  void remember(Memory& to) const;  // allocates nothing if the vectors of `to` have their sizes
  void recall(const Memory& memory);
  bool fits(const Memory& memory) const;

  struct Failure {
    double residual = 0.0;  // relative to tolerance
    int worst_row = 0;      // a dynamic variable, or n_dynamic plus a constraint row
    int iterations = 0;     // of the last attempt
  };
  Failure failure;  // of the last whole step that failed

  const Model& model() const { return model_; }
  long iterations() const { return equations_.iterations; }
  long coarse() const { return roots_.coarse; }
  double coarse_time() const { return roots_.coarse_time; }
  // The impacts since they were forgotten last; null if the model has no contacts.
  ContactEvents* events() { return contacts_ ? &contacts_->events : nullptr; }
  // The nodes within the last step; null likewise.
  ContactTrace* trace() { return contacts_ ? &contacts_->trace : nullptr; }
  // Whether impacts are located within steps; nothing if the model has no contacts.
  bool located() const { return !contacts_ || contacts_->located; }
  void set_located(bool located) {
    if (contacts_) contacts_->located = located;
  }
  void forget_events() {
    if (contacts_) contacts_->forget_events();
  }

 private:
  StepStatus solve_smooth(const StepPart& part, const double* first) override;
  void accept_smooth(double dt) override { accept(dt); }
  void start_anew(const double* v, const double* a, double dt) override;
  void move_node(double dt, const double* q1) override;
  void undo_to(const VariationalState& before) override;
  void note_coarse(double t) override { roots_.count_coarse(t); }
  bool divisible_further() const override { return divisible(); }

  StepStatus try_step(const StepPart& part) override;
  std::array<StepPart, 2> halves(const StepPart& whole, int depth) override;
  void save() override;
  void restore() override;
  void begin_half(const StepPart& half, int depth) override;
  void end_half(const StepPart& half, int depth) override;
  void end_halves(const StepPart& whole, int depth) override;
  void finish(const StepPart& whole) override;

  StepStatus composed_step(double dt, const double* k1, const double* u);
  bool fed_back(const double* u);
  void accept(double dt);
  void shift_history(const double* q);
  void settle_balls();
  void show_coordinates();
  bool half_turns() const;
  void forget();
  StepStatus step_on_contacts(const StepPart& part, bool solved);
  bool repeats(const StepPart& part) const;

  const Model& model_;
  const int order_;
  StepEquations equations_;
  RootChoice roots_;
  CarriedResidual carried_;
  std::unique_ptr<ContactSteps> contacts_;  // null if the model has none
  // Of the step made last, if it stayed where it was: what it was given, and the state it ended in. repeats: it started from such a
  // state too.
  struct Rest {
    bool known = false, repeats = false;
    double dt = 0.0;
    std::vector<double> u;
    State end;
  };
  Rest rest_;
  bool timeless_ = false;  // nothing depends on time, nor on what the core knows nothing of
  State before_;           // a step that is halved
  ContactSteps::Hits hits_before_;
  Failure whole_failure_;  // of that step
  struct Half {
    std::vector<double> middle, impulse, contact;  // kinematic variables half way, what constraints and contacts gave
    double node_time = 0.0;                        // of all of its nodes so far
    double weight = 0.0;                           // of those in the half that is made
  };
  std::vector<Half> halves_;  // by depth
  struct Composition {
    State before;
    std::vector<double> k0, k, lam;  // kinematic variables at the start and at the end of a part; forces at the node
    std::vector<double> q, v, f_v;   // of (S5)
  };
  Composition composition_;
};

}  // namespace bough
