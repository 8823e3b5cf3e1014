// Springs and dampers in place of joints and constraints ([L] first attempt):
//
//   y_b = -Q (K e + eta K Q (V_b - V_a)),  -y_b on the body before it;  lam_r = -k_r (C_r + eta Cdot_r)                (ME1)
//
// in the axes of the body: e the drift of its joint (MK2), K = (k_ang, k_ang, k_ang, k, k, k), eta damping over stiffness,
// Q the orthogonal projector that takes away what the joint leaves free.
//
// About a state where the joints hold, a mode of M^-1 A^T K A with eigenvalue kappa moves in an explicit step as
// v1 = v0 - h kappa (x0 + eta v0), x1 = x0 + h v1, which stays bounded where
//
//   h^2 kappa + 2 h eta kappa < 4,  h < -eta + sqrt(eta^2 + 4 / kappa)                                                (MB1)
//
// so that the largest kappa decides.
#pragma once

#include "bough/maximal/breaks.hpp"
#include "bough/solvers/products.hpp"

namespace bough {

// I^-1 b for a regular symmetric I
Vec3 solve_symmetric(const Mat3& I, const Vec3& b);

class PenaltySprings {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  explicit PenaltySprings(const MaximalParts& parts);

  // Projectors of the joints and rows of the constraints where the bodies are.
  void place();
  const Matrix6& projector(int slot) const { return Q_[slot]; }
  double row_stiffness(int r) const;

  // F = (ME1) of all joints and rows; sets lam, the impulses of the rows and the reactions of the joints.
  void forces(std::vector<Wrench>& F);

  // The largest eigenvalue of M^-1 A^T K A, by power iteration in the metric of mass.
  double largest_eigenvalue();

 private:
  Wrench pull(int slot, const Vector6& e) const;

  MaximalParts at_;
  std::vector<Matrix6> Q_;  // axes of the body
};

}  // namespace bough
