// Where an open contact closes within a step, (EV1): by (EV5), and by steps of other lengths where that does not apply.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double digits = std::numeric_limits<double>::epsilon();
constexpr double found = 4.0;             // digits of the scale to which a crossing is located
constexpr double closed_below = 1e-10;    // of the scale of a gap: what counts as closed
constexpr double shortest_flight = 1e-3;  // of a contact that leaves a node and returns, in steps
constexpr double jumped = 1e-8;           // of the scale of a gap: more than it falls by in the shortest time
constexpr int most_inward = 20;           // halvings of a step in search of a place where a contact that left is open
constexpr int most_trials = 100;          // of tau
constexpr int most_chords = 8;            // of kinematic variables
constexpr int most_points = 5;            // of the polynomial that guesses where a step ends

}  // namespace

// The equations are solved at tau on return; tau < 0: the step is not crossed after all. stuck: a contact that leaves the node
// so slowly that it is open nowhere.
StepStatus ContactSteps::locate(double T, double at, double* tau, int* stuck) {
  StepStatus status = StepStatus::fine;
  double b = at * T, a = 0.0;
  if (at < 1.0 && (status = solve(b)) != StepStatus::fine) return status;
  Least end = at < 1.0 ? least_gap_at(b) : least_gap();  // of the step that crosses() has looked at
  *tau = -1.0;
  if (end.phi >= -crossed_below * end.scale) return status;
  double at_a = gaps_.phi0[end.contact], at_b = end.phi;
  Least crossed = end;  // what b was found by
  if (at_a <= crossed_below * gaps_.size[end.contact]) {
    *tau = 0.0;
    if (!leaves(end.contact)) return status;
    status = enter(end.contact, &a, &at_a, &b, &at_b);
    if (a == 0.0) *stuck = end.contact;
    if (status != StepStatus::fine || a == 0.0) return status;
  }
  const auto settled = [&](double x) {  // x is found; whether no other crossing is before it
    *tau = x;
    double earlier = 1.0;
    if (!crosses_within(x, &earlier)) return true;
    b = earlier * x;
    a = 0.0;
    if ((status = solve(b)) != StepStatus::fine) return true;
    const Least inner = least_gap_at(b);
    if (inner.phi >= -crossed_below * inner.scale) {  // a crossing of the straight way only
      status = solve(x);
      return true;
    }
    at_a = gaps_.phi0[inner.contact];
    at_b = inner.phi;
    crossed = inner;
    return false;
  };
  if (equations_.contacts()->empty() && a == 0.0 && meet(end.contact, b, at_b, tau)) {
    const Least now = least_gap_at(*tau);
    if (now.phi >= -crossed_below * now.scale) {
      if (settled(*tau)) return status;
    } else {
      b = *tau;
      at_a = gaps_.phi0[now.contact];
      at_b = now.phi;
      crossed = now;
    }
  }
  int side = 0;
  for (int trial = 0; trial < most_trials; ++trial) {  // Illinois
    double x = a + (b - a) * at_a / (at_a - at_b);
    if (!(x > a && x < b)) x = 0.5 * (a + b);
    if ((status = solve(x)) != StepStatus::fine) return status;
    const Least now = least_gap_at(x);
    if (features_.passed) return status;
    *tau = x;
    const bool narrow = b - a <= 2.0 * digits * T;
    if (std::abs(now.phi) <= found * digits * now.scale || (narrow && now.phi > 0.0)) {
      if (settled(x)) return status;
      continue;
    }
    if (now.phi > 0.0) {
      a = x;
      at_a = now.phi;
      if (side > 0) at_b *= 0.5;
      side = 1;
    } else {
      b = x;
      at_b = now.phi;
      crossed = now;
      if (side < 0) at_a *= 0.5;
      side = -1;
    }
    if (!narrow) continue;
    if (crossed.phi < -jumped * crossed.scale) {
      leave_out(crossed.contact);
      return status;
    }
    if (a > 0.0) {
      *tau = a;
      return solve(a);
    }
    *tau = 0.0;  // crossed however short the step is: it touches at the node, though another was deeper at the end
    if (leaves(now.contact)) *stuck = now.contact;
    return status;
  }
  return StepStatus::no_convergence;
}

