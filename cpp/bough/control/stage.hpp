// One step of a free-floating tree whose joints move as they are told: where the base goes, and what the joints feel.
// Derivation in docs/theory/control.md; alpha = 1/2, tau the Cayley map. With the shapes r0, r1 = r0 + h u,
//
//   Abar = (A(r0) + A(r1))/2,  Ibar = (I(r0) + I(r1))/2,  Mbar = (M(r0) + M(r1))/2
//   mu = Ibar (xi + Abar u),  (dtau^-1_{h xi})^T mu = Ad(g)^T pi       [pi = 0:  xi = -Abar u]                 (CM1)
//   g' = g tau(h xi)                                                                                           (CM2)
//   D1 = h/2 (dl(r0) + mu . dA(r0) u) - (Mbar u + Abar^T mu)                                                    (CM3)
//   D2 = h/2 (dl(r1) + mu . dA(r1) u) + (Mbar u + Abar^T mu)
//   dl(r) + mu . dA(r) u = dT(r; Om, 0) - dT(r; eta, 0) + dT(r; eta - A(r) u, u),  Om = Ibar^-1 mu, eta = I(r)^-1 mu  (CM4)
//
// The momenta p of the joints at the ends of the step and the force f held during it: p = -D1 - h f/2, p' = D2 + h f/2.
#pragma once

#include <vector>

#include "bough/control/shape.hpp"

namespace bough {

struct Steps {  // a motion of `count` steps and how it is looked at
  const Model& model;
  int count;
  double h;
  bool dynamic;      // false: D1 = -u, D2 = u, so that f is the joint acceleration
  const double* u;   // (count, n) joint velocities; not from differences of r, which lose digits like 1/h
  const double* pi;  // spatial momentum (moment about the world's origin, force); null: zero
  int n() const { return model.n_variables - base_joints; }
  int state() const { return base_joints + 2 * n(); }  // delta, r, p
  int stage() const { return base_joints + 3 * n(); }  // and u
};

// Returns 0, or the (1-based) step at which the locked inertia is singular, or minus the step whose (CM1) has no solution.
// g: (count + 1, 4, 4) with the first given; r: (count + 1, n); D1, D2: (count, n).
int reconstruct(const Steps& steps, double* g, const double* r, double* D1, double* D2);

// Exact derivatives along a motion, from the last step to the first. Stage variables z = (delta, r, p, u), where delta
// moves the base to g tau(delta). In: gamma = d/df of the Lagrangian of the problem (count, n), direct = its other
// derivatives by z (count, nz), costate[count] its derivative by the last state. Out:
//   J (count, nx, nz) of the next state, F (count, n, nz) of f, H (count, nz, nz) = second derivatives of
//   costate' . x' + gamma . f, costate (count + 1, nx), gradient (count, n) by u.
void differentiate(const Steps& steps, const double* g, const double* r, const double* gamma, const double* direct,
                   double* J, double* F, double* H, double* costate, double* gradient);

// A(r), (n of them, 6 numbers each): value, first and second derivatives; for the tests. False: singular.
bool connection_derivatives(const Model& model, const double* r, double* A, double* dA, double* ddA);

}  // namespace bough
