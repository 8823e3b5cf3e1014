// Forward dynamics, (D2)-(D5) of forward_dynamics.hpp, of trees that move in a plane, each joint about its own origin.
//
// theta is the angle that a link has turned and omega its rate, R(theta) turns the plane, x^ = (-x2, x1) for x = (x1, x2), and
// n x f = n1 f2 - n2 f1. With p the parent of joint i, sigma its S . a if it is a hinge, and s its parameter,
//
//   theta_i = theta_p + sigma s,   r_i = R(theta_p) (d_i + e_i s),   n_i = R(theta_i) centre_i                    (PD1)
//   A_i = A_p + alpha_p r_i^ - omega_p^2 r_i + 2 omega_p s' (R(theta_p) e_i)^                                     (PD2)
//
// are the way from origin to origin and the acceleration of the origin as long as the dynamic joints keep their rates;
// kinematic joints add their accelerations, and the world has alpha = 0, A = -gravity. The wrench that moves a link so and its
// inertia are, about the origin,
//
//   f = m (A + alpha n^ - omega^2 n),   t = I_a alpha + n x f,   P = [I_a + m n . n, m n^; m n^, m 1]              (PD3)
//
// The first row alone eliminates a hinge, since J = (sigma, 0): D = P_ww, and with g = r x P_wv the parent receives
//
//   f + x P_wv,   sigma tau + r x (f + x P_wv),   x = sigma (tau - sigma t) / D
//   P_ww' = r^ . P_vv r^ - g^2 / D,   P_wv' = P_vv r^ - g P_wv / D,   P_vv' = P_vv - P_wv P_wv^T / D              (PD4)
//
// A slide, J = (0, R(theta_p) e), is eliminated by (D2), (D3), after which all moves by r, as it does for a kinematic joint. From
// the root on, with what the pivots add to alpha and A, a hinge has
//
//   alpha_i = x - P_wv / D . (A_p + alpha_p r^),   A_i = A_p + alpha_p r^,   a_i = sigma (alpha_i - alpha_p)      (PD5)
//
// The angles are sums, so that no pose waits for that of its parent, and next to the division a pivot waits for one product.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// As forward_dynamics, of a tree with a plane whose joints share no variables; tau contains the potentials.
int planar_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau, double* a);

}  // namespace bough