// By (EV5), from where a parabola through three gaps closes: at the node, after the step solved last, phi, and between them.
bool ContactSteps::meet(int contact, double longest, double phi, double* tau) {
  const double at_start = gaps_.phi0[contact];
  double x = longest * at_start / (at_start - phi);
  std::copy(equations_.q1().begin(), equations_.q1().end(), way_.end.begin());
  guess_between(x, longest);
  double rate;
  const double middle = equations_.contacts()->gap(contact, state_.t + x, way_.q.data(), way_.row.data(), &rate);
  const double left = (middle - at_start) / x, bend = ((phi - middle) / (longest - x) - left) / longest;
  const double slope = left - bend * x, root = slope * slope - 4.0 * bend * at_start;  // at_start + slope s + bend s^2
  const double s = root > 0.0 && slope < 0.0 ? 2.0 * at_start / (-slope + std::sqrt(root)) : x;
  if (s > 0.0 && s < longest) {
    x = s;
    guess_between(x, longest);
  }
  const StepStart start{state_.t, state_.q.data(), state_.p.data(), state_.shift.data(), true};
  // Kinematic variables move along the chord of (EV3) to the end that is looked for.
  for (int trial = 0; trial < most_chords; ++trial) {
    for (std::size_t i = 0; i < way_.k0.size(); ++i) way_.k_rate[i] = (way_.k[i] - state_.q[model_.n_dynamic + i]) / x;
    *tau = x;
    if (!equations_.meet(start, {contact, gaps_.size[contact], longest, way_.k_rate.data()}, whole_.u, way_.q.data(),
                         tau))
      return false;
    if (way_.k0.empty() || std::abs(*tau - x) <= found * digits * longest) return true;
    x = *tau;
    std::copy(equations_.q1().begin(), equations_.q1().end(), way_.q.begin());
    set_kinematic(elapsed_ + x);
    std::copy(way_.k.begin(), way_.k.end(), way_.q.begin() + model_.n_dynamic);
  }
  return true;
}

// q1 of a part of length x in way_.q, from the polynomial through the nodes before and the end of a step of length `longest`.
void ContactSteps::guess_between(double x, double longest) {
  const History& past = state_.history;
  const int points = std::min(past.known, most_points), nd = model_.n_dynamic;
  double weight = 1.0;
  for (int back = 0; back < points; ++back) weight *= (x + past.age_of(back)) / (longest + past.age_of(back));
  past.extrapolate(longest, 0, points, way_.a.data());
  past.extrapolate(x, 0, points, way_.q.data());
  for (int i = 0; i < nd; ++i) way_.q[i] += weight * (way_.end[i] - way_.a[i]);
  set_kinematic(elapsed_ + x);
  std::copy(way_.k.begin(), way_.k.end(), way_.q.begin() + nd);
  std::copy(state_.q.begin() + model_.n_variables, state_.q.end(), way_.q.begin() + model_.n_variables);
}

// A contact that left the node, with the velocity that leaves() found: a time a at which it is open, before the time b at which
// it is crossed. None is looked for if the gap is a matter of round-off by then, nor, unless its restitution is 1, in a part
// of the step that is too short to be told from the impact.
StepStatus ContactSteps::enter(int contact, double* a, double* at_a, double* b, double* at_b) {
  const double away = node_.U()[0];
  const double least = rows_[0][contact].restitution < 1.0 ? shortest_flight * whole_.dt : 0.0;
  double x = *b;
  for (int k = 0; k < most_inward; ++k) {
    x *= 0.5;
    if (x <= least || away * x <= closed_below * gaps_.size[contact]) return StepStatus::fine;
    if (solve(x) != StepStatus::fine) break;  // a step too short to be told from none
    const Least now = least_gap_at(x);
    if (now.phi > 0.0 && gaps_.phi1[contact] > 0.0) {
      *a = x;
      *at_a = now.phi;
      return StepStatus::fine;
    }
    *b = x;
    *at_b = now.phi;
  }
  return StepStatus::fine;
}

}  // namespace bough
