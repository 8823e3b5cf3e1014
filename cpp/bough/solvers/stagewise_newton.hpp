// The stage-wise Newton step: minimises a quadratic along a linear chain of stages, in time linear in their number.
//
//   min  sum_k 1/2 z_k^T H_k z_k + b_k^T z_k  +  1/2 x_K^T S x_K + c^T x_K,   z = (x, u),  x_0 given,  x_k+1 = J_k z_k
//
// Backward, with the value 1/2 x^T P x + s^T x of what is still to come (P_K = S, s_K = c):
//   [Qxx Qxu; Qux Quu] = H_k + J_k^T P J_k (+ shift on the diagonal of Quu),   (qx, qu) = b_k + J_k^T s         (CN1)
//   G = Quu^-1 Qux,  w = Quu^-1 qu,  P <- Qxx - Qxu G,  s <- qx - Qxu w                                         (CN2)
// Forward: u = -w - G x,  x' = J (x, u).                                                                        (CN3)
//
// Several right-hand sides share the factorisation: the first has b and the first column of c, the others b = 0.
#pragma once

namespace bough {

struct StagewiseProblem {
  int count, nx, nu, columns;  // stages, states, controls, right-hand sides
  const double *J, *H, *b;     // (count, nx, nx + nu), (count, nz, nz) symmetric, (count, nz)
  const double *S, *c;         // (nx, nx) symmetric, (nx, columns)
  double shift;                // added to the diagonal of every Quu
};

// What the backward sweep leaves: gains G (count, nu, nx), offsets w (count, nu, columns), and P (nx, nx) and
// s (nx, columns) at the start, if they are wanted.
struct StagewiseGains {
  double *G, *w;
  double *P = nullptr, *s = nullptr;
};

// Returns -1, or the stage whose Quu is not positive definite.
int stagewise_backward(const StagewiseProblem& problem, const StagewiseGains& gains);
// x (count + 1, nx, columns) with its first row given, u (count, nu, columns).
void stagewise_forward(const StagewiseProblem& problem, const StagewiseGains& gains, double* x, double* u);

}  // namespace bough
