// The trapezoidal rule ([JM09] Fig. 3d):
//
//   Ld(q0, q1) = dt/2 [L(q0, v) + L(q1, v)],  v = (q1 - q0) / dt
//   D1 = dt/2 L_q(q0, v) - [L_v(q0, v) + L_v(q1, v)] / 2 + dt/2 f(q0, v)                                        (Z1)
//   D2 = dt/2 L_q(q1, v) + [L_v(q0, v) + L_v(q1, v)] / 2 + dt/2 f(q1, v)                                        (Z2)
//   K  = L_qv(q0, v) / 2 - [L_vq(q1, v) + (L_vv(q0) + L_vv(q1)) / dt] / 2 + f_v / 2                              (Z3)
//
//   dD1/dq0 = dt/2 (L_qq + f_q)(q0) - (L_qv + L_vq + f_v)(q0) / 2 + (L_vv(q0) + L_vv(q1)) / (2 dt)                (Z4)
//   dD2/dq0 = L_vq(q0) / 2 - (L_qv + f_v)(q1) / 2 - (L_vv(q0) + L_vv(q1)) / (2 dt),     dD1/dq1 = K
//   dD2/dq1 = dt/2 (L_qq + f_q)(q1) + (L_qv + L_vq + f_v)(q1) / 2 + (L_vv(q0) + L_vv(q1)) / (2 dt)
//
//   dD1/dt' = (L_q + f)(q0) / 2 - (L_qv + f_v)(q0) v / 2 + (L_vv(q0) + L_vv(q1)) v / (2 dt),  t': the length dt
//   dD2/dt' = (L_q + f)(q1) / 2 - (L_qv + f_v)(q1) v / 2 - (L_vv(q0) + L_vv(q1)) v / (2 dt) + dt/2 f_t(q1)         (Z5)
//
// K joins two configurations and is dense.
#pragma once

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/rule_derivatives.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

class Trapezoidal final : public DiscreteLagrangian, public RuleDerivatives {
 public:
  explicit Trapezoidal(const Model& model);
  void evaluate(const Interval& step, double* D1, double* D2, double* scale) override;
  Energy energy(const Interval& step) override;
  const double* forces_before() const override { return force_[0].data(); }
  const double* forces_after() const override { return force_[1].data(); }
  bool symmetric() const override { return true; }
  void slot_derivatives(const Slots& out) override;
  void input_derivatives(double* D1_u, double* D2_u) override;
  void time_derivatives(const TimeSlots& out) override;
  int places() const override { return 2; }
  PhiPlace place(int i, const double* a, const double* lp, Covectors& memory) const override;

 private:
  void set_K(double* K);

  const Model& model_;
  const ElementDerivatives derivatives_;
  Interval step_{};  // the one evaluated last
  std::vector<double> v_, L_q_[2], L_v_[2], force_[2], L_qv_[2], L_vv_[2];
  std::vector<double> F_q_[2], F_v_[2];  // L_qq + f_q and L_qv + f_v
};

}  // namespace bough
