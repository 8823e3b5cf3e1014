// The iteration (GL7) of a Gauss-Lobatto step, when it ends, and what is tried if it does not converge.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/integrators/gauss.hpp"

namespace bough {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double round_off = 1e-11;  // of rates: where a correction that does not fall any more is taken for round-off
constexpr double f_round_off = 1e-13;         // of the equations of momenta, relative to their terms
constexpr double h_round_off = 1e-12;         // of constraints likewise
constexpr double position_round_off = 1e-13;  // of positions, in turns or sizes of the system
constexpr double suited = 64.0;     // rad, or sizes of the system: up to there, the round-off of q is that of 1
constexpr double noisy = 1e-14;     // of rates: where a correction may be noise for the most part
constexpr double stalled = 0.25;    // of two iterations: a contraction that is none, near round-off
constexpr double sluggish = 0.1;    // of two iterations: a contraction that Newton's method does better than
constexpr double slow = 0.8;        // of two iterations: a contraction that leads nowhere
constexpr int long_tried = 8;       // iterations after which constraints may be met less well
constexpr int patience = 3;         // iterations with such a contraction
constexpr double refactored = 0.1;  // a contraction of Newton's method that asks for a new matrix
constexpr int newton_steps = 16;    // steps by Newton's method after one that needed it
constexpr int newton_size = 600;    // unknowns at most: the matrix is dense

}  // namespace

// V += correction; the largest correction, and the largest rate, in turns or sizes of the system a second.
double GaussStepper::correction(double* largest_rate) {
  double largest = 0.0, rate = 0.0, sum = 0.0;
  for (int i = 0; i < table_.stages; ++i)
    for (int k = 0; k < model_.n_dynamic; ++k) {
      stages_[i].v[k] += r_[i][k];
      const double size = unit_[k] * std::abs(r_[i][k]);
      sum += size;
      if (size > largest) {
        largest = size;
        failure.worst = k;
      }
      rate = std::max(rate, unit_[k] * std::abs(stages_[i].v[k]));
    }
  *largest_rate = rate;
  return std::isfinite(sum) ? largest : sum;
}

// The last correction.
void GaussStepper::take_back() {
  for (int i = 0; i < table_.stages; ++i)
    for (int k = 0; k < model_.n_dynamic; ++k) stages_[i].v[k] -= r_[i][k];
  std::copy(constraints_.measured.begin(), constraints_.measured.end(), constraints_.impulses.begin());
}

// Whether no stage is further than a turn, or a size of the system, from where the last velocity leads: Newton's method may
// find other roots.
bool GaussStepper::near_start(double h) const {
  for (const GaussStage& stage : stages_)
    for (int k = 0; k < model_.n_dynamic; ++k)
      if (!(unit_[k] * std::abs(h * (stage.v[k] - line_[k])) <= 1.0)) return false;
  return true;
}

// (GL7), or Newton's method on all stages, for newton(): judged by the corrections of rates.
struct GaussStepper::Iteration {
  GaussStepper& s;
  const double h;
  const Drive& drive;
  const bool newton;
  const double place = s.far(), size = std::max(1.0, place / suited);
  // Constraints tell positions to round-off and not further, whatever the rates.
  const double position = s.constraints_.m > 0 ? 0.25 * epsilon * size / std::abs(h) : 0.0;
  const bool last_resort = newton || !s.newton_fits();
  double now = 0.0, before = 0.0, rate = 0.0;  // the last correction, the one before, the largest rate
  double contraction = newton ? 1.0 : s.state.contraction, pair = 1.0;
  int k = 0, in_vain = 0;
  bool finite = true;

  StepStatus evaluate() const { return finite ? StepStatus::fine : StepStatus::not_finite; }
  bool solved(int iteration) {
    k = iteration;
    return false;
  }

