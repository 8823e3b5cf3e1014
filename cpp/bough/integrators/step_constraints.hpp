// The constraints of a step at its ends: h(q1) with the size of what cancels in it, Dh(q0) and Dh(q1). Rows on velocities are
// held over the step, at its middle qm = (q0 + q1) / 2, and their impulses are along A(q0):
//
//   h = A(qm) (q1 - q0),   Dh(q0) = A(q0),   Dh(q1) = A(qm) + d(A(qm) w)/dqm / 2 with w = q1 - q0                (NH5)
//
// By this pairing a step and its reverse are the same, and the motion is of second order: docs/theory/nonholonomic.md.
#pragma once

#include "bough/dynamics/elements.hpp"
#include "bough/solvers/schur.hpp"

namespace bough {

class StepConstraints {
 public:
  // tolerance: of h, relative to its scale.
  StepConstraints(const Model& model, double tolerance);

  int rows() const { return static_cast<int>(h_.size()); }

  // The start of a step: Dh(q0), unless it is known as the end of the step before, and what q0 can tell of h.
  void begin(double t, const double* q0);
  // h and its scale at q1; and Dh(q1), where they were evaluated last.
  void evaluate(double t, const double* q1);
  void set_gradient(double t, const double* q1);
  // The end becomes the start of the next step.
  void advance();
  void forget() { Dh0_known_ = false; }
  void remember(std::vector<double>& Dh0, bool& known) const {
    Dh0 = Dh0_;
    known = Dh0_known_;
  }
  void recall(const std::vector<double>& Dh0, bool known) {
    Dh0_ = Dh0;
    Dh0_known_ = known;
  }

  const std::vector<double>& h() const { return h_; }
  const std::vector<double>& scale() const { return scale_; }
  // The variables of a row, dynamic ones first.
  const std::vector<int>& variables(int row) const { return rows_.variables[row]; }
  double Dh0(int row, int variable) const { return Dh0_[row * model_.n_variables + variable]; }
  Jacobians jacobians() const {
    const double* end = along_.empty() ? Dh1_.data() : along_.data();
    return {rows(), model_.n_variables, model_.n_dynamic, Dh0_.data(), end};
  }

 private:
  Instant instant(double t, const double* q) const { return {model_, poses_, q, nullptr, nullptr, t}; }
  void set_resolution(const double* q0);
  void set_poses(const double* q);
  void set_middle(const double* q1);
  void hold_velocities(double t);
  void set_velocity_rows(double t);

  const Model& model_;
  const ConstraintRows rows_;
  const double tolerance_;
  JointParameters parameters_;
  std::vector<JointState> poses_;  // of the configuration evaluated last, if a constraint reads them
  std::vector<int> read_;          // joints at or above the frames of constraints
  // Of rows on velocities: the constraint, its first such row and their number.
  struct Slip {
    int constraint, first, rows;
  };
  std::vector<Slip> slips_;
  struct Middle {
    std::vector<int> read;          // joints at or above the frames of these
    std::vector<JointState> poses;  // at qm, with velocities q1 - q0
    std::vector<double> q0, q, w;   // the start, the middle and the way of the step
    std::vector<double> h, scale;   // of one of these constraints at qm
  };
  Middle middle_;
  std::vector<double> ends_;  // A(q1) of all these rows
  std::vector<double> A_;     // all rows of one of these constraints at qm
  std::vector<double> h_, scale_, Dh0_, Dh1_;
  std::vector<double> along_;       // Dh(q1) by the variables of the step, if there are balls: (BJ3)
  std::vector<double> resolution_;  // of h: the least size that its tolerance is a part of
  bool Dh0_known_ = false;
};

}  // namespace bough
