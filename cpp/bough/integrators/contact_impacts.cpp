// What happens at a node of a motion with contacts: (IM1), (IM2) and the rules against endless hits.
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double near = 1e-10;   // of the scale of a gap: what closes at a node together with others
constexpr double deep = 1e-8;    // likewise: more than a motion leaves of a contact
constexpr double still = 1e-11;  // of the size of velocities: what counts as at rest
// Of the size of a gap: what it changes by in a whole step by the round-off of positions. A body at rest is as fast as that.
constexpr double unresolved = 8.0 * crossed_below;
constexpr int plastic_hit = 2, last_hit = 3;  // of one contact in one step
constexpr int most_elastic_hits = 16, most_hits = 4;

}  // namespace

// Contacts that touch are closed; what approaches is hit.
bool ContactSteps::start(const double* v) {
  clear();
  std::copy_n(v, model_.n_variables, way_.v.begin());
  std::copy(way_.v.begin() + model_.n_dynamic, way_.v.end(), state_.contacts.drive.begin());
  state_.contacts.drive_time = 0.0;
  ContactRows& rows = rows_[from_];
  bool any = false;
  for (int i = 0; i < rows.contacts(); ++i) any |= rows[i].dry() || gaps_.phi0[i] <= near * gaps_.size[i];
  if (!any) return true;
  return node_.set(state_.t, state_.q.data()) && strike();
}

void ContactSteps::start_touching() {
  clear();
  const double *before = state_.history.row(1), time = state_.history.age_of(1);
  for (int i = model_.n_dynamic; i < model_.n_variables; ++i)
    state_.contacts.drive[i - model_.n_dynamic] = (state_.q[i] - before[i]) / time;
  state_.contacts.drive_time = time;
  for (int i = 0; i < rows_[from_].contacts(); ++i)
    if (rows_[from_][i].dry() || gaps_.phi0[i] <= near * gaps_.size[i])
      state_.contacts.status[i] = ContactStatus::stick;
}

// No contact is closed; the gaps are known.
void ContactSteps::clear() {
  ContactState& contacts = state_.contacts;
  whole_ = {};
  forget_events();
  begin_step();
  std::fill(contacts.status.begin(), contacts.status.end(), ContactStatus::open);
  for (auto* x : {&contacts.force, &contacts.slip}) std::fill(x->begin(), x->end(), 0.0);
  contacts.impact_loss = contacts.friction_loss = 0.0;
  freeze();
  std::fill(contacts.features.begin(), contacts.features.end(), 0.0);
  choose_features();
  rows_[from_].set(state_.t, state_.q.data());
  set_start();
  gaps_.size = gaps_.scale0;
  forget();
}

// An impact at the node of the state, which is within the step.
bool ContactSteps::impact() {
  features_.pinned = false;
  if (!choose_features(true)) return false;
  if (!set_velocity()) return false;
  rows_[from_].set(state_.t, state_.q.data());
  set_start();
  known_ = false;
  state_.contacts.friction_loss += node_.rubbed();
  return strike();
}

// At the node of the state, whose closed contacts are pinned or run along their shapes: what else there is between the same shapes is
// hit with them, without restitution, and closed from here on. It takes energy, and a rim that would whirl round within a step comes
// down.
bool ContactSteps::lay_flat() {
  if (!set_velocity()) return false;
  state_.contacts.friction_loss += node_.rubbed();
  lists_.all.clear();
  for (int i = 0; i < rows_[0].contacts(); ++i)
    if (state_.contacts.status[i] != ContactStatus::open || beside_pinned(i)) lists_.all.push_back(i);
  node_.choose(lists_.all);
  node_.set_U(way_.v.data());
  way_.v_before = way_.v;
  std::fill(lists_.restitution.begin(), lists_.restitution.end(), 0.0);
  if (!node_.impact(lists_.restitution, way_.v.data())) return false;
  if (trace.kept) note_law();
  if (node_.law().passes() > 0) {
    record();
    state_.contacts.impact_loss += node_.law().energy_lost();
    node_.momentum(way_.v.data(), state_.p.data());
  }
  set_statuses();
  smooth_.start_anew(way_.v.data());
  way_.drifts = false;
  ++hits_.impacts;
  note(ContactTrace::Kind::impact);
  return true;
}

// Whether a contact has a feature of the same shapes as one that is pinned, or that runs along them.
bool ContactSteps::beside_pinned(int contact) const {
  const std::vector<double>& features = state_.contacts.features;
  for (const auto& [element, first, memory] : features_.elements) {
    if (contact < first || contact >= first + element->contacts()) continue;
    for (int k = first; k < first + element->contacts(); ++k)
      if ((features[k] != features_.before[k] || features_.runs[k]) &&
          element->same_pair(features[k], features[contact]))
        return true;
  }
  return false;
}

