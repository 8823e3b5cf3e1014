#include "bough/tree/planar_tree.hpp"

#include <cmath>

#include "bough/tree/model.hpp"

namespace bough {
namespace {

constexpr double round_off = 1e-14;  // of the directions of axes, as fixed turns by 90 degrees leave it

// The poses of a tree with all parameters zero, by slot.
std::vector<Pose> poses_at_zero(const Model& model) {
  std::vector<Pose> poses(model.joints.size() + 1, Pose::identity());
  for (int i = 0; i < model.n(); ++i) poses[i + 1] = poses[model.joints[i].parent] * model.joints[i].X;
  return poses;
}

int axis_of(const Model& model, const std::vector<Pose>& poses) {
  if (!model.balls.empty() || model.n() == 0) return -1;
  const auto across = [](const Vec3& x, int axis) { return std::abs(x[axis]) <= round_off; };
  for (int axis = 0; axis < 3; ++axis) {
    bool moves = true;
    for (int i = 0; i < model.n() && moves; ++i) {
      const Joint& joint = model.joints[i];
      const Twist J = adjoint(poses[i + 1], joint.S);
      if (joint.kind < JointKind::rx)
        moves = across(J.v, axis);
      else
        moves = joint.kind <= JointKind::rz && across(J.w, (axis + 1) % 3) && across(J.w, (axis + 2) % 3);
    }
    if (moves) return axis;
  }
  return -1;
}

}  // namespace

PlanarTree planar_tree(const Model& model) {
  const std::vector<Pose> poses = poses_at_zero(model);
  PlanarTree plane;
  plane.axis = axis_of(model, poses);
  if (plane.axis < 0) return plane;
  const int first = (plane.axis + 1) % 3, second = (plane.axis + 2) % 3;
  plane.joints.reserve(model.joints.size());
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Link& link = model.links[i];
    const Mat3& R = poses[i + 1].R;
    const Vec3 d = poses[i + 1].p - poses[joint.parent].p, e = R * joint.S.v, centre = R * link.com;
    const Vec3 a = transpose_times(R, Vec3::unit(plane.axis));
    plane.joints.push_back({joint.kind >= JointKind::rx, dot(a, joint.S.w), 1.0 / joint.ratio, d[first], d[second],
                            e[first], e[second], centre[first], centre[second], dot(a, link.inertia * a)});
  }
  return plane;
}

}  // namespace bough
