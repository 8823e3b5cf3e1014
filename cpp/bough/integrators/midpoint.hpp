// The generalised midpoint rule ([JM09] eq. 19-22, 44-46):
//
//   Ld(q0, q1) = dt L(qm, v),  qm = (1 - alpha) q0 + alpha q1,  v = (q1 - q0) / dt
//   D1 = (1 - alpha) dt L_q - L_v + dt f / 2                                                                    (M1)
//   D2 = alpha dt L_q + L_v + dt f / 2                                                                          (M2)
//   K  = alpha (1 - alpha) dt L_qq + (1 - alpha) L_qv - alpha L_vq - L_vv / dt + (alpha dt f_q + f_v) / 2        (M3)
//
// with L, f at (qm, v). On a tree, L_v and L_q are one outward and one inward sweep (docs/theory/lagrangian.md), and K is
// factored by tree_newton. Elements that couple joints, and shared variables, take K dense.
#pragma once

#include <Eigen/LU>

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/solvers/tree_newton.hpp"

namespace bough {

class Midpoint final : public DiscreteLagrangian {
 public:
  Midpoint(const Model& model, double alpha);
  void evaluate(const Interval& step, double* D1, double* D2, double* scale) override;
  bool factor(const Interval& step, double* x) override;
  void solve(double* x) override;

 private:
  void sweep_out();
  void sweep_in(double dt);
  bool factor_dense(const Interval& step);
  Instant instant(const Interval& step) const;
  void to_joints(const double* x);
  void to_variables(double* x) const;

  const Model& model_;
  const double alpha_;
  const bool dense_;
  std::vector<double> qm_, v_, L_q_, L_v_, force_, scale_, joint_;
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  TreeNewton tree_;
  std::vector<double> L_qq_, L_qv_, L_vv_, f_q_;  // f_q_: derivative of fd- by q1
  Eigen::MatrixXd K_;
  Eigen::VectorXd rhs_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace bough
