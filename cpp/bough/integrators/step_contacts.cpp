#include "bough/integrators/step_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/spatial/geodesic.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr double turn = 0.2;       // the cosine of the angle between slips above which a contact slides on
constexpr double floor_of = 1e-4;  // of the scale of a gap: 1e-12 of that is what the cone problem can tell from zero

double row_dot(const double* row, int n, const double* x) { return std::inner_product(row, row + n, x, 0.0); }

}  // namespace

StepContacts::StepContacts(const Model& model, double tolerance) : model_(model), tolerance_(tolerance), all_(model) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, m = model.elements.n_constraints;
  const std::size_t rows = all_.rows(), contacts = all_.contacts();
  chosen_.reserve(contacts);
  list_.reserve(contacts);
  cones_.reserve(contacts);
  for (auto* x : {&J0_, &J1_}) x->resize(rows * n);
  Z_.resize(rows * nd);
  Zmu_.resize(rows * m);
  G_.resize(rows * rows);
  for (auto* x : {&force_, &slip_, &rate_, &b_, &r_, &base_, &dr_, &w_, &c_, &s_, &scale_, &resolution_, &terms_})
    x->resize(rows);
  for (auto* x : {&phi_, &phi_scale_}) x->resize(contacts);
  middle_.resize(model.width());
  before_.resize(contacts);
  cone_.resize(static_cast<int>(rows), static_cast<int>(contacts));
}

void StepContacts::choose(const ContactState& state, const std::vector<char>& held, double dt_before) {
  dt_before_ = dt_before;
  choose_none();
  all_open_ = false;
  for (int i = 0; i < all_.contacts(); ++i) {
    const ContactPlace& c = all_[i];
    if (state.status[i] == ContactStatus::open && !held[i] && !c.dry()) continue;
    chosen_.push_back(i);
    list_.push_back({i, rows_, c.rows, state.status[i] == ContactStatus::slide});
    cones_.push_back({rows_, c.rows, c.dry() ? 1.0 : c.friction});
    std::copy_n(state.force.begin() + c.first, c.rows, force_.begin() + rows_);
    std::copy_n(state.slip.begin() + c.first, c.rows, slip_.begin() + rows_);
    rows_ += c.rows;
  }
}

void StepContacts::begin(double t, const double* q0, double dt) {
  const int n = model_.n_variables;
  t_ = t;
  q0_ = q0;
  dt_ = dt;
  node_time_ = 0.5 * (dt_before_ + dt);
  all_.set(t, q0);
  all_.normals(chosen_, J0_.data(), rate_.data());
  all_.tangents(chosen_, J0_.data(), rate_.data());
  constexpr double digits = 2.0 * std::numeric_limits<double>::epsilon();
  for (int r = 0; r < rows_; ++r) {
    double sum = 0.0;
    for (int i = 0; i < model_.n_dynamic; ++i) sum += std::abs(J0_[r * n + i] * q0[i]);
    resolution_[r] = digits / tolerance_ * sum;
    r_[r] = force_[r] * node_time_;
  }
  for (const Chosen& c : list_)
    if (all_[c.contact].dry()) r_[c.first] = all_[c.contact].bound * node_time_;
  std::fill_n(w_.begin(), rows_, 0.0);
  std::fill_n(terms_.begin(), rows_, 0.0);
}

void StepContacts::evaluate(double t1, const double* q1) {
  const int n = model_.n_variables;
  for (std::size_t i = 0; i < middle_.size(); ++i) middle_[i] = 0.5 * (q0_[i] + q1[i]);
  all_.set(t_ + 0.5 * dt_, middle_.data());
  all_.tangents(chosen_, J1_.data(), rate_.data());
  for (int i = 0; i < n; ++i) middle_[i] = q1[i] - q0_[i];
  for (const Chosen& c : list_)
    for (int k = 1; k < c.rows; ++k) {  // (CT3), (CT4)
      const int r = c.first + k;
      s_[r] = row_dot(J1_.data() + static_cast<std::size_t>(r) * n, n, middle_.data()) + dt_ * rate_[r];
      c_[r] = c.on ? s_[r] + dt_ * slip_[r] : s_[r];
    }
  all_.set(t1, q1);
  all_.gaps(phi_.data(), phi_scale_.data());
  for (const Chosen& c : list_) {
    c_[c.first] = phi_[c.contact];
    for (int k = 0; k < c.rows; ++k) {
      const int r = c.first + k;
      double size = phi_scale_[c.contact];
      for (int i = 0; k > 0 && i < n; ++i) size += std::abs(J1_[r * n + i] * q1[i]);
      scale_[r] = std::max({size, resolution_[r], terms_[r]});
    }
  }
}

double StepContacts::residual() const {
  double largest = 0.0, sum = 0.0;
  for (int r = 0; r < rows_; ++r) {
    const double off = std::abs(c_[r] - w_[r]) / (scale_[r] + std::numeric_limits<double>::min());
    largest = std::max(largest, off);
    sum += off;
  }
  return std::isnan(sum) ? sum : largest;
}

int StepContacts::worst() const {
  int found = 0;
  double largest = -1.0;
  for (const Chosen& c : list_)
    for (int r = c.first; r < c.first + c.rows; ++r) {
      const double off = std::abs(c_[r] - w_[r]) / (scale_[r] + std::numeric_limits<double>::min());
      if (off <= largest) continue;
      largest = off;
      found = c.contact;
    }
  return found;
}

void StepContacts::add_impulses(double* f, double* scale) const {
  const int n = model_.n_variables;
  for (int r = 0; r < rows_; ++r) {
    if (r_[r] == 0.0) continue;
    for (int i = 0; i < model_.n_dynamic; ++i) {
      const double impulse = J0_[static_cast<std::size_t>(r) * n + i] * r_[r];
      f[i] += impulse;
      scale[i] += std::abs(impulse);
    }
  }
}

