#include "bough/integrators/contact_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/dynamics/mass_matrix.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// Of the impulses that a solution is looked for from: Newton's method takes a step to it, and leaves no round-off of theirs in v.
constexpr double nearly = 1.0 - 1e-6;

}  // namespace

ContactNode::ContactNode(const Model& model)
    : model_(model), rows_(model), space_(model), matrix_(model, model.balls.empty(), false) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, m = model.elements.n_constraints;
  const std::size_t rows = rows_.rows(), contacts = rows_.contacts(), slots = model.joints.size() + 1;
  cone_.resize(static_cast<int>(rows), static_cast<int>(contacts));
  law_.resize(static_cast<int>(rows), static_cast<int>(contacts));
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.assign(slots, {Wrench::zero(), Vec3::zero(), Vec3::zero()});
  smooth_.x.resize(nd);
  for (auto* x : {&smooth_.y, &smooth_.h, &smooth_.scale}) x->resize(m);
  smooth_.Dh.resize(m * n);
  for (auto* x : {&smooth_.L_q, &smooth_.L_v, &smooth_.tau}) x->resize(n);
  chosen_.reserve(contacts);
  cones_.reserve(contacts);
  contacts_.reserve(contacts);
  for (auto* x : {&linear_.rate, &linear_.U, &linear_.U_plus, &linear_.b, &linear_.r}) x->resize(rows);
}

bool ContactNode::set(double t, const double* q) {
  t_ = t;
  q_ = q;
  const int m = model_.elements.n_constraints;
  if (m > 0) {
    Workspace& ws = workspace(model_);
    sweep_poses(model_, ws, q);
    const Instant at{model_, ws.state, q, nullptr, nullptr, t};
    constraint(at, smooth_.h.data(), smooth_.scale.data());
    constraint_dq(at, smooth_.scale.data(), smooth_.Dh.data());
  }
  set_parameters(model_, parameters_, q);
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    JointState& x = state_[i + 1];
    if (joint.parent == 0) state_[0].g.p = local_world(model_, parameters_, i);
    place_joint(joint, state_[joint.parent].g, parameters_, i, x.g, x.J);
    x.V = x.U = Twist::zero();
    bodies_[i + 1].c = world_com(model_.links[i], x.g);
  }
  for (auto* x : {&smooth_.x, &smooth_.y}) std::fill(x->begin(), x->end(), 0.0);
  matrix_.detour = {};  // what is found depends on this instant alone
  return matrix_.factor(*this, {m, model_.n_variables, model_.n_dynamic, smooth_.Dh.data(), smooth_.Dh.data()},
                        smooth_.x.data(), smooth_.y.data());
}

void ContactNode::set_dense(double* K) {
  mass_matrix(model_, workspace(model_), q_, K);
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.n_variables;
  for (std::size_t i = 0; i < size; ++i) K[i] = -K[i];
}

int ContactNode::velocity(const double* p, double* v) {
  return velocity_from_momentum(model_, workspace(model_), space_, q_, p, t_, v);
}

int ContactNode::velocity_here(const double* p, double* v) {
  if (!plain()) return velocity(p, v);
  for (int i = 0; i < model_.n_dynamic; ++i) v[i] = -p[i];
  matrix_.solve({0, model_.n_variables, model_.n_dynamic, smooth_.Dh.data(), smooth_.Dh.data()}, v, smooth_.y.data(),
                1);
  return -1;
}

void ContactNode::add_impulses(double* p) const {
  for (int r = 0; r < n_rows_; ++r)
    for (int i = 0; i < model_.n_dynamic; ++i)
      p[i] += linear_.J[static_cast<std::size_t>(r) * model_.n_variables + i] * linear_.r[r];
}

void ContactNode::momentum(const double* v, double* p) {
  lagrangian_gradient(model_, workspace(model_), q_, v, smooth_.L_q.data(), smooth_.L_v.data());
  std::copy_n(smooth_.L_v.begin(), model_.n_dynamic, p);
}

bool ContactNode::acceleration(const double* v, const double* u, double* a, double* power) {
  Workspace& ws = workspace(model_);
  std::fill(smooth_.tau.begin(), smooth_.tau.end(), 0.0);
  if (!model_.elements.forces.empty()) {
    sweep_velocities(model_, ws, q_, v);
    add_forces({model_, ws.state, q_, v, u, t_}, 1.0, smooth_.tau.data());
  }
  *power = std::inner_product(v, v + model_.n_dynamic, smooth_.tau.begin(), 0.0);
  return forward_dynamics(model_, ws, q_, v, smooth_.tau.data(), a) < 0;
}

