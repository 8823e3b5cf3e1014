#include "bough/integrators/gauss_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

GaussSolver::GaussSolver(const Model& model, const GaussTable& table, const StepSettings& settings)
    : model_(model),
      settings_(settings),
      stages_(model, table),
      constraints_(model, table, settings.constraint_tolerance),
      newton_(model, table),
      unit_(variable_units(model)),
      line_(model.n_dynamic) {}

// V += correction; the largest correction, and the largest rate, in turns or sizes of the system a second.
double GaussSolver::correct_rates(double* largest_rate) {
  Lane4 largest{}, rate{}, sum{};
  stages_.correct();
  for (int k = 0; k < model_.n_dynamic; ++k) {
    const Lane4 size = unit_[k] * abs(stages_.r[k]);
    sum += size;
    largest = max(largest, size);
    rate = max(rate, unit_[k] * abs(stages_.v[k]));
  }
  double found = 0.0, total = 0.0;
  *largest_rate = 0.0;
  for (int i = 0; i < stages_.count(); ++i) {
    total += sum[i];
    found = std::max(found, largest[i]);
    *largest_rate = std::max(*largest_rate, rate[i]);
  }
  return std::isfinite(total) ? found : total;
}

// The variable of the last correction that is largest.
int GaussSolver::worst() const {
  double largest = 0.0;
  int found = 0;
  for (int k = 0; k < model_.n_dynamic; ++k)
    for (int i = 0; i < stages_.count(); ++i)
      if (const double size = unit_[k] * std::abs(stages_.r[k][i]); size > largest) {
        largest = size;
        found = k;
      }
  return found;
}

// The last correction.
void GaussSolver::take_back() {
  stages_.take_back();
  constraints_.take_back();
}

// Whether no stage is further than a turn, or a size of the system, from where the last velocity leads: Newton's method may
// find other roots.
bool GaussSolver::near_line(double h) const {
  for (int i = 0; i < stages_.count(); ++i)
    for (int k = 0; k < model_.n_dynamic; ++k)
      if (!(unit_[k] * std::abs(h * (stages_.v[k][i] - line_[k])) <= 1.0)) return false;
  return true;
}

// The largest variable, in rad or sizes of the system, at least one: large where a shaft has turned for long.
double GaussSolver::far(const GaussState& from) const {
  double largest = 1.0;
  for (int i = 0; i < model_.n_dynamic; ++i) largest = std::max(largest, unit_[i] * std::abs(from.q[i]));
  return largest;
}

// (GL7), or Newton's method on all stages, for newton(): judged by the corrections of rates.
struct GaussSolver::Iteration {
  GaussSolver& s;
  const GaussStep& step;
  const bool newton;
  const double h = std::abs(step.h), place = s.far(step.from), size = std::max(1.0, place / suited);
  // Constraints tell positions to round-off and not further, whatever the rates.
  const double position = s.constraints_.any() ? 0.25 * epsilon * size / h : 0.0;
  const bool last_resort = newton || !s.newton_.fits();
  double now = 0.0, before = 0.0, rate = 0.0;  // the last correction, the one before, the largest rate
  double contraction = newton ? 1.0 : s.contraction_, pair = 1.0;
  int k = 0, in_vain = 0;
  bool finite = true;

  StepStatus evaluate() const { return finite ? StepStatus::fine : StepStatus::not_finite; }
  bool solved(int iteration) {
    k = iteration;
    return false;
  }

  StepStatus correct() {
    ++s.iterations;
    ++s.failure.iterations;
    s.stages_.evaluate(step);
    s.stages_.set_residuals(step);
    if (s.constraints_.any()) {
      s.constraints_.evaluate(step, s.stages_);
      s.constraints_.add_to_residuals(step, s.stages_);
    }
    return newton ? correct_all_at_once() : correct_stages();
  }

