// The per-joint step of the outward sweep, inlined into every kernel that walks the tree from the root.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// Turns two columns of R by the angle with sine s and cosine c.
inline void turn(Mat3& R, int a, int b, double s, double c) {
  const Vec3 ra = R.col(a), rb = R.col(b);
  R.col(a) = c * ra + s * rb;
  R.col(b) = c * rb - s * ra;
}

// (T1), (T2): pose and world screw of a joint with parameter s, from the parent's pose.
inline void place_joint(const Joint& joint, const Pose& parent, double s, Pose& g, Twist& J) {
  if (joint.rotated)
    g.R.noalias() = parent.R * joint.X.R;
  else
    g.R = parent.R;
  g.p = parent.p;
  if (joint.offset) g.p.noalias() += parent.R * joint.X.p;
  switch (joint.kind) {
    case JointKind::tx:
    case JointKind::ty:
    case JointKind::tz: {
      const Vec3 axis = g.R.col(static_cast<int>(joint.kind) - 1);
      g.p += s * axis;
      J = {Vec3::Zero(), axis};
      break;
    }
    case JointKind::rx:
    case JointKind::ry:
    case JointKind::rz: {
      const double sn = std::sin(s), cs = std::cos(s);
      const int k = static_cast<int>(joint.kind) - 4;
      if (k == 0)
        turn(g.R, 1, 2, sn, cs);
      else if (k == 1)
        turn(g.R, 2, 0, sn, cs);
      else
        turn(g.R, 0, 1, sn, cs);
      J.w = g.R.col(k);
      J.v = g.p.cross(J.w);
      break;
    }
    case JointKind::twist: {
      g = g * exp_screw(joint.S, s);
      J = adjoint(g, joint.S);
      break;
    }
  }
}

inline Vec3 world_com(const Link& link, const Pose& g) { return g.p + g.R * link.com; }

// World inertia of a link at pose g, with its centre of mass at c.
inline Inertia world_inertia(const Link& link, const Pose& g, const Vec3& c) {
  const Vec3 mc = link.mass * c;
  Inertia I{link.mass,
            mc,
            mc.y() * c.y() + mc.z() * c.z(),
            -mc.x() * c.y(),
            -mc.x() * c.z(),
            mc.x() * c.x() + mc.z() * c.z(),
            -mc.y() * c.z(),
            mc.x() * c.x() + mc.y() * c.y()};
  if (!link.point) {
    const Mat3 T = g.R * link.inertia;
    I.xx += T.row(0).dot(g.R.row(0));
    I.xy += T.row(0).dot(g.R.row(1));
    I.xz += T.row(0).dot(g.R.row(2));
    I.yy += T.row(1).dot(g.R.row(1));
    I.yz += T.row(1).dot(g.R.row(2));
    I.zz += T.row(2).dot(g.R.row(2));
  }
  return I;
}

inline Inertia world_inertia(const Link& link, const Pose& g) { return world_inertia(link, g, world_com(link, g)); }

}  // namespace bough
