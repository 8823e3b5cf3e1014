// Pairs of shapes as text in, where they touch as text out: tests/peers/test_coal.py compares them with coal.
//
// A shape is its kind, its sizes (a hull: number of corners, corners, number of triangles, triangles), nine numbers of its
// rotation by rows and three of its place. A line out is the gap, the normal, the number of features, and for each its kind, a,
// b, gap and the two points.
#include <array>
#include <iomanip>
#include <iostream>
#include <string>

#include "bough/geometry/narrow_phase.hpp"
#include "tests/cases.hpp"

namespace bough::tests {
namespace {

Vec3 vector_of(std::istream& in) {
  double x, y, z;
  in >> x >> y >> z;
  return {x, y, z};
}

ContactShape shape_of(std::istream& in, const std::string& kind) {
  double r, length;
  if (kind == "plane") return ContactShape::plane();
  if (kind == "box") return ContactShape::box(vector_of(in));
  if (kind == "ellipsoid") return ContactShape::ellipsoid(vector_of(in));
  if (kind == "hull") {
    int n;
    std::vector<Vec3> corners;
    std::vector<std::array<int, 3>> triangles;
    in >> n;
    for (int i = 0; i < n; ++i) corners.push_back(vector_of(in));
    in >> n;
    triangles.resize(n);
    for (auto& t : triangles) in >> t[0] >> t[1] >> t[2];
    return ContactShape::hull(corners, triangles);
  }
  in >> r;
  if (kind == "sphere") return ContactShape::sphere(r);
  in >> length;
  return kind == "capsule" ? ContactShape::capsule(r, length) : ContactShape::cylinder(r, length);
}

Pose pose_of(std::istream& in) {
  double R[9];
  for (double& x : R) in >> x;
  return {Mat3::from_rows(R), vector_of(in)};
}

std::ostream& operator<<(std::ostream& out, const Vec3& x) { return out << ' ' << x[0] << ' ' << x[1] << ' ' << x[2]; }

}  // namespace

int narrow_phase_filter() {
  std::string kind;
  std::cout << std::setprecision(17);
  while (std::cin >> kind) {
    const ContactShape a = shape_of(std::cin, kind);
    const Pose A = pose_of(std::cin);
    std::cin >> kind;
    const ContactShape b = shape_of(std::cin, kind);
    const Pose B = pose_of(std::cin);
    Manifold found;
    narrow_phase({a, A}, {b, B}, found);
    std::cout << found.gap << found.normal << ' ' << found.count;
    for (int i = 0; i < found.count; ++i) {
      const Feature& f = found.features[i];
      const Gap g = gap(f, A, B);
      std::cout << ' ' << static_cast<int>(f.kind) << ' ' << f.a << ' ' << f.b << ' ' << g.value << g.on_a << g.on_b;
    }
    std::cout << '\n';
  }
  return 0;
}

}  // namespace bough::tests