  StepStatus correct() {
    auto& c = s.constraints_;
    ++s.iterations;
    ++s.failure.iterations;
    s.evaluate_stages(h, drive);
    if (c.m > 0) s.evaluate_nodes(h, drive);
    s.set_residuals(h);
    std::copy(c.impulses.begin(), c.impulses.end(), c.measured.begin());
    if (newton) {
      if ((k == 0 || contraction > refactored) && !s.factor_newton(h, drive)) return StepStatus::no_convergence;
      s.solve_newton(h);
      return StepStatus::fine;
    }
    if (k == 0 && !s.factor()) return StepStatus::singular;
    for (int i = 0; i < s.table_.stages; ++i) s.stages_[i].solve(s.r_[i].data());
    if (c.m > 0) s.correct_constraints(h);
    return StepStatus::fine;
  }

  void move(double) {
    now = s.correction(&rate);
    s.failure.residual = now / (rate + std::numeric_limits<double>::min());
    finite = std::isfinite(now) && std::isfinite(s.constraints_.closure);
  }

  Judgement judge(double) {
    const auto& c = s.constraints_;
    // Contractions alternate, since rates and places take turns: two of them tell how the iteration goes.
    const double last_pair = pair, last = contraction;
    if (k > 0) contraction = before > 0.0 ? now / before : 0.0;
    if (k > 1) pair = contraction * last;
    const bool closed = c.closure <= s.settings_.constraint_tolerance;
    const bool stays =
        c.m == 0 || std::abs(h) * now <= suited * epsilon * size;  // the correction moves hardly anything
    if (closed && stays && std::max(contraction, last) * now <= std::max(s.settings_.tolerance * rate, position)) {
      if (!newton) s.state.contraction = std::max(contraction, last);
      return Judgement::accept;
    }
    // Round-off: the correction is that of the rates' last digits, or of positions that a step moves by less than their
    // own, or the equations are met to their last digits (near a loss of rank they do not tell the rates further); and
    // nothing is gained any more, or much less than before: the rest of the correction is noise.
    const bool noise = pair > stalled || (s.failure.residual <= noisy && pair > 5.0 * last_pair);
    const bool fine = s.failure.residual <= round_off || std::abs(h) * now <= position_round_off * place ||
                      (c.m > 0 && c.momentum <= f_round_off);
    if (k > 1 && noise && fine && (closed || (last_resort && k > long_tried && c.closure <= h_round_off))) {
      if (c.m > 0) s.take_back();  // what was measured is known to hold
      return Judgement::accept;
    }
    if (k > 1 && pair > slow && ++in_vain == patience) return Judgement::give_up;
    if (k > patience && pair > sluggish && !fine && !last_resort) return Judgement::give_up;
    before = now;
    return Judgement::go_on;
  }
};

// The largest variable, in rad or sizes of the system, at least one: large where a shaft has turned for long.
double GaussStepper::far() const {
  double largest = 1.0;
  for (int i = 0; i < model_.n_dynamic; ++i) largest = std::max(largest, unit_[i] * std::abs(state.q[i]));
  return largest;
}

bool GaussStepper::newton_fits() const { return table_.stages * model_.n_dynamic <= newton_size; }

// From the polynomial taken so far ahead.
StepStatus GaussStepper::attempt(double h, const Drive& drive, double ahead, bool newton) {
  extrapolate(ahead);
  std::copy(state.impulses.begin(), state.impulses.end(), constraints_.impulses.begin());
  failure = {};
  Iteration iteration{*this, h, drive, newton};
  const StepStatus status = bough::newton(iteration, settings_.max_iterations);
  return status == StepStatus::fine && newton && !near_start(h) ? StepStatus::no_convergence : status;
}

// From the polynomial; if that fails, along the line of the last velocity.
StepStatus GaussStepper::solve(double h, const Drive& drive) {
  begin(h, drive);
  extrapolate(0.0);
  std::copy_n(stages_[0].v.begin(), model_.n_dynamic, line_.begin());
  if (state.newton == 0) {
    const StepStatus status = attempt(h, drive, h, false);
    if (status == StepStatus::fine || status == StepStatus::singular) return status;
  }
  if (!newton_fits()) return attempt(h, drive, 0.0, false);
  StepStatus status = StepStatus::no_convergence;
  for (const double ahead : {h, 0.0}) {
    status = attempt(h, drive, ahead, true);
    if (status != StepStatus::fine) continue;
    state.newton = state.newton > 0 ? state.newton - 1 : newton_steps;
    break;
  }
  return status;
}

}  // namespace bough
