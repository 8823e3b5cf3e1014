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
// and with constraints (GL8), (GL9) in gauss_constraints.cpp. Where it does not contract, Newton's method on all stages at
// once does, gauss_newton.cpp; where that fails too, the step is halved. q, p and t are compensated sums: what rounding
// leaves of an increment is added to the next one. The forces do the work
//
//   W = h sum b_i f_i . V_i                                                                                     (GL13)
#pragma once

#include <Eigen/LU>

#include "bough/dynamics/elements.hpp"
#include "bough/integrators/gauss_stage.hpp"
#include "bough/integrators/gauss_table.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/integrators/substeps.hpp"
#include "bough/solvers/rank_revealing.hpp"

namespace bough {

// What drives a step: kinematic variables at the nodes k = 1 ... s, inputs at the stages. A stride of 0: they are held.
struct Drive {
  const double *k, *u;
  std::size_t k_stride, u_stride;
  const double* node(int k_) const { return k + (k_ - 1) * k_stride; }
  const double* stage(int i) const { return u + i * u_stride; }
};

// A step, or a part of it.
struct GaussPart {
  double dt;
  Drive drive;
};

class GaussStepper final : public Substeps<GaussPart> {
 public:
  // The tolerance is of the rates: what an iteration leaves of them, relative to the largest; 0: round-off. Order 4, 6, 8.
  GaussStepper(const Model& model, const StepSettings& settings);

  // v is used for the first guess only.
  void start(double t, const double* q, const double* p, const double* v);
  StepStatus step(double dt, const Drive& drive);

  struct State {
    double t = 0.0, t_rest = 0.0;  // *_rest: what rounding left of the sums
    // Of the last step and the one before; 0 at the start: `rates` holds the velocity of the start for every stage.
    double dt_before = 0.0, dt_earlier = 0.0;
    double contraction = 1.0;  // of the last iteration
    double work = 0.0;         // of the forces since the start (GL13)
    int newton = 0;            // for how many steps Newton's method comes first, since the iteration failed
    std::vector<double> q, p, q_rest, p_rest;
    std::vector<double> rates;     // V of the last step and of the one before, by stage
    std::vector<double> impulses;  // mu, h lam_1, ..., h lam_{s-1} of the last step
  };
  State state;

  // A state is all that the next step depends on.
  using Memory = State;
  void remember(Memory& to) const { to = state; }
  void recall(const Memory& memory) { state = memory; }
  bool fits(const Memory& memory) const;

  long iterations = 0;
  struct Failure {
    double residual = 0.0;  // the last correction of rates, relative to the largest
    int worst = 0;          // the dynamic variable of it, or one at which M is singular
    int iterations = 0;
  };
  Failure failure;  // of the last attempt, or of the whole step if halving it failed too

  const Model& model() const { return model_; }
  int stages() const { return table_.stages; }
  double node_time(int k) const { return table_.d[k]; }  // in steps, of Lobatto node k

 private:
  struct Iteration;
  StepStatus attempt(double h, const Drive& drive, double ahead, bool newton);
  StepStatus solve(double h, const Drive& drive);
  StepStatus try_step(const GaussPart& part) override;
  std::array<GaussPart, 2> halves(const GaussPart& whole, int depth) override;
  void save() override;
  void restore() override;
  void finish(const GaussPart& whole) override;
  void begin(double h, const Drive& drive);
  void extrapolate(double h);
  void evaluate_stages(double h, const Drive& drive);
  void set_residuals(double h);
  bool factor();
  double correction(double* largest_rate);
  void take_back();
  double far() const;
  bool newton_fits() const;
  bool near_start(double h) const;
  void accept(double h, const Drive& drive);

  // gauss_constraints.cpp
  void evaluate_node(int node, const double* q, double t);
  void evaluate_nodes(double h, const Drive& drive);
  void add_impulses(const std::vector<double>& x);
  void factor_constraints();
  void correct_constraints(double h);
  void add_node_impulses(double* p) const;

  // gauss_newton.cpp
  void fit_newton();
  bool factor_newton(double h, const Drive& drive);
  void solve_newton(double h);
  void node_rates(const Eigen::VectorXd& x, Eigen::VectorXd& out) const;

  double* G(int node) {
    return constraints_.G.data() + static_cast<std::size_t>(node) * constraints_.m * model_.n_variables;
  }
  const double* G(int node) const {
    return constraints_.G.data() + static_cast<std::size_t>(node) * constraints_.m * model_.n_variables;
  }

  const Model& model_;
  const GaussTable& table_;
  StepSettings settings_;
  std::vector<GaussStage> stages_;
  std::vector<std::vector<double>> r_, y_;  // by stage, over dynamic variables: residual, then correction
  std::vector<double> unit_, gain_, column_;
  std::vector<std::vector<double>> nodes_;  // N_k, k = 1 ... s
  struct Constraints {
    explicit Constraints(const Model& model) : rows(model), m(model.elements.n_constraints) {}
    const ConstraintRows rows;
    const std::size_t m;  // rows
    // Impulses and their corrections, by node 0 ... s - 1; h, its scale and G by node 0 ... s.
    std::vector<double> impulses, measured, delta, middle, h, h_scale, G;
    // Largest residuals of h, and with constraints of momenta, relative to the size of their terms; of these, that of the
    // impulses.
    double closure = 0.0, momentum = 0.0;
    std::vector<double> push;
    RankRevealing schur;
    Eigen::MatrixXd S;
    Eigen::VectorXd rhs;
  };
  Constraints constraints_;
  struct Newton {
    std::vector<double> L_qq, L_qv, L_vv, f_v, DDh;
    Eigen::MatrixXd J;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
    Eigen::VectorXd r, y;
    Eigen::MatrixXd columns, S;
    Eigen::VectorXd delta;
    RankRevealing schur;
  };
  Newton newton_;             // made when it is needed first
  std::vector<double> line_;  // the rate at the start of a step
  State before_;              // a step that is halved
  Failure whole_failure_;     // of that step
  struct Half {
    std::vector<double> k, u;  // kinematic variables and inputs of both halves
  };
  std::vector<Half> halves_;  // by depth
};

}  // namespace bough
