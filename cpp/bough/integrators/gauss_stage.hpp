// One stage of a collocation step: the Lagrangian's derivatives and the forces at (q, v) in two sweeps along the tree, and
// solves with the mass matrix there, factored by articulated bodies (D2). Where joints share a variable it is dense.
#pragma once

#include <Eigen/Cholesky>

#include "bough/tree/workspace.hpp"

namespace bough {

class GaussStage {
 public:
  explicit GaussStage(const Model& model);

  std::vector<double> q, v;    // set by the user of this class, over all variables
  std::vector<double> L_v, F;  // L_v and L_q + f
  std::vector<double> force;   // f

  // L_v and F at (q, v).
  void evaluate(double t, const double* u);
  // Where it was evaluated last.
  Instant instant(double t, const double* u) const { return {model_, state_, q.data(), v.data(), u, t}; }
  // Factors M where it was evaluated last. Returns -1, or a variable at which M is singular.
  int factor();
  // x = M^-1 x over dynamic variables.
  void solve(double* x);

 private:
  void sweep_out();
  void sweep_in();

  struct Body {
    Wrench h;  // momentum of the link, then of the subtree
    Vec3 c;    // world position of the link's centre of mass
    Vec3 mc;   // first moment of the link, then of the subtree
  };
  struct Pivot {
    Twist J;   // where M was factored
    Wrench u;  // (D2)
    Wrench s;  // (D3)
    Twist E;   // (D4)
    double inverse_D, r;
  };

  const Model& model_;
  std::vector<int> loose_;  // variables that no joint has
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<Body> bodies_;
  std::vector<Pivot> pivots_;
  std::vector<Mat6> P_;
  std::vector<double> Q_;  // trace of the subtree's inertia: with its mass, the scale that D is judged by
  Eigen::MatrixXd M_;
  Eigen::LLT<Eigen::MatrixXd> llt_{Eigen::MatrixXd(0, 0)};  // Eigen leaves the status of one without a matrix undefined
};

}  // namespace bough
