#include "bough/dynamics/phi_hessian.hpp"

#include <algorithm>

#include "bough/dynamics/elements.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

using ConstMap = Eigen::Map<const Eigen::VectorXd>;

constexpr double length = 1e-3;  // of a difference, as a part of the largest entry of its direction

// Calls add(e, factor) for the four points of a difference of fourth order along a direction of this size.
template <class Add>
void difference(double size, Add add) {
  if (!(size > 0.0)) return;
  const double e = length / size;
  for (const auto& [at, weight] : {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}})
    add(at * e, weight / (12.0 * e));
}

}  // namespace

PhiHessian::PhiHessian(const Model& model) : model_(model), along_(model) {
  const int n = model.n_variables, nu = model.elements.n_inputs;
  for (Rows* H : {&qq, &qv, &vv, &H_}) H->setZero(n, n);
  for (Rows* H : {&uq, &uv}) H->setZero(nu, n);
  uu.setZero(nu, nu);
  B_.setZero(n, nu);
  g_.resize(2 * n + nu);
  sum_.resize(2 * n + nu);
  q_.resize(model.width());
  v_.resize(n);
  by_turn.setZero(n);
  by_way.setZero(n);
  u_.resize(nu);
  covectors.fit(n);
  const ElementDerivatives derivatives(model.elements);
  potentials_ = derivatives.potentials;
  for (const PotentialDerivatives* potential : potentials_) {
    exact_ &= potential != nullptr;
    bent_ |= !potential || !potential->quadratic();
  }
  for (std::size_t k = 0; k < model.elements.forces.size(); ++k) {
    if (derivatives.forces[k] && derivatives.forces[k]->linear()) continue;
    Force of{model.elements.forces[k].get(), derivatives.forces[k], {}};
    const Support support = of.force->support(model);
    std::vector<bool> used(n, !support.known);
    if (support.known)
      for (const int joint : joints(model, support)) used[model.joints[joint].variable] = true;
    for (const int variable : support.variables) used[variable] = true;
    for (int i = 0; i < n; ++i)
      if (used[i]) of.variables.push_back(i);
    forces_.push_back(std::move(of));
  }
}

void PhiHessian::evaluate(const PhiPlace& place) {
  along_.evaluate({place.q, place.v, place.sigma, place.tau}, qq.data(), qv.data(), vv.data());
  for (Rows* H : {&qq, &qv, &vv}) *H *= place.weight;
  add_elements(place);
}

bool PhiHessian::set_elements(const PhiPlace& place) {
  if (!bent_ && forces_.empty()) return false;
  for (Rows* H : {&qq, &qv, &vv}) H->setZero();
  add_elements(place);
  return true;
}

void PhiHessian::add_elements(const PhiPlace& place) {
  if (bent_) add_potentials(place);
  if (forces_.empty()) return;
  for (Rows* H : {&uq, &uv, &uu}) H->setZero();
  bool swept = false;
  for (const Force& of : forces_)
    if (!add_virtual_hessian(place, of, swept)) {
      add_differences(place, of);
      swept = false;
    }
}

// The configuration of a place, whose balls turn by q += n in their own axes.
const std::vector<double>& PhiHessian::set_settled(const PhiPlace& place) {
  settled_.assign(place.q, place.q + model_.width());
  if (!model_.balls.empty()) settle(model_, settled_.data());
  return settled_;
}

void PhiHessian::add_potentials(const PhiPlace& place) {
  const int n = model_.n_variables;
  Workspace& ws = workspace(model_);
  const ConstMap sigma(place.sigma, n);
  sweep_poses(model_, ws, place.q);
  moved_.sweep(model_, ws.state, place.sigma);
  for (const PotentialDerivatives* potential : potentials_)
    if (potential) potential->add_hessian_along({model_, ws.state, place.q}, moved_, -place.weight, qq.data());
  if (exact_) return;
  q_ = set_settled(place);
  difference(n > 0 ? sigma.cwiseAbs().maxCoeff() : 0.0, [&](double e, double factor) {
    for (int i = 0; i < n; ++i) q_[i] = settled_[i] + e * sigma[i];
    sweep_poses(model_, ws, q_.data());
    for (std::size_t k = 0; k < potentials_.size(); ++k)
      if (!potentials_[k])
        model_.elements.potentials[k]->add_hessian({model_, ws.state, q_.data()}, -place.weight * factor, qq.data());
  });
}

