// The equations of one step and Newton's method on them: position-momentum form of the constrained, forced discrete
// Euler-Lagrange equations.
//
//   f = p0 + D1(q0, q1) - Dh(q0)^T mu = 0,   h(q1) = 0            mu: impulse of the constraints at q0          (S1)
//   p1 = D2(q0, q1)
//   Newton:  [K, -Dh(q0)^T; Dh(q1), 0] [dq; dmu] = -[f; h]                                                      (S2)
//
// Residuals are relative to the size of the terms of their rows. The matrix of a correction is kept for the next one if it
// took the residual to a fiftieth.
#pragma once

#include <memory>

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/step_constraints.hpp"
#include "bough/integrators/step_contacts.hpp"
#include "bough/solvers/newton.hpp"

namespace bough {

struct StepSettings {
  double tolerance;             // of f, relative to the size of the terms of each row, times the number of joints
  double constraint_tolerance;  // of h, relative to the size of what cancels in it, or to what q can tell of it
  int max_iterations, max_halvings;
  int order = 2;  // or 4
};

// Factors by which dynamic variables are compared: as turns, or as parts of the size of the system.
std::vector<double> variable_units(const Model& model);

// What a step starts from: all variables, momenta of the dynamic ones, and what these hold that the step before has moved
// to its start (VS4). Of the step before also its start and the forces of constraints, which tell whether nothing moves.
struct StepStart {
  double t;
  const double *q, *p, *shift;
  bool little_history;  // the first guess is rough
  const double *before = nullptr, *lam = nullptr;
};

// What a step, or a part of it, is given: the kinematic variables at its end, and inputs.
struct StepPart {
  double dt;
  const double *k1, *u;
};

class StepEquations {
 public:
  StepEquations(const Model& model, std::unique_ptr<DiscreteLagrangian> rule, const StepSettings& settings);

  // Newton's method from a first q1 over dynamic variables; damped: corrections that do not help are shortened.
  // The start is put in its place by the caller: copied soon after its members are stored one by one, it would wait for all that was
  // stored before them, a fiftieth of a step of 20 balls.
  StepStatus solve(const StepStart& start, const StepPart& part, const double* first, bool damped) {
    start_ = start;
    return solve(part, first, damped);
  }

  // The step that ends where a contact closes: Newton's method with its length as an unknown, (EV5). No contact may be closed.
  // size: of the gap; q_rate: of q1 by the length, of dynamic variables about, of kinematic ones with k_bend what they follow,
  // (EV3); node_time: the first length and that of the step before. The step solved last is the longest. False if the length
  // leaves (0, longest) or nothing is met; the step is then to be found in another way.
  struct Meeting {
    int contact;
    double size, longest;
    const double *q_rate, *k_bend;
    double node_time;
  };
  bool meet(const StepStart& start, const Meeting& meeting, const double* u, const double* first, double* dt);

  // The end of a step that is not solved for.
  void set_end(const double* q1) { std::copy_n(q1, q1_.size(), q1_.begin()); }

  // The end of the step solved last becomes the start of the next one; or nothing is known of the start.
  void advance() { constraints_.advance(); }
  void forget_start() { constraints_.forget(); }
  // No round-off level has been met.
  void forget_floor() { floor_ = 0.0; }
  void forget();

  // What it carries from one step to the next.
  struct Memory {
    double floor = 0.0;
    bool Dh0_known = false;
    std::vector<double> Dh0;
    StepMatrix::Detour detour;
    std::vector<Limit> branches;
  };
  void remember(Memory& to) const;
  void recall(const Memory& memory);
  bool fits(const Memory& memory) const;

  // Of the step solved last.
  const std::vector<double>& q1() const { return q1_; }
  const std::vector<double>& D1() const { return D1_; }
  const std::vector<double>& D2() const { return D2_; }
  const std::vector<double>& f() const { return f_; }
  const std::vector<double>& mu() const { return mu_; }
  const StepConstraints& constraints() const { return constraints_; }
  StepContacts* contacts() { return contacts_.get(); }  // null if the model has none
  bool touching() const { return contacts_ && !contacts_->empty(); }
  // Whether nothing moved in it: q1 is q0, on contacts.
  bool stayed() const { return attempt_.rests && attempted == 0; }
  DiscreteLagrangian& rule() { return *rule_; }
  const std::vector<double>& units() const { return unit_; }
  double residual() const { return residual_.in_tolerances; }
  // A dynamic variable, or n_dynamic plus a constraint row, or that plus n_constraints: the contacts.
  int worst_row() const;
  int attempted = 0;    // iterations
  long iterations = 0;  // of all steps

  // For newton().
  static constexpr double shortest_move = 1.0 / 256.0;
  StepStatus evaluate();
  bool solved(int iteration);
  StepStatus correct();
  void move(double factor);
  void retract(double factor);
  bool decreased(double factor) const { return residual() <= (1.0 - 0.1 * factor) * residual_.before; }
  Judgement judge(double factor);

 private:
  StepStatus solve(const StepPart& part, const double* first, bool damped);
  StepStatus correct_contacts(const Jacobians& D);
  bool rests(const double* first) const;
  double extent() const;
  bool below_round_off() const;
  bool at_resolution();

  const Model& model_;
  const std::unique_ptr<DiscreteLagrangian> rule_;
  StepMatrix matrix_;
  StepConstraints constraints_;
  std::unique_ptr<StepContacts> contacts_;
  StepSettings settings_;
  const std::vector<double> unit_;
  StepStart start_{};
  Interval step_{};
  std::vector<double> q1_, D1_, D2_, scale_, f_, mu_;
  struct Correction {
    std::vector<double> q, mu, from;  // of q1 and mu, and the q1 that it corrects
  };
  Correction correction_;
  struct Scratch {
    std::vector<double> q1, D1;  // of at_resolution()
    std::vector<double> J;       // of meet(): the row of the gap
  };
  Scratch scratch_;
  struct Residual {
    double momentum, closure;      // the largest of f and of h
    double in_tolerances, before;  // the larger one; before the last correction
  };
  Residual residual_{};
  double floor_ = 0.0;  // round-off level met in f
  struct Attempt {
    bool rests = false;    // the first q1 is q0
    bool refactor = true;  // the next correction takes a fresh matrix
  };
  Attempt attempt_;
};

}  // namespace bough
