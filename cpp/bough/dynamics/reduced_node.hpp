// The reduced Lagrangian at one end of a step: I, A, S of reduced.hpp at a shape, and their derivatives along a motion.
//
// For w, r' and a momentum P given, with z_a = (-A r', r'), z_b = (w, 0), z_c = (I^-1 P, 0) and G_a, G_b, G_c of (B6), upper rows G^b and
// lower rows G^s:
//   (dA/dr_j) r'  = I^-1 G_a^b,     (dI/dr_j) w = G_b^b                                                           (RQ1)
//   (dA/dr_j)^T P = G_c^s - A^T G_c^b,    (dS/dr_j) r' = G_a^s - A^T G_a^b                                         (RQ2)
//   e_j = P^T (dA/dr_j) r' + w^T (dI/dr_j) w / 2 + r'^T (dS/dr_j) r' / 2
//       = G_a^b . I^-1 P + G_b^b . w / 2 + G_a . z_a / 2                                                         (RQ3)
#pragma once

#include "bough/dynamics/reduced.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {

struct ReducedNode {
  ReducedNode(const Model& model, const ReducedLayout& layout);

  // False where I is singular.
  bool set_shape(const double* r);

  // (RQ3); w and P have nb entries, rates nr.
  void contract(const Eigen::VectorXd& w, const double* rates, const Eigen::VectorXd& P);

  // (RQ1), (RQ2), after contract().
  void differentiate();

  // The velocities z at which momenta are P (nb) and p (of the dynamic shape variables); the others of z are given.
  // False where the metric is singular.
  bool velocity(const double* P, const double* p, double* z);

  auto I() const { return M.topLeftCorner(nb, nb); }

  int nb, nr, nd;
  ReducedMetric metric;
  LockedInertia inertia;
  Eigen::MatrixXd M, A, S;              // (B7)
  Eigen::MatrixXd Ga, Gb, Gc;           // (B6)
  Eigen::MatrixXd A_rate, A_P, S_rate;  // (RQ1), (RQ2): column j belongs to r_j
  Eigen::VectorXd za, zb, zc;           // of the last contract()
  Eigen::VectorXd e;                    // (RQ3)

 private:
  Eigen::VectorXd momentum_;
  Eigen::MatrixXd dynamic_;
  DenseCholesky llt_;
};

// Momenta of a base at the pose g with velocities z at the shape r: mu, spatial, and p of the dynamic shape variables.
void reduced_momenta(ReducedNode& node, const Pose& g, const double* r, const double* z, double* mu, double* p);

// Velocities z of momenta; entries of kinematic variables are given. False where the metric is singular.
bool reduced_velocities(ReducedNode& node, const Pose& g, const double* r, const double* mu, const double* p,
                        double* z);

}  // namespace bough
