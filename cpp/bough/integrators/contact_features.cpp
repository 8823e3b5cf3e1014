// The features of contacts between shapes, from node to node and within a step.
#include <algorithm>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double near = 1e-10;  // of the scale of a gap: what closes at a node together with others
constexpr double deep = 1e-8;   // likewise: more than a motion over its feature leaves of a contact that pressed

}  // namespace

// All rows read the features of the state, whose place does not change.
void ContactSteps::freeze() {
  if (features_.elements.empty()) return;
  const double* features = state_.contacts.features.data();
  for (ContactRows& rows : rows_) rows.freeze(features);
  equations_.contacts()->freeze(features);
  node_.freeze(features);
}

// At the node of the state; false if there are more than the elements have room for.
bool ContactSteps::choose_features() {
  if (features_.elements.empty()) return true;
  ContactState& contacts = state_.contacts;
  ContactRows& rows = rows_[from_];
  if (!known_) rows.set(state_.t, state_.q.data());
  features_.before = contacts.features;
  const char closed = hits_.impacts > 0 ? 2 : 1;  // within a step what has closed stays as it is
  for (std::size_t i = 0; i < contacts.status.size(); ++i)
    features_.closed[i] = contacts.status[i] != ContactStatus::open || hits_.held[i] ? closed : 0;
  bool room = true;
  for (const auto& [element, first] : features_.elements)
    room &= element->choose_features(rows.instant_of(first), features_.closed.data() + first,
                                     contacts.features.data() + first);
  if (contacts.features == features_.before) return room;
  known_ = false;
  rows.gaps(gaps_.phi0.data(), gaps_.scale0.data());
  for (const auto& [element, first] : features_.elements)
    for (int i = first; i < first + element->contacts(); ++i) {
      if (contacts.features[i] == features_.before[i]) continue;
      contacts.status[i] = ContactStatus::open;
      hits_.held[i] = 0;
      const ContactPlace& place = rows[i];
      std::fill_n(contacts.force.begin() + place.first, place.rows, 0.0);
      std::fill_n(contacts.slip.begin() + place.first, place.rows, 0.0);
      if (!(gaps_.phi0[i] <= near * gaps_.scale0[i])) continue;
      // closed, if another contact of its pair is
      for (int k = first; k < first + element->contacts(); ++k)
        if (features_.closed[k] && element->same_pair(features_.before[k], contacts.features[i]))
          contacts.status[i] = ContactStatus::stick;
    }
  return room;
}

// Those that may have been met in the step solved last; true if there are such.
bool ContactSteps::add_features() {
  std::vector<double>& features = state_.contacts.features;
  features_.before = features;
  bool any = false;
  for (const auto& [element, first] : features_.elements) {
    const auto added = element->add_features(rows_[from_].instant_of(first), rows_[1 - from_].instant_of(first),
                                             features.data() + first);
    any |= added != Unilateral::Addition::none;
    features_.lost |= added == Unilateral::Addition::no_room;
  }
  if (!any) return false;
  rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i] == features_.before[i]) continue;
    gaps_.size[i] = gaps_.scale0[i];
    features_.lost |= gaps_.phi0[i] < -deep * gaps_.scale0[i];
  }
  return true;
}

}  // namespace bough
