#include "bough/integrators/step_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/spatial/geodesic.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
constexpr double many_turns = 100.0;  // rad, above which the round-off of an angle counts in rows on velocities

}  // namespace

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
  std::vector<bool> read(model.joints.size()), in_middle(model.joints.size());
  int row = 0, most = 0;
  for (std::size_t k = 0; k < model.elements.constraints.size(); ++k) {
    const Constraint& c = *model.elements.constraints[k];
    const Support support = c.support(model);
    if (!support.known) read.assign(read.size(), true);
    for (int slot : support.slots)
      for (; slot > 0; slot = model.joints[slot - 1].parent) {
        read[slot - 1] = true;
        if (c.nonholonomic() > 0) in_middle[slot - 1] = true;
      }
    row += c.rows();
    if (c.nonholonomic() == 0) continue;
    slips_.push_back({static_cast<int>(k), row - c.nonholonomic(), c.nonholonomic()});
    most = std::max(most, c.rows());
  }
  for (int i = 0; i < model.n(); ++i) {
    if (read[i]) read_.push_back(i);
    if (in_middle[i]) middle_.read.push_back(i);
  }
  if (slips_.empty()) return;
  for (auto* x : {&middle_.q0, &middle_.q, &middle_.w}) x->resize(model.width());
  middle_.poses = poses_;
  std::size_t rows = 0;
  for (const Slip& slip : slips_) rows += slip.rows;
  ends_.resize(rows * n);
  A_.resize(most * n);
  middle_.h.resize(most);
  middle_.scale.resize(most);
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
  if (!slips_.empty()) std::copy_n(q0, middle_.q0.size(), middle_.q0.begin());
}

// No q1 has a smaller h than the round-off of q leaves: of an angle of 2^15 rad, 7e-12 of the length that it moves.
void StepConstraints::set_resolution(const double* q0) {
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
  if (slips_.empty()) return;
  set_middle(q1);
  hold_velocities(t);
}

void StepConstraints::set_gradient(double t, const double* q1) {
  if (rows() == 0) return;
  constraint_dq(instant(t, q1), scale_.data(), rows_, Dh1_.data());
  if (!along_.empty()) {
    along_ = Dh1_;
    for (const Ball& ball : model_.balls) {
      const Mat3 turn = dtau_minus(ball_vector(ball, q1));
      for (int r = 0; r < rows(); ++r) {
        double* row = along_.data() + static_cast<std::size_t>(r) * model_.n_variables;
        set_ball_vector(ball, row, transpose_times(turn, ball_vector(ball, row)));
      }
    }
  }
  if (!slips_.empty()) set_velocity_rows(t);
}

// The end becomes the start of the next step, with A(q1) in place of the rows of Newton's method.
void StepConstraints::advance() {
  std::swap(Dh0_, Dh1_);
  const double* from = ends_.data();
  for (const Slip& slip : slips_) {
    const std::size_t n = model_.n_variables, size = slip.rows * n;
    std::copy_n(from, size, Dh0_.begin() + slip.first * n);
    from += size;
  }
}

// --- rows on velocities ---

// Poses at qm, and velocities for w in place of v.
void StepConstraints::set_middle(const double* q1) {
  for (std::size_t i = 0; i < middle_.q0.size(); ++i) {
    middle_.q[i] = 0.5 * (middle_.q0[i] + q1[i]);
    middle_.w[i] = q1[i] - middle_.q0[i];
  }
  set_parameters(model_, parameters_, middle_.q.data());
  for (const int i : middle_.read) {
    const Joint& joint = model_.joints[i];
    JointState& x = middle_.poses[i + 1];
    place_joint(joint, middle_.poses[joint.parent].g, parameters_, i, x.g, x.J);
    x.V = middle_.poses[joint.parent].V + (joint.ratio * middle_.w[joint.variable]) * x.J;
  }
}

// A(qm) w of each row. Its size is also that in the middle: at the end it may be zero, if the frame gets to the origin there,
// and both together are not less than half of the way. Of angles of many turns, A(qm) is known to their round-off.
void StepConstraints::hold_velocities(double t) {
  const std::size_t n = model_.n_variables;
  const Instant at{model_, middle_.poses, middle_.q.data(), middle_.w.data(), nullptr, t};
  const bool turned = std::any_of(middle_.read.begin(), middle_.read.end(), [&](int i) {
    const Joint& joint = model_.joints[i];
    return !is_zero(joint.S.w) && std::abs(middle_.q[joint.variable]) > many_turns;
  });
  for (const Slip& slip : slips_) {
    const Constraint& c = *model_.elements.constraints[slip.constraint];
    const std::size_t first = c.rows() - slip.rows;
    std::fill_n(A_.begin(), c.rows() * n, 0.0);
    c.gradient(at, A_.data());
    c.value(at, middle_.h.data(), middle_.scale.data());
    for (int r = 0; r < slip.rows; ++r) {
      scale_[slip.first + r] = std::max(scale_[slip.first + r], middle_.scale[first + r]);
      double sum = 0.0;
      for (const int i : rows_.variables[slip.first + r]) sum += A_[(first + r) * n + i] * middle_.w[i];
      h_[slip.first + r] = sum;
    }
    if (!turned) continue;
    std::fill_n(A_.begin(), c.rows() * n, 0.0);
    c.add_slip_dq(at, 1.0, A_.data() + first * n);
    for (int r = 0; r < slip.rows; ++r) {
      double sum = 0.0;
      for (const int i : rows_.variables[slip.first + r]) sum += std::abs(A_[(first + r) * n + i] * middle_.q[i]);
      scale_[slip.first + r] = std::max(scale_[slip.first + r], digits / tolerance_ * sum);
    }
  }
}

// (NH5), with A(q1), which is in Dh1 so far, kept for the next step. Of a ball it is short of the brackets of its axes and of
// the curvature of the geodesic, both of the order of the turn in a step, which Newton's method makes up for.
void StepConstraints::set_velocity_rows(double t) {
  const std::size_t n = model_.n_variables;
  const Instant at{model_, middle_.poses, middle_.q.data(), middle_.w.data(), nullptr, t};
  double* end = ends_.data();
  for (const Slip& slip : slips_) {
    const Constraint& c = *model_.elements.constraints[slip.constraint];
    const std::size_t first = (c.rows() - slip.rows) * n, size = slip.rows * n;
    double* rows = Dh1_.data() + slip.first * n;
    end = std::copy_n(rows, size, end);
    std::fill_n(A_.begin(), c.rows() * n, 0.0);
    c.gradient(at, A_.data());
    c.add_slip_dq(at, 0.5, A_.data() + first);
    std::copy_n(A_.begin() + first, size, rows);
    if (!along_.empty()) std::copy_n(rows, size, along_.begin() + slip.first * n);
  }
}

}  // namespace bough
