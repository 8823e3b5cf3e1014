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
// A ball goes from Q0 to Q1 = Q0 exp(phi) along a geodesic, with L at its middle, (BJ13): (BJ1), (BJ2) in place of the
// factors 1/2 and 1, with L_q along its axes, at alpha = 1/2.
//
//   D1 = A0^T dt (L_q + f) - B0^T L_v,   D2 = A1^T dt (L_q + f) + B1^T L_v                                        (BJ7)
//   K  = A0^T dt ((L_qq + f_q) E + (L_qv + f_v) / dt) - B0^T (L_vq E + L_vv / dt) + d(A0^T dt (L_q + f) - B0^T L_v)/dphi
//                                                                                                               (BJ8)
// q1 holds phi, and after its variables the quaternions of either end, whose own phi in q0 or q1 is zero. By turns n_0, n_1
// of the ends in their own axes, with (M_0, V_0) = (A0, -B0 / dt) and (M_1, V_1) = (A1, B1 / dt) for e = 0, 1,
//
//   dD1/dn_e = A0^T dt ((L_qq + f_q) M_e + (L_qv + f_v) V_e) - B0^T (L_vq M_e + L_vv V_e)
//              + d(A0^T dt (L_q + f) - B0^T L_v)/dphi dt V_e                                                     (BD1)
//   dD2/dn_e likewise, with A1, -B1 in place of A0, B0
//   dD1/dt' = A0^T (L_q + f - (L_qv + f_v) v + alpha dt f_t) + B0^T L_vv v / dt,   dD2/dt' likewise               (BD2)
//   a . D1 + lp . D2 = dt (s . (L_q + f) + r . L_v),   s = A0 a + A1 lp,   r = (B1 lp - B0 a) / dt               (BD3)
//
// with L, f at (qm, v). On a tree, L_v and L_q are one outward and one inward sweep (docs/theory/lagrangian.md), and K
// has the form (N1).
#pragma once

#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/rule_derivatives.hpp"
#include "bough/integrators/servo_forces.hpp"
#include "bough/spatial/geodesic.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

class Midpoint final : public DiscreteLagrangian, public RuleDerivatives {
 public:
  Midpoint(const Model& model, double alpha);
  void evaluate(const Interval& step, double* D1, double* D2, double* scale) override;
  Energy energy(const Interval& step) override;
  const double* forces_before() const override { return balls_.four.empty() ? plain_before() : balls_.before.data(); }
  const double* forces_after() const override { return balls_.four.empty() ? plain_after() : balls_.after.data(); }
  const double* shifted() const override { return forces_.empty() ? nullptr : forces_.shift(); }
  void choose_branches(double* x) override;
  void slot_derivatives(const Slots& out) override;
  void input_derivatives(double* D1_u, double* D2_u) override;
  void time_derivatives(const TimeSlots& out) override;
  int places() const override { return 1; }
  PhiPlace place(int i, const double* a, const double* lp, Covectors& memory) const override;
  PhiBalls balls_of_place(const double* a, const double* lp) const override {
    return {middle_balls(), L_qq_.data(), L_qv_.data(), L_vv_.data(), balls_.H.data(), balls_.F.data(), a, lp};
  }
  void remember_branches(std::vector<Limit>& to) const override { to = forces_.branches(); }
  void recall_branches(const std::vector<Limit>& branches) override { forces_.recall(branches); }
  bool symmetric() const override { return alpha_ == 0.5; }

  bool along_tree() const override { return true; }
  TreeTerms tree_terms() const override {
    return {state_, bodies_, step_.dt, alpha_, balls_.four.empty() ? nullptr : &balls_.four};
  }
  void add_diagonal(double* d) const override;
  void add_coupling(const Potential* potential, const Force* force, double* H) const override;

 private:
  const double* plain_before() const { return forces_.empty() ? force_.data() : forces_.before(); }
  const double* plain_after() const { return forces_.empty() ? force_.data() : forces_.after(); }
  void sweep_out();
  void sweep_in(double duration);
  void place_balls();
  void sweep_out_balls(std::size_t from, std::size_t to);
  void sweep_out_balls_with_32(std::size_t from, std::size_t to);
  void sweep_out_balls_inlined(std::size_t from, std::size_t to);
  void sweep_in_balls(std::size_t from, std::size_t to);
  void set_axes(int first);
  Instant instant() const;
  void add_slots_of_pairs(const Slots& out);
  void add_slots_of_potentials(const Slots& out);
  void set_force_derivative(bool after, double by_q, double by_v);
  void set_middle(const Interval& step);
  void turn_balls(double dt, double* D1, double* D2, double* scale);
  void turn_balls_with_32(double dt, double* D1, double* D2, double* scale);
  void turn_balls_inlined(double dt, double* D1, double* D2, double* scale);
  void set_dense_with_balls(double* K);
  void add_ball_forces(bool after, double* H, double* F);
  void slots_with_balls(const Slots& out);
  void set_slot_with_balls(bool after, bool end, double* to);
  void turn_rows(std::size_t width, double* D1, double* D2) const;
  void turn_time_derivatives(const TimeSlots& out);
  const std::vector<MiddleBall>& middle_balls() const;

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
  // Where what one ball reads and writes stands: found once, as it takes a third of an outward sweep to find it again.
  struct BallPlaces {
    const Joint* joint;
    const Link* link;
    const JointState* parent;
    JointState* state;
    MidpointBody *body, *inner;  // inner: that of the parent, null for the world
    const Mat3* turn;
    const double* rate;
    bool after_parent;  // whether the ball before is the parent
  };
  struct Balls {
    std::vector<BallPlaces> at;  // as many as lanes: beyond the last ball, that one again
    std::vector<Lane4> mass;     // of the subtrees of four
    std::vector<FourMiddles> four;
    mutable std::vector<MiddleBall> middle;  // each by itself, where derivatives ask for it
    std::vector<double> before, after;       // fd- and fd+ with (BJ7)
    std::vector<double> product, second;     // of (BJ8)
    std::vector<double> H, F;                // of (BD1): L_qq + f_q and L_qv + f_v
  };
  Balls balls_;
};

}  // namespace bough
