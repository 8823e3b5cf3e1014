#include "bough/integrators/contact_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

constexpr double digits = std::numeric_limits<double>::epsilon();
constexpr double below = 2e-14;           // of the scale of a gap: what counts as crossed
constexpr double found = 4.0;             // digits of the scale to which a crossing is located
constexpr double closed_below = 1e-10;    // of the scale of a gap: what counts as closed
constexpr double shortest_flight = 1e-3;  // of a contact that leaves a node and returns, in steps
constexpr int deepest = 6;                // halvings of a step in search of a crossing within it
constexpr int most_inward = 40;           // halvings of a step in search of a place where a contact that left is open
constexpr int most_trials = 100;          // of tau

// In one step: more than that are not impacts of a motion.
int most_impacts(int contacts) { return 4 * contacts + 16; }

}  // namespace

ContactSteps::ContactSteps(const Model& model, StepEquations& equations, VariationalState& state, SmoothSteps& smooth)
    : model_(model),
      equations_(equations),
      state_(state),
      smooth_(smooth),
      node_(model),
      rows_{ContactRows(model), ContactRows(model)} {
  const std::size_t n = model.n_variables, nk = n - model.n_dynamic;
  const std::size_t contacts = model.elements.n_contacts, rows = model.elements.n_contact_rows;
  state.contacts.resize(static_cast<int>(contacts), static_cast<int>(rows));
  for (auto* x : {&gaps_.phi0, &gaps_.scale0, &gaps_.phi1, &gaps_.scale1, &gaps_.travel, &gaps_.size, &restitution_})
    x->resize(contacts);
  hits_.count.resize(contacts);
  hits_.held.resize(contacts);
  hits_before_ = hits_;
  in_step_.resize(contacts);
  for (auto* x : {&way_.k0, &way_.k}) x->resize(nk);
  way_.v.resize(n);
  way_.q.resize(model.width());
  way_.row.resize(rows * n);
  way_.rate.resize(rows);
  sum_.force.resize(rows);
  sum_.lam.resize(model.elements.n_constraints);
  for (auto* x : {&lists_.all, &lists_.landing}) x->reserve(contacts);
  lists_.one.resize(1);
}

void ContactSteps::begin_step() {
  std::fill(hits_.count.begin(), hits_.count.end(), 0);
  std::fill(hits_.held.begin(), hits_.held.end(), 0);
  hits_.impacts = 0;
  hits_.events = events.impacts.size();
}

void ContactSteps::restore(const Hits& hits) {
  hits_ = hits;
  events.resize(hits.events, model_.elements.n_contact_rows, model_.elements.n_contacts);
  known_ = false;
}

