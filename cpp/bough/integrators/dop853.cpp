#include "bough/integrators/dop853.hpp"

#include <cmath>
#include <limits>

#include "bough/tree/balls.hpp"

namespace bough {
namespace {

using namespace dop853;

constexpr double smallest = 0.2, largest = 10.0, safety = 0.9;  // of (DP3)
constexpr double least_ulps = 10.0;  // a step of fewer units in the last place of t is too short

}  // namespace

Dop853::Dop853(const Model& model, const Dop853Settings& settings, KinematicMotion motion)
    : equations(model, settings.g1, settings.g2),
      settings_(settings),
      motion_(std::move(motion)),
      n_(model.n_dynamic),
      nq_(equations.width()) {
  for (auto* x : {&y_, &y_before_, &trial_}) x->resize(nq_ + n_);
  u_.resize(model.elements.n_inputs);
  k_.assign(extended, Numbers(nq_ + n_));
  F_.assign(7, Numbers(nq_ + n_));
}

void Dop853::start(double t, const double* q, const double* v) {
  t_ = t_before_ = t;
  std::copy_n(q, nq_, y_.begin());
  std::copy_n(v, n_, y_.begin() + nq_);
  h_ = settings_.first_step;
  known_ = dense_ = false;
}

// f(t, y)
StepStatus Dop853::rate(double t, const Numbers& y, double* k) {
  failed_at = t;
  if (!sound(y)) return StepStatus::not_finite;
  const double* v = y.data() + nq_;
  std::copy_n(v, n_, k);
  const Model& model = equations.model();
  quaternion_rates(model, y.data() + n_, v, k + n_);
  for (const Ball& ball : model.balls) set_ball_vector(ball, k, Vec3::zero());
  return equations.acceleration(t, motion_.at(t), y.data(), v, u_.data(), k + nq_) ? StepStatus::fine
                                                                                   : StepStatus::singular;
}

// k_i of (DP1), of the step of length last_ from y_before_.
StepStatus Dop853::stage(int i) {
  std::fill(trial_.begin(), trial_.end(), 0.0);
  for (int j = 0; j < i; ++j) {
    const double weight = a[i][j];
    if (weight == 0.0) continue;
    const double* __restrict k = k_[j].data();
    for (std::size_t l = 0; l < trial_.size(); ++l) trial_[l] += weight * k[l];
  }
  for (std::size_t l = 0; l < trial_.size(); ++l) trial_[l] = y_before_[l] + last_ * trial_[l];
  return rate(t_before_ + c[i] * last_, trial_, k_[i].data());
}

// (DP2)
double Dop853::error(const Numbers& y1) const {
  double fifth = 0.0, third = 0.0;
  for (std::size_t l = 0; l < y1.size(); ++l) {
    const double scale = settings_.atol + settings_.rtol * std::max(std::abs(y_before_[l]), std::abs(y1[l]));
    double x5 = 0.0, x3 = 0.0;
    for (int i = 0; i <= stages; ++i) {
      x5 += e5[i] * k_[i][l];
      x3 += e3[i] * k_[i][l];
    }
    fifth += x5 * x5 / (scale * scale);
    third += x3 * x3 / (scale * scale);
  }
  const double both = fifth + 0.01 * third;
  return both > 0.0 ? std::abs(last_) * fifth / std::sqrt(both * y1.size()) : both;
}

// A step of Euler's method tells how fast the rate changes.
StepStatus Dop853::first_step(double end) {
  const auto norm = [&](const auto& value) {
    double sum = 0.0;
    for (std::size_t l = 0; l < y_.size(); ++l) {
      const double x = value(l) / (settings_.atol + settings_.rtol * std::abs(y_[l]));
      sum += x * x;
    }
    return std::sqrt(sum / y_.size());
  };
  const Numbers &f0 = k_[0], &f1 = k_[1];
  const double d0 = norm([&](std::size_t l) { return y_[l]; }), d1 = norm([&](std::size_t l) { return f0[l]; });
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, end - t_);
  for (std::size_t l = 0; l < y_.size(); ++l) trial_[l] = y_[l] + h0 * f0[l];
  if (const StepStatus status = rate(t_ + h0, trial_, k_[1].data()); status != StepStatus::fine) return status;
  const double d2 = norm([&](std::size_t l) { return f1[l] - f0[l]; }) / h0;
  const double h1 = d1 <= 1e-15 && d2 <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / std::max(d1, d2), 0.125);
  h_ = std::min(100.0 * h0, h1);
  return StepStatus::fine;
}

