#include "bough/maximal/maximal_rows.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/kinematics.hpp"

namespace bough {

MaximalRows::MaximalRows(BodyState& state, BodySpace& space) : state_(state), space_(space) { count(); }

int MaximalRows::append(Entry entry) {
  constraints_.push_back(std::move(entry));
  count();
  return static_cast<int>(constraints_.size()) - 1;
}

int MaximalRows::add(std::shared_ptr<const Constraint> on_bodies, std::shared_ptr<const Constraint> on_variables) {
  Entry entry;
  entry.rows = (on_bodies ? on_bodies : on_variables)->rows();
  entry.on_bodies = std::move(on_bodies);
  entry.on_variables = std::move(on_variables);
  return append(std::move(entry));
}

int MaximalRows::add(const NoSlip& no_slip) {
  no_slip_.push_back(no_slip);
  Entry entry;
  entry.no_slip = static_cast<int>(no_slip_.size()) - 1;
  entry.rows = no_slip.rows();
  return append(std::move(entry));
}

void MaximalRows::enable(int constraint, bool on) {
  constraints_[constraint].enabled = on;
  count();
}

void MaximalRows::count() {
  const Model& model = state_.model;
  const Bodies& bodies = state_.bodies;
  lam_of_.clear();
  int total = 0, largest = 0;
  for (Entry& c : constraints_) {
    c.row = total;
    total += c.rows;
    largest = std::max(largest, c.rows);
    for (int r = 0; c.enabled && r < c.rows; ++r) lam_of_.push_back(c.row + r);
  }
  coupled_.clear();
  for (const int j : bodies.coupled) {
    const int first = bodies.first_joint[model.joints[j].variable];
    if (!state_.broken[bodies.owner[j]] && !state_.broken[bodies.owner[first]]) coupled_.push_back(j);
  }
  lam_of_.insert(lam_of_.end(), coupled_.size(), -1);
  lam.resize(total, 0.0);
  A.resize(size() * columns());
  for (auto* a : {&C, &rate, &scale, &impulse}) a->assign(size(), 0.0);
  Dh_.resize(static_cast<std::size_t>(largest) * model.n_variables);
  ++revision_;
}

// row += factor w_c on the bodies of a joint, rate -= what prescribed joints do there
void MaximalRows::add_along_joint(int joint, double factor, double* row, double* rate) const {
  const Bodies& bodies = state_.bodies;
  const int b = bodies.owner[joint], a = bodies.body[b - 1].parent;
  const Wrench y = (factor / state_.model.joints[joint].ratio) * state_.world_dual[bodies.place[joint]];
  *rate -= dot(state_.driven[b], y);
  double part[6];
  y.n.store(part);
  y.f.store(part + 3);
  for (int k = 0; k < 6; ++k) row[6 * (b - 1) + k] += part[k];
  for (int k = 0; a > 0 && k < 6; ++k) row[6 * (a - 1) + k] -= part[k];
}

// row += Dh dv/dV, rate += Dh of the rates of kinematic variables, less what these do in the joints of the others
void MaximalRows::add_row_of_variables(const double* Dh, double* row, double* rate) const {
  const Model& model = state_.model;
  for (int i = 0; i < model.n_variables; ++i) {
    if (Dh[i] == 0.0) continue;
    if (i >= model.n_dynamic) {
      *rate += Dh[i] * state_.prescribed_rates[i];
      continue;
    }
    const int j = state_.bodies.first_joint[i];
    if (!state_.broken[state_.bodies.owner[j]]) add_along_joint(j, Dh[i], row, rate);
  }
}

void MaximalRows::evaluate_on_variables(const Entry& entry, int r, bool& swept) {
  const Model& model = state_.model;
  const std::size_t n = model.n_variables;
  Workspace& ws = workspace(model);
  if (!swept) sweep_velocities(model, ws, state_.q.data(), state_.q_rate.data());
  swept = true;
  const Instant at{model, ws.state, state_.q.data(), state_.q_rate.data(), nullptr, state_.t};
  entry.on_variables->value(at, &C[r], &scale[r]);
  entry.on_variables->rate(at, &rate[r]);
  std::fill_n(Dh_.begin(), entry.rows * n, 0.0);
  entry.on_variables->gradient(at, Dh_.data());
  for (int k = 0; k < entry.rows; ++k) add_row_of_variables(&Dh_[k * n], &A[(r + k) * columns()], &rate[r + k]);
}

// s / ratio of the joint and that of the first joint of its variable are one.
void MaximalRows::evaluate_coupled(int joint, int r) {
  const Joint& at = state_.model.joints[joint];
  const double q = state_.q[at.variable];
  C[r] = (state_.s[joint] - at.shift) / at.ratio - q;
  scale[r] = 1.0 + std::abs(q);
  add_along_joint(joint, 1.0, &A[r * columns()], &rate[r]);
  add_along_joint(state_.bodies.first_joint[at.variable], -1.0, &A[r * columns()], &rate[r]);
}

void MaximalRows::evaluate() {
  if (size() == 0) return;
  std::fill(A.begin(), A.end(), 0.0);
  std::fill(rate.begin(), rate.end(), 0.0);
  for (int b = 1; b <= state_.n(); ++b) space_.state[6 * b].g = state_.g[b];
  const Instant on_bodies = space_.instant(nullptr, state_.t);
  bool swept = false;
  int r = 0;
  for (const Entry& c : constraints_) {
    if (!c.enabled) continue;
    double* rows = &A[r * columns()];
    if (c.no_slip >= 0) {
      const NoSlip& at = no_slip_[c.no_slip];
      no_slip_rows(at, state_.g[at.place.joint / 6], static_cast<int>(columns()), rows, &C[r], &scale[r]);
    } else if (c.on_bodies) {
      c.on_bodies->value(on_bodies, &C[r], &scale[r]);
      c.on_bodies->gradient(on_bodies, rows);
      c.on_bodies->rate(on_bodies, &rate[r]);
    } else {
      evaluate_on_variables(c, r, swept);
    }
    r += c.rows;
  }
  for (const int joint : coupled_) evaluate_coupled(joint, r++);
}

double MaximalRows::product(int r, const std::vector<Twist>& V) const {
  double sum = 0.0;
  const double* a = row(r);
  for (int b = 1; b <= state_.n(); ++b, a += 6) sum += dot(V[b].w, Vec3(a)) + dot(V[b].v, Vec3(a + 3));
  return sum;
}

void MaximalRows::add_to_lam(double dt) {
  for (int r = 0; r < size(); ++r)
    if (lam_of_[r] >= 0) lam[lam_of_[r]] += impulse[r] / dt;
}

void MaximalRows::set_lam() {
  std::fill(lam.begin(), lam.end(), 0.0);
  for (int r = 0; r < size(); ++r)
    if (lam_of_[r] >= 0) lam[lam_of_[r]] = impulse[r];
}

void MaximalRows::find_overloaded(std::vector<int>& events) const {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Entry& c = constraints_[i];
    if (!c.enabled || c.break_above < 0.0) continue;
    double sum = 0.0;
    for (int r = 0; r < c.rows; ++r) sum += lam[c.row + r] * lam[c.row + r];
    if (std::sqrt(sum) > c.break_above) events.push_back(static_cast<int>(i));
  }
}

}  // namespace bough
