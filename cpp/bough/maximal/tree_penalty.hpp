// A symmetric positive system over bodies whose couplings are those of a tree, in O(n) by blocks of six:
//
//   (M_b + sum of L) V_b - L_ba V_a - ... = f_b        L_bb on the body, L_aa on the one before it, L_ba between       (MT1)
//   leaves to root: W = P_b^-1,  P_a += L_aa - L_ba^T W L_ba,  f_a += L_ba^T W f_b                                    (MT2)
//   root to leaves: V_b = W (f_b + L_ba V_a)                                                                         (MT3)
#pragma once

#include <vector>

#include "bough/maximal/bodies.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {

class TreePenalty {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  explicit TreePenalty(const Bodies& bodies)
      : P(bodies.n() + 1), L(bodies.n() + 1), bodies_(bodies), llt_(bodies.n() + 1) {}

  std::vector<Matrix6> P, L;  // P: M_b with all of L_bb and L_aa, overwritten; L: L_ba

  // False where a block is not positive.
  bool factor() {
    for (int b = bodies_.n(); b > 0; --b) {
      if (!llt_[b].factor(P[b])) return false;
      const int a = bodies_.body[b - 1].parent;
      if (a > 0) P[a].noalias() -= L[b].transpose() * llt_[b].solve(L[b]);  // (MT2)
    }
    return true;
  }

  // x: 6 a body, in place.
  void solve(Eigen::VectorXd& x) const {
    for (int b = bodies_.n(); b > 0; --b) {
      const int a = bodies_.body[b - 1].parent;
      if (a > 0) x.segment<6>(6 * (a - 1)) += L[b].transpose() * llt_[b].solve(Vector6(x.segment<6>(6 * (b - 1))));
    }
    for (int b = 1; b <= bodies_.n(); ++b) {
      const int a = bodies_.body[b - 1].parent;
      Vector6 f = x.segment<6>(6 * (b - 1));
      if (a > 0) f += L[b] * x.segment<6>(6 * (a - 1));
      x.segment<6>(6 * (b - 1)) = llt_[b].solve(f);  // (MT3)
    }
  }

 private:
  const Bodies& bodies_;
  std::vector<Cholesky6> llt_;
};

}  // namespace bough
