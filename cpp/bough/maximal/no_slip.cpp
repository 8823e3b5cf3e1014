#include "bough/maximal/no_slip.hpp"

namespace bough {
namespace {

// d . (velocity of the body at p)
void set_row(int slot, const Vec3& p, const Vec3& d, double* row) {
  cross(p, d).store(row + slot - 6);
  d.store(row + slot - 3);
}

Vec3 lowest(const NoSlip& at, const Vec3& x, const Mat3& R) {
  Vec3 down = at.normal;
  if (!is_zero(at.axis)) {
    const Vec3 a = R * at.axis;
    down = down - dot(down, a) * a;
    down = down / norm(down);
  }
  return x - at.radius * down;
}

}  // namespace

void no_slip_rows(const NoSlip& at, const Pose& body, int columns, double* A, double* C, double* scale) {
  const Pose g = body * at.place.X;
  if (!at.rolling) {  // (MN2)
    set_row(at.place.joint, g.p, g.R * at.axis, A);
    C[0] = 0.0;
    scale[0] = 1.0;
    return;
  }
  const Vec3 p = lowest(at, g.p, g.R), n = at.normal;  // (MN1)
  const Vec3 side = cross(n, std::abs(n[0]) < 0.6 ? Vec3::unit(0) : Vec3::unit(1));
  const Vec3 t1 = side / norm(side), t2 = cross(n, t1);
  const Vec3 directions[3] = {n, t1, t2};
  for (int r = 0; r < 3; ++r) {
    set_row(at.place.joint, p, directions[r], A + static_cast<std::size_t>(r) * columns);
    C[r] = r == 0 ? dot(n, p) - at.height : 0.0;
    scale[r] = norm(p) + at.radius + std::abs(at.height);
  }
}

}  // namespace bough
