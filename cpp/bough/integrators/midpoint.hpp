// The generalised midpoint rule ([JM09] eq. 19-22, 44-46):
//
//   Ld(q0, q1) = dt L(qm, v),  qm = (1 - alpha) q0 + alpha q1,  v = (q1 - q0) / dt
//   D1 = (1 - alpha) dt L_q - L_v + dt f / 2                                                                    (M1)
//   D2 = alpha dt L_q + L_v + dt f / 2                                                                          (M2)
//   K  = alpha (1 - alpha) dt L_qq + (1 - alpha) L_qv - alpha L_vq - L_vv / dt + (alpha dt f_q + f_v) / 2        (M3)
//
// with L, f at (qm, v). On a tree, L_v and L_q are one outward and one inward sweep (docs/theory/lagrangian.md), and K is
// factored by tree_newton. Constraints, and elements that couple joints, border it (tree_border): an element with the matrix
// H over some joints has as many unknowns pi and rows,  H delta - pi = 0, with pi added to the rows of those joints.   (M4)
// Shared variables, and elements that couple most joints, take K dense.
#pragma once

#include <Eigen/LU>

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/solvers/tree_newton.hpp"

namespace bough {

class Midpoint final : public DiscreteLagrangian {
 public:
  Midpoint(const Model& model, double alpha);
  void evaluate(const Interval& step, double* D1, double* D2, double* scale) override;
  Energy energy(const Interval& step) override;
  const double* forces_before() const override { return servos_.empty() ? force_.data() : before_.data(); }
  const double* forces_after() const override { return servos_.empty() ? force_.data() : after_.data(); }
  const double* shifted() const override { return servos_.empty() ? nullptr : shift_.data(); }
  bool symmetric() const override { return alpha_ == 0.5; }
  bool factor(const Interval& step, const Jacobians& D, double* x, double* y) override;
  void solve(const Jacobians& D, double* x, double* y) override;
  bool reads_rows() const override { return way_ != Way::bordered; }

 private:
  void sweep_out();
  void sweep_in(double duration);
  // How the last matrix was factored: all in the tree and its border, constraints by their Schur complement, or K dense too.
  enum class Way { bordered, schur, dense };
  void fit_borders();
  void set_rules(const Interval& step);
  void add_servo_forces(const Instant& at, double dt);
  void choose_limits(const Interval& step, double* x);
  void set_diagonal(const Interval& step);
  void set_elements(const Interval& step);
  void set_constraints(const Jacobians& D);
  bool factor_tree(const Interval& step, TreeBorder& border, double* x, double* y);
  void solve_tree(TreeBorder& border, double* x, double* y);
  bool factor_dense(const Interval& step);
  void solve_dense(double* x);
  Instant instant(const Interval& step) const;
  void to_joints(const double* x);
  void to_variables(double* x) const;

  const Model& model_;
  const double alpha_;
  std::vector<double> qm_, v_, L_q_, L_v_, force_, scale_, joint_;
  std::vector<int> loose_;  // variables that no joint has, such as the length of a wire
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  TreeNewton tree_;
  std::vector<std::size_t> servos_;  // which of the forces
  std::vector<Limit> limits_;        // of each force: the branch that Newton's method took last
  std::vector<ServoRule> rules_;     // of each force, for steps of rule_dt_ from rule_q_
  std::vector<double> rule_q_, inertia_, shift_, before_, after_;
  double rule_dt_ = 0.0;
  Way least_ = Way::bordered, way_ = Way::bordered;  // the quickest way there is, and the one taken
  int detour_ = 0, next_detour_ = 1;                 // factorisations before the quickest way is tried again
  struct Coupling {
    std::shared_ptr<const Potential> potential;
    std::shared_ptr<const Force> force;
    std::vector<int> joints;
    int first;  // of its rows in the borders
  };
  std::vector<Coupling> couplings_;
  TreeBorder elements_, all_;  // borders of the elements that couple joints; of these and the constraints
  std::vector<std::vector<int>> constraint_joints_;
  std::vector<double> border_;  // right-hand side of a border
  Schur schur_;
  std::vector<double> L_qq_, L_qv_, L_vv_, f_q_;  // f_q_: derivative of fd- by q1
  Eigen::MatrixXd K_;
  Eigen::VectorXd rhs_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace bough
