// Ball joints: their rotations in a configuration, their configurations on both sides of the border of the core, and what
// their axes add to second derivatives.
//
// Derivatives by a ball are along its own axes, X_a for a = 0, 1, 2, which do not commute. The derivatives by its three
// joints are those of exp(e_0 s_0) exp(e_1 s_1) exp(e_2 s_2) at s = 0, X_a X_b for a <= b in either order, so that
//
//   X_b X_a f = H_ab + (e_b x e_a) . grad f   for b > a,   H_ab else                                            (BJ6)
//
// with the row of a for the first derivative. For d2L/dq dv, whose row is that of q, it is the row of b that changes, by
// (e_b x e_a) . dL/dv: at fixed rates the axes of a ball turn together.
#pragma once

#include "bough/spatial/rotation.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// The rotations of all balls, by Q exp(phi); a Q that is not of length one counts as if it were.
void set_turns(const Model& model, JointParameters& x, const double* q);

inline Vec3 ball_vector(const Ball& ball, const double* x) { return Vec3(x + ball.variable); }
inline void set_ball_vector(const Ball& ball, double* x, const Vec3& value) { value.store(x + ball.variable); }

inline Quaternion quaternion_of(const Ball& ball, const double* q) {
  const double* x = q + ball.quaternion;
  return {x[0], Vec3(x[1], x[2], x[3])};
}
void set_quaternion(const Ball& ball, double* q, const Quaternion& value);

struct LaneQuaternion;

// phi goes into the quaternions of a configuration, which it leaves zero.
void settle(const Model& model, double* q);
// What balls have in q is that of q1, settled; turns: exp(phi) of q1 by fours, of any length.
void settle(const Model& model, const std::vector<LaneQuaternion>& turns, const double* q1, double* q);

// The quaternions Q of all balls by themselves, one after another: Q' = Q (0, v) / 2 at the rates v of variables, and Q at
// unit length.                                                                                                (BJ9)
void quaternion_rates(const Model& model, const double* Q, const double* v, double* out);
void normalise(const Model& model, double* Q);

// The configuration of the user from dynamic variables with the quaternions after them, and the kinematic variables k.
void to_user(const Model& model, const double* dynamic, const double* k, double* user);

// From and to the configuration of the user, of a model with balls.
void to_core(const Model& model, const double* user, double* q);
void to_user(const Model& model, const double* q, double* user);

// (BJ6): H (n_variables square) += factor times what its rows lack, for a function with this gradient.
void order_hessian(const Model& model, const double* gradient, double factor, double* H);
void order_ball(std::size_t n, const Ball& ball, const double* gradient, double factor, double* H);  // of one ball
// The same for d2L/dq dv, with dL/dv.
void order_mixed(const Model& model, const double* gradient, double* H);

// w_a w_b X_b X_a f lacks this if it is taken from H_ab.
double order_along(const Model& model, const double* gradient, const double* v);

}  // namespace bough
