// The search for a root of f, or for the first root of many: a < b with f(a) > 0 > f(b), and c, the place that was left last.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace bough {

struct Sample {
  double x, f;
};

// The root between a and b of the parabola through all three, or of the line through a and b if c is one of them:
//
//   f(a) + B t + s t^2 = 0 ,   t = x - a ,   s = f[a, b, c] ,   B = f[a, b] - s (b - a)
inline double root_of_parabola(const Sample& a, const Sample& b, const Sample& c) {
  const double slope = (b.f - a.f) / (b.x - a.x);
  double bend = ((c.f - b.f) / (c.x - b.x) - slope) / (c.x - a.x);
  if (!std::isfinite(bend)) bend = 0.0;
  const double B = slope - bend * (b.x - a.x);
  return a.x + 2.0 * a.f / (std::sqrt(std::max(B * B - 4.0 * bend * a.f, 0.0)) - B);
}

template <class Values>  // of one f, or of many at the same places
class Bracket {
 public:
  struct Place {
    double x;
    Values f;
  };
  Place a, b, c;

  void start(const Values& at_start, double end, const Values& at_end) {
    a.x = c.x = 0.0;
    b.x = end;
    a.f = c.f = at_start;
    b.f = at_end;
    slow_ = 0;
    size_ = HUGE_VAL;
    halved_ = false;
  }
  // x, if it is inside and the values have come down with the last places; if not, a middle, of powers if the bracket spans many.
  double inside(double x) {
    halved_ = slow_ == most_slow || !(x > a.x && x < b.x);
    if (!halved_) return x;
    slow_ = 0;
    return b.x > decades * a.x && a.x > 0.0 ? std::sqrt(a.x * b.x) : 0.5 * (a.x + b.x);
  }
  // x replaces a or b; size: of the value there that counts.
  void take(bool before, double x, const Values& f, double size) {
    Place& replaced = before ? a : b;
    std::swap(replaced, c);
    replaced.x = x;
    replaced.f = f;
    if (!halved_) slow_ = size > falling * size_ ? slow_ + 1 : 0;
    size_ = halved_ ? std::min(size, size_) : size;
  }

 private:
  static constexpr double falling = 0.25;  // of a value: what the next place leaves of it if parabolas converge
  static constexpr int most_slow = 1;      // places that leave more, before the bracket is halved
  static constexpr double decades = 8.0;

  double size_ = HUGE_VAL;
  int slow_ = 0;
  bool halved_ = false;  // whether the last place was a middle
};

}  // namespace bough
