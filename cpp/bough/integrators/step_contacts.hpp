// The closed contacts of one step, in its equations (S1) with q' = (q0 + q1) / 2:
//
//   f = p0 + D1(q0, q1) - Dh(q0)^T mu + J_n(q0)^T r_n + T(q0)^T r_t = 0                                          (CT1)
//   0 <= r_n  _|_  phi(q1, t1) >= 0                                                                              (CT2)
//   s = T(q')(q1 - q0) + dt slide(q')                                                                            (CT3)
//   sigma = s + dt s-  of a contact that slides on,  sigma = s  of one that sticks, starts, stops or turns          (CT4)
//   |r_t| <= m r_n,   sigma = 0  or  r_t = -m r_n sigma / |sigma|                                                 (CT5)
//
// An iteration of Newton's method with the matrix T of (SM1) and the corrections (x, y) that leave r as it is:
//
//   [Z; Z_mu] = T^-1 [-J0^T; 0],   G = J1 Z,   b = (phi, sigma)(q1) + J1 x - G r,   J0 = (J_n, T)(q0), J1 = (J_n(q1), T(q'))  (CT6)
//   r+ , w  of the cone problem  w = G r+ + b,   dq = x + Z (r+ - r),   dmu = y + Z_mu (r+ - r)                      (CT7)
//
// w obeys the law with r+; what (phi, sigma) is off from it after the correction is the residual of these rows. s- is the slip
// velocity of the step before; a contact whose s is not along s- any more is solved for again with sigma = s. So is one that sticks,
// s = -dt s-, if sticking contacts contradict each other: s- of two points of one body has turned with it since the step before.
//
// Where a sliding contact stops within the step, this is looked for by the velocity at its end, linear through the middles of the
// step before, of length h-, and of this one:
//
//   U1 = s / dt + (s / dt - s-) dt / (h- + dt) ,   stops:  U1 . s- = 0                                            (CT9)
//
// r_n is that of two half steps, F w of the force F at a node. A negative one in the second half gives back what friction took in
// the first, (CT11) in docs/theory/contact.md. With F- of the node before, there is none unless the force had tripled just before if
//
//   F >= 3/4 F-                                                                                                  (CT12)
//
// Dry friction has no gap: its normal row stands alone, w_n = g (r_n - F w), so that |r_t| <= F w with w the time of the node.
#pragma once

#include "bough/dynamics/contact_rows.hpp"
#include "bough/integrators/contact_state.hpp"
#include "bough/solvers/cone_problem.hpp"
#include "bough/solvers/schur.hpp"

namespace bough {

class StepContacts {
 public:
  // tolerance: of phi and sigma, relative to their scales.
  StepContacts(const Model& model, double tolerance);

  ContactRows& all() { return all_; }
  void freeze(const double* features) { all_.freeze(features); }

  // The contacts of the steps that follow, from a node that a step of length dt_before led to: those closed in a state, and
  // those held. Then a step begins at (t, q0).
  void choose(const ContactState& state, const std::vector<char>& held, double dt_before);
  void begin(double t, const double* q0, double dt);
  // The same for a state in which all are known to be open.
  void choose_none() {
    if (before_.all_open) return;
    chosen_.clear();
    list_.clear();
    cones_.clear();
    rows_ = 0;
    before_.all_open = true;
  }
  bool empty() const { return chosen_.empty(); }
  int rows() const { return rows_; }
  const std::vector<int>& chosen() const { return chosen_; }

  // (phi, sigma) at q1; and its residual, the largest relative to its scale.
  void evaluate(double t1, const double* q1);
  double residual() const;
  int worst() const;  // the contact of that
  void add_impulses(double* f, double* scale) const;
  // Whether f is no more than a part of its terms and of what friction can give, or round-off of the largest impulse on its lever:
  // at rest nothing else may be in a variable.
  bool balanced(const double* f, const double* scale, const double* lever, double part) const;
  // Takes f out of the impulses, those mu of constraints among them, q1 staying where it is, and these changes into f: (CT10) of
  // step_rest.cpp. False if nothing is changed.
  bool settle(double* f, const Jacobians& D, double* mu);
  void set_gradient(const double* q1);  // J_n(q1), where it was evaluated last

