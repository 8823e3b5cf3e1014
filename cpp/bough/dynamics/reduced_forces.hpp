// Potentials and forces of a model as functions of the pose g of its free base and the shape r.
//
// At each evaluation the base moves by six joints of its own, g exp(e_0 s_0) ... exp(e_5 s_5) at s = 0, in place of its
// Euler angles. Their screws are J_k = Ad(g) e_k, so what an element gives for s_k is the left-trivialised component
//
//   <g* dV/dg, e_k> = J_k . F                                                                                      (B12)
//
// regular in every orientation. Their derivatives along (s, r) are those of three and three joints in a row, X_a X_b for a <= b
// in either order; of the components along axes that move with the base the derivative of component a along b is, as (BJ6),
//
//   X_b X_a V = H_ab + [e_b, e_a] . dV   for b > a,   H_ab else                                                     (RG7)
//
// with the same for forces, at a fixed twist of the base in its own axes. Elements that act on the variables of the base as such have no meaning here.
#pragma once

#include "bough/dynamics/reduced_metric.hpp"

namespace bough {

class ReducedForces {
 public:
  ReducedForces(const Model& model, const ReducedLayout& layout);

  // Poses, and velocities for z = (xi, r').
  void set_state(const Pose& g, const double* r, const double* z);

  bool has_forces() const { return !model_.elements.forces.empty(); }

  // out += factor * dV/d(s, r), uniform gravity included; n entries. (B12)
  void add_gradient(double factor, double* out);

  // out += factor * f(g, r, z, u, t)
  void add_force(const double* u, double t, double factor, double* out);

  // H += factor * df/dz
  void add_force_dz(const double* u, double t, double factor, Eigen::MatrixXd& H);

  // H += factor times the derivatives of dV, and of f, by moves of the base in its own axes and by r.              (RG7)
  void add_hessian(double factor, Eigen::MatrixXd& H);
  void add_force_dq(const double* u, double t, double factor, Eigen::MatrixXd& H);
  // B += df/du, f_t += df/dt
  void add_force_du_dt(const double* u, double t, Eigen::MatrixXd& B, Eigen::VectorXd& f_t);

 private:
  void gather(const std::vector<double>& over_variables, double* out) const;
  void add_gravity(double factor);
  void add_gravity_hessian(double factor);
  void gather_ordered(const Eigen::VectorXd& gradient, Eigen::MatrixXd& H) const;
  int place(int variable) const {
    return layout_.position[variable] < 0 ? base_place_[variable] : layout_.position[variable];
  }
  Instant instant(const double* u, double t) const { return {model_, state_, q_.data(), v_.data(), u, t}; }

  const Model& model_;
  const ReducedLayout& layout_;
  bool potentials_;
  std::vector<int> base_place_;
  std::vector<double> q_, v_, row_, square_;
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<Vec3> moment_;
};

}  // namespace bough
