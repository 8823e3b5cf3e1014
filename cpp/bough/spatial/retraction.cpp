#include "bough/spatial/retraction.hpp"

#include <Eigen/Geometry>

namespace bough {
namespace {

using M3 = Eigen::Matrix3d;
using V3 = Eigen::Vector3d;

M3 hat(const V3& a) {
  M3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

Mat66 ad_matrix(const Vec6& x) {
  Mat66 m = Mat66::Zero();
  const M3 W = hat(x.head<3>());
  m.topLeftCorner<3, 3>() = W;
  m.bottomRightCorner<3, 3>() = W;
  m.bottomLeftCorner<3, 3>() = hat(x.tail<3>());
  return m;
}

Pose pose(const M3& R, const V3& p) {
  Pose g;
  for (int k = 0; k < 3; ++k) g.R.c[k] = Vec3(R(0, k), R(1, k), R(2, k));
  g.p = Vec3(p.x(), p.y(), p.z());
  return g;
}

M3 rotation(const Pose& g) {
  M3 R;
  for (int k = 0; k < 3; ++k) g.R.c[k].store(R.col(k).data());
  return R;
}

// An even function of y as a function of s = y^2, with two derivatives, and its coefficients in (Y4), (Y5).
struct Even {
  double f, d, dd;
  double two, four, two_d, four_d;  // coefficients of ad^2 and ad^4, and their derivatives by s
  double remainder;                 // (1 - f)/s
};

// From its power series, coefficients c_0 = 1, c_1, ...
template <std::size_t N>
Even from_series(const double (&c)[N], double s) {
  Even e{};
  for (int k = N - 1; k >= 0; --k) e.f = e.f * s + c[k];
  for (int k = N - 1; k >= 1; --k) {
    e.d = e.d * s + k * c[k];
    e.two = e.two * s + (k - 2) * c[k];
    e.remainder = e.remainder * s - c[k];
  }
  for (int k = N - 1; k >= 2; --k) {
    e.dd = e.dd * s + k * (k - 1) * c[k];
    e.four = e.four * s + (k - 1) * c[k];
    e.two_d = e.two_d * s + (k - 1) * (k - 2) * c[k];
  }
  for (int k = N - 1; k >= 3; --k) e.four_d = e.four_d * s + (k - 1) * (k - 2) * c[k];
  return e;
}

Even from_values(double f, double d, double dd, double s) {
  Even e{f, d, dd, 0, 0, 0, 0, (1.0 - f) / s};
  e.four = (e.remainder + d) / s;
  e.two = 2.0 * e.remainder + d;
  e.four_d = (dd - 2.0 * e.four) / s;
  e.two_d = dd - (d + e.two) / s;
  return e;
}

// S = sin y / y, O = (1 - cos y)/y^2 and c = S/(2 O) by s, each with two derivatives.
struct Functions {
  Even S, c;
  double O, Od, Odd;
};

// Below this the series: seventeen digits with the terms given; above it the closed forms lose two digits at most.
constexpr double small = 1.0;

Functions functions(double s) {
  Functions x;
  if (s < small) {
    static constexpr double sine[] = {1.0,
                                      -1.0 / 6,
                                      1.0 / 120,
                                      -1.0 / 5040,
                                      1.0 / 362880,
                                      -1.0 / 39916800,
                                      1.0 / 6227020800.0,
                                      -1.0 / 1307674368000.0,
                                      1.0 / 355687428096000.0,
                                      -1.0 / 121645100408832000.0};
    static constexpr double versine[] = {1.0 / 2,
                                         -1.0 / 24,
                                         1.0 / 720,
                                         -1.0 / 40320,
                                         1.0 / 3628800,
                                         -1.0 / 479001600,
                                         1.0 / 87178291200.0,
                                         -1.0 / 20922789888000.0,
                                         1.0 / 6402373705728000.0,
                                         -1.0 / 2432902008176640000.0};
    // -|B_2k|/(2k)! with Bernoulli's numbers B.
    static constexpr double cotangent[] = {1.0,
                                           -1.0 / 12,
                                           -1.0 / 720,
                                           -1.0 / 30240,
                                           -1.0 / 1209600,
                                           -1.0 / 47900160,
                                           -691.0 / 1307674368000.0,
                                           -1.0 / 74724249600.0,
                                           -3617.0 / 10670622842880000.0,
                                           -43867.0 / 5109094217170944000.0,
                                           -174611.0 / 802857662698291200000.0,
                                           -77683.0 / 14101100039391805440000.0,
                                           -236364091.0 / 1693824136731743669452800000.0};
    x.S = from_series(sine, s);
    x.c = from_series(cotangent, s);
    const Even O = from_series(versine, s);
    x.O = O.f;
    x.Od = O.d;
    x.Odd = O.dd;
    return x;
  }
  const double y = std::sqrt(s), S = std::sin(y) / y, C = std::cos(y), half = std::sin(0.5 * y);
  const double Sd = (C - S) / (2.0 * s), Sdd = -(0.5 * S + 3.0 * Sd) / (2.0 * s);
  x.S = from_values(S, Sd, Sdd, s);
  x.O = 2.0 * half * half / s;
  x.Od = (0.5 * S - x.O) / s;
  x.Odd = (0.5 * Sd - 2.0 * x.Od) / s;
  const double c = S / (2.0 * x.O), cd = (Sd - 2.0 * c * x.Od) / (2.0 * x.O);
  x.c = from_values(c, cd, (Sdd - 4.0 * cd * x.Od - 2.0 * c * x.Odd) / (2.0 * x.O), s);
  return x;
}

Pose exponential(const Vec6& x) {  // (Y3)
  const V3 w = x.head<3>(), v = x.tail<3>();
  const Functions f = functions(w.squaredNorm());
  const M3 W = hat(w), W2 = W * W;
  return pose(M3::Identity() + f.S.f * W + f.O * W2, v + f.O * (W * v) + f.S.remainder * (W2 * v));
}

Pose cayley(const Vec6& x) {  // (Y6)
  const V3 w = x.head<3>(), v = x.tail<3>();
  const M3 W = hat(w), T = 2.0 / (4.0 + w.squaredNorm()) * (W + 0.5 * W * W);
  return pose(M3::Identity() + 2.0 * T, v + T * v);
}

// Coefficients of 1, ad, ..., ad^4 with their derivatives by s, and the derivative of the polynomial in a direction.
struct Polynomial {
  double a[5], d[5];
};

Polynomial dexp_coefficients(double s) {  // (Y4)
  const Functions f = functions(s);
  return {{1.0, f.O - s * f.Od, f.S.two, -f.Od, f.S.four}, {0.0, -s * f.Odd, f.S.two_d, -f.Odd, f.S.four_d}};
}

Polynomial dexp_inverse_coefficients(double s) {  // (Y5)
  const Functions f = functions(s);
  return {{1.0, -0.5, f.c.two, 0.0, f.c.four}, {0.0, 0.0, f.c.two_d, 0.0, f.c.four_d}};
}

Mat66 value(const Polynomial& p, const Vec6& x) {
  const Mat66 A = ad_matrix(x), one = Mat66::Identity();
  Mat66 sum = p.a[4] * one;
  for (int k = 3; k >= 0; --k) sum = (sum * A).eval() + p.a[k] * one;
  return sum;
}

Mat66 derivative(const Polynomial& p, const Vec6& x, const Vec6& y) {
  const double ds = 2.0 * x.head<3>().dot(y.head<3>());
  const Mat66 A = ad_matrix(x), dA = ad_matrix(y), one = Mat66::Identity();
  // Horner's rule and its derivative.
  Mat66 sum = p.a[4] * one, d = ds * p.d[4] * one;
  for (int k = 3; k >= 0; --k) {
    d = (d * A + sum * dA).eval() + ds * p.d[k] * one;
    sum = (sum * A).eval() + p.a[k] * one;
  }
  return d;
}

Mat66 dcay(const Vec6& x) {  // (Y8)
  const V3 w = x.head<3>();
  const M3 W = hat(w);
  const double k = 4.0 / (4.0 + w.squaredNorm());
  const M3 D = k * (M3::Identity() + 0.5 * W);
  Mat66 m = Mat66::Zero();
  m.topLeftCorner<3, 3>() = D;
  m.bottomLeftCorner<3, 3>() = 0.5 * hat(x.tail<3>()) * D;
  m.bottomRightCorner<3, 3>() = M3::Identity() + 0.5 * k * (W + 0.5 * W * W);
  return m;
}

Mat66 dcay_inverse(const Vec6& x) {  // (Y7)
  const V3 w = x.head<3>();
  const M3 T = M3::Identity() - 0.5 * hat(w);
  Mat66 m = Mat66::Zero();
  m.topLeftCorner<3, 3>() = T + 0.25 * w * w.transpose();
  m.bottomLeftCorner<3, 3>() = -0.5 * T * hat(x.tail<3>());
  m.bottomRightCorner<3, 3>() = T;
  return m;
}

Mat66 dcay_inverse_derivative(const Vec6& x, const Vec6& y) {
  const V3 w = x.head<3>(), dw = y.head<3>();
  const M3 T = M3::Identity() - 0.5 * hat(w), dT = -0.5 * hat(dw);
  Mat66 m = Mat66::Zero();
  m.topLeftCorner<3, 3>() = dT + 0.25 * (dw * w.transpose() + w * dw.transpose());
  m.bottomLeftCorner<3, 3>() = -0.5 * (dT * hat(x.tail<3>()) + T * hat(y.tail<3>()));
  m.bottomRightCorner<3, 3>() = dT;
  return m;
}

}  // namespace

Pose tau(Retraction kind, const Vec6& x) { return kind == Retraction::exp ? exponential(x) : cayley(x); }

Vec6 tau_inverse(Retraction kind, const Pose& g) {
  // The quaternion of a rotation is accurate at every angle, half turns among them.
  Eigen::Quaterniond turn(rotation(g));
  if (turn.w() < 0.0) turn.coeffs() *= -1.0;
  const V3 axis = turn.vec(), p(g.p[0], g.p[1], g.p[2]);
  Vec6 x;
  if (kind == Retraction::cayley) {  // w/2 = n tan(y/2), v = B^-1 p
    x.head<3>() = (2.0 / turn.w()) * axis;
    x.tail<3>() = p - 0.5 * V3(x.head<3>()).cross(p);
    return x;
  }
  const double sine = axis.norm();
  const double factor = sine > 1e-12 ? 2.0 * std::atan2(sine, turn.w()) / sine : 2.0 / turn.w();
  const V3 w = factor * axis;
  x.head<3>() = w;
  x.tail<3>() = p - 0.5 * w.cross(p) + functions(w.squaredNorm()).c.remainder * w.cross(w.cross(p));
  return x;
}

Mat66 dtau(Retraction kind, const Vec6& x) {
  return kind == Retraction::exp ? value(dexp_coefficients(x.head<3>().squaredNorm()), x) : dcay(x);
}

Mat66 dtau_inverse(Retraction kind, const Vec6& x) {
  return kind == Retraction::exp ? value(dexp_inverse_coefficients(x.head<3>().squaredNorm()), x) : dcay_inverse(x);
}

Mat66 dtau_derivative(Retraction kind, const Vec6& x, const Vec6& y) {
  if (kind == Retraction::exp) return derivative(dexp_coefficients(x.head<3>().squaredNorm()), x, y);
  const Mat66 d = dcay(x);
  return -d * dcay_inverse_derivative(x, y) * d;
}

Mat66 dtau_inverse_derivative(Retraction kind, const Vec6& x, const Vec6& y) {
  if (kind == Retraction::exp) return derivative(dexp_inverse_coefficients(x.head<3>().squaredNorm()), x, y);
  return dcay_inverse_derivative(x, y);
}

Vec6 symmetric_product(const Vec6& x, const Vec6& a, const Vec6& y) {
  const V3 wx = x.head<3>(), wa = a.head<3>(), wy = y.head<3>(), vx = x.tail<3>(), vy = y.tail<3>();
  Vec6 out;
  out.head<3>() = -wx.dot(wa) * wy - wy.dot(wa) * wx;
  out.tail<3>() = wx.cross(wa.cross(vy)) + wy.cross(wa.cross(vx));
  return out;
}

}  // namespace bough
