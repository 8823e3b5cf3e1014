// A step of a motion with contacts: split where a contact that is open would be crossed.
//
//   find tau with  min_j phi_j(q1(tau)) = 0,  (CT1)-(CT5) on (0, tau)                                              (EV1)
//   phi(q0) + phi(q1) > D  =>  no crossing inside the step, D the most that the gap can have changed               (EV2)
//
// A contact for which (EV2) does not tell is looked at closer if its gap falls at the start of the step and rises at its end: at
// the middle of q, and so on in both halves. At tau the impact law acts on the contacts that are closed and those that close,
// and the motion starts anew: (q, M v+), without guesses of the steps before. A contact leaves the node closed if U_n+ = 0,
// open if U_n+ > 0.
//
// Without end, a contact would hit again and again within one step. Its second hit in one dt is therefore without restitution,
// unless that is 1, and after its third it stays among the closed ones for the rest of dt. One with restitution 1 has 16
// hits, and all together four for each contact; more are counted as a coarse step and go on without restitution.
#pragma once

#include "bough/integrators/contact_events.hpp"
#include "bough/integrators/contact_node.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/integrators/variational_state.hpp"

namespace bough {

// What the steps are made with: a stepper.
class SmoothSteps {
 public:
  virtual ~SmoothSteps() = default;
  // Solves the equations of a step from the state, which stays as it is; and makes that step.
  virtual StepStatus solve_smooth(const StepPart& part) = 0;
  virtual void accept_smooth(double dt) = 0;
  // The state is at a node that the motion starts anew from, with velocities v.
  virtual void start_anew(const double* v) = 0;
  virtual void undo_to(const VariationalState& before) = 0;
  virtual void note_coarse(double t) = 0;
};

class ContactSteps {
 public:
  ContactSteps(const Model& model, StepEquations& equations, VariationalState& state, SmoothSteps& smooth);

  // A motion starts at the state, with velocities v: contacts that touch are closed, and those that approach are hit. False
  // if that impact has no solution.
  bool start(const double* v);
  // The same after a step: contacts that touch are closed, and nothing is hit.
  void start_touching();
  // Of the steps before nothing is known.
  void forget() { known_ = false; }

  void begin_step();                       // of the user: no contact has been hit in it
  StepStatus step(const StepPart& whole);  // that step, or a part of it

  // What has been hit in this step, and the impacts recorded: to go back to.
  struct Hits {
    std::vector<int> count;  // of each contact
    std::vector<char> held;  // contacts that stay among the closed ones for the rest of the step
    int impacts = 0;
    std::size_t events = 0;
  };
  const Hits& hits() const { return hits_; }
  void restore(const Hits& hits);

  ContactEvents events;
  void forget_events() {
    events.resize(0, 0, 0);
    hits_.events = 0;
  }

 private:
  StepStatus advance();
  StepStatus solve(double tau);
  void make(double tau);
  bool open(int contact) const { return !in_step_[contact] && !rows_[0][contact].dry(); }
  bool crosses(double T, double* at);
  bool crosses_within(double T, double* at);
  struct Probe {
    double s, phi, slope;  // part of the step, gap and its derivative along the step
  };
  Probe probe(int contact, double T, double s);
  bool dips(int contact, double T, const Probe& a, const Probe& b, int depth, double* at);
  struct Least {
    double phi, scale;
    int contact;
  };
  void set_end(double T);
  Least least_gap() const;
  Least least_gap_at(double T) {
    set_end(T);
    return least_gap();
  }
  StepStatus locate(double T, double at, double* tau, int* stuck);
  StepStatus enter(int contact, double* a, double* at_a, double* b, double* at_b);
  bool leaves(int contact);
  bool impact(double dt_before);
  void clear();
  const std::vector<int>& closed();
  bool strike();
  void record();
  void set_statuses();

  const Model& model_;
  StepEquations& equations_;
  VariationalState& state_;
  SmoothSteps& smooth_;
  ContactNode node_;
  ContactRows rows_[2];  // at the start and at the end of the step
  int from_ = 0;         // which of them is at the start
  bool known_ = false;   // whether it is
  struct Gaps {
    std::vector<double> phi0, scale0, phi1, scale1, travel;
    std::vector<double> size;  // of each gap: what cancels in it, and how far it moves in this step
  };
  Gaps gaps_;
  VariationalState before_;
  Hits hits_, hits_before_;
  std::vector<char> in_step_;  // whether a contact is among the closed ones
  bool split_ = false;
  StepPart whole_{};
  double elapsed_ = 0.0;
  struct Way {
    std::vector<double> k0, k, v, q, row, rate;  // kinematic variables, velocities, and a place within the step
  };
  Way way_;
  struct Lists {
    std::vector<int> all, one, landing;  // contacts of an impact
  };
  Lists lists_;
  std::vector<double> restitution_;
  struct Sum {
    std::vector<double> force, lam;
    double weight = 0.0;
  };
  Sum sum_;  // impulses in the parts of a step that is split
};

}  // namespace bough
