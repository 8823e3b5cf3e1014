// The statuses of a cone problem by alternating directions, where Newton's method does not come down from its start. With
// G_s the symmetric part of G, K the cone |x_t| <= m x_n and w the dual variable, a velocity,
//
//   x = (G_s + ρ + η)⁻¹ (-b - (m |w_t|, 0) + ρ z + η x + w) ,   z = Π_K(x - w/ρ) ,   w ← w - ρ (x - z)             (CO6)
//
// The term m |w_t| of de Saxcé makes w = y + (m |y_t|, 0) and the law that of Coulomb: without it the fixed point would be
// that of the convex relaxation, in which what slides lifts. ρ follows the ratio of |x - z| and ρ |z - z_before|.
#pragma once

#include <vector>

#include "bough/solvers/cone_rows.hpp"
#include "bough/solvers/flat_lu.hpp"

namespace bough {

class ConeAdmm {
 public:
  void resize(int rows);
  void start(const ScaledCones& p);
  // Iterates until the residual of (CO2) with G_s is this small; false at the cap of iterations.
  bool reach(const ScaledCones& p, double residual, int most_iterations);
  const double* z() const { return z_.data(); }
  int iterations() const { return iterations_; }

 private:
  bool factor(int rows);
  double residual(const ScaledCones& p);
  void iterate(const ScaledCones& p);

  std::vector<double> G_, x_, z_, w_, before_, y_, F_;  // G_: the symmetric part
  FlatLu matrix_;
  double rho_ = 1.0;
  int iterations_ = 0;
};

}  // namespace bough
