// Continuous dynamics with holonomic constraints ([JM09] eq. 36) and projection of momenta:
//
//   M a = tau - C + Dh^T lam,  Dh a + bias + rate = 0                                                           (C1)
//   Z = M^-1 Dh^T,  (Dh Z) lam = -(bias + rate + Dh a0),  a = a0 + Z lam,  a0 without constraints
//   v = M^-1 (p + Dh^T lam),  Dh v + h_t = 0                                                                    (C2)
//   v += Z lam,  (Dh Z) lam = -(Dh v + h_t)                                                                     (C3)
//   q += Z lam,  (Dh Z) lam = -h                                                                                (C4)
//
// Redundant rows are allowed: lam is the one of least norm. `rate` adds Baumgarte's 2 g1 Dh v + g2^2 h.
#pragma once

#include "bough/solvers/rank_revealing.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// Scratch for n_constraints rows, made once per call.
struct ConstraintSpace {
  explicit ConstraintSpace(const Model& model);
  std::vector<double> Dh, Z, h, scale, bias, rate;
  Eigen::MatrixXd S;
  Eigen::VectorXd lam;
  RankRevealing schur;
};

// tau: generalised forces without potentials and force elements; a: kinematic entries given. lam has n_constraints entries.
// Returns -1 or a variable at which the mass matrix is singular.
int acceleration(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* v,
                 const double* tau, const double* u, double t, double baumgarte_velocity, double baumgarte_position,
                 double* a, double* lam);

// v from p over dynamic variables; kinematic entries of v given.
int velocity_from_momentum(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* p,
                           double t, double* v);

// (C3) and one step of Newton's method (C4): by the metric of kinetic energy, the shortest way onto the constraints. The
// kinematic entries stay. Return as above.
int project_velocity(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t, double* v);
int project_configuration(const Model& model, Workspace& ws, ConstraintSpace& space, double t, double* q);

// The largest |h|.
double constraint_residual(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t);

}  // namespace bough