  // The gap of any contact at q1, with its derivatives by the variables of the step and by time.
  double gap(int contact, double t1, const double* q1, double* J, double* rate);

  // (CT7): the right-hand sides of Z, with that of the correction (x, y) as the last column; the solution of that column; and what the
  // corrections become, false if the cone problem is not solved.
  struct Columns {
    double *x, *y;
    int count;
  };
  Columns right_sides(const double* x, const double* y);
  void take_correction(double* x, double* y) const;
  bool correct(double* x, double* y);
  void move(double factor);

  // Whether a contact that slid does not slide on as (CT4) took it; the equations are then to be solved again.
  bool turned();

  // Stops are looked for, but for those of contacts that have stopped already in the step, which is this long. Such contacts have
  // not turned: the step is to end where they stop.
  void watch_stops(const std::vector<char>& stopped, double time);
  // (CT9) in parts of s-, the least of all contacts that are watched: negative if one stops within the step, 1 if none is.
  double least_slip() const;
  // What its round-off is, in the same parts: in a short step, slips are known to few digits.
  double slip_round_off() const;
  // Contacts that stop in the step solved last, which is so short that their way is a matter of round-off. True if there are such.
  bool mark_short_stops(std::vector<char>& stopped) const;
  // Those in which (CT9) is next to zero.
  void mark_stops(std::vector<char>& stopped) const;

  // After a step: its statuses, forces and slips, and what friction took. True if a status has changed.
  bool accept(ContactState& state) { return !before_.all_open && enter(state); }
  double node_time() const { return node_time_; }
  // The contacts with friction, or between shapes, for which (CT12) does not hold. True if one of them has opened.
  bool falling(std::vector<int>& found) const;

 private:
  struct Chosen;
  double slip_of(const Chosen& c) const;
  struct Slip {
    double size, scale;
  };
  Slip slip_before(const Chosen& c) const;
  bool slides_on(const Chosen& c) const { return c.on && !c.halts; }
  bool solve_cones();
  bool halt();
  bool enter(ContactState& state);

  struct Chosen {
    int contact, first, rows;
    bool on;       // sigma has s- in it
    bool halts;    // not in the step that is solved for, since it sticks
    bool watched;  // it ends the step where it stops
  };

  const Model& model_;
  const double tolerance_;
  ContactRows all_;
  ConeProblem cone_;
  std::vector<int> chosen_;
  std::vector<Chosen> list_;
  std::vector<ConeRows> cones_;
  int rows_ = 0;
  const double* q0_ = nullptr;
  double t_ = 0.0, dt_ = 0.0, dt_before_ = 0.0, node_time_ = 0.0;
  struct Before {
    std::vector<double> force, slip;  // over chosen rows
    std::vector<ContactStatus> status;
    double watched = 0.0;   // the length of the whole step in which stops are looked for
    bool all_open = false;  // all contacts of the state that was chosen from, whose forces are zero
  };
  Before before_;  // the step
  struct Linear {
    std::vector<double> J0, J1, Z, Zmu, G, b;  // (CT6); J0, J1 over variables; Z and Zmu have a column more
    std::vector<double> across;                // Z by rows
    std::vector<double> A, x, unit;            // (CT10)
  };
  Linear linear_;
  struct Impulse {
    std::vector<double> r, base, change;  // r, r before the correction, and what it adds
  };
  Impulse impulse_;
  struct Law {
    std::vector<double> w, value, s;        // (CT7); (phi, sigma), and s of (CT3)
    std::vector<double> scale, resolution;  // of the value
    // The size of what w is the sum of: if gap and q are zero, nothing else tells what round-off is.
    std::vector<double> terms;
    double told = 0.0;  // the least scale that the last cone problem can tell
  };
  Law law_;                   // over chosen rows
  std::vector<double> rate_;  // velocities at v = 0
  std::vector<double> middle_;
  struct Gaps {
    std::vector<double> phi, scale;
    std::vector<int> one;  // a contact
  };
  Gaps gaps_;  // at q1
};

}  // namespace bough
