#include "bough/integrators/step_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/dynamics/energy.hpp"
#include "bough/integrators/step_equations.hpp"

namespace bough {
namespace {

constexpr double rounding = 1e-14;  // of the potential energies, by which the energy of a node is uncertain
constexpr double small = 1e-6;      // change of energy, of the kinetic energy, that may be the noise of a potential
constexpr int generations[] = {4, 5, 6};  // of halves, in which a change that is no noise becomes half as large
constexpr double share = 0.01;            // of delta, that an error of the configuration may have

// Legendre polynomial of degree s - 1 at x, s = 2, 3, 4.
double legendre(int s, double x) {
  if (s == 2) return x;
  return s == 3 ? 0.5 * (3.0 * x * x - 1.0) : 0.5 * (5.0 * x * x - 3.0) * x;
}

}  // namespace

StepJudge::StepJudge(const Model& model, double delta, double kinetic, double rate)
    : model_(model),
      delta_(delta),
      kinetic_(kinetic),
      rate_(rate),
      units_(variable_units(model)),
      space_(model),
      v_(model.n_variables) {}

void StepJudge::begin(const GaussStepper::State& node) { energy_ = energy(node); }

void StepJudge::failed(int depth) { changes_[depth] = std::numeric_limits<double>::infinity(); }

StepJudge::Energy StepJudge::energy(const GaussStepper::State& state) {
  std::fill(v_.begin(), v_.end(), 0.0);
  Workspace& ws = workspace(model_);
  if (velocity_from_momentum(model_, ws, space_, state.q.data(), state.p.data(), state.t, v_.data()) >= 0)
    return {std::numeric_limits<double>::quiet_NaN(), 0.0};
  const double kinetic = 0.5 * std::inner_product(state.p.begin(), state.p.end(), v_.begin(), 0.0);
  return {kinetic, potential_energy(model_, ws, state.q.data())};
}

StepJudge::Verdict StepJudge::verdict(const GaussStepper& stepper, double h, int depth) {
  reached_ = energy(stepper.state);
  const Energy &from = energy_, &to = reached_;
  const double scale = std::max({from.kinetic, to.kinetic, kinetic_});
  const double change = std::abs((to.kinetic - from.kinetic) + (to.potential - from.potential));
  const double allowed = delta_ * scale + rounding * (std::abs(from.potential) + std::abs(to.potential));
  const bool follows = phase(stepper, h) <= share * delta_;  // (SD6)
  if (change <= allowed && follows) return Verdict::fine;    // (SD5)
  double before = std::numeric_limits<double>::infinity();
  if (follows && depth >= generations[2] && change < small * scale) {
    before = 0.0;  // the largest of three, as one may be small by chance
    for (const int back : generations) before = std::max(before, changes_[depth - back]);
  }
  changes_[depth] = change;
  return 2.0 * change > before ? Verdict::noise : Verdict::too_long;
}

// The displacement by which an oscillation is off whose rates have such a last coefficient: it turns by 2 theta in the step.
double StepJudge::phase(const GaussStepper& stepper, double h) const {
  const int s = stepper.stages(), n = model_.n_variables, nd = model_.n_dynamic;
  const GaussTable& table = gauss_tables[s - 2];
  double weights[most_stages], largest = 0.0, fastest = rate_;
  for (int j = 0; j < s; ++j) weights[j] = (2 * s - 1) * table.b[j] * legendre(s, 2.0 * table.c[j] - 1.0);
  for (int i = 0; i < nd; ++i) {
    double sum = 0.0;
    for (int j = 0; j < s; ++j) {
      const double rate = stepper.state.rates[j * n + i] * units_[i];
      sum += weights[j] * rate;
      fastest = std::max(fastest, std::abs(rate));
    }
    largest = std::max(largest, std::abs(sum));
  }
  if (!(largest > 0.0)) return 0.0;
  constexpr double odd[] = {1.0, 3.0, 15.0}, error[] = {1.0 / 720.0, 1.0 / 100800.0, 1.0 / 25401600.0};
  const double theta = std::pow(odd[s - 2] * largest / fastest, 1.0 / (s - 1));
  return error[s - 2] * std::pow(2.0 * theta, 2 * s) * h * fastest;
}

}  // namespace bough
