// What happens at a node of a motion with contacts: (IM1), (IM2) and the rules against endless hits.
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double near = 1e-10;                // of the scale of a gap: what closes at a node together with others
constexpr double still = 1e-11;               // of the size of velocities: what counts as at rest
constexpr int plastic_hit = 2, last_hit = 3;  // of one contact in one step
constexpr int most_elastic_hits = 16, most_hits = 4;

}  // namespace

// Contacts that touch are closed; what approaches is hit.
bool ContactSteps::start(const double* v) {
  clear();
  std::copy_n(v, model_.n_variables, way_.v.begin());
  ContactRows& rows = rows_[from_];
  bool any = false;
  for (int i = 0; i < rows.contacts(); ++i) any |= rows[i].dry() || gaps_.phi0[i] <= near * gaps_.size[i];
  if (!any) return true;
  return node_.set(state_.t, state_.q.data()) && strike();
}

void ContactSteps::start_touching() {
  clear();
  for (int i = 0; i < rows_[from_].contacts(); ++i)
    if (rows_[from_][i].dry() || gaps_.phi0[i] <= near * gaps_.size[i])
      state_.contacts.status[i] = ContactStatus::stick;
}

// No contact is closed; the gaps are known.
void ContactSteps::clear() {
  ContactState& contacts = state_.contacts;
  begin_step();
  std::fill(contacts.status.begin(), contacts.status.end(), ContactStatus::open);
  for (auto* x : {&contacts.force, &contacts.slip}) std::fill(x->begin(), x->end(), 0.0);
  contacts.impact_loss = contacts.friction_loss = 0.0;
  rows_[from_].set(state_.t, state_.q.data());
  rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
  gaps_.size = gaps_.scale0;
  known_ = false;
}

// An impact at the node of the state, which is within the step.
bool ContactSteps::impact(double dt_before) {
  const int nd = model_.n_dynamic;
  if (!node_.set(state_.t, state_.q.data())) return false;
  for (std::size_t i = 0; i < way_.k0.size(); ++i) way_.v[nd + i] = (whole_.k1[i] - way_.k0[i]) / whole_.dt;
  if (node_.velocity(state_.p.data(), way_.v.data()) >= 0) return false;
  node_.choose(closed());
  if (!node_.project(0.5 * dt_before, way_.v.data())) return false;
  ContactRows& rows = rows_[from_];
  rows.set(state_.t, state_.q.data());
  rows.gaps(gaps_.phi0.data(), gaps_.scale0.data());
  known_ = false;
  return strike();
}

// The contacts that are closed, and those of dry friction.
const std::vector<int>& ContactSteps::closed() {
  lists_.all.clear();
  for (int i = 0; i < rows_[0].contacts(); ++i)
    if (state_.contacts.status[i] != ContactStatus::open || rows_[0][i].dry()) lists_.all.push_back(i);
  return lists_.all;
}

// Whether a contact that touches at the node moves away.
bool ContactSteps::leaves(int contact) {
  const int nd = model_.n_dynamic;
  if (!node_.set(state_.t, state_.q.data())) return false;
  for (std::size_t i = 0; i < way_.k0.size(); ++i) way_.v[nd + i] = (whole_.k1[i] - way_.k0[i]) / whole_.dt;
  if (node_.velocity(state_.p.data(), way_.v.data()) >= 0) return false;
  node_.choose(closed());
  if (!node_.project(0.5 * state_.dt_before, way_.v.data())) return false;
  lists_.one[0] = contact;
  node_.choose(lists_.one);
  node_.set_U(way_.v.data());
  return node_.U()[0] > still * node_.speed();
}

