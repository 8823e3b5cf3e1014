#include "bough/integrators/contact_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

constexpr double at_end = 4.0 * std::numeric_limits<double>::epsilon();  // of a step: what is left of it is none
constexpr std::size_t most_jumps = 4;                                    // for each contact, with impacts, in one step

// In one step: more than that are not impacts of a motion.
int most_impacts(int contacts) { return 4 * contacts + 16; }

}  // namespace

ContactSteps::ContactSteps(const Model& model, StepEquations& equations, VariationalState& state, SmoothSteps& smooth)
    : model_(model),
      equations_(equations),
      state_(state),
      smooth_(smooth),
      node_(model),
      rows_{ContactRows(model), ContactRows(model)},
      reach_(model, rows_[0]) {
  const std::size_t n = model.n_variables, nk = n - model.n_dynamic;
  const std::size_t contacts = model.elements.n_contacts, rows = model.elements.n_contact_rows;
  state.contacts.resize(static_cast<int>(contacts), static_cast<int>(rows), static_cast<int>(nk));
  for (auto* x : {&gaps_.phi0, &gaps_.scale0, &gaps_.phi1, &gaps_.scale1, &gaps_.travel, &gaps_.size, &gaps_.falls0,
                  &gaps_.falls1, &features_.before, &lists_.restitution})
    x->resize(contacts);
  hits_.count.resize(contacts);
  for (auto* x : {&hits_.held, &hits_.stopped}) x->resize(contacts);
  hits_before_ = hits_;
  lists_.in_step.resize(contacts);
  for (auto* x : {&way_.k0, &way_.k, &way_.k_bend}) x->resize(nk);
  for (auto* x : {&way_.v, &way_.v_before, &way_.drift, &way_.a, &way_.q_rate}) x->resize(n);
  for (auto* x : {&way_.polynomial.end, &way_.polynomial.off}) x->resize(model.n_dynamic);
  for (auto* place : {&way_.gaps.a, &way_.gaps.b, &way_.gaps.c}) place->f.resize(contacts);
  events.rows = rows;
  events.contacts = contacts;
  events.numbers = model.n_coordinates() + 2 * n;
  way_.q.resize(model.width());
  way_.row.resize(rows * n);
  way_.rate.resize(rows);
  sum_.force.resize(rows);
  sum_.lam.resize(model.elements.n_constraints);
  for (auto* x : {&lists_.all, &lists_.landing, &lists_.near, &lists_.late}) x->reserve(contacts);
  lists_.one.resize(1);
  int first = 0;
  for (const auto& e : model.elements.unilaterals) {
    if (e->has_features()) {
      features_.elements.push_back({e.get(), first, e->memory(model)});
      reach_.watch(*e, *features_.elements.back().memory);
    }
    first += e->contacts();
    gaps_.timed |= e->moves();
  }
  gaps_.examined.reserve(contacts);
  ContactRows& within = equations.contacts()->all();
  for (ContactRows& rows : rows_) {
    rows.share(within);
    within.share(rows);
  }
  for (auto* x : {&features_.closed, &features_.runs}) x->resize(contacts);
  features_.left.reserve(most_jumps * contacts);
  features_.met.reserve(contacts);
  freeze();
}

void ContactSteps::clear_hits() {
  std::fill(hits_.count.begin(), hits_.count.end(), 0);
  std::fill(hits_.held.begin(), hits_.held.end(), 0);
  std::fill(hits_.stopped.begin(), hits_.stopped.end(), 0);
  hits_.impacts = hits_.stops = 0;
}

void ContactSteps::restore(const Hits& hits) {
  hits_ = hits;
  forget();
  events.resize(hits.events);
}

bool ContactSteps::passes(const StepPart& whole) {
  known_ = false;
  if (!reach_.stays_open(state_.q.data(), equations_.q1().data())) {
    if (reach_.awake()) return false;
    if (!features_.elements.empty()) rows_[from_].set(state_.t, state_.q.data());
    set_end(whole.dt, Asked::not_apart);
    if (!reach_.stayed_open(gaps_.phi1)) return false;
  }
  if (!way_.k0.empty()) std::copy_n(state_.q.begin() + model_.n_dynamic, way_.k0.size(), way_.k0.begin());
  set_drive_of(whole);
  return true;
}

