// A number with its exact first and second derivatives by a few variables: second-order forward differentiation.
//
//   (a b)    = a.v b.v,   d = a.v b.d + b.v a.d,   h = a.v b.h + b.v a.h + a.d b.d^T + b.d a.d^T           (J1)
//   f(a)     = f,         d = f' a.d,              h = f' a.h + f'' a.d a.d^T                              (J2)
//
// A jet has room for Max variables; how many there are is one number per thread and Max, set by JetScope. Tight room
// matters: with room for 40 in place of 16, an iteration of the planner over 25 steps took 20 ms in place of 7. A flat jet is a constant: its derivatives are
// neither stored nor read, which spares most of the work in a tree whose inertias and axes are constants.
#pragma once

#include <algorithm>
#include <cmath>

namespace bough {

template <int Max>
class Jet {
 public:
  static inline thread_local int size = 0;

  double v = 0.0;
  bool flat = true;
  double d[Max];
  double h[Max * (Max + 1) / 2];  // upper triangle by rows

  Jet() = default;
  Jet(double value) : v(value) {}
  Jet(const Jet& b) { *this = b; }
  Jet& operator=(const Jet& b) {
    v = b.v;
    flat = b.flat;
    if (!flat) {
      std::copy_n(b.d, size, d);
      std::copy_n(b.h, pairs(), h);
    }
    return *this;
  }
  static int pairs() { return size * (size + 1) / 2; }
  // The variable with this index, at this value.
  static Jet variable(double value, int index) {
    Jet x(value);
    x.clear();
    x.d[index] = 1.0;
    return x;
  }
  // x, a jet by `count` variables y of its own, as a jet by this scope's variables, with y = those at `first`; or
  // y = those at `first` plus h times those at `other`, where other >= first + count.
  static Jet lifted(const Jet& x, int count, int first, int other = -1, double h = 0.0) {
    Jet y(x.v);
    if (x.flat) return y;
    y.clear();
    const double* from = x.h;
    for (int i = 0; i < count; from += count - i, ++i) {
      y.d[first + i] = x.d[i];
      std::copy_n(from, count - i, y.h + row(first + i));
      if (other < 0) continue;
      y.d[other + i] = h * x.d[i];
      for (int j = i; j < count; ++j) {
        const double second = from[j - i];
        y.h[row(other + i) + j - i] = h * h * second;
        y.h[row(first + i) + other + j - first - i] = h * second;
        y.h[row(first + j) + other + i - first - j] = h * second;
      }
    }
    return y;
  }
  double second(int i, int j) const { return flat ? 0.0 : i <= j ? h[row(i) + j - i] : h[row(j) + i - j]; }
  double first(int i) const { return flat ? 0.0 : d[i]; }

  // this += a b  (J1)
  void add_product(const Jet& a, const Jet& b) {
    if (b.flat) return add_scaled(b.v, a);
    if (a.flat) return add_scaled(a.v, b);
    v += a.v * b.v;
    if (flat) clear();
    const double av = a.v, bv = b.v;
    for (int i = 0; i < size; ++i) d[i] += av * b.d[i] + bv * a.d[i];
    double* out = h;
    const double *ah = a.h, *bh = b.h;
    for (int i = 0; i < size; ++i) {
      const double ai = a.d[i], bi = b.d[i];
      const int rest = size - i;
      for (int j = 0; j < rest; ++j) out[j] += av * bh[j] + bv * ah[j] + ai * b.d[i + j] + bi * a.d[i + j];
      out += rest;
      ah += rest;
      bh += rest;
    }
  }
  // this += s b
  void add_scaled(double s, const Jet& b) {
    if (s == 0.0 && b.flat) return;
    v += s * b.v;
    if (b.flat) return;
    if (flat) clear();
    for (int i = 0; i < size; ++i) d[i] += s * b.d[i];
    for (int i = 0; i < pairs(); ++i) h[i] += s * b.h[i];
  }
  // f(this) from its value and two derivatives there  (J2)
  Jet composed(double f, double df, double ddf) const {
    Jet y(f);
    if (flat) return y;
    y.flat = false;
    for (int i = 0; i < size; ++i) y.d[i] = df * d[i];
    int at = 0;
    for (int i = 0; i < size; ++i)
      for (int j = i; j < size; ++j, ++at) y.h[at] = df * h[at] + ddf * d[i] * d[j];
    return y;
  }
  Jet& operator+=(const Jet& b) {
    add_scaled(1.0, b);
    return *this;
  }
  Jet& operator-=(const Jet& b) {
    add_scaled(-1.0, b);
    return *this;
  }

 private:
  static int row(int i) { return i * size - i * (i - 1) / 2; }
  void clear() {
    flat = false;
    std::fill_n(d, size, 0.0);
    std::fill_n(h, pairs(), 0.0);
  }
};

// While it lives, the jets of this thread have so many variables.
template <int Max>
class JetScope {
 public:
  explicit JetScope(int size) : before_(Jet<Max>::size) { Jet<Max>::size = size; }
  ~JetScope() { Jet<Max>::size = before_; }
  JetScope(const JetScope&) = delete;
  JetScope& operator=(const JetScope&) = delete;

 private:
  int before_;
};

template <int Max>
Jet<Max> operator*(const Jet<Max>& a, const Jet<Max>& b) {
  Jet<Max> y;
  y.add_product(a, b);
  return y;
}
template <int Max>
Jet<Max> operator+(const Jet<Max>& a, const Jet<Max>& b) {
  Jet<Max> y(a);
  y += b;
  return y;
}
template <int Max>
Jet<Max> operator-(const Jet<Max>& a, const Jet<Max>& b) {
  Jet<Max> y(a);
  y -= b;
  return y;
}
template <int Max>
Jet<Max> operator-(const Jet<Max>& a) {
  Jet<Max> y;
  y.add_scaled(-1.0, a);
  return y;
}
template <int Max>
Jet<Max> inverse(const Jet<Max>& a) {
  const double f = 1.0 / a.v;
  return a.composed(f, -f * f, 2.0 * f * f * f);
}
template <int Max>
Jet<Max> sin(const Jet<Max>& a) {
  return a.composed(std::sin(a.v), std::cos(a.v), -std::sin(a.v));
}
template <int Max>
Jet<Max> cos(const Jet<Max>& a) {
  return a.composed(std::cos(a.v), -std::sin(a.v), -std::cos(a.v));
}
template <int Max>
void add_product(Jet<Max>& y, const Jet<Max>& a, const Jet<Max>& b) {
  y.add_product(a, b);
}
template <int Max>
double value(const Jet<Max>& a) {
  return a.v;
}

template <class T>
constexpr bool is_jet = false;
template <int Max>
constexpr bool is_jet<Jet<Max>> = true;

// The same words for plain numbers, so that one kernel serves both.
inline double inverse(double a) { return 1.0 / a; }
inline void add_product(double& y, double a, double b) { y += a * b; }
inline double value(double a) { return a; }

}  // namespace bough
