// Where two shapes touch: closed forms for spheres, capsules and planes, and for a sphere or a capsule against a box; SAT with
// the overlap of faces for boxes and hulls (polytopes.hpp); GJK for the rest (gjk.hpp). Nothing allocates.
//
// The gap is the signed distance: below zero it is how deep the shapes are in each other. Features are smooth functions of both
// poses (feature.hpp); a plane is always b.
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

// Neither may be a plane but b.
void narrow_phase(const PlacedShape& a, const PlacedShape& b, Manifold& out);

}  // namespace bough
