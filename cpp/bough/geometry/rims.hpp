// Circles in space, as the rims of cylinders are: (GE22)-(GE25), with the notation of cylinder_contact.hpp.
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
// (GE22): the line through x along the unit vector e, with a radius around it. Not for a line along the disk.
RimNormal rim_and_line(const Rim& rim, const Vec3& x, const Vec3& e, double radius);
// (GE23), by Newton's method from n.
RimNormal rim_and_rim(const Rim& a, const Rim& b, const Vec3& n);
// Where along a line from x it is over the rim; false if it is nowhere.
bool points_of_chord(const Rim& rim, const Vec3& x, const Vec3& e, double* at);
// The points of the plane of b at which both rims are seen to cross along their axes, which are parallel; false if none.
bool crossings_of_rims(const Rim& a, const Rim& b, Vec3* at);

}  // namespace bough
