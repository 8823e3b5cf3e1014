// The reduced Lagrangian over one step: (V1) of reduced.hpp and the differentials (V6) to (V8), forces left out.
#pragma once

#include <memory>
#include <utility>

#include "bough/dynamics/reduced_node.hpp"
#include "bough/spatial/retraction.hpp"

namespace bough {

class ReducedSpan {
 public:
  ReducedSpan(const Model& model, const ReducedLayout& layout, double alpha, Retraction tau);

  // The shape at the start. False if its locked inertia is singular.
  bool set_start(const double* r) { return start->set_shape(r); }
  // w and P_a for velocities z that lead to the shape r1, and e of (RQ3) at the start. False as above.
  bool set_end(const double* r1, const Eigen::VectorXd& z);
  // K = d(V2), d(V3) by z, for the velocities of the last set_end().
  void differentiate(double dt, const Eigen::VectorXd& z, Eigen::MatrixXd& K);
  // The size of the kinetic terms of (V2) and (V3).
  void set_sizes(const Eigen::VectorXd& z, Eigen::VectorXd& scale);
  // The end becomes the start of the next step.
  void advance() { std::swap(start, end); }

  const double alpha, beta;  // weights of the end and of the start
  const Retraction tau;
  std::unique_ptr<ReducedNode> start, end;
  Eigen::MatrixXd I, A, S;  // I_a, A_a, S_a
  Eigen::VectorXd w, P;     // w, P_a

 private:
  const int nb_, nr_, nd_;
  Eigen::VectorXd w_size_, rate_size_;
  Eigen::MatrixXd dw_, dP_, T_;
};

}  // namespace bough