StepStatus ContactSteps::step(const StepPart& whole) {
  whole_ = whole;
  elapsed_ = 0.0;
  split_ = false;
  std::copy_n(state_.q.begin() + model_.n_dynamic, way_.k0.size(), way_.k0.begin());
  const auto undo = [&] {
    if (!split_) return;
    smooth_.undo_to(before_);
    restore(hits_before_);
  };
  StepStatus status;
  try {
    status = advance();
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
  if (status != StepStatus::fine) {
    undo();
    return status;
  }
  hits_.events = events.impacts.size();
  if (!split_) return status;
  state_.t = before_.t + whole.dt;
  for (std::size_t r = 0; r < sum_.force.size(); ++r) state_.contacts.force[r] = sum_.force[r] / sum_.weight;
  for (std::size_t r = 0; r < sum_.lam.size(); ++r) state_.lam[r] = sum_.lam[r] / sum_.weight;
  return status;
}

// Steps and impacts to the end of the part.
StepStatus ContactSteps::advance() {
  for (;;) {
    StepContacts& contacts = *equations_.contacts();
    contacts.choose(state_.contacts, hits_.held, state_.dt_before);
    std::fill(in_step_.begin(), in_step_.end(), 0);
    for (const int i : contacts.chosen()) in_step_[i] = 1;
    const double T = whole_.dt - elapsed_;
    StepStatus status = solve(T);
    if (status != StepStatus::fine) return status;
    double at = 1.0, tau = T;
    const bool crossed = crosses(T, &at);
    int stuck = -1;
    if (crossed) {
      status = locate(T, at, &tau, &stuck);
      if (status != StepStatus::fine) return status;
    }
    if (!crossed || tau < 0.0) {  // none after all
      if (tau < 0.0 && (status = solve(T)) != StepStatus::fine) return status;
      make(T);
      if (crossed) return StepStatus::fine;
      from_ = 1 - from_;  // the end is the start of the next step
      rows_[from_].moved_to(state_.q.data());
      std::swap(gaps_.phi0, gaps_.phi1);
      std::swap(gaps_.scale0, gaps_.scale1);
      known_ = true;
      return StepStatus::fine;
    }
    if (!split_) {
      before_ = state_;
      hits_before_ = hits_;
      split_ = true;
      sum_.weight = 0.0;
      std::fill(sum_.force.begin(), sum_.force.end(), 0.0);
      std::fill(sum_.lam.begin(), sum_.lam.end(), 0.0);
    }
    if (tau > 0.0) make(tau);
    if (stuck >= 0 ||
        hits_.impacts > most_impacts(rows_[0].contacts())) {  // it joins the closed ones without an impact
      const int contact = stuck >= 0 ? stuck : least_gap().contact;
      if (hits_.held[contact]) return StepStatus::no_convergence;
      if (stuck < 0) smooth_.note_coarse(state_.t);
      hits_.held[contact] = 1;
      continue;
    }
    if (!impact(state_.dt_before)) return StepStatus::no_convergence;
    if (whole_.dt - elapsed_ <= found * digits * whole_.dt) {  // at the end of the step
      std::copy_n(whole_.k1, way_.k0.size(), state_.q.begin() + model_.n_dynamic);
      return StepStatus::fine;
    }
  }
}

StepStatus ContactSteps::solve(double tau) {
  const double end = elapsed_ + tau;
  if (end >= whole_.dt) return smooth_.solve_smooth({tau, whole_.k1, whole_.u});
  for (std::size_t i = 0; i < way_.k.size(); ++i)
    way_.k[i] = way_.k0[i] + end / whole_.dt * (whole_.k1[i] - way_.k0[i]);
  return smooth_.solve_smooth({tau, way_.k.data(), whole_.u});
}

// The step solved last is made.
void ContactSteps::make(double tau) {
  const double node_time = 0.5 * (state_.dt_before + tau);
  smooth_.accept_smooth(tau);
  known_ = false;
  elapsed_ += tau;
  if (!split_) return;
  sum_.weight += node_time;
  for (std::size_t r = 0; r < sum_.force.size(); ++r) sum_.force[r] += node_time * state_.contacts.force[r];
  for (std::size_t r = 0; r < sum_.lam.size(); ++r) sum_.lam[r] += node_time * state_.lam[r];
}

// --- crossings ---

// Whether an open contact is crossed at the end of the step solved last, or within it; at: the part of the step.
bool ContactSteps::crosses(double T, double* at) {
  *at = 1.0;
  if (!known_) {
    rows_[from_].set(state_.t, state_.q.data());
    rows_[from_].gaps(gaps_.phi0.data(), gaps_.scale0.data());
    known_ = true;
  }
  set_end(T);
  for (std::size_t i = 0; i < gaps_.size.size(); ++i)
    gaps_.size[i] = std::max({gaps_.scale0[i], gaps_.scale1[i], std::abs(gaps_.phi1[i] - gaps_.phi0[i])});
  const Least least = least_gap();
  if (least.contact >= 0 && least.phi < -below * least.scale) return true;
  return crosses_within(T, at);
}

// The gaps at the end of the step solved last.
void ContactSteps::set_end(double T) {
  ContactRows& end = rows_[1 - from_];
  end.set(state_.t + T, equations_.q1().data());
  end.gaps(gaps_.phi1.data(), gaps_.scale1.data());
}

// The least of them, of open contacts, by their sizes.
ContactSteps::Least ContactSteps::least_gap() const {
  Least least{0.0, 1.0, -1};
  for (int i = 0; i < rows_[0].contacts(); ++i) {
    if (!open(i)) continue;
    if (least.contact < 0 || gaps_.phi1[i] * least.scale < least.phi * gaps_.size[i])
      least = {gaps_.phi1[i], gaps_.size[i], i};
  }
  return least;
}

// (EV2); the gaps at both ends are known.
bool ContactSteps::crosses_within(double T, double* at) {
  const ContactRows &start = rows_[from_], &end = rows_[1 - from_];
  const Unilateral* last = nullptr;
  const double* D = gaps_.travel.data();
  bool crossed = false;
  for (int i = 0; i < start.contacts(); ++i) {
    const ContactPlace& place = start[i];
    if (!open(i)) continue;
    if (place.element != last) {
      last = place.element;
      last->travel(start.instant(), end.instant(), gaps_.travel.data());
    }
    const double most = D[place.of_element];
    if (most >= 0.0 && gaps_.phi0[i] + gaps_.phi1[i] > most) continue;
    double here = 1.0;
    if (!dips(i, T, probe(i, T, 0.0), probe(i, T, 1.0), deepest, &here)) continue;
    *at = std::min(*at, here);
    crossed = true;
  }
  return crossed;
}

// A gap on the way from q0 to q1: straight, and along the geodesic of a ball.
ContactSteps::Probe ContactSteps::probe(int contact, double T, double s) {
  const std::vector<double>& q1 = equations_.q1();
  const int n = model_.n_variables;
  for (std::size_t i = 0; i < way_.q.size(); ++i) way_.q[i] = state_.q[i] + s * (q1[i] - state_.q[i]);
  ContactRows& rows = equations_.contacts()->all();
  rows.set(state_.t + s * T, way_.q.data());
  lists_.one[0] = contact;
  rows.normals(lists_.one, way_.row.data(), way_.rate.data());
  Probe p{s, rows.gap_of(contact), T * way_.rate[0]};
  for (int i = 0; i < n; ++i) p.slope += way_.row[i] * (q1[i] - state_.q[i]);
  return p;
}

bool ContactSteps::dips(int contact, double T, const Probe& a, const Probe& b, int depth, double* at) {
  if (!(a.slope < 0.0 && b.slope > 0.0) || depth == 0) return false;
  const Probe middle = probe(contact, T, 0.5 * (a.s + b.s));
  if (middle.phi < -below * gaps_.size[contact]) {
    *at = middle.s;
    return true;
  }
  return dips(contact, T, a, middle, depth - 1, at) || dips(contact, T, middle, b, depth - 1, at);
}

// --- (EV1) ---

// The equations are solved at tau on return; tau < 0: the step is not crossed after all. stuck: a contact that leaves the node
// so slowly that it is open nowhere.
StepStatus ContactSteps::locate(double T, double at, double* tau, int* stuck) {
  StepStatus status = StepStatus::fine;
  double b = at * T, a = 0.0;
  if (at < 1.0 && (status = solve(b)) != StepStatus::fine) return status;
  Least end = least_gap_at(b);
  *tau = -1.0;
  if (end.phi >= -below * end.scale) return status;
  double at_a = gaps_.phi0[end.contact], at_b = end.phi;
  if (at_a <= below * gaps_.size[end.contact]) {
    *tau = 0.0;
    if (!leaves(end.contact)) return status;
    status = enter(end.contact, &a, &at_a, &b, &at_b);
    if (a == 0.0) *stuck = end.contact;
    if (status != StepStatus::fine || a == 0.0) return status;
  }
  int side = 0;
  for (int trial = 0; trial < most_trials; ++trial) {  // Illinois
    double x = a + (b - a) * at_a / (at_a - at_b);
    if (!(x > a && x < b)) x = 0.5 * (a + b);
    if ((status = solve(x)) != StepStatus::fine) return status;
    const Least now = least_gap_at(x);
    *tau = x;
    const bool narrow = b - a <= 2.0 * digits * T;
    if (std::abs(now.phi) <= found * digits * now.scale || (narrow && now.phi > 0.0)) {
      double earlier = 1.0;
      if (!crosses_within(x, &earlier)) return status;
      b = earlier * x;
      a = 0.0;
      if ((status = solve(b)) != StepStatus::fine) return status;
      const Least inner = least_gap_at(b);
      if (inner.phi >= -below * inner.scale) {  // a crossing of the straight way only
        *tau = x;
        return solve(x);
      }
      at_a = gaps_.phi0[inner.contact];
      at_b = inner.phi;
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
      if (side < 0) at_a *= 0.5;
      side = -1;
    }
    if (narrow && a > 0.0) {
      *tau = a;
      return solve(a);
    }
  }
  return status;
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
    if (x <= least || away * x <= closed_below * size_[contact]) return StepStatus::fine;
    const StepStatus status = solve(x);
    if (status != StepStatus::fine) return status;
    const Least now = least_gap_at(x);
    if (now.phi > 0.0 && gaps_.phi1[contact] > 0.0) {
      *a = x;
      *at_a = now.phi;
      return status;
    }
    *b = x;
    *at_b = now.phi;
  }
  return StepStatus::fine;
}

}  // namespace bough