// (IM1)
void ContactNode::choose(const std::vector<int>& chosen) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = model_.elements.n_constraints;
  chosen_ = chosen;
  cones_.clear();
  n_rows_ = 0;
  for (const int i : chosen) {
    const ContactPlace& c = rows_[i];
    cones_.push_back({n_rows_, c.rows, c.dry() ? 1.0 : c.friction});
    n_rows_ += c.rows;
  }
  if (n_rows_ == 0) return;
  const std::size_t rows = n_rows_;
  grow(linear_.J, rows * n);
  grow(linear_.Z, rows * nd);
  grow(linear_.Zmu, rows * m);
  grow(linear_.G, rows * rows);
  rows_.set(t_, q_);
  rows_.all_rows(chosen_, linear_.J.data(), linear_.rate.data());
  for (int r = 0; r < n_rows_; ++r)
    for (int i = 0; i < nd; ++i)
      linear_.Z[static_cast<std::size_t>(r) * nd + i] = -linear_.J[static_cast<std::size_t>(r) * n + i];
  std::fill(linear_.Zmu.begin(), linear_.Zmu.end(), 0.0);
  matrix_.solve({m, n, nd, smooth_.Dh.data(), smooth_.Dh.data()}, linear_.Z.data(), linear_.Zmu.data(), n_rows_);
  set_cone_matrix(n_rows_, n, nd, linear_.J.data(), linear_.Z.data(), linear_.across, linear_.G);
}

void ContactNode::set_U(const double* v) {
  const int n = model_.n_variables;
  speed_ = 0.0;
  for (int r = 0; r < n_rows_; ++r) {
    linear_.U[r] = linear_.rate[r];
    double size = std::abs(linear_.rate[r]);
    for (int i = 0; i < n; ++i) {
      const double term = linear_.J[static_cast<std::size_t>(r) * n + i] * v[i];
      linear_.U[r] += term;
      size += std::abs(term);
    }
    speed_ = std::max(speed_, size);
  }
}

void ContactNode::apply(double* v) const {
  for (int r = 0; r < n_rows_; ++r)
    for (int i = 0; i < model_.n_dynamic; ++i)
      v[i] += linear_.Z[static_cast<std::size_t>(r) * model_.n_dynamic + i] * linear_.r[r];
}

bool ContactNode::project(double time, const double* force, double* v) {
  rubbed_ = 0.0;
  if (n_rows_ == 0) return true;
  set_U(v);
  std::copy_n(linear_.U.begin(), n_rows_, linear_.b.begin());
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const ContactPlace& c = rows_[chosen_[i]];
    const int r = cones_[i].first;
    for (int k = 0; k < c.rows; ++k) linear_.r[r + k] = nearly * time * force[c.first + k];
    if (!c.dry()) continue;
    const double g = std::max(linear_.G[(r + 1) * n_rows_ + r + 1], std::numeric_limits<double>::min());
    linear_.G[r * n_rows_ + r] = g;
    linear_.b[r] = -g * c.bound * time;
  }
  cone_.set_floor(speed_);
  const auto solve = [&] {
    return cone_.solve(linear_.G.data(), linear_.b.data(), cones_.data(), static_cast<int>(cones_.size()),
                       linear_.r.data(), linear_.U_plus.data());
  };
  bool solved = solve();
  if (!solved) {
    std::fill_n(linear_.r.begin(), n_rows_, 0.0);
    solved = solve();
  }
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    if (rows_[chosen_[i]].dry()) linear_.r[cones_[i].first] = 0.0;
  const auto work = [&] {  // of friction, at velocities U
    double sum = 0.0;
    for (const ConeRows& c : cones_)
      for (int r = c.first + 1; r < c.first + c.rows; ++r) sum += linear_.r[r] * linear_.U[r];
    return sum;
  };
  rubbed_ = -0.5 * work();
  apply(v);
  set_U(v);
  rubbed_ -= 0.5 * work();
  return solved;
}

bool ContactNode::impact(const std::vector<double>& restitution, double* v) {
  contacts_.clear();
  for (std::size_t i = 0; i < chosen_.size(); ++i) contacts_.push_back({cones_[i], restitution[i]});
  set_U(v);
  law_.set_floor(speed_);
  if (!law_.apply(linear_.G.data(), contacts_.data(), static_cast<int>(contacts_.size()), linear_.U.data(),
                  linear_.r.data(), linear_.U_plus.data()))
    return false;
  apply(v);
  set_U(v);
  return true;
}

}  // namespace bough
