#include "bough/integrators/step_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/spatial/fours.hpp"
#include "bough/spatial/geodesic.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr double turn = 0.2;      // the cosine of the angle between slips above which a contact slides on
constexpr double slow = 1e-8;     // of the scale of a slip in a step: below, it is not told where a contact stops
constexpr double unseen = 1e-10;  // of that scale: a way to a stop that is as little as the gap of a closed contact
constexpr double stopped_below = 1e-6;  // of the slip before: what stops together with another contact
constexpr double slip_digits = 4.0 * std::numeric_limits<double>::epsilon();  // of the scale of a slip: its round-off
constexpr double told = 1e-12;      // of the largest b: what the cone problem can tell from zero
constexpr double touching = 1e-12;  // of the scale of a gap: a contact that nothing presses is still there
constexpr double kept = 0.75;       // of a force from node to node: (CT12)
constexpr double of_gaps = 1e-11;   // of the scale of a gap: what gaps of closed contacts may contradict each other by
constexpr double floor_of = 1e-4;   // of the scale of a gap: 1e-12 of that is what the cone problem can tell from zero

// Of balls, what q1 is corrected by is phi: J_n dtau(-phi) in place of J_n.
void to_step_variables(const Model& model, const double* q1, double* row) {
  for (const Ball& ball : model.balls)
    set_ball_vector(ball, row, transpose_times(dtau_minus(ball_vector(ball, q1)), ball_vector(ball, row)));
}

}  // namespace

StepContacts::StepContacts(const Model& model, double tolerance) : model_(model), tolerance_(tolerance), all_(model) {
  const std::size_t nd = model.n_dynamic, rows = all_.rows(), contacts = all_.contacts();
  chosen_.reserve(contacts);
  list_.reserve(contacts);
  cones_.reserve(contacts);
  linear_.A.resize(nd * nd);
  for (auto* x : {&linear_.x, &linear_.unit}) x->resize(nd);
  for (auto* x : {&before_.force, &before_.slip, &rate_, &linear_.b, &impulse_.r, &impulse_.base, &impulse_.change,
                  &law_.w, &law_.value, &law_.s, &law_.scale, &law_.resolution, &law_.terms})
    x->resize(rows);
  for (auto* x : {&gaps_.phi, &gaps_.scale}) x->resize(contacts);
  middle_.resize(model.width());
  gaps_.one.resize(1);
  before_.status.resize(contacts);
  cone_.resize(static_cast<int>(rows), static_cast<int>(contacts));
}

void StepContacts::choose(const ContactState& state, const std::vector<char>& held, double dt_before) {
  dt_before_ = dt_before;
  before_.all_open = false;
  choose_none();
  before_.all_open = false;
  for (int i = 0; i < all_.contacts(); ++i) {
    const ContactPlace& c = all_[i];
    if (state.status[i] == ContactStatus::open && !held[i] && !c.dry()) continue;
    chosen_.push_back(i);
    list_.push_back({i, rows_, c.rows, state.status[i] == ContactStatus::slide, false, false});
    cones_.push_back({rows_, c.rows, c.dry() ? 1.0 : c.friction});
    std::copy_n(state.force.begin() + c.first, c.rows, before_.force.begin() + rows_);
    std::copy_n(state.slip.begin() + c.first, c.rows, before_.slip.begin() + rows_);
    rows_ += c.rows;
  }
  const std::size_t rows = rows_;
  for (auto* x : {&linear_.J0, &linear_.J1}) grow(*x, rows * model_.n_variables);
  grow(linear_.Z, (rows + 1) * model_.n_dynamic);
  grow(linear_.Zmu, (rows + 1) * model_.elements.n_constraints);
  grow(linear_.G, rows * rows);
}

