// Which contacts there are, from node to node and within a step: features of shapes, and contacts that rest.
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"
#include "bough/tree/feature_choice.hpp"

namespace bough {
namespace {

constexpr double near = 1e-10;      // of the scale of a gap: what closes at a node together with others
constexpr double touching = 1e-12;  // of the scale of a gap: what is none at both ends of a step
constexpr double told_from = 0.01;  // of a step: the shortest that tells rest from a contact that leaves
constexpr double passed = 1e-6;  // of the scale of a gap: what the feature that a contact passes to may be crossed by
constexpr int most_pins = 16;    // times that features are pinned in one part of a step
constexpr double deep =
    1e-8;  // of the scale of a gap: more than a motion over its feature leaves of a contact that pressed

}  // namespace

// All rows read the features of the state, whose place does not change.
void ContactSteps::freeze() {
  if (features_.elements.empty()) return;
  const double* features = state_.contacts.features.data();
  for (ContactRows& rows : rows_) rows.freeze(features);
  equations_.contacts()->freeze(features);
  node_.freeze(features);
}

// At the node of the state; false if there are more than the elements have room for. At an impact, features that touch there stay,
// also those that are found only beyond the node: what the step was ended by is among them.
bool ContactSteps::choose_features(bool impact) {
  if (features_.elements.empty()) return true;
  ContactState& contacts = state_.contacts;
  features_.before = contacts.features;
  features_.met.clear();
  // Within a step, what has closed stays as it is.
  const char closed = hits_.impacts > 0 ? feature_choice::keeps : feature_choice::closed;
  for (std::size_t i = 0; i < contacts.status.size(); ++i)
    features_.closed[i] = contacts.status[i] != ContactStatus::open || hits_.held[i] ? closed : feature_choice::open;
  if (impact) {
    rows_[from_].set(state_.t, state_.q.data());
    rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
    for (std::size_t i = 0; i < contacts.status.size(); ++i)
      if (!features_.closed[i] && std::abs(gaps_.phi0[i]) <= near * gaps_.scale0[i])
        features_.closed[i] = feature_choice::meets;
  }
  if (features_.found_at == state_.q && features_.found_closed == features_.closed &&
      features_.found == contacts.features)
    return true;
  ContactRows& rows = rows_[from_];
  if (!known_) rows.set(state_.t, state_.q.data());
  bool room = true;
  for (const auto& [element, first, memory] : features_.elements)
    room &= element->choose_features(rows.instant_of(first), *memory, features_.closed.data() + first,
                                     contacts.features.data() + first);
  features_.found_at.clear();
  if (room) {
    features_.found_at = state_.q;
    features_.found = contacts.features;
    features_.found_closed = features_.closed;
  }
  if (contacts.features == features_.before) return room;
  if (!release()) return false;
  known_ = false;
  rows.gaps(gaps_.phi0.data(), gaps_.scale0.data());
  for (const auto& [element, first, memory] : features_.elements)
    for (int i = first; i < first + element->contacts(); ++i) {
      if (contacts.features[i] == features_.before[i]) continue;
      const bool touches = gaps_.phi0[i] <= near * gaps_.scale0[i];
      if (touches && features_.closed[i] && element->continues(features_.before[i], contacts.features[i])) continue;
      contacts.status[i] = ContactStatus::open;
      hits_.held[i] = 0;
      const ContactPlace& place = rows[i];
      std::fill_n(contacts.force.begin() + place.first, place.rows, 0.0);
      std::fill_n(contacts.slip.begin() + place.first, place.rows, 0.0);
      if (!touches) continue;
      // closed, if another contact of its pair is; an impact law closes it otherwise
      bool closes = false;
      for (int k = first; k < first + element->contacts(); ++k)
        closes |= features_.closed[k] && features_.closed[k] != feature_choice::meets &&
                  element->same_pair(features_.before[k], contacts.features[i]);
      if (closes) features_.met.push_back(i);
    }
  return room && (impact || features_.met.empty() || close_met());
}

// A closed contact may have no feature any more, as where it slides over an edge. p holds the half step that pressed on it, with
// which the body would fall on what comes next, and gain that energy: the motion starts anew from (IM2) on the contacts that were
// closed, before they are let go. False if there is no such velocity.
bool ContactSteps::release() {
  ContactState& contacts = state_.contacts;
  bool any = false;
  for (const auto& [element, first, memory] : features_.elements)
    for (int i = first; i < first + element->contacts(); ++i)
      any |= contacts.status[i] != ContactStatus::open && contacts.features[i] != features_.before[i] &&
             !element->continues(features_.before[i], contacts.features[i]);
  if (!any || state_.dt_before == 0.0) return true;
  const auto exchange = [&] {  // their place does not change
    std::swap_ranges(contacts.features.begin(), contacts.features.end(), features_.before.begin());
  };
  exchange();
  split();
  const bool found = set_velocity();
  exchange();
  if (!found) return false;
  contacts.friction_loss += node_.rubbed();
  go_on(ContactTrace::Kind::joined);
  return true;
}

// Whether the step solved last is short enough for the features of its closed contacts.
bool ContactSteps::follows(double T) {
  if (features_.elements.empty()) return true;
  ContactRows &start = rows_[from_], &end = rows_[1 - from_];
  if (!known_) start.set(state_.t, state_.q.data());
  end.set(state_.t + T, equations_.q1().data());
  bool all = true;
  std::fill(features_.runs.begin(), features_.runs.end(), 0);
  for (const auto& [element, first, memory] : features_.elements)
    for (int i = 0; i < element->contacts(); ++i) {
      if (!lists_.in_step[first + i]) continue;
      const bool follows = element->follows(start.instant_of(first), end.instant_of(first), i);
      features_.runs[first + i] = !follows;
      all &= follows;
    }
  return all;
}

// A step that is too long for the features of some closed contacts and cannot be halved any more: these are pinned where they touch
// (of a step that is not solved, those that may run, as a rim whose cylinder is almost upright),
// and what is crossed of the same parts at its end is closed from its start on. Features that have no place to be pinned to, and run
// on, are laid flat. False if nothing can be done.
bool ContactSteps::pin() {
  if (features_.pins == Pins::none || features_.pins == Pins::refused) return false;
  if (++features_.times_pinned > most_pins) return false;
  split();
  features_.pins = Pins::made;
  const bool again = features_.pinned;
  ContactState& contacts = state_.contacts;
  features_.before = contacts.features;
  ContactRows& rows = rows_[from_];
  rows.set(state_.t, state_.q.data());
  const bool any_runs = std::count(features_.runs.begin(), features_.runs.end(), 1) > 0;
  for (const auto& [element, first, memory] : features_.elements) {
    for (int i = first; i < first + element->contacts(); ++i)
      features_.closed[i] = !lists_.in_step[i]  ? feature_choice::keeps
                            : !any_runs         ? feature_choice::pinned_part
                            : features_.runs[i] ? feature_choice::pinned
                                                : feature_choice::keeps;
    element->choose_features(rows.instant_of(first), *memory, features_.closed.data() + first,
                             contacts.features.data() + first);
  }
  if (contacts.features == features_.before) return any_runs && lay_flat();
  features_.found_at.clear();
  known_ = false;
  features_.pinned = true;
  features_.pinned_at = elapsed_;
  return again || lay_flat();
}

// An open contact whose gap is none at both ends of a step rests there, if the step is long enough to tell: it is among the closed
// ones from here on. Left out, it would be crossed by the round-off of some later step, and hit.
void ContactSteps::join_touching(double T) {
  if (T < told_from * whole_.dt) return;
  for (const int i : lists_.near) {
    const double none = touching * gaps_.size[i];
    if (open(i) && gaps_.phi0[i] <= none && gaps_.phi1[i] <= none) state_.contacts.status[i] = ContactStatus::stick;
  }
}

// Those that may have been met in the step solved last; true if there are such.
bool ContactSteps::add_features() {
  if (stands()) return false;
  std::vector<double>& features = state_.contacts.features;
  features_.before = features;
  bool any = false;
  for (const auto& [element, first, memory] : features_.elements) {
    const auto added = element->add_features(rows_[from_].instant_of(first), rows_[1 - from_].instant_of(first),
                                             *memory, lists_.in_step.data() + first, features.data() + first);
    any |= added != Unilateral::Addition::none;
    features_.lost |= added == Unilateral::Addition::no_room;
  }
  if (!any) return false;
  rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i] == features_.before[i]) continue;
    gaps_.size[i] = gaps_.scale0[i];
    if (gaps_.phi0[i] < -deep * gaps_.scale0[i] || features_.pinned) take_over(static_cast<int>(i));
  }
  return true;
}

