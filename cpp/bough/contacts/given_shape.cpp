#include "bough/contacts/given_shape.hpp"

#include <array>
#include <memory>
#include <vector>

#include "bough/geometry/heightfield.hpp"

namespace bough {

GivenShape given_shape(const double*& x) {
  const auto kind = static_cast<ShapeKind>(static_cast<int>(*x++));
  const Vec3 size(x);
  const double* rows = x + 3;
  x += 15;
  const auto column = [rows](int k) { return Vec3(rows[k], rows[4 + k], rows[8 + k]); };
  const Pose pose{Mat3{{column(0), column(1), column(2)}}, column(3)};
  switch (kind) {
    case ShapeKind::plane:
      return {ContactShape::plane(), pose};
    case ShapeKind::sphere:
      return {ContactShape::sphere(size[0]), pose};
    case ShapeKind::capsule:
      return {ContactShape::capsule(size[0], size[1]), pose};
    case ShapeKind::cylinder:
      return {ContactShape::cylinder(size[0], size[1]), pose};
    case ShapeKind::box:
      return {ContactShape::box(size), pose};
    case ShapeKind::ellipsoid:
      return {ContactShape::ellipsoid(size), pose};
    case ShapeKind::heightfield: {
      const auto take = [&x](std::size_t count) {
        x += count;
        return std::vector<double>(x - count, x);
      };
      const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
      std::vector<double> along = take(nx), across = take(ny);
      return {ContactShape::heightfield(
                  std::make_shared<const Heightfield>(std::move(along), std::move(across), take(nx * ny))),
              pose};
    }
    case ShapeKind::hull:
      break;
  }
  std::vector<Vec3> corners(static_cast<std::size_t>(size[0]));
  std::vector<std::array<int, 3>> triangles(static_cast<std::size_t>(size[1]));
  for (Vec3& corner : corners) {
    corner = Vec3(x);
    x += 3;
  }
  for (auto& triangle : triangles)
    for (int& corner : triangle) corner = static_cast<int>(*x++);
  return {ContactShape::hull(corners, triangles), pose};
}

}  // namespace bough
