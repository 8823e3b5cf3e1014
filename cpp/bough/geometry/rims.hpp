// Circles in space, as the rims of cylinders are: (GE22), (GE23), (GE25), with the notation of cylinder_contact.hpp.
#pragma once

#include "bough/spatial/vec3.hpp"

namespace bough {

struct Rim {
  Vec3 c, u;  // centre and unit axis
  double r;
};

// The best n, from the line or the other rim to the rim, and how far apart they are along it.
struct RimNormal {
  Vec3 n;
  double value;
};

// The point farthest along a direction.
Vec3 rim_point(const Rim& rim, const Vec3& d);
// (GE22): where the rim crosses the line through x along the unit vector e, as the point of the rim; on the side of its middle that e
// points to or on the other one. Where there is only one such place, both are this.
Vec3 rim_across_line(const Rim& rim, const Vec3& x, const Vec3& e, bool ahead);
// The tangent of a rim at one of its points.
Vec3 rim_tangent(const Rim& rim, const Vec3& y);
// (GE23), by Newton's method from n.
RimNormal rim_and_rim(const Rim& a, const Rim& b, const Vec3& n);
// The points of the plane of b at which both rims are seen to cross along their axes, which are parallel; false if none.
bool crossings_of_rims(const Rim& a, const Rim& b, Vec3* at);

}  // namespace bough
