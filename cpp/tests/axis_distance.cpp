// The distance of two axes, beside the least over a grid of their points that is made finer and finer; its gradient across the ends.
#include "bough/geometry/axis_distance.hpp"

#include <algorithm>

#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

Axis random_axis(Random& random) {
  const Vec3 e = random_vector(random), middle = random_vector(random);
  return {middle, e / norm(e), 0.2 + 0.4 * std::abs(random()), 0.1 * std::abs(random())};
}

double least_by_search(const Axis& a, const Axis& b) {
  double s = 0.0, t = 0.0, least = HUGE_VAL, wide = 1.0;
  for (int level = 0; level < 40; ++level, wide *= 0.5) {
    const double s0 = s, t0 = t;
    for (int i = -4; i <= 4; ++i)
      for (int j = -4; j <= 4; ++j) {
        const double x = std::clamp(s0 + 0.25 * wide * i, -a.half, a.half);
        const double y = std::clamp(t0 + 0.25 * wide * j, -b.half, b.half);
        const double distance = norm(a.middle + x * a.e - b.middle - y * b.e);
        if (distance >= least) continue;
        least = distance;
        s = x;
        t = y;
      }
  }
  return least - a.radius - b.radius;
}

}  // namespace

CASE(geometry_of_axes_that_cross) {
  Random random(5);
  int inside = 0, at_ends = 0;
  for (int k = 0; k < 400; ++k) {
    const Axis a = random_axis(random), b = random_axis(random);
    const AxisDistance found = axis_distance(a, b);
    near(found.gap.value, least_by_search(a, b), 1e-9, "the least distance");
    near(dot(found.gap.normal, found.gap.on_a - found.gap.on_b), found.gap.value, 1e-14, "between the points");
    near(norm(found.gap.normal), 1.0, 1e-14, "of a unit normal");
    const bool beside = std::abs(found.s) < a.half && std::abs(found.t) < b.half;
    (beside ? inside : at_ends) += 1;
  }
  expect(inside > 20 && at_ends > 20, "both between the ends and at them");
}

// Where the place passes an end of one axis, the other tilting over it, normal and points go on without a jump.
CASE(geometry_of_axes_is_smooth_across_ends) {
  const Axis b{Vec3::zero(), Vec3(1, 0, 0), 0.3, 0.05};
  Vec3 normal, on_a;
  double most = 0.0, turned = 0.0;
  int ends = 0;
  for (int k = 0; k <= 20000; ++k) {
    const double tilt = 0.2 - 0.4 * k / 20000;
    const Vec3 e(std::cos(0.3) * std::cos(tilt), std::sin(0.3) * std::cos(tilt), std::sin(tilt));
    const Axis a{Vec3(0.02, 0.01, 0.2), e, 0.2, 0.07};
    const AxisDistance found = axis_distance(a, b);
    ends += std::abs(found.s) == a.half;
    if (k > 0) {
      most = std::max(most, norm(found.gap.on_a - on_a));
      turned = std::max(turned, norm(found.gap.normal - normal));
    }
    normal = found.gap.normal;
    on_a = found.gap.on_a;
  }
  expect(ends > 1000 && ends < 19000, "from an end to the other");
  expect(most < 2e-4 && turned < 1e-4, "without a jump");
}

CASE(geometry_of_axes_that_a_step_follows) {
  const auto tilted = [](double tilt) {
    return Axis{Vec3(0, 0, 0.2), Vec3(std::cos(0.2) * std::cos(tilt), std::sin(0.2) * std::cos(tilt), std::sin(tilt)),
                0.2, 0.1};
  };
  const Axis b{Vec3::zero(), Vec3(1, 0, 0), 0.3, 0.1};
  Axis along = tilted(0.0);
  along.middle = along.middle + 0.15 * along.e;
  for (const bool lines : {false, true}) {
    expect(axes_follow({tilted(0.0), tilted(0.002)}, {b, b}, lines), "it hardly tilts");
    expect(!axes_follow({tilted(0.05), tilted(-0.05)}, {b, b}, lines), "it tilts from an end to the other");
    expect(axes_follow({tilted(0.0), along}, {b, b}, lines), "it slides along its axis");
  }
  expect(axes_follow({tilted(0.04), tilted(0.1)}, {b, b}, false), "its end stays the nearest place");
  expect(!axes_follow({tilted(0.04), tilted(0.1)}, {b, b}, true), "their crossing runs off it");
}