// The impact law with velocities way_.v, and what the motion goes on from. The gaps at the node are known.
bool ContactSteps::strike() {
  const ContactRows& rows = rows_[0];
  ContactState& contacts = state_.contacts;
  lists_.all.clear();
  lists_.landing.clear();
  for (int i = 0; i < rows.contacts(); ++i) {
    if (rows[i].dry()) continue;
    const bool closed = contacts.status[i] != ContactStatus::open;
    if (!closed && !(gaps_.phi0[i] <= near * gaps_.size[i])) continue;
    lists_.all.push_back(i);
    if (!closed) lists_.landing.push_back(i);
  }
  node_.choose(lists_.all);
  node_.set_U(way_.v.data());
  const bool endless = ++hits_.impacts > most_hits * std::max(4, rows.contacts());
  std::size_t next = 0;
  for (std::size_t i = 0; i < lists_.all.size(); ++i) {
    const int contact = lists_.all[i];
    double& e = restitution_[i] = rows[contact].restitution;
    if (next == lists_.landing.size() || lists_.landing[next] != contact) continue;
    ++next;
    if (!(node_.U()[node_.row(static_cast<int>(i))] < -still * node_.speed())) continue;
    const int count = ++hits_.count[contact];
    const bool elastic = e == 1.0;
    if (endless || (elastic && count > most_elastic_hits)) {
      smooth_.note_coarse(state_.t);
      hits_.held[contact] = 1;
      e = 0.0;
    }
    if (!elastic && count >= plastic_hit) e = 0.0;
    if (!elastic && count >= last_hit) hits_.held[contact] = 1;
  }
  if (endless) std::fill(restitution_.begin(), restitution_.end(), 0.0);
  if (!node_.impact(restitution_, way_.v.data())) return false;
  const ImpactLaw& law = node_.law();
  if (law.passes() > 0) {
    record();
    contacts.impact_loss += law.energy_lost();
    node_.momentum(way_.v.data(), state_.p.data());
  }
  set_statuses();
  smooth_.start_anew(way_.v.data());
  return true;
}

// The impact that was made last: lists_.all and lists_.landing are its contacts.
void ContactSteps::record() {
  const std::size_t count = events.impacts.size(), rows = model_.elements.n_contact_rows;
  const std::size_t n = model_.elements.n_contacts;
  const ImpactLaw& law = node_.law();
  events.resize(count + 1, rows, n);
  events.impacts[count] = {state_.t, law.passes(), law.theta(), law.energy_lost(), law.plastic()};
  double* impulses = events.impulses.data() + count * rows;
  char* hits = events.hits.data() + count * n;
  std::fill_n(impulses, rows, 0.0);
  std::fill_n(hits, n, 0);
  for (std::size_t i = 0; i < lists_.all.size(); ++i) {
    const ContactPlace& place = rows_[0][lists_.all[i]];
    const int first = node_.row(static_cast<int>(i));
    std::copy_n(node_.r().begin() + first, place.rows, impulses + place.first);
    if (node_.r()[first] > 0.0) hits[lists_.all[i]] = node_.U()[first] > still * node_.speed() ? 2 : 1;
  }
}

// Of the contacts in lists_.all and of dry friction, with velocities way_.v after the impact.
void ContactSteps::set_statuses() {
  const ContactRows& rows = rows_[0];
  ContactState& contacts = state_.contacts;
  lists_.landing.clear();
  for (int i = 0, next = 0; i < rows.contacts(); ++i) {
    const bool listed = next < static_cast<int>(lists_.all.size()) && lists_.all[next] == i;
    next += listed;
    if (listed || rows[i].dry()) lists_.landing.push_back(i);
  }
  node_.choose(lists_.landing);
  node_.set_U(way_.v.data());
  const double rest = still * node_.speed();
  std::fill(contacts.status.begin(), contacts.status.end(), ContactStatus::open);
  std::fill(contacts.slip.begin(), contacts.slip.end(), 0.0);
  for (std::size_t i = 0; i < lists_.landing.size(); ++i) {
    const ContactPlace& place = rows[lists_.landing[i]];
    const double* U = node_.U().data() + node_.row(static_cast<int>(i));
    if (!place.dry() && U[0] > rest) continue;
    const double speed = place.rows > 2 ? std::hypot(U[1], U[2]) : place.rows > 1 ? std::abs(U[1]) : 0.0;
    const bool slides = speed > rest;
    contacts.status[lists_.landing[i]] = slides ? ContactStatus::slide : ContactStatus::stick;
    if (slides) std::copy_n(U + 1, place.rows - 1, contacts.slip.begin() + place.first + 1);
  }
}

}  // namespace bough
