// A running simulation: position-momentum form of the constrained, forced discrete Euler-Lagrange equations.
//
//   f = p0 + D1(q0, q1) - Dh(q0)^T mu = 0,   h(q1) = 0            mu: impulse of the constraints at q0          (S1)
//   p1 = D2(q0, q1)
//   Newton:  [K, -Dh(q0)^T; Dh(q1), 0] [dq; dmu] = -[f; h]                                                      (S2)
//
// Order 4 is Suzuki's composition of a symmetric rule of order 2: steps of b dt, b dt, (1 - 4b) dt, b dt, b dt with
//
//   4 b^3 + (1 - 4b)^3 = 0,  b = 1 / (4 - 4^(1/3))                                                              (S3)
//
// In the part that goes back in time, of length c = |1 - 4b| dt, damping feeds the motion: K is singular where it gives as
// much as inertia holds, - c v . f_v v / 2 = v . L_vv v.                                                          (S5)
//
// Energy E = -dLd/d(dt) of two steps that meet at q0 differs by the work of forces, and of what is moved: kinematic
// variables k by the impulse that their rows lack, constraints by h_t, the mean over both steps at fixed q0,
//
//   E1 - E0 = v . (fd+(0) + fd-(1)) + v_k . (Dh(q0)^T mu - D2(0) - D1(1))_k + mu . h_t + O(dt^2),  v = (v0 + v1) / 2      (S4)
//
// Along the chord of a step, the forces do the work
//
//   W1 - W0 = (q1 - q0) . (fd- + fd+) / dt                                                                      (S6)
//
// The force reported is lam = -mu / w with w the time the node stands for, half of the steps on its two sides. The residual
// left in f is carried into p1, so that it is made up for in the next step and momentum does not drift.
#pragma once

#include <memory>

#include "bough/dynamics/elements.hpp"
#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/history.hpp"

namespace bough {

enum class StepStatus : int { fine, no_convergence, not_finite, fed_back, singular = 5 };

struct StepSettings {
  double tolerance;             // of f, relative to the size of the terms of each row, times the number of joints
  double constraint_tolerance;  // of h, relative to the size of what cancels in it, where q can tell so little
  int max_iterations, max_halvings;
  int order = 2;  // or 4
};

// By which the dynamic variables are compared: as turns, or as parts of the size of the system.
std::vector<double> variable_units(const Model& model);

class Stepper {
 public:
  Stepper(const Model& model, std::unique_ptr<DiscreteLagrangian> method, const StepSettings& settings);

  // v is used for the first guess only.
  void start(double t, const double* q, const double* p, const double* v);
  // The state after a step from q0 to q1, p1 = D2(q0, q1).
  void start_from_configurations(double t0, const double* q0, double t1, const double* q1, const double* u);
  StepStatus step(double dt, const double* k1, const double* u);

  struct State {
    double t = 0.0, dt_before = 0.0;
    std::vector<double> q, p, lam;
    std::vector<double> shift;  // what p holds that the step before has moved to its start: (VS4)
    History history;
    // For the energy of a driven motion: what the step before gave at its end, fd+ of dynamic variables and D2 of kinematic
    // ones, and the largest kinetic energy lately.
    bool given_known = false;
    std::vector<double> given;
    double peak = 0.0;
    double work = 0.0;  // of the forces since the start, along the chords of the steps (S6)
  };
  State state;

  // All that the next step depends on: a stepper that recalls it goes on as the one that remembers it, bit for bit.
  struct Memory {
    State state;
    double floor = 0.0;
    int points = 0, age = 0;
    bool last_energy_known = false, Dh0_known = false;
    DiscreteLagrangian::Energy last_energy{};
    std::vector<double> Dh0;
    StepMatrix::Detour detour;
    std::vector<Limit> branches;
  };
  void remember(Memory& to) const;  // allocates nothing where the vectors of `to` have their sizes
  void recall(const Memory& memory);
  bool fits(const Memory& memory) const;

  long iterations = 0, halvings = 0;
  long coarse = 0;  // steps whose solution was far from where the motion led: dt is too long for what happens there
  double coarse_time = 0.0;  // start of the first of them
  double residual = 0.0;     // of the last whole step tried, relative to tolerance
  int worst_row = 0;         // of a step that failed: a dynamic variable, or n_dynamic plus a constraint row
  int attempted = 0;         // Newton iterations of the last attempt

  const Model& model() const { return model_; }

 private:
  // Newton's method from a first q1; damped: with steps shortened where they do not help.
  StepStatus attempt(double dt, const double* k1, const double* u, const double* first, bool damped);
  StepStatus solve(double dt, const double* k1, const double* u);
  StepStatus solve_carefully(double dt, const double* k1, const double* u, bool found);
  StepStatus halve(double dt, const double* k1, const double* u, int depth);
  StepStatus advance(double dt, const double* k1, const double* u);
  StepStatus compose(double dt, const double* k1, const double* u);
  bool fed_back(const double* u);
  void measure(const Interval& step);
  void set_resolution();
  void set_gradient(const Interval& step);
  double residual_in_tolerances() const;
  int worst() const;
  double correction(double dt, double* step);
  bool plausible(double dt);
  bool keeps_energy(double dt);
  double mean_velocity(double dt, int i) const;
  double force_work(double dt) const;
  double chord_work(double dt) const;
  void count_coarse();
  double drive_work(double dt);
  bool below_round_off() const;
  double extent() const;
  bool newton_direction(bool refactor);
  void accept(double dt, double node_time);
  void forget();

  static constexpr int choice_interval = 16;  // steps between two choices of the number of points of the guess

  const Model& model_;
  const ConstraintRows rows_;
  std::unique_ptr<DiscreteLagrangian> method_;
  StepMatrix matrix_;
  StepSettings settings_;
  double momentum_ = 0.0, closure_ = 0.0;  // largest residual of f and of h, relative to the size of their terms
  double floor_ = 0.0;                     // round-off level met in f
  int points_ = History::memory;           // how many configurations the guess is drawn through
  int age_ = 0;                            // steps since that was chosen
  bool Dh0_known_ = false;
  bool conservative_ = false;                                // nothing but potentials and fixed constraints acts
  bool moved_ = false;                                       // some constraint depends on time
  DiscreteLagrangian::Energy last_energy_{}, now_energy_{};  // of the step before and of this one
  bool last_energy_known_ = false, now_energy_known_ = false;
  std::vector<double> q1_, D1_, D2_, scale_, f_, delta_, mu_, h_, h_scale_, dmu_, Dh0_, Dh1_, trial_, guess_, line_,
      root_, unit_, k0_, k_, node_lam_;
  std::vector<double> resolution_;  // of h: the least size that its tolerance is a part of
  std::vector<double> f_v_;         // of (S5)
  State before_;                    // before a step that is halved
  State whole_;                     // before a composed step
  struct Half {
    std::vector<double> middle, impulse;  // kinematic variables half way, what the constraints gave
  };
  std::vector<Half> halves_;  // by depth
};

}  // namespace bough