// Features that touch at the node of the state, between shapes that did already, are closed from here on; those that approach are hit.
bool ContactSteps::close_met() {
  ContactState& contacts = state_.contacts;
  if (!set_velocity()) return false;
  bool approaches = false;
  for (const int i : features_.met) {
    lists_.one[0] = i;
    node_.choose(lists_.one);
    node_.set_U(way_.v.data());
    approaches |= node_.U()[0] * whole_.dt < -near * gaps_.scale0[i];
  }
  if (approaches) {
    split();
    rows_[from_].set(state_.t, state_.q.data());
    set_start();
    known_ = false;
    gaps_.size = gaps_.scale0;
    contacts.friction_loss += node_.rubbed();
    return strike();
  }
  for (const int i : features_.met) contacts.status[i] = ContactStatus::stick;
  return true;
}

// The velocities at the node of the state, in way_.v: without what the half step before has pressed on closed contacts.
bool ContactSteps::set_velocity() {
  if (!node_.set(state_.t, state_.q.data())) return false;
  set_drive();
  if (node_.velocity_here(state_.p.data(), way_.v.data()) >= 0) return false;
  node_.choose(closed());
  return node_.project(0.5 * state_.dt_before, state_.contacts.force.data(), way_.v.data());
}

// (EV3): c of a kinematic variable, the velocities in way_.v, and the values at a time of the step in way_.k.
double ContactSteps::bend_of(std::size_t i) const {
  const double mean = (whole_.k1[i] - way_.k0[i]) / whole_.dt, time = 0.5 * (whole_.dt + state_.contacts.drive_time);
  return (mean - state_.contacts.drive[i]) / time;
}

void ContactSteps::set_drive() {
  for (std::size_t i = 0; i < way_.k0.size(); ++i) way_.v[model_.n_dynamic + i] = drive_at(i, elapsed_);
}

double ContactSteps::drive_at(std::size_t i, double time) const {
  return (whole_.k1[i] - way_.k0[i]) / whole_.dt + (time - 0.5 * whole_.dt) * bend_of(i);
}

void ContactSteps::set_kinematic(double end) {
  for (std::size_t i = 0; i < way_.k.size(); ++i)
    way_.k[i] = way_.k0[i] + end / whole_.dt * (whole_.k1[i] - way_.k0[i]) - 0.5 * bend_of(i) * end * (whole_.dt - end);
}

// The contacts that are closed, and those of dry friction.
const std::vector<int>& ContactSteps::closed() {
  lists_.all.clear();
  for (int i = 0; i < rows_[0].contacts(); ++i)
    if (state_.contacts.status[i] != ContactStatus::open || rows_[0][i].dry()) lists_.all.push_back(i);
  return lists_.all;
}

// The velocity below which a contact is at rest along its normal: of round-off in velocities, and in positions over a step.
double ContactSteps::rest_of(int contact) const {
  const double velocity = still * node_.speed();
  return whole_.dt > 0.0 ? std::max(velocity, unresolved * gaps_.size[contact] / whole_.dt) : velocity;
}

// Whether a contact that touches at the node moves away.
bool ContactSteps::leaves(int contact) {
  if (!set_velocity()) return false;
  lists_.one[0] = contact;
  node_.choose(lists_.one);
  node_.set_U(way_.v.data());
  return node_.U()[0] > rest_of(contact);
}

