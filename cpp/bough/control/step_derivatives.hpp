// First and second derivatives of a driven step by y = (delta, r, r'), delta moving the base at its start to g tau(delta).
// Derivation in docs/theory/control.md, section 3. Over x = (xi, r, r'), with X, T, E of reduced_variation.hpp at both ends,
// Z = G_b^b, and r1 = r + dt r':
//
//   dw = C dx,  C = [1, (X0 + X1)/2, Abar + dt X1/2],    dP = N dx,  N = Ibar C + [0, Zr, Zr'],                      (CD1)
//                                                       Zr = (Z0 + Z1)/2,  Zr' = dt Z1/2
//   de(r0) = (X0^T N + Z0^T C + [0, E0, T0^T]) dx,   de(r1) = (X1^T N + Z1^T C + [0, E1, T1^T + dt E1]) dx            (CD2)
//   d(Sbar r' + Abar^T P) = (Abar^T N + [0, (T0 + T1)/2, Sbar + dt T1/2]) dx
//   dxi = Y dy,  Y = -F_xi^-1 [-ad(.)^T Ad(g)^T mu, B^T N_r, B^T N_r'],  B = dtau^-1_{dt xi}       [mu = 0: C dx = 0]  (CD3)
//   delta' = Ad(tau(dt xi))^-1 delta + eps + eps x eps/4 + [Ad(tau(dt xi))^-1 delta, eps]/2 + ..,                      (CD4)
//                                                       x = dt xi,  eps = dt dtau_{-x} dxi
//
// The Hessian of phi = lambda . delta' + w1 . D1 + w2 . D2 is that of the Lagrangian phi + a . F with F_xi^T a = -dphi/dxi. In it
// w1 . D1 + w2 . D2 + b . P, b = B a, is the variation of the discrete Lagrangian along (b/dt, w1, w2), whose Hessian is
// the variation of C^T Ibar C + C^T [0, Zr, Zr'] + [0, Zr, Zr']^T C + [0; E, T, S]:
//
//   dt (dC^T N + N^T dC + C^T dIbar C + C^T dZ + dZ^T C + [0; dE, dT, dS])                                           (CD5)
#pragma once

#include "bough/control/driven_step.hpp"
#include "bough/dynamics/reduced_variation.hpp"

namespace bough {

class StepDerivatives {
 public:
  StepDerivatives(const Model& model, const ReducedLayout& layout);

  // What the Hessian is of: lambda (6) of delta', w1 of D1, w2 of D2.
  struct Weights {
    const double* lambda;
    Eigen::VectorXd w1, w2;
  };
  Weights weights;

  // After step.evaluate() with the same arguments.
  void evaluate(const Steps& steps, const DrivenStep& step, ReducedNode& start, ReducedNode& end, const double* rates,
                const Vec6& body_momentum);

  Eigen::MatrixXd arrived, D1, D2;  // by y: (6, m), (n, m), m = 6 + 2 n
  Eigen::MatrixXd hessian;          // (m, m)

 private:
  void place_ends(const Steps& steps, const DrivenStep& step, const ReducedNode& start, const ReducedNode& end);
  Vec6 adjoint_of_momentum(const Steps& steps, const DrivenStep& step, const ReducedNode& start,
                           const ReducedNode& end) const;
  void vary(const Steps& steps, const DrivenStep& step, const ReducedNode& start, const ReducedNode& end,
            const double* rates);
  void first(const Steps& steps, const DrivenStep& step, const ReducedNode& start, const ReducedNode& end,
             const Vec6& body_momentum);
  void second(const Steps& steps, const DrivenStep& step, const Vec6& body_momentum);
  void add_mechanics(const Steps& steps, const DrivenStep& step);

  int n_;
  ReducedVariation start_, end_;
  Mat66 B_, leave_, eps_;  // dtau^-1_{dt xi}, Ad(tau(dt xi))^-1, dt dtau_{-dt xi}
  Vec6 a_;
  Eigen::MatrixXd T0_, T1_, C_, N_, Y_, dC_, dZ_, K_, by_xi_y_, part_;
  Eigen::VectorXd drate_, dw_, dP_;
};

}  // namespace bough
