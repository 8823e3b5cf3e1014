// The rows of P in the factorisation along a tree, for joints of one variable and for balls.
#pragma once

#include "bough/solvers/tree_newton.hpp"

namespace bough {

// x with its free lanes set: (x.w, e0 | x.v, e1).
inline Twist with_lanes(const Twist& x, double e0, double e1) {
  return {Vec3(x.w.a + Lane4{0, 0, 0, e0}), Vec3(x.v.a + Lane4{0, 0, 0, e1})};
}
inline Wrench with_lanes(const Wrench& x, double e0, double e1) {
  return {Vec3(x.n.a + Lane4{0, 0, 0, e0}), Vec3(x.f.a + Lane4{0, 0, 0, e1})};
}

// Row r of a Mat8 belongs to lane r of (angular, linear), four lanes each.
inline double lane(const Twist& x, int r) { return r < 4 ? x.w.a[r] : x.v.a[r - 4]; }
inline double lane(const Wrench& x, int r) { return r < 4 ? x.n.a[r] : x.f.a[r - 4]; }

// P += I / dt (unless the link is massless), Py = P y and Pw = P^T w, in one pass over the rows.
template <bool has_inertia>
inline void apply(Mat8& P, const Mat6& own, const Twist& y, const Twist& w, Wrench& Py, Wrench& Pw) {
  Lane4 s[8];
  Pw = Wrench::zero();
  for (int r = 0; r < 8; ++r) {
    Wrench row = P.row[r];
    if constexpr (has_inertia)
      if (r % 4 != 3) {
        row += own.row[r < 4 ? r : r - 1];
        P.row[r] = row;
      }
    s[r] = row.n.a * y.w.a + row.f.a * y.v.a;
    Pw += lane(w, r) * row;
  }
  Py = {Vec3(lane_sums(s[0], s[1], s[2], s[3])), Vec3(lane_sums(s[4], s[5], s[6], s[7]))};
}

// P -= u t^T / D
inline void reduce_matrix(Mat8& P, const Wrench& u, const Wrench& t, double inverse_D) {
  const Wrench k = inverse_D * u;
  for (int r = 0; r < 8; ++r) P.row[r] = P.row[r] - lane(k, r) * t;
}

}  // namespace bough
