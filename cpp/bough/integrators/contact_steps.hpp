// A step of a motion with contacts: split where a contact that is open would be crossed.
//
//   find tau with  min_j phi_j(q1(tau)) = 0,  (CT1)-(CT5) on (0, tau)                                              (EV1)
//   phi(q0) + phi(q1) > D  =>  no crossing inside the step, D the most that the gap can have changed               (EV2)
//
// A contact that (EV2) does not decide is examined if its gap falls at the start of the step and rises at its end: at
// the middle of q, and so on in both halves. At tau the impact law acts on the contacts that are closed and those that close,
// and the motion starts again: (q, M v+), without guesses of the steps before. A contact leaves the node closed if U_n+ = 0,
// open if U_n+ > 0. Within a step that is split, kinematic variables follow the parabola through the ends of this step and of
// the one before, with s and s- their mean velocities in these and h- the length of the latter:
//
//   v_k = s + c (tau - dt/2) ,   k = k0 + s tau - c tau (dt - tau) / 2 ,   c = (s - s-) / ((dt + h-) / 2)           (EV3)
//
// Parts and impacts have the same velocities then: with s alone, what holds on to a hook that speeds up would be kicked by
// c dt / 2 at both ends of a part, however short.
//
// Two impacts may follow each other so closely that the change of q between them is a matter of its round-off: momenta that an
// implicit step finds from that change have no digits left, and what the gaps of closed contacts are off by at the node would
// be made up for by impulses of any size. The node is moved instead, with v on all that is closed and a without constraints and contacts, whose impulses
// the next part finds with its own:
//
//   tau <= 1e-6 dt:   q1 = q0 + tau v ,   p1 = M(q1) (v + tau a)                                                 (EV6)
//
// The terms of second order that this leaves out are 1e-12 of those of a whole step.
//
// Most steps are far from all contacts, and contact_reach.hpp tells that nothing more has to be checked.
//
// A contact that slides and stops within a step ends it too, where (CT9) is zero; the motion starts again there, at rest along its
// tangents. Each contact does so once in a step.
//
// The impulse at a node is that of two half steps. Where the second one would take back what the first has pressed, (CT12) and
// (CT13), they are separated: the motion starts again from (IM2) at the node.
//
// Contacts between shapes have features that are frozen for a step (geometry/shape_pair.hpp). At every node they are
// found again: one that was there before goes on as it was, one that is new and touches, between shapes that touch already, joins
// the closed ones, or is hit if its gap falls. A feature that is penetrated at the end of a step and was not among them is added, and checked like the others.
//
// A step that is too long for a feature is halved, (GE26) of geometry/cylinder_contact.hpp. If it cannot be, the features of closed
// contacts are pinned: docs/theory/shapes.md.
//
// Without end, a contact would hit again and again within one step. Its second hit in one dt is therefore without restitution,
// unless that is 1, and after its third it stays among the closed ones for the rest of dt. One with restitution 1 has 16
// hits, and all together four for each contact; more are counted as a coarse step and go on without restitution.
#pragma once

#include <numeric>

#include "bough/integrators/contact_events.hpp"
#include "bough/integrators/contact_node.hpp"
#include "bough/integrators/contact_reach.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/integrators/variational_state.hpp"
#include "bough/solvers/bracket.hpp"

namespace bough {

// What counts as crossed, in parts of the size of a gap.
constexpr double crossed_below = 2e-14;

// What the steps are made with: a stepper.
class SmoothSteps {
 public:
  virtual ~SmoothSteps() = default;
  // Solves the equations of a step from the state, which stays as it is; and makes that step. first: a guess of q1, or null.
  virtual StepStatus solve_smooth(const StepPart& part, const double* first) = 0;
  virtual void accept_smooth(double dt) = 0;
  // The state is at a node that the motion starts again from, with velocities v; a: accelerations if they are known, of a motion in
  // steps of length dt.
  virtual void start_anew(const double* v, const double* a = nullptr, double dt = 0.0) = 0;
  // The node of the state is moved by a time in which q hardly changes.
  virtual void move_node(double dt, const double* q1) = 0;
  virtual void undo_to(const VariationalState& before) = 0;
  virtual void note_coarse(double t) = 0;
  virtual bool divisible_further() const = 0;  // whether a step that fails is halved
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
  void forget() {
    known_ = false;
    reach_.forget();
  }

