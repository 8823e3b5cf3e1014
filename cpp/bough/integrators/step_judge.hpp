// Whether a step of a motion that nothing drives or damps is short enough for what happens in it:
//
//   |E1 - E0| <= delta max(T0, T1, T_ref) + 1e-14 (|V0| + |V1|)                                                    (SD5)
//   ((s!)^2 / ((2s)! (2s+1)!)) (2 theta)^{2s} h W <= delta / 100,   theta^{s-1} = (2s-3)!! max |C| / W             (SD6)
//
// C is the coefficient of the last Legendre polynomial in the rates at the s stages, W the largest rate or W_ref; variables are
// in their units. A step and its reverse have the same |E1 - E0|, |C| and W.
#pragma once

#include <array>
#include <vector>

#include "bough/dynamics/constrained.hpp"
#include "bough/integrators/gauss.hpp"

namespace bough {

class StepJudge {
 public:
  static constexpr int deepest = 36;  // halvings of a step

  // delta, T_ref and W_ref.
  StepJudge(const Model& model, double delta, double kinetic, double rate);

  // The motion is at a node from which the next step is made.
  void begin(const GaussStepper::State& node);

  // noise: the change of energy is small, and halves do not make it smaller.
  enum class Verdict { fine, too_long, noise };
  // Of the last step, of length h, from the last node that was accepted; depth: how often it was halved.
  Verdict verdict(const GaussStepper& stepper, double h, int depth);
  void accept() { energy_ = reached_; }
  // A step of this depth did not converge.
  void failed(int depth);

 private:
  struct Energy {
    double kinetic, potential;
  };
  Energy energy(const GaussStepper::State& state);
  double phase(const GaussStepper& stepper, double h) const;

  const Model& model_;
  const double delta_, kinetic_, rate_;
  const std::vector<double> units_;
  ConstraintSpace space_;
  std::vector<double> v_;
  Energy energy_{}, reached_{};                // of the last node, and at the end of the step
  std::array<double, deepest + 1> changes_{};  // of energy in the steps that were halved, by depth
};

}  // namespace bough
