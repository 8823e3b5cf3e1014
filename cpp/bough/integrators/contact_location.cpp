// Where an open contact closes within a step, (EV1): by (EV5), and by steps of other lengths where that does not apply.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double digits = std::numeric_limits<double>::epsilon();
constexpr double found = 4.0;  // digits of the scale to which a crossing is located
constexpr double touching =
    1e-12;  // of the scale of a gap: what closes at the node, or has left it with others that closed
constexpr double closed_below = 1e-10;    // of the scale of a gap: what counts as closed
constexpr double shortest_flight = 1e-3;  // of a contact that leaves a node and returns, in steps
constexpr double jumped = 1e-8;           // of the scale of a gap: more than it falls by in the shortest time
constexpr int most_inward = 20;           // halvings of a step in search of a place where a contact that left is open
constexpr int most_trials = 100;          // of tau
constexpr int most_secants = 8;           // of these
constexpr int most_flights = 3;           // guesses of the length of a flight before halving
constexpr double of_flight = 0.75;        // part of a flight at which it is looked for
constexpr int most_points = 5;            // of the polynomial that guesses where a step ends
constexpr double part = 1e-4;             // of a step: that over which the rate of the polynomial is found

}  // namespace

// The equations are solved at tau on return; tau < 0: the step is not crossed after all. stuck: a contact that leaves the node
// so slowly that it is open nowhere.
StepStatus ContactSteps::locate(double T, double at, double* tau, int* stuck) {
  StepStatus status = StepStatus::fine;
  list_all();  // also contacts that are apart for sure
  rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
  rows_[1 - from_].gaps(gaps_.phi1.data(), gaps_.scale1.data());
  set_sizes();
  double b = at * T, a = 0.0;
  if (at < 1.0 && (status = solve(b)) != StepStatus::fine) return status;
  Least end = at < 1.0 ? least_gap_at(b) : least_gap();  // of the step that crosses() has looked at
  *tau = -1.0;
  if (end.phi >= -crossed_below * end.scale) return status;
  set_polynomial(b);
  double at_a, at_b;
  Least crossed;  // what b was found by
  // A contact is crossed at a length; false if the search is over: it touches at the node and does not leave, or is open nowhere.
  const auto bracket = [&](const Least& deep, double length) {
    a = 0.0;
    b = length;
    at_a = gaps_.phi0[deep.contact];
    at_b = deep.phi;
    crossed = deep;
    if (at_a > touching * gaps_.size[deep.contact]) return true;
    *tau = 0.0;
    if (!leaves(deep.contact)) return false;
    status = enter(deep.contact, &a, &at_a, &b, &at_b);
    if (a == 0.0) *stuck = deep.contact;
    return status == StepStatus::fine && a > 0.0;
  };
  if (!bracket(end, b)) return status;
  const auto settled = [&](double x) {  // x is found; whether no other crossing is before it
    *tau = x;
    double earlier = 1.0;
    if (!crosses_within(x, &earlier)) return true;
    if ((status = solve(earlier * x)) != StepStatus::fine) return true;
    const Least inner = least_gap_at(earlier * x);
    if (inner.phi >= -crossed_below * inner.scale) {  // a crossing of the straight way only
      status = solve(x);
      return true;
    }
    return !bracket(inner, earlier * x);
  };
  // From where the polynomial closes the gap; if contacts are closed, the lengths that follow are those of a secant.
  const double longest = b;
  const bool guessed = a == 0.0;
  Trial last{}, now_at{};
  if (guessed) {
    now_at = expect(end.contact, longest, at_b);
    if (now_at.x > 0.0 && equations_.contacts()->empty() && meet(end.contact, longest, now_at.x, tau)) {
      const Least now = least_gap_at(*tau);
      if (now.phi >= -crossed_below * now.scale) {
        if (settled(*tau)) return status;
      } else if (!bracket(now, *tau)) {
        return status;
      }
      now_at.x = -1.0;
    }
  }
  int side = 0;
  double width = b - a;
  for (int trial = 0; trial < most_trials; ++trial) {  // Illinois, and halves where a gap jumps
    double x = now_at.x;
    const bool halves = trial >= most_secants && trial % 2 == 0 && b - a > 0.25 * width;
    if (trial % 2 == 0) width = b - a;
    if (!(x > a && x < b)) x = a + (b - a) * at_a / (at_a - at_b);
    if (halves || !(x > a && x < b)) x = 0.5 * (a + b);
    if ((status = solve_near(x)) != StepStatus::fine) return status;
    const Least now = least_gap_at(x);
    if (features_.passed) return status;
    *tau = x;
    const bool narrow = b - a <= 2.0 * digits * T;
    if (std::abs(now.phi) <= found * digits * now.scale || (narrow && now.phi > 0.0)) {
      if (settled(x)) return status;
      now_at.x = -1.0;
      continue;
    }
    now_at = following({x, now.phi, now.contact == now_at.contact ? now_at.slope : 0.0, now.contact}, last, trial);
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

// The length of a step at which its gap may close, from a trial and the one before it: none, x < 0, after many of them, or if another
// contact closes first.
ContactSteps::Trial ContactSteps::following(const Trial& now, Trial& last, int trial) {
  Trial next{-1.0, 0.0, 0.0, now.contact};
  if (trial < most_secants && trial > 0 && now.contact == last.contact)
    next.slope = (now.phi - last.phi) / (now.x - last.x);
  else if (trial == 0)
    next.slope = now.slope;
  if (next.slope < 0.0) next.x = now.x - now.phi / next.slope;
  last = now;
  return next;
}

// By (EV5), from the polynomial at x.
bool ContactSteps::meet(int contact, double longest, double x, double* tau) {
  const StepStart start{state_.t, state_.q.data(), state_.p.data(), state_.shift.data(), true};
  *tau = x;
  return equations_.meet(
      start, {contact, gaps_.size[contact], longest, way_.q_rate.data(), way_.k_bend.data(), state_.dt_before + x},
      whole_.u, way_.q.data(), tau);
}

// Where the polynomial closes a gap that is phi at the end of the step solved last, with the polynomial there in way_.q and its rate
// in way_.q_rate: by a parabola through the gaps at the node, at the end and between them, and a correction of what it finds. No
// place, x < 0, if the gap does not fall there.
ContactSteps::Trial ContactSteps::expect(int contact, double longest, double phi) {
  const double at_start = gaps_.phi0[contact], over = part * longest;
  double x = longest * at_start / (at_start - phi), rate;
  guess_between(x);
  const auto gap = [&] {
    return equations_.contacts()->gap(contact, state_.t + x, way_.q.data(), way_.row.data(), &rate);
  };
  const double middle = gap();
  const double left = (middle - at_start) / x, bend = ((phi - middle) / (longest - x) - left) / longest;
  const double slope = left - bend * x, root = slope * slope - 4.0 * bend * at_start;  // at_start + slope s + bend s^2
  const double s = root > 0.0 && slope < 0.0 ? 2.0 * at_start / (-slope + std::sqrt(root)) : x;
  if (s > 0.0 && s < longest) x = s;
  guess_between(x + over);
  std::copy_n(way_.q.begin(), way_.q_rate.size(), way_.q_rate.begin());
  guess_between(x);
  for (std::size_t i = 0; i < way_.q_rate.size(); ++i) way_.q_rate[i] = (way_.q_rate[i] - way_.q[i]) / over;
  const double here = gap();
  const double falls = std::inner_product(way_.q_rate.begin(), way_.q_rate.end(), way_.row.begin(), rate);
  if (!(falls < 0.0) || brief(x)) return {-1.0, 0.0, 0.0, contact};
  const double change = -here / falls;
  if (x + change > 0.0 && x + change < longest) {
    for (int i = 0; i < model_.n_dynamic; ++i) way_.q[i] += change * way_.q_rate[i];
    x += change;
  }
  set_kinematic(elapsed_ + x);
  std::copy(way_.k.begin(), way_.k.end(), way_.q.begin() + model_.n_dynamic);
  for (std::size_t i = 0; i < way_.k0.size(); ++i) {
    way_.k_bend[i] = bend_of(i);
    way_.q_rate[model_.n_dynamic + i] = drive_at(i, elapsed_ + x);
  }
  return {x, 0.0, falls, contact};
}

// The polynomial through the nodes before and the end of the step solved last, of length `longest`.
void ContactSteps::set_polynomial(double longest) {
  const History& past = state_.history;
  Polynomial& p = way_.polynomial;
  p.points = std::min(past.known, most_points);
  p.scale = 1.0;
  for (int back = 0; back < p.points; ++back) p.scale /= longest + past.age_of(back);
  past.extrapolate(longest, 0, p.points, p.end.data());
  for (int i = 0; i < model_.n_dynamic; ++i) p.end[i] = equations_.q1()[i] - p.end[i];
  std::fill(p.off.begin(), p.off.end(), 0.0);
}

// q1 of a part of length x in way_.q, from that polynomial.
void ContactSteps::guess_between(double x) {
  const History& past = state_.history;
  const Polynomial& p = way_.polynomial;
  const int nd = model_.n_dynamic;
  double weight = p.scale;
  for (int back = 0; back < p.points; ++back) weight *= x + past.age_of(back);
  past.extrapolate(x, 0, p.points, way_.q.data());
  for (int i = 0; i < nd; ++i) way_.q[i] += weight * p.end[i];
  set_kinematic(elapsed_ + x);
  std::copy(way_.k.begin(), way_.k.end(), way_.q.begin() + nd);
  std::copy(state_.q.begin() + model_.n_variables, state_.q.end(), way_.q.begin() + model_.n_variables);
}

// The step of length x, from the polynomial and what it was off by at the last such length.
StepStatus ContactSteps::solve_near(double x) {
  const int nd = model_.n_dynamic;
  std::vector<double>& off = way_.polynomial.off;
  guess_between(x);
  for (int i = 0; i < nd; ++i) way_.q[i] += off[i];
  const StepStatus status = solve(x, way_.q.data());
  if (status != StepStatus::fine) return status;
  guess_between(x);
  for (int i = 0; i < nd; ++i) off[i] = equations_.q1()[i] - way_.q[i];
  return status;
}

// A contact that left the node, with the velocity that leaves() found: a time a at which it is open, before the time b at which
// it is crossed. None is looked for if the gap is a matter of round-off by then, nor, unless its restitution is 1, in a part
// of the step that is too short to be told from the impact.
StepStatus ContactSteps::enter(int contact, double* a, double* at_a, double* b, double* at_b) {
  const double away = node_.U()[0];
  const double least = rows_[0][contact].restitution < 1.0 ? shortest_flight * whole_.dt : 0.0;
  for (int k = 0; k < most_inward; ++k) {
    const double flight =
        away * *b * *b / (away * *b - *at_b);  // of the parabola that leaves so fast and is there at b
    const double x = k < most_flights && flight > 0.0 ? of_flight * flight : 0.5 * *b;
    if (x <= least || away * x <= closed_below * gaps_.size[contact]) return StepStatus::fine;
    if (solve_near(x) != StepStatus::fine) break;  // a step too short to be told from none
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

// The least gap of open contacts at the end of the step solved last, by their sizes.
ContactSteps::Least ContactSteps::least_gap() const {
  Least least{0.0, 1.0, -1};
  for (const int i : lists_.near) {
    if (!open(i)) continue;
    if (least.contact < 0 || gaps_.phi1[i] * least.scale < least.phi * gaps_.size[i])
      least = {gaps_.phi1[i], gaps_.size[i], i};
  }
  return least;
}

}  // namespace bough
