// The per-joint step of the outward sweep, inlined into every kernel that walks the tree from the root.
#pragma once

#include "bough/spatial/sincos.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// s_i = shift + ratio q, and their sines and cosines, of the first joints, and the turns of all balls.
inline void set_parameters(const Model& model, JointParameters& x, const double* q, int joints) {
  for (int i = 0; i < joints; ++i) {
    const Joint& joint = model.joints[i];
    x.s[i] = joint.shift + joint.ratio * q[joint.variable];
  }
  if (model.n() > 3 * static_cast<int>(model.balls.size())) sincos(&x.s[0], joints, &x.sn[0], &x.cs[0]);
  if (!model.balls.empty()) set_turns(model, x, q);
}
inline void set_parameters(const Model& model, JointParameters& x, const double* q) {
  set_parameters(model, x, q, model.n());
}

// Dynamics does not depend on the point that twists are taken at, but its round-off does: m d^2 of a distant origin
// swallows a body's own inertia. Each tree that hangs from the world is therefore computed about a point near it:
// the end of its leading translations, fixed during one evaluation. The pose of the world, relative to that, for the tree
// that starts with joint i. Elements between frames compare positions of different trees and need the world's own origin.
inline Vec3 local_world(const Model& model, const JointParameters& at, int i) {
  Vec3 c = Vec3::zero();
  if (!model.elements.diagonal) return c;
  Mat3 R = Mat3::identity();
  for (int j = i; j < model.n(); ++j) {
    const Joint& joint = model.joints[j];
    if (j > i && joint.parent != j) break;
    c += R * joint.X.p;
    R = R * joint.X.R;
    const int k = static_cast<int>(joint.kind);
    if (k >= static_cast<int>(JointKind::rx)) break;
    c += at.s[j] * R.c[k - 1];
  }
  return -c;
}

// Turns two columns of R by the angle with sine s and cosine c.
inline void turn(Vec3& a, Vec3& b, double s, double c) {
  const Vec3 t = c * a + s * b;
  b = c * b - s * a;
  a = t;
}

// (T1), (T2): pose and world screw of a joint with parameter s, from the parent's pose.
[[gnu::always_inline]] inline void place_joint(const Joint& joint, const Pose& parent, const JointParameters& at, int i,
                                               Pose& g, Twist& J) {
  const double s = at.s[i], sn = at.sn[i], cs = at.cs[i];
  Mat3 R = joint.rotated ? parent.R * joint.X.R : parent.R;
  Vec3 p = joint.offset ? parent.p + parent.R * joint.X.p : parent.p;
  const int k = static_cast<int>(joint.kind);
  if (k >= static_cast<int>(JointKind::rx) && k <= static_cast<int>(JointKind::rz)) {
    const int axis = k - static_cast<int>(JointKind::rx);
    if (axis == 0)
      turn(R.c[1], R.c[2], sn, cs);
    else if (axis == 1)
      turn(R.c[2], R.c[0], sn, cs);
    else
      turn(R.c[0], R.c[1], sn, cs);
    J.w = R.c[axis];
    J.v = cross(p, J.w);
  } else if (k < static_cast<int>(JointKind::rx)) {
    J = {Vec3::zero(), R.c[k - 1]};
    p += s * J.v;
  } else if (joint.ball >= 0) {
    if (joint.axis == 0) R = R * at.turns[joint.ball];
    J.w = R.c[joint.axis];
    J.v = cross(p, J.w);
  } else {
    const double cs1 = cs > 0.0 ? sn * sn / (1.0 + cs) : 1.0 - cs;
    g = Pose{R, p} * (is_zero(joint.S.w) ? exp_screw(joint.S, s) : exp_turn(joint.S, s, sn, cs1));
    J = adjoint(g, joint.S);
    return;
  }
  g.R = R;
  g.p = p;
}

inline Vec3 world_com(const Link& link, const Pose& g) { return g.p + g.R * link.com; }

// World inertia of a link at pose g, with its centre of mass at c.
inline Inertia world_inertia(const Link& link, const Pose& g, const Vec3& c) {
  const Vec3 mc = link.mass * c;
  const double d = dot(mc, c) + (link.isotropic ? link.inertia(0, 0) : 0.0);
  Mat3 I = Mat3::diagonal(d) + (-1.0) * outer(c, mc);
  if (!link.isotropic) {
    const Mat3 T = g.R * link.inertia;
    for (int k = 0; k < 3; ++k) I += outer(T.c[k], g.R.c[k]);
  }
  return {I, mc, link.mass};
}

inline Inertia world_inertia(const Link& link, const Pose& g) { return world_inertia(link, g, world_com(link, g)); }

}  // namespace bough
