// A smooth function of one number with its first three derivatives: a constant, a sinusoid or a piecewise polynomial.
//
//   mean + amplitude sin(frequency x + phase)                                                                   (F1)
//   sum_m c_m s^m,  s = x - breaks[k]  in piece k; the outer pieces extend, or the whole repeats                (F2)
//
// As numbers: 0, value | 1, mean, amplitude, frequency, phase | 2, periodic, pieces, terms, breaks (pieces + 1),
// coefficients (pieces rows of terms, constant term first).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace bough {

class Function {
 public:
  struct Value {
    double f, df, ddf, dddf;
  };

  Function() = default;
  // Reads the numbers at the cursor and advances it past them.
  explicit Function(const double*& cursor) : kind_(static_cast<int>(*cursor++)) {
    if (kind_ == piecewise) {
      periodic_ = *cursor++ != 0.0;
      pieces_ = static_cast<std::size_t>(*cursor++);
      terms_ = static_cast<std::size_t>(*cursor++);
    }
    const std::size_t size = kind_ == constant ? 1 : kind_ == sinusoid ? 4 : pieces_ + 1 + pieces_ * terms_;
    numbers_.assign(cursor, cursor + size);
    cursor += size;
  }

  bool fixed() const { return kind_ == constant; }
  bool zero() const { return kind_ == constant && numbers_[0] == 0.0; }

  Value operator()(double x) const {
    if (kind_ == constant) return {numbers_[0], 0.0, 0.0, 0.0};
    if (kind_ == sinusoid) {  // (F1)
      const double frequency = numbers_[2], angle = frequency * x + numbers_[3];
      const double s = numbers_[1] * std::sin(angle), c = numbers_[1] * std::cos(angle);
      const double square = frequency * frequency;
      return {numbers_[0] + s, frequency * c, -square * s, -square * frequency * c};
    }
    const double *breaks = numbers_.data(), *end = breaks + pieces_;
    if (periodic_) {
      const double period = *end - *breaks;
      x -= period * std::floor((x - *breaks) / period);
    }
    const double* next = std::upper_bound(breaks + 1, end, x);
    const std::size_t k = next - breaks - 1;
    const double *c = end + 1 + k * terms_, s = x - breaks[k];
    Value y{0.0, 0.0, 0.0, 0.0};
    for (std::size_t m = terms_; m-- > 0;) {  // (F2)
      y.dddf = y.dddf * s + 3.0 * y.ddf;
      y.ddf = y.ddf * s + 2.0 * y.df;
      y.df = y.df * s + y.f;
      y.f = y.f * s + c[m];
    }
    return y;
  }

 private:
  enum Kind { constant, sinusoid, piecewise };
  int kind_ = constant;
  bool periodic_ = false;
  std::size_t pieces_ = 0, terms_ = 0;
  std::vector<double> numbers_{0.0};
};

}  // namespace bough
