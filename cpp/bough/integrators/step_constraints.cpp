#include "bough/integrators/step_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/spatial/geodesic.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

StepConstraints::StepConstraints(const Model& model, double tolerance)
    : model_(model), rows_(model), tolerance_(tolerance) {
  const std::size_t n = model.n_variables, m = model.elements.n_constraints;
  for (auto* x : {&h_, &scale_, &resolution_}) x->resize(m);
  for (auto* x : {&Dh0_, &Dh1_}) x->resize(m * n);
  if (m == 0) return;
  if (!model.balls.empty()) along_.resize(m * n);
  parameters_.fit(model);
  poses_.resize(model.joints.size() + 1);
  poses_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  std::vector<bool> read(model.joints.size());
  for (const auto& c : model.elements.constraints) {
    const Support support = c->support(model);
    if (!support.known) read.assign(read.size(), true);
    for (int slot : support.slots)
      for (; slot > 0; slot = model.joints[slot - 1].parent) read[slot - 1] = true;
  }
  for (int i = 0; i < model.n(); ++i)
    if (read[i]) read_.push_back(i);
}

// (T1), (T2) for the joints that are read.
void StepConstraints::set_poses(const double* q) {
  set_parameters(model_, parameters_, q);
  for (const int i : read_) {
    const Joint& joint = model_.joints[i];
    JointState& x = poses_[i + 1];
    place_joint(joint, poses_[joint.parent].g, parameters_, i, x.g, x.J);
  }
}

void StepConstraints::begin(double t, const double* q0) {
  if (rows() == 0) return;
  if (!Dh0_known_) {
    set_poses(q0);
    constraint(instant(t, q0), h_.data(), scale_.data());
    constraint_dq(instant(t, q0), scale_.data(), rows_, Dh0_.data());
    Dh0_known_ = true;
  }
  set_resolution(q0);
}

// No q1 has a smaller h than the round-off of q leaves: of an angle of 2^15 rad, 7e-12 of the length that it moves.
void StepConstraints::set_resolution(const double* q0) {
  constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
  for (std::size_t r = 0; r < resolution_.size(); ++r) {
    double sum = 0.0;
    for (const int i : rows_.variables[r]) {
      if (i >= model_.n_dynamic) break;
      sum += std::abs(Dh0_[r * model_.n_variables + i] * q0[i]);
    }
    resolution_[r] = digits / tolerance_ * sum;
  }
}

void StepConstraints::evaluate(double t, const double* q1) {
  if (rows() == 0) return;
  set_poses(q1);
  constraint(instant(t, q1), h_.data(), scale_.data());
  for (std::size_t r = 0; r < h_.size(); ++r) scale_[r] = std::max(scale_[r], resolution_[r]);
}

void StepConstraints::set_gradient(double t, const double* q1) {
  if (rows() == 0) return;
  constraint_dq(instant(t, q1), scale_.data(), rows_, Dh1_.data());
  if (along_.empty()) return;
  along_ = Dh1_;
  for (const Ball& ball : model_.balls) {
    const Mat3 turn = dtau_minus(ball_vector(ball, q1));
    for (int r = 0; r < rows(); ++r) {
      double* row = along_.data() + static_cast<std::size_t>(r) * model_.n_variables;
      set_ball_vector(ball, row, transpose_times(turn, ball_vector(ball, row)));
    }
  }
}

}  // namespace bough
