// The equations of motion in generalised coordinates as a differential equation, for methods that take steps on it:
//
//   q' = v,   v' = a(q, v, u, t)   with a of M(q) a + C(q, v) = Q + Dh^T lam,  h'' + 2 g1 h' + g2^2 h = 0           (G1)
//
// (constrained.hpp, C1), of balls (BJ9). Vectors are over dynamic variables; the kinematic ones move as prescribed.
#pragma once

#include "bough/dynamics/constrained.hpp"

namespace bough {

// Values, velocities and accelerations of the kinematic variables at one instant.
struct Prescribed {
  const double *k, *vk, *ak;
};

// One step from t to t + dt, with the inputs during it.
struct Span {
  double t, dt;
  Prescribed start, middle, end;
  const double* u;
};

// False where a number is not finite, or so large that it has no meaning; momenta and energy are then still finite numbers.
bool sound(const std::vector<double>& x);

class EquationsOfMotion {
 public:
  // g1, g2: Baumgarte's gains, zero for none.
  EquationsOfMotion(const Model& model, double g1, double g2);

  // (G1); false where the mass matrix is singular, at variable `singular`.
  bool acceleration(double t, const Prescribed& kinematic, const double* q, const double* v, const double* u,
                    double* a);

  // Moves q and v the shortest way, by the metric of kinetic energy, to h = 0 and Dh v + h_t = 0; false as above.
  bool project(double t, const Prescribed& kinematic, double* q, double* v);

  // Power of the force elements of the acceleration evaluated last, at velocities v.
  double power(const double* v) const;

  // Whether the last state is finite and below 1e100.
  bool sound() const { return bough::sound(q_) && bough::sound(v_); }

  int n() const { return model_.n_dynamic; }
  // How many numbers q has: the dynamic variables, and after them the quaternions of balls, whose own entries rest.
  int width() const { return model_.n_dynamic + n_quaternions(); }
  int n_quaternions() const { return 4 * static_cast<int>(model_.balls.size()); }
  const Model& model() const { return model_; }

  int singular = -1;
  long evaluations = 0;

 private:
  void complete(const Prescribed& kinematic, const double* q, const double* v);

  const Model& model_;
  const double g1_, g2_;
  ConstraintSpace space_;
  std::vector<double> q_, v_, a_, tau_, lam_, moved_, force_;
};

}  // namespace bough
