#include "bough/maximal/contact.hpp"

namespace bough {
namespace {

// d . (velocity of the body at p)
void set_row(int slot, const Vec3& p, const Vec3& d, double* row) {
  cross(p, d).store(row + slot - 6);
  d.store(row + slot - 3);
}

Vec3 lowest(const Contact& contact, const Vec3& x, const Mat3& R) {
  Vec3 down = contact.normal;
  if (!is_zero(contact.axis)) {
    const Vec3 a = R * contact.axis;
    down = down - dot(down, a) * a;
    down = down / norm(down);
  }
  return x - contact.radius * down;
}

}  // namespace

void contact_rows(const Contact& contact, const Pose& body, int columns, double* A, double* C, double* scale) {
  const Pose g = body * contact.place.X;
  if (!contact.rolling) {  // (MN2)
    set_row(contact.place.joint, g.p, g.R * contact.axis, A);
    C[0] = 0.0;
    scale[0] = 1.0;
    return;
  }
  const Vec3 p = lowest(contact, g.p, g.R), n = contact.normal;  // (MN1)
  const Vec3 side = cross(n, std::abs(n[0]) < 0.6 ? Vec3::unit(0) : Vec3::unit(1));
  const Vec3 t1 = side / norm(side), t2 = cross(n, t1);
  const Vec3 directions[3] = {n, t1, t2};
  for (int r = 0; r < 3; ++r) {
    set_row(contact.place.joint, p, directions[r], A + static_cast<std::size_t>(r) * columns);
    C[r] = r == 0 ? dot(n, p) - contact.height : 0.0;
    scale[r] = norm(p) + contact.radius + std::abs(contact.height);
  }
}

}  // namespace bough
