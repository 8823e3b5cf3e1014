#include "bough/tree/joint_ways.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr double angle_of_chord = 2.23;  // an angle is no more than this times |Q1 - Q0|, of the nearer of Q1 and -Q1

}  // namespace

JointWays::JointWays(const Model& model, std::vector<bool> read)
    : model_(&model), place_(model.joints.size() + 1, -1), turns_(model.balls.size()) {
  for (int slot = model.n(); slot > 0; --slot)
    if (read[slot]) read[model.joints[slot - 1].parent] = true;
  for (int slot = 1; slot <= model.n(); ++slot) {
    if (!read[slot]) continue;
    const Joint& joint = model.joints[slot - 1];
    place_[slot] = static_cast<int>(moved_.size());
    moved_.push_back({place_[joint.parent], joint.variable, joint.ball, joint.axis, joint.ratio, joint.shift,
                      norm(joint.S.w), norm(joint.S.v), norm(joint.X.p), 0.0, 0.0, 0.0, 0.0});
  }
}

template <class Change>
void JointWays::sweep(const double* q0, const double* q1, const char* stem, Change change_of) {
  A_ = W_ = 0.0;
  for (Moved& x : moved_) {
    const double start = x.ratio * q0[x.variable], end = x.ratio * q1[x.variable], change = change_of(x, end - start);
    double A = 0.0, W = 0.0, arm = 0.0;
    if (x.parent >= 0) {
      const Moved& parent = moved_[x.parent];
      const double s = std::max(std::abs(x.shift + start), std::abs(x.shift + end));
      arm = x.offset + x.slide * s;
      W = parent.W;
      A = parent.A + W * arm;
    }
    x.W = W + x.turn * change;
    x.A = A + x.slide * change;
    if (stem) {
      const bool still = stem[&x - moved_.data()];  // and so are all joints above it
      x.W_beyond = still ? 0.0 : x.turn * change + (x.parent >= 0 ? moved_[x.parent].W_beyond : 0.0);
      x.A_beyond = still ? 0.0 : x.slide * change;
      if (!still && x.parent >= 0) x.A_beyond += moved_[x.parent].A_beyond + moved_[x.parent].W_beyond * arm;
    }
    W_ = std::max(W_, x.W);
    A_ = std::max(A_, x.A);
  }
}

void JointWays::move(const double* q0, const double* q1) {
  sweep(q0, q1, nullptr, [](const Moved&, double change) { return std::abs(change); });
}

void JointWays::move_between(const double* q0, const double* q1, const char* stem) {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Ball& ball = model_->balls[i];
    if (std::equal(q0 + ball.quaternion, q0 + ball.quaternion + 4, q1 + ball.quaternion)) {
      turns_[i] = norm(ball_vector(ball, q1) - ball_vector(ball, q0));
      continue;
    }
    const Quaternion a = turned_within(quaternion_of(ball, q0), ball_vector(ball, q0));
    const Quaternion b = turned_within(quaternion_of(ball, q1), ball_vector(ball, q1));
    const double sign = a.w * b.w + dot(a.v, b.v) < 0.0 ? -1.0 : 1.0;
    turns_[i] = angle_of_chord * std::hypot(b.w - sign * a.w, norm(b.v - sign * a.v));
  }
  sweep(q0, q1, stem, [&](const Moved& x, double change) {
    return x.ball < 0 ? std::abs(change) : x.axis == 0 ? turns_[x.ball] : 0.0;
  });
}

}  // namespace bough
