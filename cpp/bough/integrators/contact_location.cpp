// Where an open contact closes within a step, (EV1): by (EV5), and by steps of other lengths where that does not apply.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double digits = std::numeric_limits<double>::epsilon();
constexpr double found = 4.0;             // digits of the scale to which a crossing is located
constexpr double closed_below = 1e-10;    // of the scale of a gap: what counts as closed
constexpr double shortest_flight = 1e-3;  // of a contact that leaves a node and returns, in steps
constexpr double for_sure = 0.5;          // of that flight, if it is told by the end of a step
constexpr double of_fall = 0.5;           // of the fall of a gap: what slopes may not explain of a flight
constexpr double jumped = 1e-8;           // of the scale of a gap: more than it falls by in the shortest time
constexpr int most_inward = 20;           // halvings of a step in search of a place where a contact that left is open
constexpr int most_trials = 120;          // of tau
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
  const double first = at * T;
  if (at < 1.0 && (status = solve(first)) != StepStatus::fine) return status;
  const Least end = at < 1.0 ? least_gap_at(first) : least_gap();  // of the step that crosses() has looked at
  *tau = -1.0;
  if (end.phi >= -crossed_below * end.scale) return status;
  set_polynomial(first);
  auto &a = way_.gaps.a, &b = way_.gaps.b;
  Least crossed;  // what b was found by
  // A contact is crossed at a length; false if the search is over: it touches at the node and does not leave, or is open nowhere.
  const auto bracket = [&](const Least& deep, double length) {
    way_.gaps.start(gaps_.phi0, length, gaps_.phi1);
    crossed = deep;
    if (!touches_at_node(deep.contact)) return true;
    *tau = 0.0;
    if (!leaves(deep.contact)) return false;
    status = enter(deep.contact);
    if (a.x == 0.0) *stuck = deep.contact;
    return status == StepStatus::fine && a.x > 0.0;
  };
  if (!bracket(end, first)) return status;
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
  // From where the polynomial closes the gap; the lengths that follow are those of parabolas.
  const double longest = b.x;
  double x = -1.0;
  if (a.x == 0.0) {
    x = expect(end.contact, longest, b.f[end.contact]);
    if (x > 0.0 && equations_.contacts()->empty() && meet(end.contact, longest, x, tau)) {
      const Least now = least_gap_at(*tau);
      if (now.phi >= -crossed_below * now.scale) {
        if (settled(*tau)) return status;
      } else if (!bracket(now, *tau)) {
        return status;
      }
      x = -1.0;
    }
  }
  for (int trial = 0; trial < most_trials; ++trial) {
    x = way_.gaps.inside(x > 0.0 ? x : earliest_root(crossed.contact));
    if ((status = solve_near(x)) != StepStatus::fine) return status;
    const Least now = least_gap_at(x);
    if (features_.passed || features_.passing >= 0) return status;
    *tau = x;
    const bool narrow = b.x - a.x <= 2.0 * digits * T;
    if (std::abs(now.phi) <= found * digits * now.scale || (narrow && now.phi > 0.0)) {
      if (settled(x)) return status;
      x = -1.0;
      continue;
    }
    const double found_at = std::exchange(x, -1.0);
    if (now.phi <= 0.0 && a.x == 0.0 && touches_at_node(now.contact)) {
      if (!bracket(now, found_at)) return status;
      continue;
    }
    way_.gaps.take(now.phi > 0.0, found_at, gaps_.phi1, std::abs(now.phi));
    if (now.phi <= 0.0) crossed = now;
    if (!narrow) continue;
    if (crossed.phi < -jumped * crossed.scale) {
      leave_out(crossed.contact);
      return status;
    }
    if (a.x > 0.0) {
      *tau = a.x;
      return solve(a.x);
    }
    *tau = 0.0;  // crossed however short the step is: it touches at the node, though another was deeper at the end
    if (leaves(now.contact)) *stuck = now.contact;
    return status;
  }
  return StepStatus::no_convergence;
}

bool ContactSteps::touches_at_node(int contact) const {
  return gaps_.phi0[contact] <= closed_below * gaps_.size[contact];
}

