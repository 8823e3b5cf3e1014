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
// where k1 = k0 + move. With Q over (x, c), x = (q0, rho), and its factor Q_cc = L L^T, (CN2) is
//
//   Y = L^-1 Q_cx,   G = L^-T Y,   S <- Q_xx - Y^T Y,     y = L^-1 q_c,   w = L^-T y,   s <- q_x - Y^T y            (DB6)
//
// so that S is symmetric to the last bit. The gains over (q0, rho) become those over (q0, p0) by (DB1).
#pragma once

#include <functional>

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

// The layout's memory of all stages, one after the other.
struct PairMemory {
  const double *first, *second;
};

class PairSweep {
 public:
  PairSweep(const Model& model, const PairLayout& layout);

  // Returns -1, or the stage whose Quu is not positive definite. curve(k) is called before the second derivatives of stage k
  // are used.
  int backward(const PairProblem& problem, const PairMemory& stages, const PairGains& gains,
               const std::function<void(int)>& curve);
  // x (count + 1, nx, columns) with its first row given, c (count, nc, columns).
  void forward(const PairProblem& problem, const double* stages, const PairGains& gains, double* x, double* c) const;
  // The diagonal of the Hessian of a stage by its controls, costs and W alone, (nc).
  void control_diagonal(const PairProblem& problem, const PairMemory& stages, int k, double* diagonal);

 private:
  void set_value(const double* S);
  void write_value(double* S) const;
  void set_pairs(const PairProblem& problem, const double* stages, int k);
  void set_inputs(const double* stage);
  void add_curvature(const double* second);
  void add_costs(const PairProblem& problem, int k);
  void set_Q(const PairProblem& problem, const PairMemory& stages, int k);
  void add_moves(const PairProblem& problem, int k);
  void add_to_Q(const double* H);
  void set_right_side(const PairProblem& problem, const double* stage, int k);
  bool eliminate(const PairProblem& problem, const PairGains& gains, int k);

  const PairLayout at_;
  const int nx_, nc_, nz_;
  const Pattern entries_;  // of D^T and D2_0^T
  struct {
    ColumnBlock qq, rq, rr;
  } S_;
  struct {
    ColumnBlock D, D2_0, D2_u, E, Y, C, Dt, D2_0t;
  } of_;  // the stage, and D of (DB2)
  struct {
    ColumnBlock X00, X01, X11, Xu0, Xu1, Xuu;
  } over_;  // (q0, q1, u)
  struct {
    ColumnBlock q0q0, eq0, ee;
  } Q_;
  struct {
    ColumnBlock Zt, Z, Ut, U, B, product, SD, XE, uE;
  } product_;
  struct {
    ColumnBlock L, q0, r, y;  // L; Y over q0 and rho, y; then the gains and w
  } reduced_;
  struct {
    ColumnBlock s_q, s_r, q0, e, end;
  } right_;  // the right-hand sides
};

}  // namespace bough
