// The part of the outward sweep of the midpoint rule that joints of one variable and balls share.
#pragma once

#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

// The momentum and first moment of a link.
[[gnu::always_inline]] inline void set_body(const Link& link, const JointState& x, MidpointBody& body) {
  if (link.massless) {
    body = {Wrench::zero(), Vec3::zero(), Vec3::zero()};
    return;
  }
  body.c = world_com(link, x.g);
  body.mc = link.mass * body.c;
  body.h.f = link.mass * (x.V.v + cross(x.V.w, body.c));
  body.h.n = cross(body.c, body.h.f);
  if (link.isotropic)
    body.h.n += link.inertia(0, 0) * x.V.w;
  else
    body.h.n += x.g.R * (link.inertia * transpose_times(x.g.R, x.V.w));
}

}  // namespace bough
