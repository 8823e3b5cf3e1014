// Maps tau from se(3) to SE(3) with tau(0) = 1, tau(x)^-1 = tau(-x): the exponential and the Cayley map.
//
//   d(tau) tau^-1 = dtau_x dx                          the right-trivialised derivative, a 6x6 matrix             (Y1)
//   dtau_x^-1 Ad(tau(x)) = dtau_-x^-1                                                                             (Y2)
//
// With s = |w|^2, W = skew(w), ad = ad(x), S = sin y / y, O = (1 - cos y) / y^2, y = |w|:
//   exp:     R = 1 + S W + O W^2,  p = (1 + O W + (1 - S)/s W^2) v                                                (Y3)
//            dexp = 1 + o1 ad + e2 ad^2 + o3 ad^3 + e4 ad^4,  o3 = -O', o1 = O - s O', e4 = (1 - S + s S')/s^2,
//            e2 = (2 (1 - S) + s S')/s                 primes: d/ds                                               (Y4)
//            dexp^-1 = 1 - ad/2 + a2 ad^2 + a4 ad^4,   a2, a4 as e2, e4 of c = S/(2 O) = y/2 cot(y/2)             (Y5)
//   cayley:  R = 1 + 4/(4 + s) (W + W^2/2),  p = B v,  B = (1 - W/2)^-1 = 1 + 2/(4 + s) (W + W^2/2)               (Y6)
//            dcay^-1 = [1 - W/2 + w w^T/4, 0; -(1 - W/2) skew(v)/2, 1 - W/2]                                      (Y7)
//            dcay = [D, 0; skew(v) D/2, B],  D = 4/(4 + s) (1 + W/2)                                              (Y8)
//            d2(dcay_x^-1 a)/dx2 [y, z] = -(y a z + z a y)/4,  a y = the product of 4x4 matrices                  (Y9)
//
// A polynomial of degree four is exact since ad has the eigenvalues 0 and +-iy, each twice: its coefficients are those that
// meet the function and its derivative there. Derivation: docs/theory/reduced.md.
#pragma once

#include "bough/solvers/products.hpp"
#include "bough/spatial/spatial.hpp"

namespace bough {

using Vec6 = Eigen::Matrix<double, 6, 1>;  // a twist or a wrench
using Mat66 = Eigen::Matrix<double, 6, 6>;

enum class Retraction : int { exp, cayley };

Pose tau(Retraction kind, const Vec6& x);

// The x nearest to zero; |w| <= pi for exp. The Cayley map does not reach half turns: there x is infinite.
Vec6 tau_inverse(Retraction kind, const Pose& g);

Mat66 dtau(Retraction kind, const Vec6& x);
Mat66 dtau_inverse(Retraction kind, const Vec6& x);

// Their derivatives in the direction y: d/de dtau_(x + e y) at e = 0.
Mat66 dtau_derivative(Retraction kind, const Vec6& x, const Vec6& y);
Mat66 dtau_inverse_derivative(Retraction kind, const Vec6& x, const Vec6& y);

// x a y + y a x as 4x4 matrices, which is a twist again. (Y9)
Vec6 symmetric_product(const Vec6& x, const Vec6& a, const Vec6& y);

inline Vec6 vector(const Twist& x) {
  Vec6 out;
  x.w.store(out.data());
  x.v.store(out.data() + 3);
  return out;
}
inline Vec6 vector(const Wrench& F) {
  Vec6 out;
  F.n.store(out.data());
  F.f.store(out.data() + 3);
  return out;
}
inline Twist twist(const Vec6& x) { return {Vec3(x.data()), Vec3(x.data() + 3)}; }
inline Wrench wrench(const Vec6& x) { return {Vec3(x.data()), Vec3(x.data() + 3)}; }

}  // namespace bough