void StepContacts::begin(double t, const double* q0, double dt) {
  const int n = model_.n_variables;
  t_ = t;
  q0_ = q0;
  dt_ = dt;
  node_time_ = 0.5 * (dt_before_ + dt);
  all_.set(t, q0);
  all_.all_rows(chosen_, linear_.J0.data(), rate_.data());
  constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
  for (int r = 0; r < rows_; ++r) {
    law_.resolution[r] = digits / tolerance_ * dot_in_fours(model_.n_dynamic, linear_.J0.data() + r * n, q0).size;
    impulse_.r[r] = before_.force[r] * node_time_;
  }
  for (Chosen& c : list_) {
    c.halts = false;
    if (all_[c.contact].dry()) impulse_.r[c.first] = all_[c.contact].bound * node_time_;
  }
  std::fill_n(law_.w.begin(), rows_, 0.0);
  std::fill_n(law_.terms.begin(), rows_, 0.0);
  law_.told = 0.0;
}

void StepContacts::evaluate(double t1, const double* q1) {
  const int n = model_.n_variables;
  for (std::size_t i = 0; i < middle_.size(); ++i) middle_[i] = 0.5 * (q0_[i] + q1[i]);
  all_.set(t_ + 0.5 * dt_, middle_.data());
  all_.tangents(chosen_, linear_.J1.data(), rate_.data());
  for (int i = 0; i < n; ++i) middle_[i] = q1[i] - q0_[i];
  for (const Chosen& c : list_)
    for (int k = 1; k < c.rows; ++k) {  // (CT3), (CT4)
      const int r = c.first + k;
      law_.s[r] = dot_in_fours(n, linear_.J1.data() + r * n, middle_.data()).value + dt_ * rate_[r];
      law_.value[r] = slides_on(c) ? law_.s[r] + dt_ * before_.slip[r] : law_.s[r];
    }
  all_.set(t1, q1);
  all_.gaps_of(chosen_, gaps_.phi.data(), gaps_.scale.data());
  for (const Chosen& c : list_) {
    law_.value[c.first] = gaps_.phi[c.contact];
    for (int k = 0; k < c.rows; ++k) {
      const int r = c.first + k;
      const double size = gaps_.scale[c.contact] + (k > 0 ? dot_in_fours(n, linear_.J1.data() + r * n, q1).size : 0.0);
      law_.scale[r] = std::max({size, law_.resolution[r], law_.terms[r], law_.told});
    }
  }
}

double StepContacts::residual() const {
  double largest = 0.0, sum = 0.0;
  for (const Chosen& c : list_) {
    if (law_.told == 0.0 && impulse_.r[c.first] == 0.0 && law_.value[c.first] >= 0.0 && !all_[c.contact].dry())
      continue;  // no w is known yet, and a contact that is open obeys the law with any
    for (int r = c.first; r < c.first + c.rows; ++r) {
      const double off = std::abs(law_.value[r] - law_.w[r]) / (law_.scale[r] + std::numeric_limits<double>::min());
      largest = std::max(largest, off);
      sum += off;
    }
  }
  return std::isnan(sum) ? sum : largest;
}

int StepContacts::worst() const {
  int found = 0;
  double largest = -1.0;
  for (const Chosen& c : list_)
    for (int r = c.first; r < c.first + c.rows; ++r) {
      const double off = std::abs(law_.value[r] - law_.w[r]) / (law_.scale[r] + std::numeric_limits<double>::min());
      if (off <= largest) continue;
      largest = off;
      found = c.contact;
    }
  return found;
}

void StepContacts::add_impulses(double* f, double* scale) const {
  const int n = model_.n_variables;
  for (int r = 0; r < rows_; ++r) {
    const double* row = linear_.J0.data() + static_cast<std::size_t>(r) * n;
    const double by = impulse_.r[r];
    if (by == 0.0) continue;
    in_fours(model_.n_dynamic, [=](auto i) {
      const auto impulse = by * i(row);
      i(f) += impulse;
      i(scale) += absolute(impulse);
    });
  }
}

