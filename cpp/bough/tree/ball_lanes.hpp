// Four balls of a tree side by side, as lanes.hpp has four states. What balls do apart from each other then takes as many
// instructions for four as for one: chains of 5 to 20 balls take 3 to 12 % less of a step, in a loop of the core.
#pragma once

#include "bough/spatial/geodesic.hpp"
#include "bough/spatial/lanes.hpp"
#include "bough/spatial/rotation.hpp"
#include "bough/tree/balls.hpp"

namespace bough {

inline LaneVec side_by_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Lane4 ab = shuffle<0, 4, 2, 6>(a.a, b.a), cd = shuffle<0, 4, 2, 6>(c.a, d.a);
  return {shuffle<0, 1, 4, 5>(ab, cd),
          shuffle<0, 1, 4, 5>(shuffle<1, 5, 3, 7>(a.a, b.a), shuffle<1, 5, 3, 7>(c.a, d.a)),
          shuffle<2, 3, 6, 7>(ab, cd)};
}

struct LaneQuaternion {
  Lane4 w;
  LaneVec v;
};

inline LaneQuaternion operator*(const LaneQuaternion& a, const LaneQuaternion& b) {
  return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}

inline Lane4 square_root(const Lane4& a) {
  return Lane4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

inline bool all_below(const Lane4& a, double limit) {
  return a[0] < limit && a[1] < limit && a[2] < limit && a[3] < limit;
}

// b of (BJ2), by s.
inline Lane4 geodesic_beta(const Lane4& s) {
  if (!all_below(s, geodesic_tiny))
    return Lane4{geodesic_beta(s[0]).f, geodesic_beta(s[1]).f, geodesic_beta(s[2]).f, geodesic_beta(s[3]).f};
  Lane4 sum = broadcast(beta_series[6]);
  for (int k = 5; k >= 0; --k) sum = sum * s + broadcast(beta_series[k]);
  return sum;
}

// k and b of (BJ1), (BJ2), from (BJ15).
struct LaneFactors {
  Lane4 kappa, beta;
};
inline LaneFactors geodesic_factors(const LaneVec& phi) {
  const Lane4 r = 0.25 * dot(phi, phi), c = geodesic_beta(r);
  const Lane4 kappa = 0.25 * inverse(broadcast(1.0) - c * r);
  return {kappa, 0.25 * (c + kappa)};
}

// exp(phi) as a quaternion of any length, by (BJ15).
inline LaneQuaternion turn_of(const LaneVec& phi) {
  const Lane4 s = dot(phi, phi);
  if (all_below(s, geodesic_small)) return {broadcast(1.0) - geodesic_beta(s) * s, 0.5 * phi};
  const Quaternion a = turn_by(lane_of(phi, 0)), b = turn_by(lane_of(phi, 1)), c = turn_by(lane_of(phi, 2)),
                   d = turn_by(lane_of(phi, 3));
  return {Lane4{a.w, b.w, c.w, d.w}, side_by_side(a.v, b.v, c.v, d.v)};
}

// Four neighbours among the balls of a model; lanes beyond the last ball have that one again.
struct FourBalls {
  static constexpr std::size_t width = 4;
  const Ball* ball[width];
  std::size_t place[width];  // among the balls

  FourBalls(const std::vector<Ball>& balls, std::size_t first) {
    for (std::size_t k = 0; k < width; ++k) {
      place[k] = first + k < balls.size() ? first + k : balls.size() - 1;
      ball[k] = &balls[place[k]];
    }
  }

  LaneVec vectors(const double* x) const {
    return side_by_side(ball_vector(*ball[0], x), ball_vector(*ball[1], x), ball_vector(*ball[2], x),
                        ball_vector(*ball[3], x));
  }
  void set_vectors(double* x, const LaneVec& value) const {
    Vec3 of[width];
    Vec3* const to[width] = {of, of + 1, of + 2, of + 3};
    split(value, to);
    for (std::size_t k = 0; k < width; ++k) set_ball_vector(*ball[k], x, of[k]);
  }

  LaneQuaternion quaternions(const double* q) const {
    const auto at = [&](int k) {
      const double* x = q + ball[k]->quaternion;
      return Lane4{x[0], x[1], x[2], x[3]};
    };
    const Lane4 a = at(0), b = at(1), c = at(2), d = at(3);
    const Lane4 wy = shuffle<0, 4, 2, 6>(a, b), xz = shuffle<1, 5, 3, 7>(a, b);
    const Lane4 wy_ = shuffle<0, 4, 2, 6>(c, d), xz_ = shuffle<1, 5, 3, 7>(c, d);
    return {shuffle<0, 1, 4, 5>(wy, wy_),
            {shuffle<0, 1, 4, 5>(xz, xz_), shuffle<2, 3, 6, 7>(wy, wy_), shuffle<2, 3, 6, 7>(xz, xz_)}};
  }
  void set_quaternions(double* q, const LaneQuaternion& value) const {
    for (int k = 0; k < 4; ++k) set_quaternion(*ball[k], q, {value.w[k], lane_of(value.v, k)});
  }
};

}  // namespace bough
