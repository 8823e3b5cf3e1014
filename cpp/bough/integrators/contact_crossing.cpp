// Whether an open contact is crossed in a step: at its end, or on the way there, (EV2).
#include <algorithm>
#include <cmath>

#include "bough/integrators/contact_steps.hpp"

namespace bough {
namespace {

constexpr double noticed = 1e-10;  // of the size of a gap: a crossing that would be missed
constexpr int deepest = 6;         // halvings of a step in search of a crossing within it

}  // namespace

// Whether an open contact is crossed at the end of the step solved last, or within it; at: the part of the step.
bool ContactSteps::crosses(double T, double* at) {
  *at = 1.0;
  if (!known_) {
    rows_[from_].set(state_.t, state_.q.data());
    std::fill(gaps_.phi0.begin(), gaps_.phi0.end(), HUGE_VAL);
    std::fill(gaps_.scale0.begin(), gaps_.scale0.end(), 1.0);
  }
  features_.lost = false;
  features_.passing = -1;
  set_end(T, Asked::not_apart);
  lists_.late.clear();
  for (const int i : lists_.near)
    if (!known_ || std::isinf(gaps_.phi0[i])) lists_.late.push_back(i);
  rows_[from_].gaps_of(lists_.late, gaps_.phi0.data(), gaps_.scale0.data());
  known_ = true;
  set_sizes();
  for (const int i : lists_.near)
    features_.lost |= std::isnan(gaps_.phi1[i]);  // as of a string that ends inside its pulley
  reach_.move(state_.q.data(), equations_.q1().data());
  const Least least = least_gap();
  if (least.contact >= 0 && least.phi < -crossed_below * least.scale) return true;
  return located && !stands() && crosses_within(T, at);
}

// Whether nothing moves in the step solved last, nor by time alone.
bool ContactSteps::stands() const { return !gaps_.timed && equations_.q1() == state_.q; }

// (EV2), first by what (EV4) tells of the step; the gaps at both ends are known. Slopes are found for all contacts that these leave.
bool ContactSteps::crosses_within(double T, double* at) {
  const ContactRows &start = rows_[from_], &end = rows_[1 - from_];
  const Unilateral* last = nullptr;
  const double* D = gaps_.travel.data();
  gaps_.examined.clear();
  for (const int i : lists_.near) {
    const ContactPlace& place = start[i];
    if (!open(i) || !std::isfinite(gaps_.phi0[i] + gaps_.phi1[i])) continue;
    if (reach_.way(i) >= 0.0 && gaps_.phi0[i] + gaps_.phi1[i] > reach_.way(i)) continue;
    if (place.element != last) {
      last = place.element;
      last->travel(start.instant_of(i), end.instant_of(i), gaps_.travel.data());
    }
    const double most = D[place.of_element];
    if (!(most >= 0.0 && gaps_.phi0[i] + gaps_.phi1[i] > most)) gaps_.examined.push_back(i);
  }
  if (gaps_.examined.empty()) return false;
  set_slopes(T);
  bool crossed = false;
  for (std::size_t k = 0; k < gaps_.examined.size(); ++k) {
    const int i = gaps_.examined[k];
    double here = 1.0;
    if (!dips(i, T, {0.0, gaps_.phi0[i], gaps_.falls0[k]}, {1.0, gaps_.phi1[i], gaps_.falls1[k]}, deepest, &here))
      continue;
    *at = std::min(*at, here);
    crossed = true;
  }
  return crossed;
}

// Of the gaps of gaps_.examined, as probe() has them at both ends.
void ContactSteps::set_slopes(double T) {
  const std::vector<double>& q1 = equations_.q1();
  const int n = model_.n_variables;
  for (const bool end : {false, true}) {
    ContactRows& rows = rows_[end ? 1 - from_ : from_];
    rows.normals(gaps_.examined, way_.row.data(), way_.rate.data());
    int row = 0;
    for (std::size_t k = 0; k < gaps_.examined.size(); ++k) {
      double& slope = (end ? gaps_.falls1 : gaps_.falls0)[k] = T * way_.rate[row];
      for (int i = 0; i < n; ++i) slope += way_.row[static_cast<std::size_t>(row) * n + i] * (q1[i] - state_.q[i]);
      row += rows[gaps_.examined[k]].rows;
    }
  }
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

// Whether the tangents at two places meet beyond the contact: it may be crossed between them, and nobody knows.
bool ContactSteps::may_cross(int contact, const Probe& a, const Probe& b) const {
  const double s = (b.phi - a.phi + a.slope * a.s - b.slope * b.s) / (a.slope - b.slope);
  return a.phi + a.slope * (s - a.s) < -noticed * gaps_.size[contact];
}

bool ContactSteps::dips(int contact, double T, const Probe& a, const Probe& b, int depth, double* at) {
  if (!(a.slope < 0.0 && b.slope > 0.0)) return false;
  if (depth == 0) {
    if (may_cross(contact, a, b)) smooth_.note_coarse(state_.t);
    return false;
  }
  const Probe middle = probe(contact, T, 0.5 * (a.s + b.s));
  if (middle.phi < -crossed_below * gaps_.size[contact]) {
    *at = middle.s;
    return true;
  }
  return dips(contact, T, a, middle, depth - 1, at) || dips(contact, T, middle, b, depth - 1, at);
}

}  // namespace bough
