// Rows of contacts between points of two frames.
#pragma once

#include "bough/spatial/lanes.hpp"
#include "bough/tree/points.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {

// Adds the rows of the normal and the tangents of a contact, (GE16), over the variables that move the frame of one joint, a, and not
// that of the other, b; null for those that are not asked for.
inline void add_relative_rows(const Instant& at, int a, int b, const Unilateral::Touch& touch, double* normal,
                              double* tangents) {
  const std::size_t n = at.model.n_variables;
  const auto lanes = [&](int k) { return Lane4{touch.normal[k], touch.tangent[0][k], touch.tangent[1][k], 0.0}; };
  const LaneVec axes{lanes(0), lanes(1), lanes(2)};  // normal and tangents side by side
  while (a != b) {  // to the fork: of the joints above it neither moves relative to the other
    int& slot = a > b ? a : b;
    const Joint& joint = at.model.joints[slot - 1];
    const Vec3 moved = point_dq(at.state[slot], touch.point);
    const Lane4 rows =
        (a > b ? joint.ratio : -joint.ratio) * (moved[0] * axes.x + moved[1] * axes.y + moved[2] * axes.z);
    slot = joint.parent;
    if (normal) normal[joint.variable] += rows[0];
    for (int k = 0; tangents && k < 2; ++k) tangents[k * n + joint.variable] += rows[1 + k];
  }
}

}  // namespace bough