// The mean velocities of the kinematic variables in a step from way_.k0.
void ContactSteps::set_drive_of(const StepPart& whole) {
  for (std::size_t i = 0; i < way_.k0.size(); ++i) state_.contacts.drive[i] = (whole.k1[i] - way_.k0[i]) / whole.dt;
  state_.contacts.drive_time = whole.dt;
}

StepStatus ContactSteps::step(const StepPart& whole, bool solved) {
  whole_ = whole;
  const std::size_t noted = trace.nodes.size();
  const auto begin = [&](Pins pins) {
    elapsed_ = 0.0;
    split_ = way_.drifts = features_.left_out = features_.pinned = false;
    features_.pins = pins;
    features_.times_pinned = 0;
  };
  begin(smooth_.divisible_further() ? Pins::none : Pins::allowed);
  freeze();
  std::copy_n(state_.q.begin() + model_.n_dynamic, way_.k0.size(), way_.k0.begin());
  const auto undo = [&] {
    if (!split_) return;
    smooth_.undo_to(before_);
    restore(hits_before_);
    trace.nodes.resize(noted);
  };
  StepStatus status;
  try {
    status = advance(solved);
    if (status != StepStatus::fine && features_.pins == Pins::made) {  // then with the features as they are
      undo();
      begin(Pins::refused);
      status = advance(false);
    }
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
  if (status != StepStatus::fine) return undo(), status;
  hits_.events = events.impacts.size();
  set_drive_of(whole);
  if (!split_) return status;
  state_.t = before_.t + whole.dt;
  for (std::size_t r = 0; r < sum_.force.size(); ++r) state_.contacts.force[r] = sum_.force[r] / sum_.weight;
  for (std::size_t r = 0; r < sum_.lam.size(); ++r) state_.lam[r] = sum_.lam[r] / sum_.weight;
  return status;
}

// Steps, impacts and stops to the end of the part. solved: without contacts, none of which is closed.
StepStatus ContactSteps::advance(bool solved) {
  for (;; solved = false) {
    StepContacts& contacts = *equations_.contacts();
    if (features_.pinned_at != elapsed_) features_.pinned = false;
    if (!features_.left_out && !features_.pinned && !choose_features()) return StepStatus::no_convergence;
    if (!features_.left_out) features_.left.clear();
    features_.passed = features_.left_out = false;
    contacts.choose(state_.contacts, hits_.held, state_.dt_before);
    if (located) contacts.watch_stops(hits_.stopped, whole_.dt);
    std::fill(lists_.in_step.begin(), lists_.in_step.end(), 0);
    for (const int i : contacts.chosen()) lists_.in_step[i] = 1;
    double T = whole_.dt - elapsed_;
    StepStatus status = solved && contacts.empty() ? StepStatus::fine : solve(T);
    if (status != StepStatus::fine) std::fill(features_.runs.begin(), features_.runs.end(), 0);
    if (status != StepStatus::fine || (features_.pins != Pins::refused && !follows(T))) {
      if (pin()) continue;
      return status != StepStatus::fine ? status : StepStatus::no_convergence;
    }
    if (pulls(T) && unload()) continue;
    bool stops = !brief(T) && contacts.least_slip() < 0.0;
    if (stops && located && hold_returning(T)) continue;
    if (stops && !locate_stop(&T, &stops)) {  // they are left to (CT4)
      ++hits_.stops;
      continue;
    }
    double at = 1.0, tau = T;
    const bool crossed = crosses(T, &at);
    if (features_.lost) return StepStatus::no_convergence;
    if (features_.passing >= 0) {
      if (!pass_over(T)) return StepStatus::no_convergence;
      continue;
    }
    if (features_.passed) continue;
    int stuck = -1;
    if (crossed && !located) {
      if (!hold_crossed()) return StepStatus::no_convergence;
      continue;
    }
    if (crossed && hold_returning(T)) continue;
    if (crossed) {
      status = locate(T, at, &tau, &stuck);
      if (status != StepStatus::fine) return status;
      if (features_.lost || (features_.passing >= 0 && !features_.shallow)) return StepStatus::no_convergence;
      if (features_.passing >= 0) hold(features_.passing);
      if (features_.passed) continue;
    }
    if (!crossed || tau < 0.0) {  // none after all
      if (tau < 0.0) {
        if ((status = solve(T)) != StepStatus::fine) return status;
        rows_[1 - from_].set(state_.t + T, equations_.q1().data());
        measure_end(Asked::not_apart);
      }
      if (stops) {
        split();
        contacts.mark_stops(hits_.stopped);
        if (!make(T) || !stop_sliding()) return StepStatus::no_convergence;
        if (ended()) return StepStatus::fine;
        continue;
      }
      const bool shorter = T < whole_.dt - elapsed_;  // a stop was looked for, and an impact seemed to come first
      if (shorter) split();
      if (!make(T)) return StepStatus::no_convergence;
      if (shorter) continue;
      join_touching(T);
      if (contacts.empty()) reach_.set(gaps_.phi1);
      if (!model_.balls.empty())
        return StepStatus::fine;  // turned by a step, a ball is not where q1 had it to the last bit
      from_ = 1 - from_;          // the end is the start of the next step
      rows_[from_].moved_to(state_.q.data());
      std::swap(gaps_.phi0, gaps_.phi1);
      std::swap(gaps_.scale0, gaps_.scale1);
      known_ = true;
      return StepStatus::fine;
    }
    split();
    if (tau > 0.0 && !make(tau)) return StepStatus::no_convergence;
    if (stuck >= 0 ||
        hits_.impacts > most_impacts(rows_[0].contacts())) {  // it joins the closed ones without an impact
      const int contact = stuck >= 0 ? stuck : least_gap().contact;
      if (hits_.held[contact] || hits_.impacts > 2 * most_impacts(rows_[0].contacts()))
        return StepStatus::no_convergence;
      if (stuck < 0) smooth_.note_coarse(state_.t);
      hits_.held[contact] = 1;
      ++hits_.impacts;
      note(ContactTrace::Kind::joined);
      continue;
    }
    if (!impact()) return StepStatus::no_convergence;
    if (ended()) return StepStatus::fine;
  }
}

// The step has several parts from here on.
void ContactSteps::split() {
  reach_.forget();
  if (split_) return;
  before_ = state_;
  hits_before_ = hits_;
  split_ = true;
  sum_.weight = 0.0;
  std::fill(sum_.force.begin(), sum_.force.end(), 0.0);
  std::fill(sum_.lam.begin(), sum_.lam.end(), 0.0);
}

// Contacts that are crossed at the end of the step join the closed ones. False if there is none.
bool ContactSteps::hold_crossed() {
  bool any = false;
  for (int i = 0; i < rows_[0].contacts(); ++i) {
    if (!open(i) || !(gaps_.phi1[i] < -crossed_below * gaps_.size[i])) continue;
    hits_.held[i] = 1;
    any = true;
  }
  ++hits_.impacts;
  return any;
}

// Whether an event was at the end of the step.
bool ContactSteps::ended() {
  if (whole_.dt - elapsed_ > at_end * whole_.dt) return false;
  std::copy_n(whole_.k1, way_.k0.size(), state_.q.begin() + model_.n_dynamic);
  return true;
}

StepStatus ContactSteps::solve(double tau, const double* first) {
  if (brief(tau)) return drift(tau);
  const double end = elapsed_ + tau;
  if (end >= whole_.dt) return smooth_.solve_smooth({tau, whole_.k1, whole_.u}, first);
  set_kinematic(end);
  return smooth_.solve_smooth({tau, way_.k.data(), whole_.u}, first);
}

// The step solved last is made. False if it cannot be.
bool ContactSteps::make(double tau) {
  if (brief(tau)) {
    if (!make_brief(tau)) return false;
    note(ContactTrace::Kind::brief, tau);
    return true;
  }
  const double node_time = 0.5 * (state_.dt_before + tau);
  smooth_.accept_smooth(tau);
  known_ = way_.drifts = false;
  elapsed_ += tau;
  if (!split_) return true;
  note(ContactTrace::Kind::part, tau);
  sum_.weight += node_time;
  for (std::size_t r = 0; r < sum_.force.size(); ++r) sum_.force[r] += node_time * state_.contacts.force[r];
  for (std::size_t r = 0; r < sum_.lam.size(); ++r) sum_.lam[r] += node_time * state_.lam[r];
  return true;
}

}  // namespace bough
