// The gradient by all parameters of a model of what one step contracts, in one sweep over the tree.
//
// A step asks for Phi of phi.hpp. With the twists of link k
//
//   Sigma_k = Sigma_parent + sigma_k J_k,   W_k = W_parent + sigma_k U_k + tau_k J_k                            (PG2)
//   Phi = w sum_k (W_k . I_k V_k + Sigma_k . I_k G),   G = (0, gravity)                                         (PG3)
//
// so that the ten numbers of an inertia, in the axes of its joint, have the derivatives
//
//   Phi_m = w (v_W . v_V + v_Sigma . gravity),  Phi_I = w w_W w_V^T,
//   Phi_mc = w (v_V x w_W - w_V x v_W + gravity x w_Sigma)                                                      (PG4)
//
// A constant transform is a joint that does not move: with hc, Fc the momentum and weight of the subtree, dots for
// derivatives along (sigma, tau), h'_k = I_k W_k - ad(Sigma_k)^T h_k, and p the parent,
//
//   Phi_Xi = w R . Xi,  R = ad(V'_p)^T hc + ad(Sigma_p)^T ad(V_p)^T hc + ad(V_p)^T hc' + ad(Sigma_p)^T Fc + Fc',
//                       V'_p = W_p + ad(Sigma_p) V_p                                                            (PG5)
//
// for a twist Xi of everything outboard. The parameter s = shift + ratio q of a joint moves it along its own screw:
//
//   Phi_shift = w R . J,   Phi_ratio = q Phi_shift + v w (J . hc)' + w (sigma (U . hc + J . Fc) + tau J . hc)   (PG6)
#pragma once

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/parameter_variation.hpp"
#include "bough/dynamics/phi.hpp"

namespace bough {

using ParameterVariations = std::vector<ParameterVariation>;

class ParameterGradient {
 public:
  ParameterGradient(const Model& model, const ParameterVariations& variations);

  // out over parameters += dPhi/dtheta.
  void add(const PhiPlace& point, double* out);

  // out += factor rows . (dDh/dtheta a), with the rows of Dh that a step has; and out += rows . dh/dtheta.
  void add_jacobian(const double* q, double t, double factor, const double* rows, const double* a, double* out);
  void add_values(const double* q, double t, const double* rows, double* out);

  std::size_t size() const { return variations_.size(); }

  Covectors covectors;

 private:
  struct Along {
    Twist Sigma, W;
    Wrench h, h_dot, F, F_dot;
  };
  struct ByJoint {
    Wrench R;  // in the axes of the joint before its motion
    double shift, ratio;
    double mass;  // of the link
    Vec3 moment;
    Mat3 inertia;
  };
  void sweep(const PhiPlace& point);
  void add_tree(const PhiPlace& point, double* out) const;
  void add_elements(const PhiPlace& point, double* out);
  double all_differences(const PhiPlace& point, const ParameterVariation& by);
  template <class Visit>
  void for_constraints(const double* q, double t, Visit visit);

  const Model& model_;
  const ParameterVariations& variations_;
  const ConstraintRows rows_;
  std::vector<Along> along_;
  std::vector<ByJoint> by_;
  Vec3 by_gravity_ = Vec3::zero();
  std::vector<double> q_, v_, Dh_;
  bool tree_ = false;  // whether some parameter changes joints or bodies
};

}  // namespace bough
