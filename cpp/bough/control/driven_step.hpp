// One step of a free-floating tree whose joints move at given rates, alpha = 1/2 and the Cayley map tau. With the shapes r0 and
// r1 = r0 + dt r', and a bar for the mean of both ends:
//
//   w = xi + Abar r',  P = Ibar w,  (dtau^-1_{dt xi})^T P = Ad(g)^T mu            [mu = 0:  xi = -Abar r']        (CM1)
//   g' = g tau(dt xi)                                                                                             (CM2)
//   D1 = dt/2 e(r0) - (Sbar r' + Abar^T P),   D2 = dt/2 e(r1) + (Sbar r' + Abar^T P)            e of (RQ3)        (CM3)
#pragma once

#include "bough/control/stage.hpp"
#include "bough/dynamics/reduced_node.hpp"
#include "bough/solvers/dense.hpp"
#include "bough/spatial/retraction.hpp"

namespace bough {

class DrivenStep {
 public:
  explicit DrivenStep(const ReducedLayout& layout);

  // At the shapes of both ends; body_momentum is Ad(g)^T mu. False where (CM1) has no solution.
  bool evaluate(const Steps& steps, ReducedNode& start, ReducedNode& end, const double* rates,
                const Vec6& body_momentum);

  Vec6 xi;
  Pose move;             // tau(dt xi)
  Eigen::VectorXd w, P;  // zero without momentum
  Eigen::VectorXd D1, D2;
  Eigen::MatrixXd I, A, S;  // means of both ends; I with momentum alone
  Lu6 momentum_by_xi;       // of what (CM1) leaves

 private:
  bool solve_momentum(double dt, const Vec6& A_rates, const Vec6& body_momentum);

  LockedInertia inertia_;
};

}  // namespace bough
