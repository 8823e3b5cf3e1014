// A cone problem along its central path, for what the other methods miss. With the change of variables to Lorentz cones
//
//   a = (√m r_n, r_t/√m) ,   c = (y_n/√m + √m |y_t|_κ, √m y_t) ,   |y_t|_κ = √(|y_t|² + κ²) - κ                    (CO7)
//
// the law of Coulomb is a, c in the cone and a∘c = 0, with the product a∘c = (a·c, a_0 c_1 + c_0 a_1). The path is
//
//   Φ = a + c - (a∘a + c∘c + 2 κ² e)^½ = 0   ⇔   a∘c = κ² e ,  a, c inside the cone ,   e = (1, 0)                 (CO8)
//   δΦ = (1 - L_s⁻¹ L_a) δa + (1 - L_s⁻¹ L_c) δc - 2 κ δκ L_s⁻¹ e ,   s = the root, L_x y = x∘y                     (CO9)
//
// (Fukushima, Luo and Tseng.) Φ is smooth for κ > 0, wherever r is: Newton's method needs no interior start. The path begins at
// κ of the size of b and leads to κ = 0, but κ need not fall all along it: where friction lets forces jam, it turns, and
// for a while κ grows. It is therefore followed by its length, with a tangent (u, l) in the units of where a step begins,
//
//   Φ_r δr + Φ_κ κ δlnκ = 0 ,   u = δr/κ_0 ,  l = δlnκ ,   |u|² + l² = 1 ,                                        (CO10)
//
// and each step is brought back to Φ = 0 across the tangent.
#pragma once

#include <vector>

#include "bough/solvers/cone_rows.hpp"
#include "bough/solvers/flat_lu.hpp"

namespace bough {

class ConePath {
 public:
  void resize(int rows);
  // Goes to the beginning of the path; false if it is not found.
  bool start(const ScaledCones& p);
  // Goes on along it; false if it has come to its end or cannot follow it.
  bool advance(const ScaledCones& p);
  // Whether κ is small beside b, so that the statuses can be read, and clearly smaller than when this was told last.
  bool tells_statuses();
  const double* r() const { return at_.r.data(); }
  int iterations() const { return iterations_; }

 private:
  struct Place {
    std::vector<double> r;
    double kappa = 1.0;
  };
  double evaluate(const ScaledCones& p, const Place& at, bool derivatives);
  bool factor(const ScaledCones& p, const Place& at);
  void set_further(int rows, const Place& from, const std::vector<double>& direction, double length, Place& to) const;
  bool correct(const ScaledCones& p, int most);

  Place at_, trial_, further_;  // on the path, on the way back to it, and after a correction
  std::vector<double> tangent_, step_, y_, phi_, dkappa_, da_, dc_;  // da_, dc_: 3 by 3 of each contact, in r and y
  FlatLu matrix_;
  double size_ = 1.0, unit_ = 1.0, length_ = 1.0, told_ = 1.0;
  int iterations_ = 0;
};

}  // namespace bough