  void begin_step() {  // of the user: no contact has been hit in it
    if (!trace.nodes.empty()) trace.nodes.clear();
    hits_.events = events.impacts.size();
    if (hits_.impacts + hits_.stops > 0) clear_hits();
  }
  // Whether nothing is near. A step is then solved without contacts, and made if passes() says that nothing has come near; if it
  // does not, or if something is near, step() makes that step, or a part of it.
  bool far() {
    if (!reach_.open()) return false;
    equations_.contacts()->choose_none();
    return true;
  }
  bool passes(const StepPart& whole);
  StepStatus step(const StepPart& whole, bool solved);
  bool divided() const { return split_; }  // whether the step made last has several parts

  // What has been hit in this step, and the impacts recorded: to go back to.
  struct Hits {
    std::vector<int> count;     // of each contact
    std::vector<char> held;     // contacts that stay among the closed ones for the rest of the step
    std::vector<char> stopped;  // contacts whose stops are not searched for: already located, or not found before
    int impacts = 0, stops = 0;
    std::size_t events = 0;
  };
  const Hits& hits() const { return hits_; }
  void restore(const Hits& hits);

  // Whether a step is split at impacts and stops. If not, a contact that would be crossed is among the closed ones from the start
  // of the step on, without restitution: docs/theory/contact.md.
  bool located = true;

  ContactEvents events;
  ContactTrace trace;
  void forget_events() {
    events.resize(0);
    hits_.events = 0;
  }

 private:
  void clear_hits();
  StepStatus advance(bool solved);
  void split();
  bool ended();
  bool hold_crossed();
  void set_drive_of(const StepPart& whole);
  bool locate_stop(double* T, bool* stops);
  double first_closing(double longest) const;
  bool crossed_at(double x);
  bool stop_sliding();
  bool pulls(double T);
  bool unload();
  bool settle_node();
  void go_on(ContactTrace::Kind kind);
  void freeze();
  bool choose_features(bool impact = false);
  bool release();
  bool add_features();
  bool find_passage(double T, double* tau);
  bool pass_over(double T);
  void hold(int contact);
  bool follows(double T);
  bool pin();
  bool lay_flat();
  bool close_met();
  bool beside_pinned(int contact) const;
  void join_touching(double T);
  void take_over(int contact);
  void leave_out(int contact);
  StepStatus solve(double tau, const double* first = nullptr);
  bool make(double tau);
  bool brief(double tau) const;
  bool set_drift();
  StepStatus drift(double tau);
  bool make_brief(double tau);
  bool open(int contact) const { return !lists_.in_step[contact] && !rows_[0][contact].dry(); }
  bool crosses(double T, double* at);
  bool crosses_within(double T, double* at);
  bool stands() const;
  void set_slopes(double T);
  struct Probe {
    double s, phi, slope;  // part of the step, gap and its derivative along the step
  };
  Probe probe(int contact, double T, double s);
  bool dips(int contact, double T, const Probe& a, const Probe& b, int depth, double* at);
  bool may_cross(int contact, const Probe& a, const Probe& b) const;
  struct Least {
    double phi, scale;
    int contact;
  };
  enum class Asked { all, not_apart };
  void set_end(double T, Asked asked);
  void measure_end(Asked asked);
  void set_start() {
    rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
    known_ = true;
  }
  void list_near();
  void list_all() {
    lists_.near.resize(rows_[0].contacts());
    std::iota(lists_.near.begin(), lists_.near.end(), 0);
  }
  void set_sizes();
  Least least_gap() const;
  Least least_gap_at(double T) {
    set_end(T, Asked::all);
    return least_gap();
  }
  StepStatus locate(double T, double at, double* tau, int* stuck);
  bool meet(int contact, double longest, double x, double* tau);
  double expect(int contact, double longest, double phi);
  void set_polynomial(double longest);
  void guess_between(double x);
  StepStatus solve_near(double x);
  StepStatus enter(int contact);
  bool touches_at_node(int contact) const;
  double earliest_root(int crossed) const;
  double rest_of(int contact) const;
  bool leaves(int contact);
  bool hold_returning(double T);
  bool impact();
  bool set_velocity();
  void clear();
  void set_drive();
  double bend_of(std::size_t kinematic) const;
  double drive_at(std::size_t kinematic, double time) const;
  void set_kinematic(double end);
  const std::vector<int>& closed();
  bool strike();
  const double* acceleration_after();
  void record();
  void note(ContactTrace::Kind kind, double dt = 0.0);
  void note_law();
  void set_statuses();