// Where the first of the open contacts that are crossed at the end of the bracket closes, by the parabola of each. crossed: the one
// that tells most of this, by however little.
double ContactSteps::earliest_root(int crossed) const {
  const auto &a = way_.gaps.a, &b = way_.gaps.b, &c = way_.gaps.c;
  double x = b.x;
  for (const int i : lists_.near) {
    if (!open(i) || !(a.f[i] > 0.0 && b.f[i] < (i == crossed ? 0.0 : -crossed_below * gaps_.size[i]))) continue;
    if (a.x == 0.0 && touches_at_node(i)) continue;  // its first root is there
    x = std::min(x, root_of_parabola({a.x, a.f[i]}, {b.x, b.f[i]}, {c.x, c.f[i]}));
  }
  return x;
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
double ContactSteps::expect(int contact, double longest, double phi) {
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
  if (!(falls < 0.0) || brief(x)) return -1.0;
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
  return x;
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
StepStatus ContactSteps::enter(int contact) {
  const auto& b = way_.gaps.b;
  const double away = node_.U()[0];
  const double least = rows_[0][contact].restitution < 1.0 ? shortest_flight * whole_.dt : 0.0;
  for (int k = 0; k < most_inward; ++k) {
    const double there = std::min(b.f[contact], 0.0);               // it may be open at b, where another one is crossed
    const double flight = away * b.x * b.x / (away * b.x - there);  // of the parabola that leaves so fast
    const double x = k < most_flights && flight > 0.0 ? of_flight * flight : 0.5 * b.x;
    if (x <= least || away * x <= closed_below * gaps_.size[contact]) return StepStatus::fine;
    if (solve_near(x) != StepStatus::fine) break;  // a step too short to be told from none
    const Least now = least_gap_at(x);
    const bool open = now.phi > 0.0 && gaps_.phi1[contact] > 0.0;
    way_.gaps.take(open, x, gaps_.phi1, HUGE_VAL);
    if (open) return StepStatus::fine;
  }
  return StepStatus::fine;
}

// Contacts that leave the node of the state and return at once, as the parabola tells that leaves with their velocity and ends where
// the step solved last does: they are closed from the node on. What falls by more than its slopes at both ends explain has jumped,
// and is left to locate(). True if there are such contacts.
bool ContactSteps::hold_returning(double T) {
  ContactRows &start = rows_[from_], &end = rows_[1 - from_];
  start.set(state_.t, state_.q.data());
  set_start();
  end.set(state_.t + T, equations_.q1().data());
  end.gaps(gaps_.phi1.data(), gaps_.scale1.data());
  list_all();
  set_sizes();
  std::vector<int>& returning = lists_.landing;
  returning.clear();
  for (const int i : lists_.near)
    if (open(i) && !hits_.held[i] && gaps_.phi0[i] <= closed_below * gaps_.size[i] &&
        gaps_.phi1[i] < -crossed_below * gaps_.size[i])
      returning.push_back(i);
  if (returning.empty() || !set_velocity()) return false;
  gaps_.examined = returning;
  set_slopes(T);
  node_.choose(returning);
  node_.set_U(way_.v.data());
  bool any = false;
  for (std::size_t k = 0; k < returning.size(); ++k) {
    const int i = returning[k];
    const double away = node_.U()[node_.row(static_cast<int>(k))];
    if (!(away > rest_of(i))) continue;
    const double fall = gaps_.phi0[i] - gaps_.phi1[i], told = -0.5 * (gaps_.falls0[k] + gaps_.falls1[k]);
    if (!(std::abs(fall - told) <= of_fall * fall)) continue;
    const double flight = away * T * T / (away * T - gaps_.phi1[i]), height = 0.25 * away * flight;
    const bool brief_flight = start[i].restitution < 1.0 && flight <= for_sure * shortest_flight * whole_.dt;
    if (!brief_flight && height > closed_below * gaps_.size[i]) continue;
    if (!any) split();  // which keeps the hits before
    any = true;
    hits_.held[i] = 1;
    ++hits_.impacts;
  }
  if (any) note(ContactTrace::Kind::joined);
  return any;
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
