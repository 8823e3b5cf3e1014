// Where a sliding contact stops within a step, (CT9), and the nodes at which a motion starts anew without an impact.
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr double still = 1e-9;    // of the slip before: what is left of it at a stop
constexpr double narrow = 1e-13;  // of a step: the bracket of a stop
constexpr int most_trials = 100;

}  // namespace

// The equations are solved with a stop before T; on return at the first stop, which T is then, or, if a gap closes before it, which
// *stops tells, at a T between the two. False if there is none to be found, or if it is so close that nothing moves until then: of
// these contacts no stop is looked for any more.
bool ContactSteps::locate_stop(double* T, bool* stops) {
  const StepContacts& contacts = *equations_.contacts();
  Bracket<double> slip;
  slip.start(1.0, *T, contacts.least_slip());
  const auto &a = slip.a, &b = slip.b, &c = slip.c;
  const auto leave_all = [&] {
    for (const int i : contacts.chosen()) hits_.stopped[i] = 1;
    return false;
  };
  set_polynomial(b.x);
  const double closing = first_closing(b.x);  // about
  for (int trial = 0; trial < most_trials; ++trial) {
    double x = slip.inside(root_of_parabola({a.x, a.f}, {b.x, b.f}, {c.x, c.f}));
    if (trial == 0 && closing < x) x = 0.5 * (closing + x);
    if (brief(x) || solve_near(x) != StepStatus::fine) return leave_all();
    if (contacts.mark_short_stops(hits_.stopped)) return false;
    const double now = contacts.least_slip();
    if (std::abs(now) <= std::max(still, contacts.slip_round_off()) ||
        (b.x - a.x <= narrow * whole_.dt && now <= 0.0)) {
      *T = x;
      return true;
    }
    if (now > 0.0 && closing < x && crossed_at(x)) {
      *T = x;
      *stops = false;
      return true;
    }
    slip.take(now > 0.0, x, now, std::abs(now));
  }
  return leave_all();
}

// Where the first of the open contacts that are crossed at the end of the step solved last closes, by a line through its gaps; none: infinity.
double ContactSteps::first_closing(double longest) const {
  double x = HUGE_VAL;
  for (const int i : lists_.near)
    if (open(i) && gaps_.phi0[i] > 0.0 && gaps_.phi1[i] < -crossed_below * gaps_.size[i])
      x = std::min(x, longest * gaps_.phi0[i] / (gaps_.phi0[i] - gaps_.phi1[i]));
  return x;
}

// Whether one of them is crossed at the end of the step solved last, of length x.
bool ContactSteps::crossed_at(double x) {
  rows_[1 - from_].set(state_.t + x, equations_.q1().data());
  measure_end(Asked::all);
  set_sizes();
  const Least least = least_gap();
  return least.contact >= 0 && least.phi < -crossed_below * least.scale;
}

// The motion starts anew at the node of the state, where contacts have come to rest along their tangents: they stick until forces
// move them.
bool ContactSteps::stop_sliding() {
  ++hits_.stops;
  choose_features();
  if (!settle_node()) return false;
  ContactState& contacts = state_.contacts;
  for (int i = 0; i < rows_[0].contacts(); ++i) {
    if (!hits_.stopped[i] || contacts.status[i] == ContactStatus::open) continue;
    const ContactPlace& place = rows_[0][i];
    contacts.status[i] = ContactStatus::stick;
    std::fill_n(contacts.slip.begin() + place.first, place.rows, 0.0);
  }
  go_on(ContactTrace::Kind::stop);
  return true;
}

// Whether the second half of the step solved last pulls at a contact: it opens in that step, or leaves at its end, (CT13).
bool ContactSteps::pulls(double T) {
  if (state_.dt_before == 0.0 || brief(T)) return false;
  std::vector<int>& falling = lists_.landing;
  if (equations_.contacts()->falling(falling)) return true;
  if (falling.empty()) return false;
  way_.q = equations_.q1();
  settle(model_, way_.q.data());
  for (int i = 0; i < model_.n_dynamic; ++i) way_.drift[i] = equations_.D2()[i] + equations_.f()[i];
  for (std::size_t i = 0; i < way_.k0.size(); ++i) way_.v[model_.n_dynamic + i] = drive_at(i, elapsed_ + T);
  way_.drifts = false;
  if (!node_.set(state_.t + T, way_.q.data())) return false;
  if (node_.velocity_here(way_.drift.data(), way_.v.data()) >= 0) return false;
  node_.choose(equations_.contacts()->chosen());
  if (!node_.project(0.5 * T, state_.contacts.force.data(), way_.v.data())) return false;
  for (std::size_t i = 0, next = 0; i < node_.chosen().size() && next < falling.size(); ++i) {
    if (node_.chosen()[i] != falling[next]) continue;
    if (node_.U()[node_.row(static_cast<int>(i))] > rest_of(falling[next++])) return true;
  }
  return false;
}

// The half step before the node of the state has pressed more than the one after it will: what it pressed acts alone. False if no
// velocities are found; nothing has happened then.
bool ContactSteps::unload() {
  if (!settle_node()) return false;
  go_on(ContactTrace::Kind::unload);
  return true;
}

// Velocities at the node of the state, (IM2), and the statuses that closed contacts have with them.
bool ContactSteps::settle_node() {
  if (!set_velocity()) return false;
  split();
  state_.contacts.friction_loss += node_.rubbed();
  lists_.all.clear();
  for (int i = 0; i < rows_[0].contacts(); ++i)
    if (state_.contacts.status[i] != ContactStatus::open && !rows_[0][i].dry()) lists_.all.push_back(i);
  set_statuses();
  return true;
}

// The motion starts anew at the node of the state, with velocities way_.v.
void ContactSteps::go_on(ContactTrace::Kind kind) {
  node_.momentum(way_.v.data(), state_.p.data());
  note(kind);
  smooth_.start_anew(way_.v.data());
  known_ = way_.drifts = false;
}

}  // namespace bough
