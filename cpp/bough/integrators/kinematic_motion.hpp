// The motion of the kinematic variables as a function of time: held, or piecewise polynomials.
#pragma once

#include <algorithm>
#include <vector>

#include "bough/integrators/equations_of_motion.hpp"

namespace bough {

class KinematicMotion {
 public:
  // held: values, used if there are no breaks. Coefficients, highest power of t - breaks[i] first: (powers, pieces, nk).
  KinematicMotion(std::vector<double> held, std::vector<double> breaks, std::vector<double> coefficients)
      : breaks_(std::move(breaks)), coefficients_(std::move(coefficients)), k_(std::move(held)) {
    vk_.resize(k_.size());
    ak_.resize(k_.size());
  }

  // Values, velocities and accelerations, valid until the next call.
  Prescribed at(double t) {
    if (breaks_.size() > 1 && !k_.empty()) evaluate(t);
    return {k_.data(), vk_.data(), ak_.data()};
  }

 private:
  void evaluate(double t) {
    const std::size_t nk = k_.size(), pieces = breaks_.size() - 1, powers = coefficients_.size() / (pieces * nk);
    const auto next = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, t);
    const std::size_t piece = next - breaks_.begin() - 1;
    const double x = t - breaks_[piece];
    for (std::size_t i = 0; i < nk; ++i) {
      double k = 0.0, vk = 0.0, half_ak = 0.0;  // Horner's scheme for the value and both derivatives
      for (std::size_t power = 0; power < powers; ++power) {
        half_ak = half_ak * x + vk;
        vk = vk * x + k;
        k = k * x + coefficients_[(power * pieces + piece) * nk + i];
      }
      k_[i] = k;
      vk_[i] = vk;
      ak_[i] = 2.0 * half_ak;
    }
  }

  std::vector<double> breaks_, coefficients_, k_, vk_, ak_;
};

}  // namespace bough
