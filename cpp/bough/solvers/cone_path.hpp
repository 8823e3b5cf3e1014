// A cone problem along its central path, for what the other methods miss. With the change of variables to Lorentz cones
//
//   a = (√m r_n, r_t/√m) ,   c = (y_n/√m + √m |y_t|_κ, √m y_t) ,   |y_t|_κ = √(|y_t|² + κ²) - κ                    (CO7)
//
// the law of Coulomb is a, c in the cone and a∘c = 0, with the product a∘c = (a·c, a_0 c_1 + c_0 a_1). The path is
//
//   Φ = a + c - (a∘a + c∘c + 2 κ² e)^½ = 0   ⇔   a∘c = κ² e ,  a, c inside the cone ,   e = (1, 0)                 (CO8)
//   δΦ = (1 - L_s⁻¹ L_a) δa + (1 - L_s⁻¹ L_c) δc ,   s = the root, L_x y = x∘y                                     (CO9)
//
// (Fukushima, Luo and Tseng.) Φ is smooth for κ > 0, wherever r is: Newton's method needs no interior start. κ falls from
// the size of b.
#pragma once

#include <vector>

#include "bough/solvers/cone_rows.hpp"
#include "bough/solvers/flat_lu.hpp"

namespace bough {

class ConePath {
 public:
  void resize(int rows);
  void start(const ScaledCones& p);
  // Goes on to a smaller κ; false if it has come to the end of the path or cannot follow it.
  bool advance(const ScaledCones& p);
  // Whether κ is small beside b, so that the statuses can be read.
  bool near_end() const { return kappa_ <= 1e-2 * size_; }
  const double* r() const { return r_.data(); }
  int iterations() const { return iterations_; }

 private:
  double evaluate(const ScaledCones& p, const double* r, bool derivatives);

  std::vector<double> r_, trial_, step_, y_, phi_, da_, dc_;  // da_, dc_: 3 by 3 of each contact, in r and y
  FlatLu matrix_;
  double kappa_ = 1.0, size_ = 1.0;
  int iterations_ = 0;
};

}  // namespace bough
