// The moves of states that controls reach along a motion, and the derivatives of its steps along these alone.
//
// Closed loops leave few directions to a mechanism of many variables: a lift of 40 angles and 39 rows moves in one. What the
// controls of all steps before node k move the state by lies in the span of T_k, with D a scale of the states,
//
//   S_k = J_k [T_k, 0; 0, 1],   D T_(k+1) an orthonormal basis of the columns of D S_k,   T_0 = ()                (OT1)
//   x = T xi,   xi_(k+1) = J'_k (xi_k, c_k),   J'_k = (D T_(k+1))^T D S_k                                         (OT2)
//   H'_k = [T_k, 0; 0, 1]^T d2(w_k . x1)/dz dz [T_k, 0; 0, 1]                                                     (OT3)
//
// so that the stage-wise Newton step over xi is that over x, to round-off. A step needs as many solves as T_k has columns:
// twice the number of directions that the rows leave, and one for each control.
#pragma once

#include "bough/control/backward.hpp"

namespace bough {

class Reach {
 public:
  Reach(const Model& model, int method, double alpha, const StepSettings& settings);
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;

  using Ended = Backward::Ended;
  struct Motion {
    int count;
    double t0, dt;
    const double *x, *c;  // (count + 1, numbers of a state), (count, nc)
  };
  // T and J', with the scale D (nx). It stops as soon as T has more than `most` columns, and size() is then above that.
  Ended forward(const Motion& motion, const double* scale, int most);
  int size() const { return size_; }  // the largest number of columns
  int count() const { return static_cast<int>(J_.size()); }
  // T (count + 1, nx, size), J' (count, size, size + nc), the same rows of the constraint forces (count, m, size + nc), or
  // null; columns that a node does not have are zero.
  void write(double* T, double* J, double* lam) const;

  struct Costs {
    const double *l_y, *l_r;  // (count, ny), (count, nq), as in Backward
    const double* l_lam;      // (count, m), or null
  };
  struct Derivatives {
    double* H;                   // (count, nz, nz), of the steps alone (OT3)
    double *costate, *gradient;  // (count + 1, nx) with its last row given, (count, nc)
  };
  // By (OB1), after forward().
  Ended backward(const Motion& motion, const Costs& costs, const Derivatives& out);
  // The gradient alone, from J': `last` is the costate at the end.
  void set_gradient(const Motion& motion, const Costs& costs, const double* last, double* gradient) const;

  const StepShape& shape() const { return step_.shape(); }
  int numbers() const { return step_.numbers(); }
  int pair() const { return 2 * shape().nq + shape().nu; }

 private:
  Ended linearize(const Motion& motion, std::ptrdiff_t k);
  void set_columns(const RowMatrix& T);
  void set_basis(std::ptrdiff_t k);

  StepLinearization step_;
  std::vector<double> control_, w_, by_s_;
  Eigen::VectorXd scale_;
  int size_ = 0;
  std::vector<RowMatrix> T_, J_, lam_;
  RowMatrix D_, S_, H_;           // columns of a step, and what they lead to
  Eigen::MatrixXd left_, basis_;  // what a basis leaves of that, and the basis
};

}  // namespace bough
