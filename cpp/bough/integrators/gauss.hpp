// A running simulation with the variational rule of order 2s: Gauss collocation of the motion with s stages, constraints at
// Lobatto nodes (docs/theory/gauss.md). Coefficients a, b, c, d, w, n, g in gauss_table.hpp; h is the step.
//
//   Q_i = q0 + h sum a_ij V_j,   N_k = q0 + h sum n_kj V_j,   q1 = N_s                                          (GL2)
//   Ld(q0, q1) = ext_V  h sum b_i L(Q_i, V_i) + h sum_k w_k lam_k . h(N_k)                                      (GL3)
//   L_v(Q_i, V_i) = p0 + h sum_j a_ij F_j + G_0^T mu + h sum_{k=1}^{s-1} g_ik G_k^T lam_k,   F = L_q + f        (GL4)
//   h(N_k, t0 + d_k h) = 0,   k = 1 ... s                                                                       (GL5)
//   p1 = p0 + h sum b_j F_j + G_0^T mu + h sum_{k=1}^{s-1} w_k G_k^T lam_k                                      (GL6)
//
// with G_k = Dh(N_k), and mu the impulse of the constraints at q0. Kinematic variables are given at the Lobatto nodes, their
// rates at the stages are those of the polynomial through them. The iteration takes the mass matrix of each stage at its
// first place,
//
//   r_i = (p0 - L_v(Q_i, V_i)) + (h sum a_ij F_j + ...),   V_i += M_i^-1 r_i                                    (GL7)
//
// and with constraints (GL8), (GL9) in gauss_constraints.hpp. If it does not contract, Newton's method on all stages at once
// does, gauss_newton.hpp; if that fails too, the step is halved. q, p and t are compensated sums: what rounding leaves of an
// increment is added to the next one. The forces do the work
//
//   W = h sum b_i f_i . V_i                                                                                     (GL13)
#pragma once

#include "bough/integrators/gauss_solver.hpp"
#include "bough/integrators/substeps.hpp"

namespace bough {

class GaussStepper final : public Substeps<GaussPart> {
 public:
  // The tolerance is of the rates: what an iteration leaves of them, relative to the largest; 0: round-off. Order 4, 6, 8.
  GaussStepper(const Model& model, const StepSettings& settings);

  // v is used for the first guess only.
  void start(double t, const double* q, const double* p, const double* v);
  StepStatus step(double dt, const Drive& drive);

  using State = GaussState;
  State state;

  // A step of length tau from `node` that is not continued: its end is in `to`, `state` stays as it is. `node` is where the
  // last step started, 0 < tau <= dt of that step, and its polynomial is the first guess; or `node` is another one, and the
  // first guess is that of an ordinary step from it. `drive` is that of the step of length tau. Not halved.
  StepStatus side_step(const State& node, double tau, const Drive& drive, State& to);

  // A state is all that the next step depends on.
  using Memory = State;
  void remember(Memory& to) const { to = state; }
  void recall(const Memory& memory) { state = memory; }
  bool fits(const Memory& memory) const;

  using Failure = GaussSolver::Failure;
  Failure failure;  // of the last attempt, or of the whole step if halving it failed too

  const Model& model() const { return model_; }
  int stages() const { return table_.stages; }
  long iterations() const { return solver_.iterations; }
  double node_time(int k) const { return table_.d[k]; }   // in steps, of Lobatto node k
  double stage_time(int i) const { return table_.c[i]; }  // in steps, of Gauss stage i

 private:
  StepStatus try_step(const GaussPart& part) override;
  std::array<GaussPart, 2> halves(const GaussPart& whole, int depth) override;
  void save() override;
  void restore() override;
  void finish(const GaussPart& whole) override;
  void accept(const GaussPart& part, State& to);

  const Model& model_;
  const GaussTable& table_;
  GaussSolver solver_;
  std::vector<double> gain_;  // of momenta, by constraints
  State before_;              // a step that is halved
  Failure whole_failure_;     // of that step
  struct Half {
    std::vector<double> k, u;  // kinematic variables and inputs of both halves
  };
  std::vector<Half> halves_;  // by depth
};

}  // namespace bough
