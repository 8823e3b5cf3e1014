// A scalar function made of polynomials: a single one, or the pieces of a spline.
//
//   f(x) = sum_k c_ik (x - x_i)^k for x_i <= x < x_i+1; the first piece also holds below x_0                      (C1)
//
// Values: pieces, coefficients per piece, x_0 .. x_pieces-1, then c_i0, c_i1, ... of each piece.
#pragma once

#include <algorithm>
#include <vector>

namespace bough {

class Curve {
 public:
  struct Value {
    double f, d1, d2;  // with first and second derivative
  };

  explicit Curve(const double* values)
      : pieces_(static_cast<int>(values[0])),
        order_(static_cast<int>(values[1])),
        start_(values + 2, values + 2 + pieces_),
        c_(values + 2 + pieces_, values + 2 + pieces_ + pieces_ * order_) {}

  // (C1) by Horner's rule on value and derivatives.
  Value operator()(double x) const {
    const auto after = std::upper_bound(start_.begin() + 1, start_.end(), x);
    const int i = static_cast<int>(after - start_.begin()) - 1;
    const double s = x - start_[i];
    Value y{0.0, 0.0, 0.0};
    for (int k = order_ - 1; k >= 0; --k) {
      y.d2 = y.d2 * s + 2.0 * y.d1;
      y.d1 = y.d1 * s + y.f;
      y.f = y.f * s + c_[i * order_ + k];
    }
    return y;
  }

 private:
  int pieces_, order_;
  std::vector<double> start_, c_;
};

}  // namespace bough
