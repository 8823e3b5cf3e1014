// A motion of a free-floating tree whose joints move as they are told: where the base goes, what the joints feel, and the
// derivatives of all of it, step by step. Derivation in docs/theory/control.md; the equations of a step are in driven_step.hpp.
//
// The momenta p of the joints at the ends of a step and the force f held during it: p = -D1 - dt f/2, p' = D2 + dt f/2 (CM5).
#pragma once

#include "bough/tree/model.hpp"

namespace bough {

constexpr int base_variables = 6;  // tx ty tz rz ry rx, which the pose of the base replaces

// Whether the first six joints are a free base at the world's origin that everything else hangs from, by variables of its own.
bool has_free_base(const Model& model);

struct Steps {
  const Model& model;
  int count;
  double dt;
  bool dynamic;         // false: D1 = -r', D2 = r', so that f is the joint acceleration
  const double* rates;  // r', (count, n); not from differences of r, which lose digits like 1/dt
  const double* mu;     // spatial momentum (moment about the world's origin, force); null: zero
  int n() const { return model.n_variables - base_variables; }
  int state() const { return base_variables + 2 * n(); }  // delta, r, p
  int stage() const { return base_variables + 3 * n(); }  // and r'
};

// Returns 0, or the (1-based) step at which the locked inertia is singular, or minus the step whose (CM1) has no solution.
// g: (count + 1, 4, 4) with the first given; r: (count + 1, n); D1, D2: (count, n).
int reconstruct(const Steps& steps, double* g, const double* r, double* D1, double* D2);

// Exact derivatives along a motion, from the last step to the first. Stage variables z = (delta, r, p, r'), where delta
// moves the base to g tau(delta). In: gamma = d/df of the Lagrangian of the problem (count, n), direct = its other
// derivatives by z (count, nz), costate[count] its derivative by the last state. Out:
//   J (count, nx, nz) of the next state, F (count, n, nz) of f, H (count, nz, nz) = second derivatives of
//   costate' . x' + gamma . f, costate (count + 1, nx), gradient (count, n) by r'.
// The motion is one that reconstruct() returned 0 for.
void differentiate(const Steps& steps, const double* g, const double* r, const double* gamma, const double* direct,
                   double* J, double* F, double* H, double* costate, double* gradient);

}  // namespace bough
