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
// velocity of the step before; a contact whose s is not along s- any more is solved for again with sigma = s.
//
// Dry friction has no gap: its normal row stands alone, w_n = g (r_n - F w), so that |r_t| <= F w with w the time of the node.
#pragma once

#include "bough/dynamics/contact_rows.hpp"
#include "bough/integrators/contact_state.hpp"
#include "bough/solvers/cone_problem.hpp"

namespace bough {

class StepContacts {
 public:
  // tolerance: of phi and sigma, relative to their scales.
  StepContacts(const Model& model, double tolerance);

  ContactRows& all() { return all_; }

  // The contacts of the steps that follow, from a node that a step of length dt_before led to: those closed in a state, and
  // those held. Then a step begins at (t, q0).
  void choose(const ContactState& state, const std::vector<char>& held, double dt_before);
  void begin(double t, const double* q0, double dt);
  bool empty() const { return chosen_.empty(); }
  int rows() const { return rows_; }
  const std::vector<int>& chosen() const { return chosen_; }

  // (phi, sigma) at q1; and its residual, the largest relative to its scale.
  void evaluate(double t1, const double* q1);
  double residual() const;
  int worst() const;  // the contact of that
  void add_impulses(double* f, double* scale) const;
  void set_gradient(const double* q1);  // J_n(q1), where it was evaluated last

  // (CT7): the right-hand sides of Z, and what the corrections become; false if the cone problem is not solved.
  double* right_sides();
  double* border_sides() { return linear_.Zmu.data(); }
  bool correct(double* x, double* y);
  void move(double factor);

  // Whether a contact that slid does not slide on as (CT4) took it; the equations are then to be solved again.
  bool turned();

  // After a step: its statuses, forces and slips, and what friction took. True if a status has changed.
  bool accept(ContactState& state);
  double node_time() const { return node_time_; }

 private:
  struct Chosen {
    int contact, first, rows;
    bool on;  // sigma has s- in it
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
  };
  Before before_;  // the step
  struct Linear {
    std::vector<double> J0, J1, Z, Zmu, G, b;  // (CT6); J0, J1 over variables
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
  };
  Law law_;                   // over chosen rows
  std::vector<double> rate_;  // velocities at v = 0
  std::vector<double> middle_;
  struct Gaps {
    std::vector<double> phi, scale;
  };
  Gaps gaps_;  // at q1
};

}  // namespace bough
