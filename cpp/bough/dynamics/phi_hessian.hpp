// The second derivatives of Phi (phi.hpp) over (q, v, u).
//
// The tree is exact (LA4), and so are potentials of kinds that have their Hessian along a direction (EA1)-(EA4); of others
// it is a difference of fourth order of their Hessians along sigma, whatever the number of variables is. Of the forces, those that are linear have none, kinds that know the Hessian of
// their virtual power c . f give it, and of the others the gradients (c . f_q, c . f_v, c . f_u) are differenced by the
// variables that they depend on, with no other element evaluated.
#pragma once

#include <Eigen/Core>

#include "bough/dynamics/lagrangian_along.hpp"
#include "bough/dynamics/phi.hpp"
#include "bough/tree/along.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

class PhiHessian {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit PhiHessian(const Model& model);
  void evaluate(const PhiPlace& place);

  Rows qq, qv, vv;  // qv[i, j] = d2Phi/dq_i dv_j
  Rows uq, uv, uu;
  Covectors covectors;

 private:
  struct Force {
    const bough::Force* force;
    const ForceDerivatives* derivatives;  // or null
    std::vector<int> variables;           // that it depends on
  };
  void add_potentials(const PhiPlace& place);
  bool add_virtual_hessian(const PhiPlace& place, const Force& of, bool& swept);
  void add_differences(const PhiPlace& place, const Force& of);
  void gradient(const PhiPlace& place, const Force& of, Eigen::VectorXd& g);

  const Model& model_;
  LagrangianAlong along_;
  Along moved_;
  std::vector<const PotentialDerivatives*> potentials_;
  bool exact_ = true;          // whether all potentials have their Hessian along a direction
  std::vector<Force> forces_;  // those that are not linear
  std::vector<double> q_, v_, u_;
  Rows H_, B_;
  Eigen::VectorXd g_, sum_;
};

}  // namespace bough
