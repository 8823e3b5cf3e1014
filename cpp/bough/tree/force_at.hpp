// Where points are, and what a force at one of them does to the joints above: the columns of a constraint without a cross
// product for each.
//
//   g . dx/ds_i = g . (w_i x x + v_i) = J_i . (x x g, g)                                                          (P6)
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

inline Vec3 position(const FramePlace& place, const std::vector<JointState>& state) {
  const Pose& g = state[place.joint].g;
  return g.p + g.R * place.X.p;
}

inline Wrench force_at(const Vec3& x, const Vec3& g) { return {cross(x, g), g}; }

// row[variable] += J . pull over the joints from a slot up to the first that slot `other` is outboard of, too.
inline void add_row_below_fork(const Model& model, const std::vector<JointState>& state, int slot, int other,
                               const Wrench& pull, double* row) {
  while (slot > 0) {
    const Joint& joint = model.joints[slot - 1];
    if (slot <= other && other <= joint.subtree_end) return;
    row[joint.variable] += joint.ratio * dot(state[slot].J, pull);
    slot = joint.parent;
  }
}

// The same up to slot `stop`.
inline void add_row(const Model& model, const std::vector<JointState>& state, int slot, int stop, const Wrench& pull,
                    double* row) {
  while (slot != stop) {
    const Joint& joint = model.joints[slot - 1];
    row[joint.variable] += joint.ratio * dot(state[slot].J, pull);
    slot = joint.parent;
  }
}

}  // namespace bough
