// Parts of a step that make a symmetric rule of second order one of order 4, 6 or 8: steps of gamma_1 dt, ..., gamma_m dt,
// with gamma_{m+1-i} = gamma_i.
//
// Order 4 is Suzuki's, of b dt, b dt, (1 - 4b) dt, b dt, b dt with
//
//   4 b^3 + (1 - 4b)^3 = 0,  b = 1 / (4 - 4^(1/3))                                                              (S3)
//
// Of order 6 there are nine parts, of order 8 seventeen (W. Kahan and R. Li, Composition constants, 1997), with
//
//   sum gamma = 1,   sum gamma^3 = sum gamma^5 = sum gamma^7 = 0      (the last of order 8 only)                (S7)
//
// and further conditions on products. Some parts of any of them go back in time.
#pragma once

#include <array>
#include <cmath>
#include <span>

namespace bough {

// In a part that goes back in time damping feeds the motion (S5): as much of what inertia holds is allowed.
constexpr double most_fed_back = 0.8;

// The lengths of the parts, in steps, of order 4, 6 or 8.
inline std::span<const double> composition(int order) {
  static const double b = 1.0 / (4.0 - std::cbrt(4.0));
  static const std::array<double, 5> fourth{b, b, 1.0 - 4.0 * b, b, b};
  static constexpr auto symmetric = []<std::size_t m>(const std::array<double, m>& half) {
    std::array<double, 2 * m - 1> all{};
    for (std::size_t i = 0; i < m; ++i) all[i] = all[2 * m - 2 - i] = half[i];
    return all;
  };
  static constexpr auto sixth =
      symmetric(std::array{0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
                           0.08221359629355080023149045, 0.79854399093482996339895035});
  static constexpr auto eighth =
      symmetric(std::array{0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
                           0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
                           0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108});
  if (order == 4) return fourth;
  if (order == 6) return sixth;
  return eighth;
}

inline int parts_of(int order) { return order == 2 ? 1 : static_cast<int>(composition(order).size()); }

// Calls make(length, end) for the parts, with their lengths and ends in steps, until one has another status than 0.
template <class Make>
auto compose(int order, Make make) {
  double end = 0.0;
  decltype(make(0.0, 0.0)) status{};
  for (const double length : composition(order)) {
    end += length;
    if (status = make(length, end); status != decltype(status){}) break;
  }
  return status;
}

}  // namespace bough