// Of balls, phi of q1 is what is corrected: J_n dtau(-phi) in place of J_n.
void StepContacts::set_gradient(const double* q1) {
  all_.normals(chosen_, J1_.data(), rate_.data());
  for (const Ball& ball : model_.balls) {
    const Mat3 turn = dtau_minus(ball_vector(ball, q1));
    for (const Chosen& c : list_) {
      double* row = J1_.data() + static_cast<std::size_t>(c.first) * model_.n_variables;
      set_ball_vector(ball, row, transpose_times(turn, ball_vector(ball, row)));
    }
  }
}

double* StepContacts::right_sides() {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  for (int r = 0; r < rows_; ++r)
    for (int i = 0; i < nd; ++i) Z_[static_cast<std::size_t>(r) * nd + i] = -J0_[static_cast<std::size_t>(r) * n + i];
  std::fill(Zmu_.begin(), Zmu_.end(), 0.0);
  return Z_.data();
}

// (CT7)
bool StepContacts::correct(double* x, double* y) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  double floor = 0.0;
  for (int r = 0; r < rows_; ++r) {
    const double* row = J1_.data() + static_cast<std::size_t>(r) * n;
    double terms = 0.0;
    b_[r] = c_[r];
    for (int i = 0; i < nd; ++i) {
      b_[r] += row[i] * x[i];
      terms += std::abs(row[i] * x[i]);
    }
    for (int k = 0; k < rows_; ++k) {
      const double g = row_dot(row, nd, Z_.data() + static_cast<std::size_t>(k) * nd);
      G_[r * rows_ + k] = g;
      b_[r] -= g * r_[k];
      terms += std::abs(g * r_[k]);
    }
    terms_[r] = std::max(terms_[r], terms);
    scale_[r] = std::max(scale_[r], terms_[r]);
    floor = std::max(floor, floor_of * scale_[r]);
  }
  for (const Chosen& c : list_) {
    if (!all_[c.contact].dry()) continue;
    const int r = c.first;
    const double g = std::max(G_[(r + 1) * rows_ + r + 1], std::numeric_limits<double>::min());
    std::fill_n(G_.begin() + r * rows_, rows_, 0.0);
    for (int k = 0; k < rows_; ++k) G_[k * rows_ + r] = 0.0;
    G_[r * rows_ + r] = g;
    b_[r] = -g * all_[c.contact].bound * node_time_;
  }
  std::copy_n(r_.begin(), rows_, base_.begin());
  cone_.set_floor(floor);
  if (!cone_.solve(G_.data(), b_.data(), cones_.data(), static_cast<int>(cones_.size()), r_.data(), w_.data())) {
    std::copy_n(base_.begin(), rows_, r_.begin());
    return false;
  }
  for (int r = 0; r < rows_; ++r) {
    dr_[r] = r_[r] - base_[r];
    for (int i = 0; i < nd; ++i) x[i] += Z_[static_cast<std::size_t>(r) * nd + i] * dr_[r];
    for (int i = 0; i < m; ++i) y[i] += Zmu_[static_cast<std::size_t>(r) * m + i] * dr_[r];
  }
  // What obeys the law exactly: rows that press have no gap, rows at rest no slip.
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const ConeStatus status = cone_.status(static_cast<int>(i));
    const Chosen& c = list_[i];
    if (status != ConeStatus::open) w_[c.first] = 0.0;
    if (status == ConeStatus::stick) std::fill_n(w_.begin() + c.first + 1, c.rows - 1, 0.0);
  }
  for (const Chosen& c : list_)
    if (all_[c.contact].dry()) c_[c.first] = w_[c.first] = 0.0;
  return true;
}

void StepContacts::move(double factor) {
  for (int r = 0; r < rows_; ++r) r_[r] = base_[r] + factor * dr_[r];
}

bool StepContacts::turned() {
  bool found = false;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    Chosen& c = list_[i];
    if (!c.on || r_[c.first] <= 0.0) continue;
    double along = 0.0, now = 0.0, before = 0.0;
    for (int k = 1; k < c.rows; ++k) {
      const double s = s_[c.first + k], last = slip_[c.first + k];
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

bool StepContacts::accept(ContactState& state) {
  if (all_open_) return false;
  before_ = state.status;
  std::fill(state.status.begin(), state.status.end(), ContactStatus::open);
  std::fill(state.force.begin(), state.force.end(), 0.0);
  std::fill(state.slip.begin(), state.slip.end(), 0.0);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Chosen& c = list_[i];
    const ContactPlace& place = all_[c.contact];
    for (int k = 0; k < c.rows; ++k) state.force[place.first + k] = r_[c.first + k] / node_time_;
    const bool pressed = r_[c.first] > 0.0 || place.dry();
    if (!pressed && std::abs(phi_[c.contact]) > tolerance_ * scale_[c.first]) continue;
    double size = 0.0, limit = 0.0;
    for (int k = 1; k < c.rows; ++k) {
      size += s_[c.first + k] * s_[c.first + k];
      limit = std::max(limit, scale_[c.first + k]);
      state.friction_loss -= 0.5 * r_[c.first + k] * (s_[c.first + k] / dt_ + slip_[c.first + k]);
    }
    const bool slides = pressed && std::sqrt(size) > 10.0 * tolerance_ * limit;
    state.status[c.contact] = slides ? ContactStatus::slide : ContactStatus::stick;
    for (int k = 1; slides && k < c.rows; ++k) state.slip[place.first + k] = s_[c.first + k] / dt_;
  }
  return state.status != before_;
}

}  // namespace bough
