// The part of the outward sweep of the midpoint rule that joints of one variable and balls share.
#pragma once

#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

// The momentum and first moment of a link at g with velocity V.
[[gnu::always_inline]] inline void set_body(const Link& link, const Pose& g, const Twist& V, MidpointBody& body) {
  if (link.massless) {
    body = {Wrench::zero(), Vec3::zero(), Vec3::zero()};
    return;
  }
  const Vec3 c = world_com(link, g), f = link.mass * (V.v + cross(V.w, c));
  body.c = c;
  body.mc = link.mass * c;
  body.h.f = f;
  body.h.n = cross(c, f);
  if (link.isotropic)
    body.h.n += link.inertia(0, 0) * V.w;
  else
    body.h.n += g.R * (link.inertia * transpose_times(g.R, V.w));
}

}  // namespace bough