// The state is swept with c in the place of v: what a virtual power depends on.
bool PhiHessian::add_virtual_hessian(const PhiPlace& place, const Force& of, bool& swept) {
  if (!model_.balls.empty() || !of.derivatives || !of.derivatives->has_virtual_hessian()) return false;
  Workspace& ws = workspace(model_);
  if (!swept) sweep_velocities(model_, ws, place.q, place.c);
  swept = true;
  const Instant at{model_, ws.state, place.q, place.c, place.u, place.t};
  of.derivatives->add_virtual_hessian(at, qq.data(), uq.data());
  return true;
}

// c . (f_q, f_v, f_u) at (q_, v_, u_).
void PhiHessian::gradient(const PhiPlace& place, const Force& of, Eigen::VectorXd& g) {
  const int n = model_.n_variables, nu = model_.elements.n_inputs;
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q_.data(), v_.data());
  const Instant at{model_, ws.state, q_.data(), v_.data(), u_.data(), place.t};
  const ConstMap c(place.c, n);
  H_.setZero();
  of.force->add_force_dq(at, 1.0, H_.data());
  if (!model_.balls.empty() && !of.force->diagonal()) {  // (BJ6)
    g.head(n).setZero();
    of.force->add_force(at, 1.0, g.data());
    order_hessian(model_, g.data(), 1.0, H_.data());
  }
  g.head(n).noalias() = H_.transpose() * c;
  H_.setZero();
  of.force->add_force_dv(at, 1.0, H_.data());
  g.segment(n, n).noalias() = H_.transpose() * c;
  B_.setZero();
  if (of.derivatives) of.derivatives->add_force_du(at, 1.0, B_.data());
  g.tail(nu).noalias() = B_.transpose() * c;
}

void PhiHessian::add_differences(const PhiPlace& place, const Force& of) {
  const int n = model_.n_variables, nu = model_.elements.n_inputs;
  const auto by = [&](double& x) {
    const double kept = x;
    sum_.setZero();
    difference(1.0, [&](double e, double factor) {
      x = kept + e;
      gradient(place, of, g_);
      sum_ += factor * g_;
    });
    x = kept;
  };
  q_ = set_settled(place);
  std::copy_n(place.v, n, v_.begin());
  std::copy_n(place.u, nu, u_.begin());
  for (const int i : of.variables) {
    by(q_[i]);  // each mixed derivative is found from both of its sides
    for (const int j : of.variables) {
      qq(i, j) += 0.5 * sum_[j];
      qq(j, i) += 0.5 * sum_[j];
      qv(i, j) += 0.5 * sum_[n + j];
    }
    uq.col(i) += 0.5 * sum_.tail(nu);
    by(v_[i]);
    for (const int j : of.variables) {
      vv(i, j) += 0.5 * sum_[n + j];
      vv(j, i) += 0.5 * sum_[n + j];
      qv(j, i) += 0.5 * sum_[j];
    }
    uv.col(i) += 0.5 * sum_.tail(nu);
  }
  for (int k = 0; k < nu; ++k) {
    by(u_[k]);
    uq.row(k) += 0.5 * sum_.head(n).transpose();
    uv.row(k) += 0.5 * sum_.segment(n, n).transpose();
    for (int l = 0; l < nu; ++l) {
      uu(k, l) += 0.5 * sum_[2 * n + l];
      uu(l, k) += 0.5 * sum_[2 * n + l];
    }
  }
}

}  // namespace bough