  StepStatus correct_stages() {
    if (k == 0) {
      if (const int singular = s.stages_.factor(); singular >= 0) {
        s.failure.worst = singular;
        return StepStatus::singular;
      }
      if (s.constraints_.any()) s.constraints_.factor(s.stages_);
    }
    s.stages_.solve(s.stages_.r);
    if (s.constraints_.any()) s.constraints_.correct(step, s.stages_);
    return StepStatus::fine;
  }

  StepStatus correct_all_at_once() {
    if ((k == 0 || contraction > refactored) && !s.newton_.factor(step, s.stages_, s.constraints_))
      return StepStatus::no_convergence;
    s.newton_.solve(step, s.stages_, s.constraints_);
    return StepStatus::fine;
  }

  void move(double) {
    now = s.correct_rates(&rate);
    s.failure.residual = now / (rate + std::numeric_limits<double>::min());
    finite = std::isfinite(now) && std::isfinite(s.constraints_.closure());
  }

  Judgement judge(double) {
    const auto& c = s.constraints_;
    // Contractions alternate, because rates and positions are updated in turn: a pair of them tells how the iteration goes.
    const double last_pair = pair, last = contraction;
    if (k > 0) contraction = before > 0.0 ? now / before : 0.0;
    if (k > 1) pair = contraction * last;
    const bool closed = c.closure() <= s.settings_.constraint_tolerance;
    const bool stays = !c.any() || h * now <= suited * epsilon * size;  // the correction moves hardly anything
    if (closed && stays && std::max(contraction, last) * now <= std::max(s.settings_.tolerance * rate, position)) {
      if (!newton) s.contraction_ = std::max(contraction, last);
      return Judgement::accept;
    }
    // Round-off: the correction is that of the rates' last digits, or of positions that a step moves by less than their
    // own, or the equations are met to their last digits (near a loss of rank they do not tell the rates further); and
    // nothing is gained any more, or much less than before: the rest of the correction is noise.
    const bool noise = pair > stalled || (s.failure.residual <= noisy && pair > 5.0 * last_pair);
    const bool fine = s.failure.residual <= round_off || h * now <= position_round_off * place ||
                      (c.any() && c.momentum() <= f_round_off);
    if (k > 1 && noise && fine && (closed || (last_resort && k > long_tried && c.closure() <= h_round_off))) {
      if (c.any()) s.take_back();  // what was measured is known to hold
      return Judgement::accept;
    }
    if (k > 1 && pair > slow && ++in_vain == patience) return Judgement::give_up;
    if (k > patience && pair > sluggish && !fine && !last_resort) return Judgement::give_up;
    before = now;
    return Judgement::go_on;
  }
};

StepStatus GaussSolver::attempt(const GaussStep& step, const RatePolynomial& past, bool newton) {
  stages_.guess(past);
  constraints_.guess(past.made);
  failure = {};
  Iteration iteration{*this, step, newton};
  const StepStatus status = bough::newton(iteration, settings_.max_iterations);
  if (status != StepStatus::fine && status != StepStatus::singular) failure.worst = worst();
  if (status == StepStatus::fine && newton && !near_line(step.h)) return StepStatus::no_convergence;
  by_newton_ = newton;
  return status;
}

StepStatus GaussSolver::solve(const GaussStep& step, const RatePolynomial& past) {
  const RatePolynomial line{past.made, past.first, 0.0};
  contraction_ = past.made.contraction;
  stages_.begin(step);
  if (constraints_.any()) constraints_.begin(step);
  stages_.guess(line);
  for (int k = 0; k < model_.n_dynamic; ++k) line_[k] = stages_.v[k][0];
  if (step.from.newton == 0) {
    const StepStatus status = attempt(step, past, false);
    if (status == StepStatus::fine || status == StepStatus::singular) return status;
  }
  if (!newton_.fits()) return attempt(step, line, false);
  const StepStatus status = attempt(step, past, true);
  return status == StepStatus::fine ? status : attempt(step, line, true);
}

}  // namespace bough
