// A running simulation with the method of Dormand and Prince of order 8 on y = (q, v), y' = f(t, y) = (v, a): steps chosen
// by estimates of orders 5 and 3, and a polynomial of order 7 between the ends of a step. Coefficients in dop853_table.hpp.
//
//   k_i = f(t + c_i h, y0 + h sum_{j<i} a_ij k_j),   y1 = y0 + h sum b_i k_i,   k_12 = f(t + h, y1)                (DP1)
//   e = h |e5|^2 / sqrt(n (|e5|^2 + 0.01 |e3|^2)),   e5 = sum e5_i k_i / s, s = atol + rtol max(|y0|, |y1|)       (DP2)
//   h' = h min(10, max(0.2, 0.9 e^{-1/8})),   accepted if e < 1; after a rejection h does not grow                (DP3)
//   x = (t - t0) / h,   y(t) = y0 + x (F0 + (1-x) (F1 + x (F2 + (1-x) (F3 + x (F4 + (1-x) (F5 + x F6))))))         (DP4)
//   F0 = y1 - y0,   F1 = h k_0 - F0,   F2 = 2 F0 - h (k_0 + k_12),   F_{3+l} = h sum d_li k_i
//
// The first step is that of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.4.
#pragma once

#include "bough/integrators/dop853_table.hpp"
#include "bough/integrators/kinematic_motion.hpp"
#include "bough/solvers/step_status.hpp"

namespace bough {

struct Dop853Settings {
  double rtol, atol;
  double max_step;    // infinite for none
  double first_step;  // 0: chosen
  double g1, g2;      // Baumgarte's gains
  bool projecting;    // every step ends on the constraints
};

class Dop853 {
 public:
  Dop853(const Model& model, const Dop853Settings& settings, KinematicMotion motion);

  // q and v over dynamic variables, q with the quaternions of balls after them.
  void start(double t, const double* q, const double* v);
  // The inputs changed.
  void forget_rate() { known_ = false; }
  // One step, not beyond `end`; the state stays as it is where it does not succeed. no_convergence: the step is too short.
  StepStatus step(double end, const double* u);
  // The state at a time within the last step (DP4), over all variables, q as the user has it; on the constraints if steps are projected. False
  // where a further stage, or the projection, meets a singular mass matrix.
  bool at(double t, double* q, double* v);

  double time() const { return t_; }
  double time_before() const { return t_before_; }
  double failed_at = 0.0;  // the time of the stage that was singular or not finite
  long steps = 0, rejected = 0;
  EquationsOfMotion equations;

 private:
  using Numbers = std::vector<double>;
  StepStatus rate(double t, const Numbers& y, double* k);
  StepStatus stage(int i);
  double error(const Numbers& y1) const;
  StepStatus begin(double end);
  StepStatus first_step(double end);
  StepStatus try_step(double h);
  StepStatus accept(double h);
  bool prepare_dense();
  void write(double t, const Numbers& y, double* q, double* v);

  const Dop853Settings settings_;
  KinematicMotion motion_;
  const std::size_t n_;   // dynamic variables
  const std::size_t nq_;  // these with the quaternions of balls
  double t_ = 0.0, t_before_ = 0.0;
  double h_ = 0.0;      // of the next step; 0: to be chosen
  double last_ = 0.0;   // of the step being tried, then of the last one
  bool known_ = false;  // whether the last k of the last step is the rate at the state
  bool dense_ = false;  // whether F_ belongs to the last step
  Numbers u_, y_, y_before_, trial_;
  std::vector<Numbers> k_, F_;
};

}  // namespace bough
