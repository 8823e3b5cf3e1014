// Where the place at which two shapes touch passes from one feature to another, (EV8): the gap of the other one is none there, and
// below none before and after.
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double told = 1e-11;   // of the scale of a gap: what is none
constexpr double narrow = 1e-9;  // of a step: a change of the place of the largest gap that is none
constexpr int most_trials = 20;

// Of the parabola through three places, where it is largest.
double top_of_parabola(const double (&x)[3], const double (&f)[3]) {
  const double left = (f[1] - f[0]) / (x[1] - x[0]), right = (f[2] - f[1]) / (x[2] - x[1]);
  const double bend = (right - left) / (x[2] - x[0]);
  return 0.5 * (x[0] + x[1]) - 0.5 * left / bend;
}

}  // namespace

// The equations are solved for a step of length T, at whose end features_.passing is crossed. The passage is at tau, and so are they on
// return. False if there is none: the feature is met in another way, or another contact is crossed before.
bool ContactSteps::find_passage(double T, double* tau) {
  const int contact = features_.passing;
  ContactRows& end = rows_[1 - from_];
  const double none = told * gaps_.scale1[contact];
  double x[3] = {0.0, 0.0, T}, f[3] = {gaps_.phi0[contact], 0.0, gaps_.phi1[contact]};
  const auto gap_at = [&](double length, double* phi) {
    if (brief(length) || solve_near(length) != StepStatus::fine) return false;
    end.set(state_.t + length, equations_.q1().data());
    *phi = end.gap_of(contact);
    return true;
  };
  if (!(f[0] < 0.0 && f[2] < 0.0)) return false;  // measured again, it is met in another way
  set_polynomial(T);
  const double before = std::sqrt(-f[0]), after = std::sqrt(-f[2]);  // of a parabola whose top is at zero
  x[1] = T * before / (before + after);
  if (!gap_at(x[1], &f[1])) return false;
  double at = x[1], phi = f[1];
  for (int trial = 0; phi < -none; ++trial) {
    at = top_of_parabola(x, f);
    if (trial == most_trials || !(at > x[0] && at < x[2]) || std::abs(at - x[1]) <= narrow * T) return false;
    if (!gap_at(at, &phi)) return false;
    const int other = phi > f[1] ? 1 : at < x[1] ? 0 : 2;  // the place that it takes
    if (other == 1) {
      const int side = at < x[1] ? 2 : 0;
      x[side] = x[1];
      f[side] = f[1];
    }
    x[other] = at;
    f[other] = phi;
  }
  end.gaps(gaps_.phi1.data(), gaps_.scale1.data());
  for (int i = 0; i < end.contacts(); ++i)
    if (i != contact && open(i) && gaps_.phi0[i] >= -crossed_below * gaps_.scale0[i] &&
        gaps_.phi1[i] < -crossed_below * gaps_.scale1[i])
      return false;
  *tau = at;
  return true;
}

// The step ends at the passage, and both features are closed from there on; or the new one is open yet, and may be hit. Where there is
// none, a new one that is not deep is closed from the start of the step on. False if the step is too long for all that.
bool ContactSteps::pass_over(double T) {
  const int contact = features_.passing;
  double tau;
  if (!located || !find_passage(T, &tau)) {
    if (features_.shallow) hold(contact);
    return features_.shallow;
  }
  const bool open = gaps_.phi1[contact] > told * gaps_.scale1[contact];
  split();
  if (!make(tau)) return false;
  if (open) return true;
  rows_[from_].set(state_.t, state_.q.data());
  set_start();
  known_ = false;
  features_.met.assign(1, contact);
  ++hits_.impacts;
  if (!close_met()) return false;
  note(ContactTrace::Kind::joined);
  return true;
}

}  // namespace bough
