// Second derivatives of the matrices of a geodesic (geodesic.hpp) by phi, contracted: with k, b as there, primes by s, and
// d = to - from,
//
//   f . (A0 from + A1 to) = f . (from + to) / 2 + k phi . m / 2,   m = d x f
//   its Hessian:  k' (phi m^T + m phi^T + (phi . m) 1) + 2 k'' (phi . m) phi phi^T                                (BD5)
//   p . (B1 to - B0 from) = p . d + phi . ((from + to) x p) / 2 + b h,   h = (phi . p)(phi . d) - s (p . d)
//   its Hessian:  b h_2 + 2 b' (phi h_1^T + h_1 phi^T + h 1) + 4 b'' h phi phi^T,
//                 h_1 = (phi . d) p + (phi . p) d - 2 (p . d) phi,   h_2 = p d^T + d p^T - 2 (p . d) 1              (BD6)
#pragma once

#include "bough/spatial/geodesic.hpp"

namespace bough {

// The second derivative of a power series.
template <std::size_t N>
double series_curve(const double (&c)[N], double s) {
  double x = 0.0;
  for (int k = static_cast<int>(N) - 1; k >= 2; --k) x = x * s + static_cast<double>(k * (k - 1)) * c[k];
  return x;
}

// k'' of (BJ1), by s.
inline double geodesic_kappa_curve(double s, const WithSlope& kappa) {
  if (s < geodesic_small) return series_curve(kappa_series, s);
  const double y = std::sqrt(s), t = kappa.f * y;
  return (t * (1.0 + t * t) / (16.0 * y) - 3.0 * kappa.d) / (2.0 * s);
}

// b'' of (BJ2), by s.
inline double geodesic_beta_curve(double s, const WithSlope& beta) {
  if (s < geodesic_small) return series_curve(beta_series, s);
  const double y = std::sqrt(s), sine = std::sin(0.5 * y), q = 0.25 / (sine * sine), c = 1.0 - s * beta.f;
  const double c_d = (c - s * q) / (2.0 * s), c_dd = (y * std::cos(0.5 * y) * q / (2.0 * sine) - q - c_d) / (2.0 * s);
  return -(c_dd + 2.0 * beta.d) / s;
}

// (BD5)
inline Mat3 middle_curve(const Geodesic& of, const Vec3& from, const Vec3& to, const Vec3& f) {
  const Vec3 m = cross(to - from, f);
  const double along = dot(of.phi, m), second = geodesic_kappa_curve(dot(of.phi, of.phi), of.kappa);
  const Mat3 mixed = outer(of.phi, m);
  return of.kappa.d * (mixed + transpose(mixed)) + Mat3::diagonal(of.kappa.d * along) +
         outer((2.0 * second * along) * of.phi, of.phi);
}

// (BD6)
inline Mat3 rate_curve(const Geodesic& of, const Vec3& from, const Vec3& to, const Vec3& p) {
  const Vec3 &phi = of.phi, d = to - from;
  const double s = dot(phi, phi), both = dot(p, d), on_p = dot(phi, p), on_d = dot(phi, d), h = on_p * on_d - s * both;
  const Vec3 h_1 = on_d * p + on_p * d - (2.0 * both) * phi;
  const Mat3 pd = outer(p, d), mixed = outer(phi, h_1);
  const double b = of.beta.f, b_d = of.beta.d, b_dd = geodesic_beta_curve(s, of.beta);
  return b * (pd + transpose(pd)) + (2.0 * b_d) * (mixed + transpose(mixed)) +
         Mat3::diagonal(2.0 * b_d * h - 2.0 * b * both) + outer((4.0 * b_dd * h) * phi, phi);
}

}  // namespace bough