// The impact law with velocities way_.v, and what the motion goes on from. The gaps at the node are known.
bool ContactSteps::strike() {
  const ContactRows& rows = rows_[0];
  ContactState& contacts = state_.contacts;
  lists_.all.clear();
  lists_.landing.clear();
  bool pressed = false;  // whether p holds what the half step before has pressed on contacts
  for (int i = 0; i < rows.contacts(); ++i) {
    pressed |= rows[i].dry() || contacts.status[i] != ContactStatus::open;
    if (rows[i].dry()) continue;
    const bool closed = contacts.status[i] != ContactStatus::open;
    if (!closed && !(gaps_.phi0[i] <= near * gaps_.size[i])) continue;
    if (gaps_.phi0[i] < -deep * gaps_.size[i]) return false;  // pushed out, it would gain energy
    lists_.all.push_back(i);
    if (!closed) lists_.landing.push_back(i);
  }
  node_.choose(lists_.all);
  node_.set_U(way_.v.data());
  const bool endless = ++hits_.impacts > most_hits * std::max(4, rows.contacts());
  std::size_t next = 0;
  bool hit = false;  // or at rest, and only round-off closes anything
  for (std::size_t i = 0; i < lists_.all.size(); ++i) {
    const int contact = lists_.all[i];
    double& e = lists_.restitution[i] = rows[contact].restitution;
    const bool lands = next < lists_.landing.size() && lists_.landing[next] == contact;
    next += lands;
    if (!(node_.U()[node_.row(static_cast<int>(i))] < -rest_of(contact))) continue;
    hit = true;
    if (!lands) continue;
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
  if (endless || !hit) std::fill(lists_.restitution.begin(), lists_.restitution.end(), 0.0);
  way_.v_before = way_.v;
  if (!node_.impact(lists_.restitution, way_.v.data())) return false;
  const ImpactLaw& law = node_.law();
  if (trace.kept) note_law();
  if (law.passes() > 0) {
    if (hit) record();
    contacts.impact_loss += law.energy_lost();
  }
  if (law.passes() > 0 || (pressed && state_.dt_before > 0.0)) {  // the next node stands for half a step only
    if (node_.plain() && !pressed)
      node_.add_impulses(state_.p.data());
    else
      node_.momentum(way_.v.data(), state_.p.data());
  }
  set_statuses();
  note(ContactTrace::Kind::impact);
  smooth_.start_anew(way_.v.data(), acceleration_after(), whole_.dt);
  way_.drifts = false;
  return true;
}

// (EV7): the acceleration at the node of the impact made last, for guesses of the steps that follow; null if it is not known, as
// at the start of a motion, or if something is closed.
const double* ContactSteps::acceleration_after() {
  if (whole_.dt == 0.0 || model_.elements.n_constraints > 0) return nullptr;
  for (const ContactStatus status : state_.contacts.status)
    if (status != ContactStatus::open) return nullptr;
  double power;
  std::fill(way_.a.begin(), way_.a.end(), 0.0);
  return node_.acceleration(way_.v.data(), whole_.u, way_.a.data(), &power) ? way_.a.data() : nullptr;
}

// The node of the state, after what has happened; an impact is noted already but for where it leads to.
void ContactSteps::note(ContactTrace::Kind kind, double dt) {
  if (!trace.kept) return;
  if (kind != ContactTrace::Kind::impact) trace.nodes.emplace_back();
  ContactTrace::Node& node = trace.nodes.back();
  node.kind = kind;
  node.dt = dt;
  node.q = state_.coordinates.empty() ? state_.q : state_.coordinates;
  node.p = state_.p;
  node.lam = state_.lam;
  node.contacts = state_.contacts;
  if (kind != ContactTrace::Kind::stop && kind != ContactTrace::Kind::unload) return;
  node.v_before = node.v = way_.v;
  node.impulse.assign(events.rows, 0.0);
  node.restitution.assign(events.contacts, -1.0);
}

// The impact law that has acted last, on the contacts in lists_.all.
void ContactSteps::note_law() {
  ContactTrace::Node& node = trace.nodes.emplace_back();
  const ImpactLaw& law = node_.law();
  node.passes = law.passes();
  node.theta = law.theta();
  node.plastic = law.plastic();
  node.v_before = way_.v_before;
  node.v = way_.v;
  node.impulse.assign(events.rows, 0.0);
  node.restitution.assign(events.contacts, -1.0);
  for (std::size_t i = 0; i < lists_.all.size(); ++i) {
    const ContactPlace& place = rows_[0][lists_.all[i]];
    std::copy_n(node_.r().begin() + node_.row(static_cast<int>(i)), place.rows, node.impulse.begin() + place.first);
    node.restitution[lists_.all[i]] = lists_.restitution[i];
  }
}

// The impact that was made last: lists_.all and lists_.landing are its contacts.
void ContactSteps::record() {
  const std::size_t count = events.impacts.size(), rows = events.rows, n = events.contacts;
  const ImpactLaw& law = node_.law();
  events.resize(count + 1);
  events.impacts[count] = {state_.t, law.passes(), law.theta(), law.energy_lost(), law.plastic()};
  double* impulses = events.impulses.data() + count * rows;
  char* hits = events.hits.data() + count * n;
  std::fill_n(impulses, rows, 0.0);
  std::fill_n(hits, n, 0);
  const std::vector<double>& q = state_.coordinates.empty() ? state_.q : state_.coordinates;
  double* node = std::copy(q.begin(), q.end(), events.nodes.data() + count * events.numbers);
  std::copy(way_.v.begin(), way_.v.end(), std::copy(way_.v_before.begin(), way_.v_before.end(), node));
  for (std::size_t i = 0; i < lists_.all.size(); ++i) {
    const ContactPlace& place = rows_[0][lists_.all[i]];
    const int first = node_.row(static_cast<int>(i));
    std::copy_n(node_.r().begin() + first, place.rows, impulses + place.first);
    if (node_.r()[first] > 0.0) hits[lists_.all[i]] = node_.U()[first] > rest_of(lists_.all[i]) ? 2 : 1;
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
  if (lists_.landing != node_.chosen()) node_.choose(lists_.landing);
  node_.set_U(way_.v.data());
  std::fill(contacts.status.begin(), contacts.status.end(), ContactStatus::open);
  std::fill(contacts.slip.begin(), contacts.slip.end(), 0.0);
  for (std::size_t i = 0; i < lists_.landing.size(); ++i) {
    const ContactPlace& place = rows[lists_.landing[i]];
    const double *U = node_.U().data() + node_.row(static_cast<int>(i)), rest = rest_of(lists_.landing[i]);
    if (!place.dry() && U[0] > rest) continue;
    const double speed = place.rows > 2 ? std::hypot(U[1], U[2]) : place.rows > 1 ? std::abs(U[1]) : 0.0;
    const bool slides = speed > rest;
    contacts.status[lists_.landing[i]] = slides ? ContactStatus::slide : ContactStatus::stick;
    if (slides) std::copy_n(U + 1, place.rows - 1, contacts.slip.begin() + place.first + 1);
  }
}

}  // namespace bough
