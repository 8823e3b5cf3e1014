// The second derivatives of Phi (phi.hpp) over (q, v, u).
//
// The tree is exact (LA4), and so are potentials of kinds that have their Hessian along a direction (EA1)-(EA4); of others
// it is a difference of fourth order of their Hessians along sigma, whatever the number of variables is. Of the forces, those that are linear have none, kinds that know the Hessian of
// their virtual power c . f give it, and of the others the gradients (c . f_q, c . f_v, c . f_u) are differenced by the
// variables that they depend on, with no other element evaluated.
//
// Of balls the second derivatives are those by turns exp(n) from the place, symmetric: the means of X_i X_j and X_j X_i. With
// [X_i, X_s] the derivative along e_i x s, S the symmetric part of L_qq, dots along (sigma, tau) and (BJ6),
//
//   qq = (L_qq)' + (sigma x S) + (sigma x S)^T,   qv = (L_qv)' + sigma x L_qv,   vv = (L_vv)'                        (BD7)
//
// where sigma x takes the three rows of a ball. As sigma and tau follow from phi = dt v, with F = L_q + f,
//
//   d sigma/dphi = d(A0^T (lp - a))/dphi,   d(dt tau)/dphi = d(B0^T (lp - a))/dphi - skew(a)                         (BD8)
//   Phi_qv += (dt F_q)^T dsigma/dv + L_qv d(dt tau)/dv,   Phi_vv += sym((dt F_v)^T dsigma/dv + L_vv d(dt tau)/dv)
//           + dt^2 of (BD5) with dt F and of (BD6) with L_v,   Phi_uv += (dt f_u)^T dsigma/dv                        (BD9)
#pragma once

#include "bough/dynamics/lagrangian_along.hpp"
#include "bough/dynamics/phi.hpp"
#include "bough/solvers/products.hpp"
#include "bough/tree/along.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

class PhiHessian {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit PhiHessian(const Model& model);
  void evaluate(const PhiPlace& place);
  // The same in two parts: visit is called with the pairs of the tree, times the weight of the place; and what elements add
  // is in qq, qv, vv, uq, uv, uu, if there is any.
  template <class Visit>
  void for_pairs(const PhiPlace& place, Visit visit) {
    along_.sweep({place.q, place.v, place.sigma, place.tau});
    along_.for_pairs([&](PairBlock of) {
      for (Lane4* x : {&of.vv, &of.down, &of.up, &of.qq}) *x = place.weight * *x;
      visit(of);
    });
  }
  bool set_elements(const PhiPlace& place);
  // The same with balls; f_u (n_variables, n_inputs) is dt df/du.
  void evaluate(const PhiPlace& place, const PhiBalls& balls, const Rows& f_u);

  Rows qq, qv, vv;  // qv[i, j] = d2Phi/dq_i dv_j
  Rows uq, uv, uu;
  Covectors covectors;
  // Of balls, over variables: dPhi/dq and dPhi/dphi; other entries are zero.
  Eigen::VectorXd by_turn, by_way;

 private:
  struct Force {
    const bough::Force* force;
    const ForceDerivatives* derivatives;  // or null
    std::vector<int> variables;           // that it depends on
  };
  void add_elements(const PhiPlace& place);
  const std::vector<double>& set_settled(const PhiPlace& place);
  void add_potentials(const PhiPlace& place);
  bool add_virtual_hessian(const PhiPlace& place, const Force& of, bool& swept);
  void add_differences(const PhiPlace& place, const Force& of);
  void gradient(const PhiPlace& place, const Force& of, Eigen::VectorXd& g);
  void order(const PhiPlace& place, const PhiBalls& balls);
  void bend(const PhiPlace& place, const PhiBalls& balls, const Rows& f_u);

  const Model& model_;
  LagrangianAlong along_;
  Along moved_;
  std::vector<const PotentialDerivatives*> potentials_;
  bool bent_ = false;          // whether some potential is not quadratic
  bool exact_ = true;          // whether all potentials have their Hessian along a direction
  std::vector<Force> forces_;  // those that are not linear
  std::vector<double> q_, v_, u_, settled_;
  Rows H_, B_;
  Eigen::VectorXd g_, sum_;
};

}  // namespace bough
