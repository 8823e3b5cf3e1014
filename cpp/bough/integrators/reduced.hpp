// The reduced variational integrator ([K], derived in docs/theory/reduced.md): a free base on SE(3), joints in r.
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

#include "bough/integrators/reduced_equations.hpp"
#include "bough/integrators/substeps.hpp"

namespace bough {

class ReducedStepper final : public Substeps<StepPart> {
 public:
  ReducedStepper(const Model& model, const ReducedSettings& settings);

  // The velocities z = (xi, r') serve as the first guess.
  void start(double t, const Pose& g, const double* r, const Wrench& mu, const double* p, const double* z);

  // k1: values of the kinematic shape variables at the end.
  StepStatus step(double dt, const double* k1, const double* u);

  // Points of the guess. With four of them most steps of a satellite at dt = 0.01 took two iterations, with six one.
  static constexpr int memory = 6;
  struct State {
    double t = 0.0, dt_before = 0.0;
    Pose g = Pose::identity();
    Wrench mu = Wrench::zero();  // spatial
    std::vector<double> r, p;
    int known = 0;             // how many rows of past are set
    std::vector<double> past;  // velocities z of the last steps, newest last
    double work = 0.0;         // of the forces since the start: z . (F + h dV) of both ends
  };
  State state;
  void recall(const State& from) {
    state = from;
    equations_.forget_start();
  }

  struct Failure {
    double residual = 0.0;  // relative to tolerance
    int worst_row = 0;
    int iterations = 0;  // of the last attempt
  };
  Failure failure;  // of the last whole step that failed

  long iterations() const { return equations_.iterations; }
  const Model& model() const { return model_; }
  const ReducedLayout& layout() const { return layout_; }

 private:
  StepStatus try_step(const StepPart& part) override;
  std::array<StepPart, 2> halves(const StepPart& whole, int depth) override;
  void save() override;
  void restore() override;
  void finish(const StepPart& whole) override;

  StepStatus composed_step(double dt, const double* k1, const double* u);
  StepStatus solve(const StepPart& part);
  void extrapolate(int points);
  void remember(double dt);

  const Model& model_;
  const ReducedLayout layout_;
  const int order_;
  ReducedEquations equations_;
  State before_;                             // a step that is halved
  Failure whole_failure_;                    // of that step
  std::vector<std::vector<double>> middle_;  // kinematic variables half way, by depth
  struct Composition {
    State before;
    std::vector<double> k0, k;  // kinematic variables at the start, and at the end of a part
  };
  Composition composition_;
};

}  // namespace bough
