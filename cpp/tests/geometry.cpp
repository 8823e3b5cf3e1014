// Features of shapes that touch: which they are, that they follow the signed distance where the shapes move a little, and
// pairs of boxes beside all pairs.
#include "bough/geometry/narrow_phase.hpp"
#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

Mat3 turned(const Vec3& w) {  // by Rodrigues
  const double angle = norm(w);
  if (!(angle > 0.0)) return Mat3::identity();
  const Mat3 k = skew(w / angle);
  return Mat3::identity() + std::sin(angle) * k + (1.0 - std::cos(angle)) * (k * k);
}

Pose random_pose(Random& random) {
  const Vec3 w = random_vector(random);
  return {turned(3.0 * w), random_vector(random)};
}

int count(const Manifold& m, FeatureKind kind) {
  int sum = 0;
  for (int i = 0; i < m.count; ++i) sum += m.features[i].kind == kind;
  return sum;
}

double least_gap(const Manifold& m, const Pose& A, const Pose& B) {
  double least = HUGE_VAL;
  for (int i = 0; i < m.count; ++i) least = std::min(least, gap(m.features[i], A, B).value);
  return least;
}

// a comes from the side until it touches b; after a small motion the features of then give the distance of now.
void follows(const ContactShape& a, const ContactShape& b, unsigned seed, const std::string& what, int& kept) {
  Random random(seed);
  Pose A = random_pose(random);
  const Pose B = random_pose(random);
  Manifold at, now;
  const Vec3 way = (A.p - B.p) / norm(A.p - B.p);
  double low = 0.0, high = 10.0;
  while (high - low > 1e-15 * high) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    A.p = B.p + middle * way;
    narrow_phase({a, A}, {b, B}, at);
    (at.gap < 0.0 ? low : high) = middle;
  }
  narrow_phase({a, A}, {b, B}, at);
  near(at.gap, 0.0, 1e-14, "they touch: " + what);
  near(least_gap(at, A, B), 0.0, 1e-9, "so do their features: " + what);
  const double small = 1e-5;
  const Vec3 w = small * random_vector(random), x = small * random_vector(random);
  const Pose moved{turned(w) * A.R, A.p + x + 3.0 * small * at.normal};
  narrow_phase({a, moved}, {b, B}, now);
  // the error is of second order in the motion, with the curvature of the smallest radius, 0.2
  near(least_gap(at, moved, B), now.gap, 100.0 * small * small, "after a motion: " + what);
  ++kept;
}

}  // namespace

CASE(geometry_of_a_box_on_a_box) {
  const ContactShape box = ContactShape::box({1, 1, 1});
  const auto on = [&](const Vec3& place, double turn) {
    Manifold found;
    narrow_phase({box, {turned({0, 0, turn}), place}}, {box, Pose::identity()}, found);
    near(found.gap, 0.0, 1e-15, "gap");
    near(norm(found.normal - Vec3(0, 0, 1)), 0.0, 1e-15, "normal");
    near(least_gap(found, {turned({0, 0, turn}), place}, Pose::identity()), 0.0, 1e-15, "gap of a feature");
    return found;
  };
  const Manifold same = on({0, 0, 1}, 0.0);
  expect(same.count == 4 && count(same, FeatureKind::point_face) == 4, "four corners of a box on its like");
  const Manifold aside = on({0.3, 0.2, 1}, 0.0);
  expect(aside.count == 4 && count(aside, FeatureKind::edge_edge) == 2, "aside: a corner of each and two crossings");
  const Manifold turned_box = on({0, 0, 1}, M_PI / 4);
  expect(turned_box.count == 8 && count(turned_box, FeatureKind::edge_edge) == 8, "turned: eight crossings");
  // with the face of the large box below, whichever is a
  const ContactShape table = ContactShape::box({4, 4, 0.2});
  Manifold found;
  narrow_phase({table, {Mat3::identity(), Vec3(0, 0, -0.6)}}, {box, Pose::identity()}, found);
  expect(found.count == 4 && count(found, FeatureKind::face_point) == 4, "four corners over the face of a");
  near(norm(found.normal - Vec3(0, 0, -1)), 0.0, 1e-15, "normal to a");
}

