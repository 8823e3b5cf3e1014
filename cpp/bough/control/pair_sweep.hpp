// The stage-wise Newton step over pairs of configurations: stages of (CN1) whose matrices A, B and H are never formed.
//
// The state of a stage is (q0, rho) of (DB1), that of the next one (q1, rho1), where the slots of the next step give
//
//   rho1 = D2_0 dq0 + D dq1 + D2_u du,   D = D2_1 + (D1_0 - Hmu) of the next step, at the end D = D2_1            (DB2)
//
// With the value 1/2 x^T S x + s^T x of what is still to come over x = (q1, rho1), second derivatives W and costs l,
//
//   X11 = S_qq + sym(D^T (S_rq + 1/2 S_rr D)) + W11 + l_11,    B = S_rq + S_rr D,    sym X = X + X^T,
//   X01 = D2_0^T B + W01 + l_01,   X00 = D2_0^T S_rr D2_0 + W00 + l_00,                                           (DB3)
//   Xu1 = D2_u^T B + Wu1 + l_u1,   Xu0 = D2_u^T S_rr D2_0 + Wu0 + l_u0,   Xuu = D2_u^T S_rr D2_u + Wuu + l_uu
//
// over (q0, q1, u), with products over the entries of D that may differ from zero; then, with F = dq1/de, the rows of E and
// those of k1, and Eu that selects u,
//
//   Q = [X00, X01 F + Xu0^T Eu - C^T Y; ., F^T X11 F + sym(Eu^T Xu1 F) + Eu^T Xuu Eu]  over (q0, e),  e = (rho, u, k1)   (DB4)
//
// where k1 = k0 + move. The gains (CN2) over (q0, rho) become those over (q0, p0) by (DB1).
#pragma once

#include "bough/integrators/pair_stage.hpp"
#include "bough/solvers/pattern.hpp"

namespace bough {

// What is minimised, over z = (q0, rho, c), c = (u, k1 - k0): costs as in Backward, b (count, nz), and the end.
struct PairProblem {
  int count, columns;  // stages, right-hand sides
  double dt;
  const double *l_d, *l_yy, *l_rr;  // null: none
  const double* H;                  // (count, nz, nz), added to Q; null: none
  const double* b;                  // (count, nz), of the first right-hand side
  const double *S, *s;              // (nx, nx) symmetric, (nx, columns)
  double shift;                     // added to the diagonal of every Quu
  bool curved;                      // with W and C
};

struct PairGains {
  double *G, *w;  // (count, nc, nx), (count, nc, columns)
  double *P, *s;  // (nx, nx), (nx, columns) at the start
};

class PairSweep {
 public:
  PairSweep(const Model& model, const PairLayout& layout);

  // Stages are the layout's, one after the other. Returns -1, or the stage whose Quu is not positive definite.
  int backward(const PairProblem& problem, const double* stages, const PairGains& gains);
  // x (count + 1, nx, columns) with its first row given, c (count, nc, columns).
  void forward(const PairProblem& problem, const double* stages, const PairGains& gains, double* x, double* c) const;
  // The diagonal of the Hessian of a stage by its controls, costs and W alone, (nc).
  void control_diagonal(const PairProblem& problem, const double* stages, int k, double* diagonal);

 private:
  using Matrix = Eigen::Map<const RowMatrix>;
  Matrix part(const double* stage, std::size_t at, int rows, int columns) const { return {stage + at, rows, columns}; }
  void set_pairs(const PairProblem& problem, const double* stages, int k);
  void set_inputs(const double* stage);
  void add_curvature(const double* stage);
  void add_costs(const PairProblem& problem, int k);
  void set_Q(const PairProblem& problem, const double* stage, int k);
  void set_right_side(const PairProblem& problem, const double* stage, int k);
  bool eliminate(const PairProblem& problem, const PairGains& gains, int k);

  const PairLayout at_;
  const int nx_, nc_, nz_;
  const Pattern entries_;          // of D^T and D2_0^T
  RowMatrix D_, Dt_, D2_0t_;       // D and the transposed ones
  RowMatrix V_, Q_;                // S and Q
  Eigen::MatrixXd s_, q_, G_, w_;  // right-hand sides, gains
  RowMatrix uE_;
  struct {
    RowMatrix X, X00, Xu1, Xu0, Xuu;  // X: X11 above X01
  } over_;                            // (q0, q1, u)
  struct {
    ColumnBlock S_rr, Zt, Ut, B, U, product, E, XE, half;
    ColumnBlock Q_c, G_c, half_V;  // of the elimination
  } block_;
};

}  // namespace bough