  const Model& model_;
  StepEquations& equations_;
  VariationalState& state_;
  SmoothSteps& smooth_;
  ContactNode node_;
  ContactRows rows_[2];  // at the start and at the end of the step
  int from_ = 0;         // which of them is at the start
  bool known_ = false;   // whether it is
  struct Featured {
    const Unilateral* element;
    int first;  // of its contacts
    std::unique_ptr<Unilateral::Memory> memory;
  };
  // Whether features are pinned where they touch: not in a step that is halved instead, in one that cannot be, in this one, and not
  // where this has led nowhere.
  enum class Pins { none, allowed, made, refused };
  struct Features {
    std::vector<Featured> elements;
    std::vector<double> before;
    std::vector<char> closed;
    std::vector<double> found_at, found;  // where they were chosen last, those chosen, and what was closed then
    std::vector<char> found_closed;
    std::vector<int> met;    // those that touch at the node and are closed from there on
    std::vector<char> runs;  // those for which the step solved last is too long
    // Whether there is no room for one, or the shapes are deep in it already at the start of the step; and whether a contact has
    // passed from one feature to another, so that the step is to be solved again.
    bool lost = false, passed = false;
    // Where a contact has passed to: to be looked for within the step; and whether it may be closed from the start instead.
    int passing = -1;
    bool shallow = false;
    bool left_out = false;     // some were left out of those chosen at the node, which are not chosen again
    std::vector<double> left;  // these: with impacts, as many in one step as there is room for
    bool pinned = false;       // those of closed contacts are pinned, at the node this far within the step
    double pinned_at = 0.0;
    int times_pinned = 0;  // in this step
    Pins pins = Pins::none;
  };
  Features features_;
  struct Gaps {
    std::vector<double> phi0, scale0, phi1, scale1, travel;
    std::vector<double> size;            // of each gap: what cancels in it, and how far it moves in this step
    std::vector<int> examined;           // contacts that may be crossed within the step
    std::vector<double> falls0, falls1;  // of these, the slopes at both ends
    bool timed = false;                  // whether any of them depends on time explicitly
  };
  Gaps gaps_;
  ContactReach reach_;
  VariationalState before_;
  Hits hits_, hits_before_;
  bool split_ = false;
  StepPart whole_{};
  double elapsed_ = 0.0;
  struct Polynomial {  // that guesses where steps of other lengths end
    int points;
    double scale;
    std::vector<double> end, off;  // what the nodes before tell less of the end; what the last guess was off by
  };
  struct Way {
    std::vector<double> k0, k, v, q, row, rate;  // kinematic variables, velocities, and a place within the step
    std::vector<double> q_rate, k_bend;          // of a guess of q1 by the length of the step; second ones
    std::vector<double> v_before;                // an impact
    std::vector<double> drift, a;                // velocities and accelerations of (EV6)
    Polynomial polynomial;
    bool drifts = false;                // whether they are those of the node
    Bracket<std::vector<double>> gaps;  // of all contacts, at the ends of steps of other lengths
  };
  Way way_;
  struct Lists {
    std::vector<int> all, one, landing;  // contacts of an impact
    std::vector<int> near, late;  // those that may not be apart, and of these those whose gap at the start is not known
    std::vector<double> restitution;  // of all of them
    std::vector<char> in_step;        // whether a contact is among the closed ones
  };
  Lists lists_;
  struct Sum {
    std::vector<double> force, lam;
    double weight = 0.0;
  };
  Sum sum_;  // impulses in the parts of a step that is split
};

}  // namespace bough