void StepContacts::set_gradient(const double* q1) {
  all_.normals(chosen_, linear_.J1.data(), rate_.data());
  for (const Chosen& c : list_)
    to_step_variables(model_, q1, linear_.J1.data() + static_cast<std::size_t>(c.first) * model_.n_variables);
}

double StepContacts::gap(int contact, double t1, const double* q1, double* J, double* rate) {
  all_.set(t1, q1);
  gaps_.one[0] = contact;
  all_.normals(gaps_.one, J, rate);
  to_step_variables(model_, q1, J);
  return all_.gap_of(contact);
}

StepContacts::Columns StepContacts::right_sides(const double* x, const double* y) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  for (int r = 0; r < rows_; ++r)
    for (int i = 0; i < nd; ++i)
      linear_.Z[static_cast<std::size_t>(r) * nd + i] = -linear_.J0[static_cast<std::size_t>(r) * n + i];
  std::fill(linear_.Zmu.begin(), linear_.Zmu.end(), 0.0);
  std::copy_n(x, nd, linear_.Z.begin() + static_cast<std::ptrdiff_t>(rows_) * nd);
  std::copy_n(y, m, linear_.Zmu.begin() + static_cast<std::ptrdiff_t>(rows_) * m);
  return {linear_.Z.data(), linear_.Zmu.data(), rows_ + 1};
}

void StepContacts::take_correction(double* x, double* y) const {
  const int nd = model_.n_dynamic, m = model_.elements.n_constraints;
  std::copy_n(linear_.Z.begin() + static_cast<std::ptrdiff_t>(rows_) * nd, nd, x);
  std::copy_n(linear_.Zmu.begin() + static_cast<std::ptrdiff_t>(rows_) * m, m, y);
}

// (CT7), with (CT2) and (CT5) for the impulses.
bool StepContacts::correct(double* x, double* y) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  double floor = 0.0;
  set_cone_matrix(rows_, n, nd, linear_.J1.data(), linear_.Z.data(), linear_.across, linear_.G);
  for (int r = 0; r < rows_; ++r) {
    const double* row = linear_.J1.data() + static_cast<std::size_t>(r) * n;
    const SumOfTerms moved = dot_in_fours(nd, row, x),
                     pushed = dot_in_fours(rows_, linear_.G.data() + r * rows_, impulse_.r.data());
    linear_.b[r] = law_.value[r] + moved.value - pushed.value;
    law_.terms[r] =
        moved.size + pushed.size;  // of this correction: those of a wild one before it would hide what is left
    law_.scale[r] = std::max(law_.scale[r], law_.terms[r]);
    floor = std::max(floor, floor_of * law_.scale[r]);
  }
  for (const Chosen& c : list_) {
    if (!all_[c.contact].dry()) continue;
    const int r = c.first;
    const double g = std::max(linear_.G[(r + 1) * rows_ + r + 1], std::numeric_limits<double>::min());
    std::fill_n(linear_.G.begin() + r * rows_, rows_, 0.0);
    for (int k = 0; k < rows_; ++k) linear_.G[k * rows_ + r] = 0.0;
    linear_.G[r * rows_ + r] = g;
    linear_.b[r] = -g * all_[c.contact].bound * node_time_;
  }
  double largest = 0.0;
  for (int r = 0; r < rows_; ++r) largest = std::max(largest, std::abs(linear_.b[r]));
  law_.told = told / tolerance_ * largest;
  std::copy_n(impulse_.r.begin(), rows_, impulse_.base.begin());
  double size_of_gaps = 0.0;
  for (const Chosen& c : list_)
    if (!all_[c.contact].dry()) size_of_gaps = std::max(size_of_gaps, gaps_.scale[c.contact]);
  cone_.set_floor(floor, of_gaps * size_of_gaps);
  if (!solve_cones()) {
    std::copy_n(impulse_.base.begin(), rows_, impulse_.r.begin());
    return false;
  }
  for (int r = 0; r < rows_; ++r) {
    impulse_.change[r] = impulse_.r[r] - impulse_.base[r];
    for (int i = 0; i < nd; ++i) x[i] += linear_.Z[static_cast<std::size_t>(r) * nd + i] * impulse_.change[r];
    for (int i = 0; i < m; ++i) y[i] += linear_.Zmu[static_cast<std::size_t>(r) * m + i] * impulse_.change[r];
  }
  // What obeys the law exactly: rows that press have no gap, rows at rest no slip. Of rows that contradict each other y tells.
  for (std::size_t i = 0; i < cones_.size() && !cone_.reconciled(); ++i) {
    const ConeStatus status = cone_.status(static_cast<int>(i));
    const Chosen& c = list_[i];
    if (status != ConeStatus::open) law_.w[c.first] = 0.0;
    if (status == ConeStatus::stick) std::fill_n(law_.w.begin() + c.first + 1, c.rows - 1, 0.0);
  }
  for (const Chosen& c : list_)
    if (all_[c.contact].dry()) law_.value[c.first] = law_.w[c.first] = 0.0;
  return true;
}

