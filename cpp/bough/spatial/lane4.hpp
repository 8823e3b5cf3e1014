// Four doubles side by side: one register if registers hold four (AVX), else two registers of two (SSE2, NEON).
//
// The compiler would lower one four-wide type to two registers by itself, but GCC then takes every value through memory,
// element by element: measured on a chain of 20, a step of the portable build took seven times as long as the AVX one.
#pragma once

namespace bough {

#ifdef __AVX__

typedef double Register __attribute__((vector_size(32)));
typedef Register Lane4;

// Lanes i, j, k, l of the eight lanes of a and b.
template <int i, int j, int k, int l>
inline Lane4 shuffle(const Lane4& a, const Lane4& b) {
  return __builtin_shufflevector(a, b, i, j, k, l);
}

inline Lane4 abs(const Lane4& a) { return a < 0.0 ? -a : a; }
inline double sum(const Lane4& a) { return (a[0] + a[2]) + (a[1] + a[3]); }

#else

typedef double Register __attribute__((vector_size(16)));

struct Lane4 {
  Register lo, hi;

  Lane4() = default;
  Lane4(const Register& low, const Register& high) : lo(low), hi(high) {}
  Lane4(double x, double y, double z, double w) : lo{x, y}, hi{z, w} {}
  double operator[](int k) const { return k < 2 ? lo[k] : hi[k - 2]; }
  Lane4 operator-() const { return {-lo, -hi}; }
  void operator+=(const Lane4& b) {
    lo += b.lo;
    hi += b.hi;
  }
  void operator-=(const Lane4& b) {
    lo -= b.lo;
    hi -= b.hi;
  }
};

inline Lane4 operator+(const Lane4& a, const Lane4& b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline Lane4 operator-(const Lane4& a, const Lane4& b) { return {a.lo - b.lo, a.hi - b.hi}; }
inline Lane4 operator*(const Lane4& a, const Lane4& b) { return {a.lo * b.lo, a.hi * b.hi}; }
inline Lane4 operator*(double s, const Lane4& a) { return {s * a.lo, s * a.hi}; }
inline Lane4 operator*(const Lane4& a, double s) { return s * a; }
inline Lane4 operator/(const Lane4& a, double s) { return {a.lo / s, a.hi / s}; }

template <int i, int j, int k, int l>
inline Lane4 shuffle(const Lane4& a, const Lane4& b) {
  const Register h[4] = {a.lo, a.hi, b.lo, b.hi};
  return {__builtin_shufflevector(h[i / 2], h[j / 2], i % 2, 2 + j % 2),
          __builtin_shufflevector(h[k / 2], h[l / 2], k % 2, 2 + l % 2)};
}

inline Lane4 abs(const Lane4& a) { return {a.lo < 0.0 ? -a.lo : a.lo, a.hi < 0.0 ? -a.hi : a.hi}; }
inline double sum(const Lane4& a) {
  const Register t = a.lo + a.hi;
  return t[0] + t[1];
}

#endif

}  // namespace bough
