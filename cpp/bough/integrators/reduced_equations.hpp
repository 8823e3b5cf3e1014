// The equations of a step of the reduced variational integrator ([K], derived in docs/theory/reduced.md): a free base on
// SE(3), joints in r.
//
//   g1 = g0 tau(h xi),  r1 = r0 + h r',  w = xi + A_a r',   X_a = (1 - alpha) X(r0) + alpha X(r1) for X = I, A, S
//   Ld = h [w^T I_a w / 2 + r'^T S_a r' / 2 - (1 - alpha) V(g0, r0) - alpha V(g1, r1)],   P_a = I_a w             (V1)
//
// Unknowns z = (xi, r'); momenta P (of the base, in its axes) and p (of the shape) at the ends of the step:
//   P0 = dtau_hxi^-T P_a - F0                                                                                      (V2)
//   p0 = A_a^T P_a + S_a r' - h (1 - alpha) e0 - f0                   e of (RQ3)                                     (V3)
//   p1 = A_a^T P_a + S_a r' + h alpha e1 + f1                                                                       (V4)
//   F0, f0 = h (1 - alpha) [f - dV] at (g0, r0), F1, f1 = h alpha [f - dV] at (g1, r1), left-trivialised, forces f at z
//
// The momentum carried from step to step is the spatial one, mu = Ad(g)^-T P. By (Y2) the two ends of a step have the same,
//   mu1 = mu0 + Ad(g0)^-T F0 + Ad(g1)^-T F1                                                                       (V5)
// which holds to round-off at any number of steps, whatever Newton's method leaves.
//
// Newton's method, d the differentials at z:
//   dw = dxi + (A_a + h alpha dA1 r') dr',   dP_a = I_a dw + h alpha (dI1 w) dr'                                     (V6)
//   d(V2) = dtau^-T dP_a + h D(dtau^-1)[dxi]^T P_a - dF0                                                             (V7)
//   d(V3) = A_a^T dP_a + (S_a + h alpha (dA1^T P_a + dS1 r')) dr' - h (1 - alpha) de0 - df0                           (V8)
//   de0 = (dA0 r')^T dP_a + (dI0 w)^T dw + (dA0^T P_a + dS0 r')^T dr'
#pragma once

#include <Eigen/LU>
#include <memory>

#include "bough/dynamics/reduced_forces.hpp"
#include "bough/dynamics/reduced_node.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/spatial/retraction.hpp"

namespace bough {

struct ReducedSettings {
  double alpha;
  Retraction tau;
  double tolerance;  // of (V2), (V3), relative to the size of the terms of each row, times the number of rows
  int max_iterations, max_halvings;
};

// All that the next step depends on.
struct ReducedState {
  // Points of the guess. With four of them most steps of a satellite at dt = 0.01 took two iterations, with six one.
  static constexpr int memory = 6;
  double t = 0.0, dt_before = 0.0;
  Pose g = Pose::identity();
  Wrench mu = Wrench::zero();  // spatial
  std::vector<double> r, p;
  int known = 0;             // how many rows of past are set
  std::vector<double> past;  // velocities z of the last steps, newest last
  double work = 0.0;         // of the forces since the start: z . (F + h dV) of both ends
};

class ReducedEquations {
 public:
  ReducedEquations(const Model& model, const ReducedSettings& settings);

  // What a step from a state starts from, unless it is the end of the one before; false if a locked inertia is singular.
  bool begin(const ReducedState& state);
  bool start_known() const { return start_known_; }
  void forget_start() { start_known_ = false; }

  // Newton's method from the velocities z of the guess; damped: corrections that do not help are shortened.
  StepStatus solve(const ReducedState& state, const StepPart& part, bool damped);

  // (V4), (V5): the state at the end of the step solved last, but for its time and memory. Elements may raise until the
  // state is changed.
  void advance(ReducedState& state);

  const ReducedLayout& layout() const { return layout_; }
  Eigen::VectorXd& z() { return z_; }
  double residual = 0.0;  // of the last attempt, relative to tolerance
  int worst_row = 0, attempted = 0;
  long iterations = 0;

  // For newton().
  static constexpr double shortest_move = 1.0 / 128.0;
  StepStatus evaluate();
  bool solved(int iteration) const;
  StepStatus correct();
  void move(double factor);
  void retract(double) {}
  bool decreased(double factor) const { return residual <= (1.0 - 0.1 * factor) * newton_.before; }
  Judgement judge(double factor) const;

 private:
  double unit() const { return settings_.tolerance * std::max(1, nb_ + nd_); }
  void measure();
  void build_matrix();

  const ReducedLayout layout_;
  const ReducedSettings settings_;
  const int nb_, nr_, nd_;
  struct End {
    std::unique_ptr<ReducedNode> node;
    Eigen::VectorXd gradient, F;
  };
  End start_, end_;
  bool start_known_ = false;
  ReducedForces forces_;
  const ReducedState* state_ = nullptr;  // at the start
  StepPart part_{};
  Eigen::VectorXd z_, r1_, P0_, w_, P_;
  struct Mean {
    Eigen::MatrixXd I, A, S;
  };
  Mean mean_;
  struct Rows {  // of (V2), (V3), and the sizes of their terms
    Eigen::VectorXd f, scale, w_size, rate_size;
  };
  Rows rows_;
  struct Newton {
    Eigen::VectorXd corrected, delta;
    Eigen::MatrixXd dw, dP, K, D, T;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
    double before = 0.0;  // residual before the last correction
  };
  Newton newton_;
};

}  // namespace bough