CASE(geometry_of_crossed_edges) {
  const ContactShape box = ContactShape::box({1, 1, 1});
  const Mat3 edge_up = turned({0, M_PI / 4, 0}), other_up = turned({M_PI / 4, 0, 0});
  Manifold found;
  narrow_phase({box, {edge_up, Vec3(0, 0, std::sqrt(2.0))}}, {box, {other_up, Vec3::zero()}}, found);
  expect(found.count == 1 && found.features[0].kind == FeatureKind::edge_edge, "edge and edge");
  near(found.gap, 0.0, 1e-15, "gap");
  near(norm(found.normal - Vec3(0, 0, 1)), 0.0, 1e-15, "normal");
}

// Upright or tilted by round-off, a cylinder stands on points all round its rim; lying it touches with both rims.
CASE(geometry_of_a_cylinder) {
  const ContactShape cylinder = ContactShape::cylinder(0.3, 1.0), plane = ContactShape::plane();
  const ContactShape table = ContactShape::box({2, 2, 0.2});
  for (const double tilt : {0.0, 1e-12}) {
    const Pose A{turned({tilt, 0, 0}), Vec3(0, 0, 0.5)};
    for (const bool box : {false, true}) {
      const PlacedShape below =
          box ? PlacedShape{table, {Mat3::identity(), Vec3(0, 0, -0.1)}} : PlacedShape{plane, Pose::identity()};
      Manifold found;
      narrow_phase({cylinder, A}, below, found);
      near(found.gap, 0.0, 1e-11, "it stands");
      int low = 0;
      for (int i = 0; i < found.count; ++i) low += gap(found.features[i], A, below.pose).value < 1e-11;
      expect(low == ContactShape::ring, "on points all round");
    }
  }
  Manifold found;
  const Pose lying{turned({M_PI / 2, 0, 0}), Vec3(0, 0, 0.3)};
  narrow_phase({cylinder, lying}, {plane, Pose::identity()}, found);
  int low = 0;
  for (int i = 0; i < found.count; ++i) low += gap(found.features[i], lying, Pose::identity()).value < 1e-12;
  expect(low == 2 && count(found, FeatureKind::rim_face) == 2, "on both rims");
  // rolling about its axis leaves the gap of a rim alone
  const Pose rolled{turned({0, 0.1, 0}) * lying.R, lying.p};
  near(least_gap(found, rolled, Pose::identity()), 0.0, 1e-15, "rolled");
}

CASE(geometry_of_features_follows_the_distance) {
  std::vector<Vec3> corners = {{0, 0, 0.9}, {0.7, 0, -0.4}, {-0.5, 0.6, -0.3}, {-0.4, -0.7, -0.5}};
  const ContactShape shapes[] = {ContactShape::sphere(0.4), ContactShape::capsule(0.2, 0.8),
                                 ContactShape::box({0.5, 0.7, 0.9}),
                                 ContactShape::hull(corners, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}})};
  int kept = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (unsigned seed = 0; seed < 25; ++seed) {
        if (i == 3 && j < 2) continue;  // hull against round shapes has one pair of points, which does not move along
        if (j == 3 && i < 2) continue;
        follows(shapes[i], shapes[j], 1000 * i + 100 * j + seed,
                std::to_string(i) + " and " + std::to_string(j) + ", seed " + std::to_string(seed), kept);
      }
  expect(kept == 300, "all are compared");
}

CASE(geometry_of_a_hull_is_checked) {
  const std::vector<Vec3> corners = {{0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}};
  const auto refused = [&](const std::vector<std::array<int, 3>>& triangles, const std::string& what) {
    try {
      ContactShape::hull(corners, triangles);
    } catch (const std::invalid_argument& error) {
      return error.what() == what;
    }
    return false;
  };
  expect(ContactShape::hull(corners, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}).edges().size() == 6,
         "a tetrahedron");
  expect(refused({{0, 1, 2}, {0, 2, 3}, {0, 3, 1}}, "not closed"), "without its base");
  expect(refused({{0, 2, 1}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}, "not convex"), "with a face inside out");
}
