// Penalty springs and dampers at the joints, stepped by implicit Euler:
//
//   M (v1 - v0) = h (F(p0, v0) + y(p1, v1)),  p1 = p0 + h v1                                                         (MI1)
//
// with y of (ME1). Newton's method on v1 in coordinates (omega, velocity of the centre of mass) of each body:
//
//   r = M v0 + h F + h y(p1, v1) - M v1,   (M + (h^2 + h eta) A^T K A) d = r,   v1 += d                              (MI2)
//
// The matrix leaves out how A turns with p, which is small beside M by the factor h^2 y / (m length): the method converges
// in a few iterations at any stiffness. It has the sparsity of the tree (tree_penalty); rows beyond it are added by the
// Sherman-Morrison-Woodbury formula.
#pragma once

#include "bough/maximal/penalty_springs.hpp"
#include "bough/maximal/tree_penalty.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {

class ImplicitPenaltyStepper {
 public:
  ImplicitPenaltyStepper(const MaximalParts& parts, PenaltySprings& springs);
  StepStatus step(double dt, const double* k1, const double* u);

  int iterations = 0;  // of the last step

 private:
  using Matrix6 = TreePenalty::Matrix6;
  using Vector6 = TreePenalty::Vector6;
  static int at(int slot) { return 6 * (slot - 1); }

  struct Equations;  // (MI2) of one step, for newton()

  void begin(double dt, const double* k1, const double* u);
  double round_off(double dt) const;
  double weight() const;
  double size(const Eigen::VectorXd& velocities) const;
  void place(double dt);
  void residual(double dt);
  bool direction(double dt);
  bool add_rows(double factor);

  MaximalParts at_;
  PenaltySprings& springs_;
  TreePenalty tree_;
  std::vector<Wrench> f_, y_;  // momenta after the applied forces; forces of the springs
  std::vector<Matrix6> M_;
  Eigen::VectorXd V_, p_, r_;  // velocities, momenta, residual of (MI2), in the coordinates of Newton's method
  Eigen::VectorXd z_, multipliers_;
  Eigen::MatrixXd A_, Z_, S_;
  DenseCholesky llt_;
};

}  // namespace bough
