// Where a sliding contact stops within a step, (CT9), and the node at which it does.
#include <cmath>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double still = 1e-9;    // of the slip before: what is left of it at a stop
constexpr double narrow = 1e-13;  // of a step: the bracket of a stop
constexpr int most_trials = 50;

}  // namespace

// The equations are solved with a stop before T; on return at the first stop, which T is then. False if there is none to be found.
bool ContactSteps::locate_stop(double* T) {
  const StepContacts& contacts = *equations_.contacts();
  double a = 0.0, at_a = 1.0, b = *T, at_b = contacts.least_slip();
  for (int trial = 0, side = 0; trial < most_trials; ++trial) {  // Illinois
    double x = a + (b - a) * at_a / (at_a - at_b);
    if (!(x > a && x < b)) x = 0.5 * (a + b);
    if (brief(x) || solve(x) != StepStatus::fine) return false;
    const double now = contacts.least_slip();
    if (std::abs(now) <= still || (b - a <= narrow * whole_.dt && now <= 0.0)) {
      *T = x;
      return true;
    }
    if (now > 0.0) {
      a = x;
      at_a = now;
      if (side > 0) at_b *= 0.5;
      side = 1;
    } else {
      b = x;
      at_b = now;
      if (side < 0) at_a *= 0.5;
      side = -1;
    }
  }
  return false;
}

// The motion starts anew at the node of the state, where contacts have come to rest along their tangents: they stick until forces
// move them.
bool ContactSteps::stop_sliding() {
  ++hits_.stops;
  choose_features();
  if (!set_velocity()) return false;
  state_.contacts.friction_loss += node_.rubbed();
  lists_.all.clear();
  for (int i = 0; i < rows_[0].contacts(); ++i)
    if (state_.contacts.status[i] != ContactStatus::open && !rows_[0][i].dry()) lists_.all.push_back(i);
  set_statuses();
  ContactState& contacts = state_.contacts;
  for (int i = 0; i < rows_[0].contacts(); ++i) {
    if (!hits_.stopped[i] || contacts.status[i] == ContactStatus::open) continue;
    const ContactPlace& place = rows_[0][i];
    contacts.status[i] = ContactStatus::stick;
    std::fill_n(contacts.slip.begin() + place.first, place.rows, 0.0);
  }
  node_.momentum(way_.v.data(), state_.p.data());
  note(ContactTrace::Kind::stop);
  smooth_.start_anew(way_.v.data());
  known_ = way_.drifts = false;
  return true;
}

}  // namespace bough