// The gaps at the end of the step solved last. Those of contacts that are apart for sure, all along the step, are infinite if they are
// not asked for.
void ContactSteps::set_end(double T, Asked asked) {
  rows_[1 - from_].set(state_.t + T, equations_.q1().data());
  if (!features_.elements.empty()) add_features();
  measure_end(asked);
}

void ContactSteps::measure_end(Asked asked) {
  ContactRows& end = rows_[1 - from_];
  if (asked == Asked::all) {
    list_all();
    return end.gaps(gaps_.phi1.data(), gaps_.scale1.data());
  }
  list_near();
  std::fill(gaps_.phi1.begin(), gaps_.phi1.end(), HUGE_VAL);
  std::fill(gaps_.scale1.begin(), gaps_.scale1.end(), 1.0);
  end.gaps_of(lists_.near, gaps_.phi1.data(), gaps_.scale1.data());
}

// Contacts that may not be apart in the step solved last.
void ContactSteps::list_near() {
  lists_.near.clear();
  int next = 0;
  for (const auto& [element, first, memory] : features_.elements) {
    for (; next < first; ++next) lists_.near.push_back(next);
    element->look(*memory, equations_.q1().data());
    element->add_near(*memory, state_.contacts.features.data() + first, first, lists_.near);
    next = first + element->contacts();
  }
  for (; next < rows_[0].contacts(); ++next) lists_.near.push_back(next);
}

