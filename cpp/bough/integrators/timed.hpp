#pragma once

namespace bough {

// A number and its derivative by dt.
struct Timed {
  double value, by_dt;
  friend Timed operator+(Timed a, Timed b) { return {a.value + b.value, a.by_dt + b.by_dt}; }
  friend Timed operator-(Timed a, Timed b) { return {a.value - b.value, a.by_dt - b.by_dt}; }
  friend Timed operator*(double c, Timed a) { return {c * a.value, c * a.by_dt}; }
  friend Timed operator*(Timed a, Timed b) { return {a.value * b.value, a.by_dt * b.value + a.value * b.by_dt}; }
  friend Timed operator/(Timed a, Timed b) {
    const double ratio = a.value / b.value;
    return {ratio, (a.by_dt - ratio * b.by_dt) / b.value};
  }
};

}  // namespace bough