// Contacts that would slide on and stick halt if rows contradict each other; if they still do, that is what is left.
bool StepContacts::solve_cones() {
  cone_.tells_inconsistent = true;
  const auto solve = [&] {
    return cone_.solve(linear_.G.data(), linear_.b.data(), cones_.data(), static_cast<int>(cones_.size()),
                       impulse_.r.data(), law_.w.data());
  };
  for (;;) {
    if (solve()) return true;
    if (!cone_.tells_inconsistent || !cone_.inconsistent()) return false;
    std::copy_n(impulse_.base.begin(), rows_, impulse_.r.begin());
    cone_.tells_inconsistent = halt();
  }
}

// True if one does.
bool StepContacts::halt() {
  bool any = false;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    Chosen& c = list_[i];
    if (!slides_on(c) || cone_.status(static_cast<int>(i)) != ConeStatus::stick) continue;
    c.halts = any = true;
    for (int r = c.first + 1; r < c.first + c.rows; ++r) {
      law_.value[r] -= dt_ * before_.slip[r];
      linear_.b[r] -= dt_ * before_.slip[r];
    }
  }
  return any;
}

void StepContacts::move(double factor) {
  for (int r = 0; r < rows_; ++r) impulse_.r[r] = impulse_.base[r] + factor * impulse_.change[r];
}

bool StepContacts::turned() {
  bool found = false;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    Chosen& c = list_[i];
    if (!c.on || impulse_.r[c.first] <= 0.0 || slip_of(c) <= 0.0) continue;
    double along = 0.0, now = 0.0, before = 0.0;
    for (int k = 1; k < c.rows; ++k) {
      const double s = law_.s[c.first + k], last = before_.slip[c.first + k];
      along += s * last;
      now += s * s;
      before += last * last;
    }
    if (along > turn * std::sqrt(now * before)) continue;
    c.on = false;
    found = true;
  }
  return found;
}

void StepContacts::watch_stops(const std::vector<char>& stopped, double time) {
  before_.watched = time;
  for (Chosen& c : list_) c.watched = c.on && !stopped[c.contact];
}

// (CT9) of a contact; 1 if it is not watched, or slides so slowly that nothing tells where it stops.
double StepContacts::slip_of(const Chosen& c) const {
  if (!c.watched || !(impulse_.r[c.first] > 0.0)) return 1.0;
  double along = 0.0, before = 0.0, scale = 0.0;
  for (int k = c.first + 1; k < c.first + c.rows; ++k) {
    const double last = before_.slip[k], now = law_.s[k] / dt_;
    along += (now + (now - last) * dt_ / (dt_before_ + dt_)) * last;
    before += last * last;
    scale = std::max(scale, law_.scale[k]);
  }
  return std::sqrt(before) * before_.watched > slow * scale ? std::min(1.0, along / before) : 1.0;
}