// All stages of (DP1); trial_ is then y1.
StepStatus Dop853::try_step(double h) {
  last_ = h;
  t_before_ = t_;
  y_before_ = y_;
  for (int i = 1; i <= stages; ++i)
    if (const StepStatus status = stage(i); status != StepStatus::fine) return status;
  return StepStatus::fine;
}

StepStatus Dop853::accept(double h) {
  const double t = t_before_ + h;
  normalise(equations.model(), trial_.data() + n_);
  if (settings_.projecting) {
    if (!equations.project(t, motion_.at(t), trial_.data(), trial_.data() + nq_)) return StepStatus::singular;
    if (const StepStatus status = rate(t, trial_, k_[stages].data()); status != StepStatus::fine) return status;
  }
  y_ = trial_;
  t_ = t;
  dense_ = false;
  ++steps;
  return StepStatus::fine;
}

// The rate at the state: that at the end of the last step, or computed.
StepStatus Dop853::begin(double end) {
  if (known_)
    std::swap(k_[0], k_[stages]);
  else if (const StepStatus status = rate(t_, y_, k_[0].data()); status != StepStatus::fine)
    return status;
  known_ = false;
  return h_ > 0.0 ? StepStatus::fine : first_step(end);
}

StepStatus Dop853::step(double end, const double* u) {
  std::copy_n(u, u_.size(), u_.begin());
  if (n_ == 0) {
    t_before_ = t_;
    t_ = end;
    return StepStatus::fine;
  }
  if (const StepStatus status = begin(end); status != StepStatus::fine) return status;
  const double least = least_ulps * (std::nextafter(t_, std::numeric_limits<double>::infinity()) - t_);
  h_ = std::max(h_, least);
  for (bool grows = true;; grows = false) {
    const double wanted = std::min(h_, settings_.max_step);
    const bool cut = t_ + wanted >= end;
    const double h = cut ? end - t_ : wanted;
    StepStatus status = try_step(h);
    const double e = status == StepStatus::fine ? error(trial_) : std::numeric_limits<double>::infinity();
    const double factor = e > 0.0 ? std::min(largest, safety * std::pow(e, -0.125)) : largest;
    if (e < 1.0 && (status = accept(h)) == StepStatus::fine) {
      if (cut) t_ = end;
      h_ = h * std::max(smallest, grows ? factor : std::min(1.0, factor));  // (DP3)
      if (cut) h_ = std::max(h_, wanted);  // the end of a step that was cut short tells nothing of the next one
      known_ = true;
      return StepStatus::fine;
    }
    ++rejected;
    h_ = h * (factor > smallest ? factor : smallest);  // not a number: a stage that went too far
    if (h_ < least) return status == StepStatus::fine ? StepStatus::no_convergence : status;
  }
}

bool Dop853::prepare_dense() {
  for (int i = stages + 1; i < extended; ++i)
    if (stage(i) != StepStatus::fine) return false;
  const double h = last_;
  for (std::size_t l = 0; l < y_.size(); ++l) {
    const double move = y_[l] - y_before_[l], first = h * k_[0][l], last = h * k_[stages][l];
    F_[0][l] = move;
    F_[1][l] = first - move;
    F_[2][l] = 2.0 * move - (first + last);
    for (int m = 0; m < 4; ++m) {
      double sum = 0.0;
      for (int i = 0; i < extended; ++i) sum += d[m][i] * k_[i][l];
      F_[3 + m][l] = h * sum;
    }
  }
  dense_ = true;
  return true;
}

bool Dop853::at(double t, double* q, double* v) {
  if (n_ > 0 && t != t_) {
    if (!dense_ && !prepare_dense()) return false;
    const double x = (t - t_before_) / last_, y = 1.0 - x;
    for (std::size_t l = 0; l < y_.size(); ++l)
      trial_[l] =
          y_before_[l] +
          x * (F_[0][l] +
               y * (F_[1][l] + x * (F_[2][l] + y * (F_[3][l] + x * (F_[4][l] + y * (F_[5][l] + x * F_[6][l]))))));
    normalise(equations.model(), trial_.data() + n_);
    if (settings_.projecting && !equations.project(t, motion_.at(t), trial_.data(), trial_.data() + nq_)) return false;
    write(t, trial_, q, v);
  } else {
    write(t, y_, q, v);
  }
  return true;
}

void Dop853::write(double t, const Numbers& y, double* q, double* v) {
  const Prescribed kinematic = motion_.at(t);
  const std::size_t nk = equations.model().n_variables - n_;
  to_user(equations.model(), y.data(), kinematic.k, q);
  std::copy_n(y.begin() + nq_, n_, v);
  std::copy_n(kinematic.vk, nk, v + n_);
}

}  // namespace bough