// What cancels in a gap, and how far it moves in the step, of contacts in lists_.near.
void ContactSteps::set_sizes() {
  for (const int i : lists_.near) {
    const double moved = std::abs(gaps_.phi1[i] - gaps_.phi0[i]);
    gaps_.size[i] = std::max({gaps_.scale0[i], gaps_.scale1[i], std::isfinite(moved) ? moved : 0.0});
  }
}

// A feature that is crossed at the end of a step and was so at its start, where it told nothing: the place where two shapes touch has
// passed to it from another feature of theirs, as from the end of a capsule to its side. If it is not deep, it is closed from the
// start of the step on, which is solved again; if it is, there or at the start, the passage is looked for within the step. If the shapes did
// not touch before, the step is too long.
void ContactSteps::take_over(int contact) {
  const std::vector<double>& features = state_.contacts.features;
  rows_[1 - from_].gaps(gaps_.phi1.data(), gaps_.scale1.data());
  bool touches = false, continues = false;
  for (const auto& [element, first, memory] : features_.elements) {
    if (contact < first || contact >= first + element->contacts()) continue;
    for (int k = first; k < first + element->contacts(); ++k) {
      if (k == contact || !(lists_.in_step[k] || hits_.held[k])) continue;
      touches |= element->same_pair(features[k], features[contact]);
      continues |= element->continues(features[k], features[contact]);
    }
  }
  if (features_.pinned) {  // another feature is open, and may be hit
    hits_.held[contact] = continues;
    hits_.impacts += continues;
    features_.passed |= continues;
    return;
  }
  const bool shallow = gaps_.phi1[contact] >= -passed * gaps_.scale1[contact];
  if (!touches || hits_.held[contact]) {
    features_.lost = true;
  } else if (shallow && gaps_.phi0[contact] >= -passed * gaps_.scale0[contact]) {
    hold(contact);
  } else if (features_.passing < 0) {
    features_.passing = contact;
    features_.shallow = shallow;
  }
}

// A contact is closed from the start of the step on, which is solved again.
void ContactSteps::hold(int contact) {
  hits_.held[contact] = 1;
  ++hits_.impacts;
  features_.passed = true;
}

// A contact that is open before an instant and deep at it has jumped to another feature, as edges do that turn through each other.
// It says nothing in this step; the other contacts tell whether the shapes meet. If they do not, and it is found again where the step
// ends, in each other, the step is too long.
void ContactSteps::leave_out(int contact) {
  const double feature = features_.elements.empty() ? 0.0 : state_.contacts.features[contact];
  const bool again = std::find(features_.left.begin(), features_.left.end(), feature) != features_.left.end();
  if (feature == 0.0 || again || ++hits_.impacts > static_cast<int>(features_.left.capacity())) {
    features_.lost = true;
    return;
  }
  features_.left.push_back(feature);
  state_.contacts.features[contact] = 0.0;
  known_ = false;
  features_.passed = features_.left_out = true;
}

}  // namespace bough