double StepContacts::least_slip() const {
  double least = 1.0;
  for (const Chosen& c : list_) least = std::min(least, slip_of(c));
  return least;
}

// The slip of the step before, and the largest scale of its rows.
StepContacts::Slip StepContacts::slip_before(const Chosen& c) const {
  double before = 0.0, scale = 0.0;
  for (int k = c.first + 1; k < c.first + c.rows; ++k) {
    before += before_.slip[k] * before_.slip[k];
    scale = std::max(scale, law_.scale[k]);
  }
  return {std::sqrt(before), scale};
}

double StepContacts::slip_round_off() const {
  double largest = 0.0;
  for (const Chosen& c : list_) {
    if (!c.watched || !(impulse_.r[c.first] > 0.0)) continue;
    const Slip slip = slip_before(c);
    if (slip.size > 0.0) largest = std::max(largest, slip_digits * slip.scale / (dt_ * slip.size));
  }
  return std::min(largest, 0.5 * stopped_below);
}

bool StepContacts::mark_short_stops(std::vector<char>& stopped) const {
  bool any = false;
  for (const Chosen& c : list_) {
    const Slip slip = slip_before(c);
    if (!(slip_of(c) < 0.0) || !(slip.size * dt_ <= unseen * slip.scale)) continue;
    stopped[c.contact] = 1;
    any = true;
  }
  return any;
}

void StepContacts::mark_stops(std::vector<char>& stopped) const {
  for (const Chosen& c : list_)
    if (slip_of(c) <= stopped_below) stopped[c.contact] = 1;
}

// Without friction, gaps of one smooth function lose next to nothing by it.
bool StepContacts::falling(std::vector<int>& found) const {
  found.clear();
  bool opened = false;
  for (const Chosen& c : list_) {
    const ContactPlace& place = all_[c.contact];
    const double r = impulse_.r[c.first];
    if (place.dry() || (c.rows == 1 && !place.element->has_features())) continue;
    if (!(r < kept * before_.force[c.first] * node_time_)) continue;  // (CT12)
    found.push_back(c.contact);
    opened |= r == 0.0 && gaps_.phi[c.contact] > touching * law_.scale[c.first];
  }
  return opened;
}

bool StepContacts::enter(ContactState& state) {
  before_.status = state.status;
  std::fill(state.status.begin(), state.status.end(), ContactStatus::open);
  std::fill(state.force.begin(), state.force.end(), 0.0);
  std::fill(state.slip.begin(), state.slip.end(), 0.0);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Chosen& c = list_[i];
    const ContactPlace& place = all_[c.contact];
    for (int k = 0; k < c.rows; ++k) {  // a force that has not changed has its bits
      const double r = impulse_.r[c.first + k], force = before_.force[c.first + k];
      state.force[place.first + k] = r == force * node_time_ ? force : r / node_time_;
    }
    const bool pressed = impulse_.r[c.first] > 0.0 || place.dry();
    if (!pressed && std::abs(gaps_.phi[c.contact]) > touching * law_.scale[c.first]) continue;
    double size = 0.0, limit = 0.0;
    for (int k = 1; k < c.rows; ++k) {
      size += law_.s[c.first + k] * law_.s[c.first + k];
      limit = std::max(limit, law_.scale[c.first + k]);
      state.friction_loss -= 0.5 * impulse_.r[c.first + k] * (law_.s[c.first + k] / dt_ + before_.slip[c.first + k]);
    }
    const bool slides = pressed && std::sqrt(size) > 10.0 * tolerance_ * limit;
    state.status[c.contact] = slides ? ContactStatus::slide : ContactStatus::stick;
    for (int k = 1; slides && k < c.rows; ++k) state.slip[place.first + k] = law_.s[c.first + k] / dt_;
  }
  return state.status != before_.status;
}

}  // namespace bough
