// The search for the normal along which two convex bodies are farthest apart, of (GE15) and (GE23): steps that only go uphill.
#pragma once

#include "bough/spatial/vec3.hpp"

namespace bough {

// f(n) = n·c - h_a(n) - h_b(n) for c from the centre of b to that of a, with the supports of both bodies along n.
template <class Support>
struct SupportGap {
  Vec3 n;
  Support a, b;
  double f;
};

// Moves n by a step, halved until f is larger; false if it never is. `along` gives the separation along a unit normal.
template <class Support, class Along>
bool climb(SupportGap<Support>& at, Vec3 step, int most_halvings, Along along) {
  for (int k = 0; k < most_halvings; ++k, step = 0.5 * step) {
    const Vec3 next = at.n + step;
    const SupportGap<Support> trial = along(next / norm(next));
    if (!(trial.f > at.f)) continue;
    at = trial;
    return true;
  }
  return false;
}

}  // namespace bough
