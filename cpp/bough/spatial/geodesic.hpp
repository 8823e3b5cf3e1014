// The geodesic of rotations R0 exp(x phi), 0 <= x <= 1, its middle, and how both follow from the variations of its ends.
//
// With R1 = R0 exp(phi), Rm = R0 exp(phi/2), F = skew(phi), s = |phi|^2, y = |phi|, variations dR = R skew(n), and `dtau` as
// in retraction.hpp for rotations:
//
//   n_m = A0 n_0 + A1 n_1,     A0 = (1 - k F) / 2,   A1 = A0^T,   k = tan(y/4) / y                                (BJ1)
//   dphi = -B0 n_0 + B1 n_1,   B0 = dtau_phi^-1 = 1 - F/2 + b F^2,   B1 = B0^T,   b = (1 - y/2 cot(y/2)) / s      (BJ2)
//   n_m = E dphi, n_1 = dtau_-phi dphi where R0 is held,   E = dtau_{-phi/2} / 2                                 (BJ3)
//   dtau_-phi = 1 - (1 - cos y)/s F + (1 - sin y / y)/s F^2                                                      (BJ4)
//
// One function has them all: with r = s/4 and c = b(r),
//
//   k = 1/(4 (1 - c r)),   b = (c + k)/4,   exp(phi/2) is the quaternion (1 - c r, phi/4) at unit length          (BJ15)
#pragma once

#include <cmath>

#include "bough/spatial/spatial.hpp"

namespace bough {

// A function of s and its derivative.
struct WithSlope {
  double f, d;
};

// The first `terms` of a power series.
template <int terms, std::size_t N>
inline WithSlope power_series(const double (&c)[N], double s) {
  WithSlope x{c[terms - 1], 0.0};
  for (int k = terms - 2; k >= 0; --k) {
    x.d = x.d * s + x.f;
    x.f = x.f * s + c[k];
  }
  return x;
}

// Below these the series, whose radius is (2 pi)^2: seventeen digits with the terms given, or with seven of them.
constexpr double geodesic_small = 1.0, geodesic_tiny = 0.1;

// The series of k and b by s; those of b are the coefficients of cotangent, |B_2k| / (2k)! with Bernoulli's numbers B.
inline constexpr double kappa_series[] = {1.0 / 4,
                                          1.0 / 3 / 64,
                                          2.0 / 15 / 1024,
                                          17.0 / 315 / 16384,
                                          62.0 / 2835 / 262144,
                                          1382.0 / 155925 / 4194304,
                                          21844.0 / 6081075 / 67108864,
                                          929569.0 / 638512875 / 1073741824,
                                          6404582.0 / 10854718875.0 / 17179869184.0,
                                          443861162.0 / 1856156927625.0 / 274877906944.0,
                                          18888466084.0 / 194896477400625.0 / 4398046511104.0};
inline constexpr double beta_series[] = {1.0 / 12,
                                         1.0 / 720,
                                         1.0 / 30240,
                                         1.0 / 1209600,
                                         1.0 / 47900160,
                                         691.0 / 1307674368000.0,
                                         1.0 / 74724249600.0,
                                         3617.0 / 10670622842880000.0,
                                         43867.0 / 5109094217170944000.0,
                                         174611.0 / 802857662698291200000.0,
                                         77683.0 / 14101100039391805440000.0};

// k of (BJ1), by s.
inline WithSlope geodesic_kappa(double s) {
  if (s < geodesic_small) {
    return s < geodesic_tiny ? power_series<7>(kappa_series, s) : power_series<11>(kappa_series, s);
  }
  const double y = std::sqrt(s), t = std::tan(0.25 * y), k = t / y;
  return {k, (0.25 * (1.0 + t * t) - k) / (2.0 * s)};
}

// b of (BJ2), by s.
inline WithSlope geodesic_beta(double s) {
  if (s < geodesic_small) {
    return s < geodesic_tiny ? power_series<7>(beta_series, s) : power_series<11>(beta_series, s);
  }
  const double y = std::sqrt(s), c = 0.5 * y / std::tan(0.5 * y), half = std::sin(0.5 * y), b = (1.0 - c) / s;
  const double c_d = (c - 0.25 * s / (half * half)) / (2.0 * s);
  return {b, -(c_d + b) / s};
}

// (BJ4)
inline Mat3 dtau_minus(const Vec3& phi) {
  const double s = dot(phi, phi);
  double O, P;
  if (s < geodesic_small) {
    static constexpr double o[] = {1.0 / 2,       -1.0 / 24,        1.0 / 720,           -1.0 / 40320,
                                   1.0 / 3628800, -1.0 / 479001600, 1.0 / 87178291200.0, -1.0 / 20922789888000.0};
    static constexpr double p[] = {1.0 / 6,
                                   -1.0 / 120,
                                   1.0 / 5040,
                                   -1.0 / 362880,
                                   1.0 / 39916800,
                                   -1.0 / 6227020800.0,
                                   1.0 / 1307674368000.0,
                                   -1.0 / 355687428096000.0};
    O = power_series<8>(o, s).f;
    P = power_series<8>(p, s).f;
  } else {
    const double y = std::sqrt(s);
    O = (1.0 - std::cos(y)) / s;
    P = (1.0 - std::sin(y) / y) / s;
  }
  return Mat3::diagonal(1.0 - P * s) + (-O) * skew(phi) + outer(P * phi, phi);  // F^2 = phi phi^T - s
}

struct Geodesic {
  Vec3 phi;
  WithSlope kappa, beta;
  Mat3 A0, B0;

  Geodesic() = default;
  explicit Geodesic(const Vec3& x) : phi(x) {
    const double s = dot(x, x);
    kappa = geodesic_kappa(s);
    beta = geodesic_beta(s);
    const Mat3 F = skew(x);
    A0 = Mat3::diagonal(0.5) + (-0.5 * kappa.f) * F;
    B0 = Mat3::diagonal(1.0 - beta.f * s) + (-0.5) * F + outer(beta.f * x, x);
  }
  Mat3 E() const { return 0.5 * dtau_minus(0.5 * phi); }

  // d(A0^T g)/dphi and d(B0^T g)/dphi at fixed g.                                                      (BJ5), (BJ12)
  Mat3 A0_transposed_slope(const Vec3& g) const {
    return 0.5 * ((-kappa.f) * skew(g) + (2.0 * kappa.d) * outer(cross(phi, g), phi));
  }
  Mat3 B0_transposed_slope(const Vec3& g) const {
    const Vec3 c = cross(phi, g);  // skew(phi) skew(g) = g phi^T - phi . g
    return (-1.0) * skew(0.5 * g + beta.f * c) + outer((2.0 * beta.d) * cross(phi, c) - beta.f * g, phi) +
           Mat3::diagonal(beta.f * dot(phi, g));
  }
};

// A ball at the middle of its way, with the gradients of L by its turns and rates, and forces in the first; in its own axes.
struct MiddleBall {
  Vec3 phi, L_q, L_v;
  Geodesic geodesic() const { return Geodesic(phi); }
};

}  // namespace bough
