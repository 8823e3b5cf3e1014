// Velocity-level constraints ([L] attempt 2):
//
//   v1 = v0 + h M^-1 (F + A^T lambda),  A v1 = -(beta / h) C(p0) - C_t                                                (ML1)
//   p1 = p0 + h v1,  orientations by quaternions                                                                     (ML2)
//
// lambda of the tree's joints is never formed: tree_velocity eliminates it. Rows beyond the tree are solved on top of it by
// the Schur complement, where rows may be redundant:
//
//   S = A T^-1 A^T,  S lambda = target - A V                                                                         (MS1)
//
// With projection, beta is zero and the step ends with the nearest bodies, in the metric of mass, that meet the constraints,
// and the nearest velocities that keep them:
//
//   min 1/2 d^T M d  with  A d = -C(p1), repeated;   min 1/2 (v - v1)^T M (v - v1)  with  A v = -C_t                  (ML3)
#pragma once

#include "bough/maximal/breaks.hpp"
#include "bough/maximal/tree_velocity.hpp"
#include "bough/solvers/rank_revealing.hpp"

namespace bough {

class VelocityStepper {
 public:
  explicit VelocityStepper(const MaximalParts& parts);

  StepStatus step(double dt, const double* k1, const double* u);
  void project_velocities();  // onto what is enabled

  int failed_slot = -1;  // the body whose joint moves no mass, where a step is singular

 private:
  void find_basis();
  void evaluate_rows();
  StepStatus constrained_solve();
  void solve_rows();
  double free_mobility(int r);
  StepStatus project_positions();
  void add_reactions(double dt);

  MaximalParts at_;
  TreeVelocity tree_;
  std::vector<Twist> B_;  // what the joints leave free: 6 a body, world
  std::vector<int> freedom_;
  std::vector<Twist> V_, c_;    // twists of the bodies; what the joints have to move by
  std::vector<Wrench> f_, y_;   // right-hand side of the tree; momenta before the solution
  std::vector<double> target_;  // of the rows
  std::vector<double> Z_;       // T^-1 A^T, by rows
  Eigen::MatrixXd S_;
  Eigen::VectorXd multipliers_;
  RankRevealing schur_;
  long revision_ = -1;  // of the rows that the buffers are for
};

}  // namespace bough
