// The generalised midpoint rule ([JM09] eq. 19-22, 44-46):
//
//   Ld(q0, q1) = dt L(qm, v),  qm = (1 - alpha) q0 + alpha q1,  v = (q1 - q0) / dt
//   D1 = (1 - alpha) dt L_q - L_v + dt f / 2                                                                    (M1)
//   D2 = alpha dt L_q + L_v + dt f / 2                                                                          (M2)
//   K  = alpha (1 - alpha) dt L_qq + (1 - alpha) L_qv - alpha L_vq - L_vv / dt + (alpha dt f_q + f_v) / 2        (M3)
//
//   dD1/dq0 = (1 - alpha)^2 dt L_qq - (1 - alpha) (L_qv + L_vq) + L_vv / dt + ((1 - alpha) dt f_q - f_v) / 2     (M5)
//   dD2/dq0 = alpha (1 - alpha) dt L_qq - alpha L_qv + (1 - alpha) L_vq - L_vv / dt + ((1 - alpha) dt f_q - f_v) / 2
//   dD2/dq1 = alpha^2 dt L_qq + alpha (L_qv + L_vq) + L_vv / dt + (alpha dt f_q + f_v) / 2,     dD1/dq1 = K
//
//   dD1/dt' = (1 - alpha) L_q - ((1 - alpha) L_qv - L_vv / dt) v + (f - f_v v + alpha dt f_t) / 2,  t': the length dt
//   dD2/dt' = alpha L_q - (alpha L_qv + L_vv / dt) v + (f - f_v v + alpha dt f_t) / 2                              (M6)
//
// with L, f at (qm, v). On a tree, L_v and L_q are one outward and one inward sweep (docs/theory/lagrangian.md), and K
// has the form (N1).
#pragma once

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/rule_derivatives.hpp"
#include "bough/integrators/servo_forces.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

class Midpoint final : public DiscreteLagrangian, public RuleDerivatives {
 public:
  Midpoint(const Model& model, double alpha);
  void evaluate(const Interval& step, double* D1, double* D2, double* scale) override;
  Energy energy(const Interval& step) override;
  const double* forces_before() const override { return forces_.empty() ? force_.data() : forces_.before(); }
  const double* forces_after() const override { return forces_.empty() ? force_.data() : forces_.after(); }
  const double* shifted() const override { return forces_.empty() ? nullptr : forces_.shift(); }
  void choose_branches(double* x) override;
  void slot_derivatives(const Slots& out) override;
  void input_derivatives(double* D1_u, double* D2_u) override;
  void time_derivatives(const TimeSlots& out) override;
  int places() const override { return 1; }
  PhiPlace place(int i, const double* a, const double* lp, Covectors& memory) const override;
  void remember_branches(std::vector<Limit>& to) const override { to = forces_.branches(); }
  void recall_branches(const std::vector<Limit>& branches) override { forces_.recall(branches); }
  bool symmetric() const override { return alpha_ == 0.5; }

  bool along_tree() const override { return true; }
  TreeTerms tree_terms() const override { return {state_, bodies_, step_.dt, alpha_}; }
  void add_diagonal(double* d) const override;
  void add_coupling(const Potential* potential, const Force* force, double* H) const override;

 private:
  void sweep_out();
  void sweep_in(double duration);
  Instant instant() const;
  void all_slots(const Slots& out);
  void set_force_derivative(bool after, double by_q, double by_v);

  const Model& model_;
  const double alpha_;
  Interval step_{};  // the one evaluated last
  std::vector<double> qm_, v_, L_q_, L_v_, force_, scale_;
  std::vector<int> loose_;  // variables that no joint has, such as the length of a wire
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  ServoForces forces_;
  const ElementDerivatives derivatives_;
  std::vector<double> L_qq_, L_qv_, L_vv_, f_slot_;  // f_slot_: of fd- or fd+ by q0 or q1
};

}  // namespace bough
