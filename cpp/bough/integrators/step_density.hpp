// Steps of variable length that are reversible: a density z of steps is carried beside the state (E. Hairer, G. Soderlind,
// Explicit, time reversible, adaptive step size control, 2005), driven by how fast bodies turn and pairs of points pass.
//
//   sigma^-2 = w0^2 + sum_links |omega_i|^2 + sum_pairs |x'_ab|^2 / |x_ab|^2                                        (SD1)
//   h_{n+1/2} = eps / z_{n+1/2},   ln(z_{n+1/2} / z_{n-1/2}) = 2 eps G(q_n, v_n) / (z_{n-1/2} + z_{n+1/2})          (SD2)
//   G = -[8 D(eta) - D(2 eta)] / (12 eta),   eta = 4e-3 sigma(q, v)                                              (SD3)
//   D(eta) = ln sigma(q + eta v, v + eta a) - ln sigma(q - eta v, v - eta a)
//
// from 1 / sigma at the start, half a step on. sigma is even in v and G odd, so that the map of (q, p, z) made of (SD2) and a
// symmetric step is reversible. What sigma does not see, such as a stop that a body runs into, (SD5) and (SD6) of step_judge.hpp
// do: a step that violates them, or does not converge, is made in two halves, each of them judged likewise, and the density
// continues at the end of the whole.
#pragma once

#include <array>
#include <optional>

#include "bough/integrators/equations_of_motion.hpp"
#include "bough/integrators/step_judge.hpp"

namespace bough {

class StepDensity {
 public:
  // pairs: of frames. w0 > 0: the slowest rate, in 1/s.
  StepDensity(const Model& model, std::vector<std::array<int, 2>> pairs, double epsilon, double w0);

  // 1 / sigma with another w0 (SD1).
  double rate(const double* q, const double* v, double w0);
  // The length of the step from a node with momenta p over dynamic variables (SD2); 0 where the mass matrix is singular.
  double length(double t, const double* q, const double* p, const double* u);

  // From now on steps are judged: delta, T_ref, W_ref.
  void judge(double delta, double kinetic, double rate) { judge_.emplace(model_, delta, kinetic, rate); }

  // The next node of a run, not beyond `end`: a step of the density, or one of the parts that it is made in. Kinematic
  // variables are held, inputs constant. The state stays as it is where it does not succeed.
  StepStatus advance(GaussStepper& stepper, double end, const Drive& drive);

  double z = 0.0;       // 0: to be set at the start
  long resets = 0;      // how often it strayed from the rate and was reset, where the motion is not reversible
  long halved = 0;      // steps and parts that were made in halves
  long unresolved = 0;  // parts that violate (SD5) or (SD6), but cannot be halved, or gain nothing by it
  double last = 0.0;    // length of the last step or part that was tried

 private:
  bool too_long(const GaussStepper& stepper, StepStatus status, int depth);

  const Model& model_;
  const std::vector<std::array<int, 2>> pairs_;
  const double epsilon_, w0_;
  EquationsOfMotion equations_;
  ConstraintSpace space_;
  std::vector<double> v_, a_, q_beside_, v_beside_, zero_;

  std::optional<StepJudge> judge_;
  double whole_ = 0.0;                                 // length of the step of the density that is being made
  int left_ = 0;                                       // parts of it that are left, the next one last
  std::array<int, StepJudge::deepest + 2> pending_{};  // how often these were halved
  GaussStepper::Memory memory_;
};

}  // namespace bough
