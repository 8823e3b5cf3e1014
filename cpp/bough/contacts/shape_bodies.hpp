// Shapes fixed to frames: where they are, and boxes around all places that one passes on the way from one instant to another.
//
// With x0, x1 the origin of a shape at both ends, r its reach and D how far a point of it moves at most,
//
//   |x(s) - x0| + |x1 - x(s)| <= D   =>   all of it is within  r + D - |x1 - x0|  of the box of x0 and x1          (GE17)
#pragma once

#include <algorithm>
#include <cmath>

#include "bough/tree/points.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {

struct Bounds {
  Vec3 low, high;
};

struct ShapeBody {
  FramePlace place;
  double reach;  // of the shape about its origin
};

inline std::vector<int> slots_of(const std::vector<ShapeBody>& bodies) {
  std::vector<int> slots;
  for (const ShapeBody& body : bodies) slots.push_back(body.place.joint);
  return slots;
}

// What is not finite counts by where it is; if a plane turns, its pairs are never left alone.
inline double finite_reach(const ShapeBody& body) { return std::isfinite(body.reach) ? body.reach : 0.0; }
// Of a ball about the frame of its joint that it is in.
inline double radius_of(const ShapeBody& body) { return norm(body.place.X.p) + finite_reach(body); }

inline Pose pose_of(const Instant& at, const ShapeBody& body) { return at.state[body.place.joint].g * body.place.X; }

// How far a point of a body moves at most by the joints below `stop`.
inline double way_of(const Instant& from, const Instant& to, const ShapeBody& body, int stop) {
  const Vec3 start = point(body.place, from.state).x, end = point(body.place, to.state).x;
  double sum = 0.0;
  for (int slot = body.place.joint; slot != stop; slot = from.model.joints[slot - 1].parent) {
    const Joint& joint = from.model.joints[slot - 1];
    const auto arm = [&](const JointState& s, const Vec3& x) {
      const double turn = norm(s.J.w);
      return norm(point_dq(s, x)) + (turn > 0.0 ? body.reach * turn : 0.0);
    };
    sum += std::max(arm(from.state[slot], start), arm(to.state[slot], end)) *
           std::abs(joint.ratio * (to.q[joint.variable] - from.q[joint.variable]));
  }
  return sum;
}

// (GE17), larger by a part of the reach.
inline Bounds box_of(const Instant& from, const Instant& to, const ShapeBody& body, double larger) {
  if (!std::isfinite(body.reach)) {
    const Vec3 far(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    return {-far, far};
  }
  const Vec3 x0 = point(body.place, from.state).x, x1 = point(body.place, to.state).x;
  const double more = (1.0 + larger) * body.reach + (&from == &to ? 0.0 : way_of(from, to, body, 0) - norm(x1 - x0));
  const Vec3 by(more, more, more);
  return {Vec3(std::min(x0[0], x1[0]), std::min(x0[1], x1[1]), std::min(x0[2], x1[2])) - by,
          Vec3(std::max(x0[0], x1[0]), std::max(x0[1], x1[1]), std::max(x0[2], x1[2])) + by};
}

// How far two boxes are from each other along the axis where they are farthest; negative if they meet.
inline double between(const Bounds& a, const Bounds& b) {
  double most = -HUGE_VAL;
  for (int axis = 0; axis < 3; ++axis) most = std::max({most, a.low[axis] - b.high[axis], b.low[axis] - a.high[axis]});
  return most;
}

}  // namespace bough
