// Second derivatives of the reduced Lagrangian at one end of a step, and the variation of its derivatives: what the second
// derivatives of a step are made of. With z_a, z_b, z_c and G_a, G_b, G_c of reduced_node.hpp at velocities w, r' and a momentum
// P, X = A_rate = I^-1 G_a^b, and E_jl the derivative of e_j of (RQ3) by r_l at fixed w, r', P:
//
//   E = z_c^T ddM z_a + z_a^T ddM z_a / 2 + z_b^T ddM z_b / 2 - G_c^b^T X - X^T G_c^b - G_a^b^T X                     (RQ4)
//
// because dz_a/dr_l = (-X_l, 0) and dz_c/dr_l = (-I^-1 G_c^b_l, 0). A variation dr, dw, dr', dP changes these by
//   dA = I^-1 (dN - dI A),   dS = dm - dN^T A - A^T (dN - dI A)                                                        (RQ5)
//   dz_a = (-dA r' - A dr', dr'),   dz_b = (dw, 0),   dz_c = (I^-1 (dP - dI z_c), 0)
//   dX = I^-1 (dG_a^b - dI X),   dT = d(A_P + S_rate) = dK^s - dA^T K^b - A^T dK^b  with K = G_a + G_c                   (RQ6)
// and E by the product rule. dM, dG and d(z^T ddM z) are those of metric_variation.hpp.
#pragma once

#include "bough/dynamics/metric_variation.hpp"
#include "bough/dynamics/reduced_node.hpp"

namespace bough {

class ReducedVariation {
 public:
  ReducedVariation(const Model& model, const ReducedLayout& layout);

  // (RQ5) along dr, at the shape of `node`.
  void set_direction(const ReducedNode& node, const double* dr);

  // (RQ4), (RQ6) after node.contract(), node.differentiate() and set_direction(). Without momentum w and P are zero and dw
  // does not matter.
  void differentiate(const ReducedNode& node, bool momentum, const Eigen::VectorXd& dw, const double* drate,
                     const Eigen::VectorXd& dP);

  auto dI() const { return dM_.topLeftCorner(nb_, nb_); }
  Eigen::MatrixXd dA, dS;      // (RQ5)
  Eigen::MatrixXd E, dE;       // (RQ4)
  Eigen::MatrixXd dX, dZ, dT;  // (RQ6), and the variation of Z = G_b^b = (dI/dr_j) w

 private:
  int nb_, nr_;
  MetricVariation tree_;
  MetricVariation::Motion a_, b_, c_;
  Eigen::MatrixXd dM_, Ga_, Gb_, Gc_, dGa_, dGb_, dGc_, part_;
  Eigen::VectorXd dz_;
};

}  // namespace bough
