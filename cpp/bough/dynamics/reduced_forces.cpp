#include "bough/dynamics/reduced_forces.hpp"

#include <algorithm>

#include "bough/dynamics/elements.hpp"
#include "bough/spatial/retraction.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

ReducedForces::ReducedForces(const Model& model, const ReducedLayout& layout)
    : model_(model),
      layout_(layout),
      potentials_(!model.elements.potentials.empty() || !is_zero(model.gravity)),
      base_place_(model.n_variables, -1),
      q_(model.n_variables, 0.0),
      v_(model.n_variables, 0.0),
      row_(model.n_variables) {
  const std::size_t slots = model.joints.size() + 1;
  for (int k = 0; k < layout.nb(); ++k) base_place_[model.joints[layout.base + k].variable] = k;
  parameters_.fit(model);
  state_.resize(slots);
  moment_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  square_.resize(static_cast<std::size_t>(model.n_variables) * model.n_variables);
}

void ReducedForces::set_state(const Pose& g, const double* r, const double* z) {
  for (int i = 0; i < model_.n_variables; ++i) v_[i] = z[place(i)];
  for (int i = 0; i < layout_.nr(); ++i) q_[layout_.shape[i]] = r[i];
  set_parameters(model_, parameters_, q_.data());
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const JointState& parent = state_[joint.parent];
    JointState& x = state_[i + 1];
    if (layout_.in_base(i)) {
      const int k = i - layout_.base;
      x.g = g;
      x.J = k < 3 ? Twist{g.R.c[k], cross(g.p, g.R.c[k])} : Twist{Vec3::zero(), g.R.c[k - 3]};
    } else {
      place_joint(joint, parent.g, parameters_, i, x.g, x.J);
    }
    // The base turns with its own twist, which adds nothing to the derivatives of velocities.
    x.U = ad(layout_.in_base(i) ? state_[model_.joints[layout_.base].parent].V : parent.V, x.J);
    x.V = parent.V + (joint.ratio * v_[joint.variable]) * x.J;
  }
}

void ReducedForces::gather(const std::vector<double>& over_variables, double* out) const {
  for (int i = 0; i < model_.n_variables; ++i) out[place(i)] += over_variables[i];
}

// dV/ds_i = -g . (w_i x mc + m v_i) with the mass and the first moment outboard of joint i
void ReducedForces::add_gravity(double factor) {
  std::fill(moment_.begin(), moment_.end(), Vec3::zero());
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const Twist& J = state_[i + 1].J;
    if (!link.massless) moment_[i + 1] += link.mass * world_com(link, state_[i + 1].g);
    row_[joint.variable] -=
        factor * joint.ratio * dot(model_.gravity, cross(J.w, moment_[i + 1]) + model_.subtree_mass[i + 1] * J.v);
    moment_[joint.parent] += moment_[i + 1];
  }
}

void ReducedForces::add_gradient(double factor, double* out) {
  if (!potentials_) return;
  std::fill(row_.begin(), row_.end(), 0.0);
  if (!is_zero(model_.gravity)) add_gravity(factor);
  add_potential_gradient(instant(nullptr, 0.0), factor, row_.data());
  gather(row_, out);
}

void ReducedForces::add_force(const double* u, double t, double factor, double* out) {
  if (!has_forces()) return;
  std::fill(row_.begin(), row_.end(), 0.0);
  add_forces(instant(u, t), factor, row_.data());
  gather(row_, out);
}

void ReducedForces::add_force_dz(const double* u, double t, double factor, Eigen::MatrixXd& H) {
  if (!has_forces()) return;
  const int n = model_.n_variables;
  std::fill(square_.begin(), square_.end(), 0.0);
  add_forces_dv(instant(u, t), factor, square_.data());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) H(place(i), place(j)) += square_[i * n + j];
}

// d2V/ds_i ds_j = -g . (w_j x (w_i x mc + m v_i)) for j at or above i, with what is outboard of i
void ReducedForces::add_gravity_hessian(double factor) {
  const std::size_t n = model_.n_variables;
  std::fill(moment_.begin(), moment_.end(), Vec3::zero());
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const Twist& J = state_[i + 1].J;
    if (!link.massless) moment_[i + 1] += link.mass * world_com(link, state_[i + 1].g);
    const Vec3 moved = (factor * joint.ratio) * (cross(J.w, moment_[i + 1]) + model_.subtree_mass[i + 1] * J.v);
    for (int slot = i + 1; slot > 0; slot = model_.joints[slot - 1].parent) {
      const Joint& above = model_.joints[slot - 1];
      const double value = -above.ratio * dot(model_.gravity, cross(state_[slot].J.w, moved));
      square_[joint.variable * n + above.variable] += value;
      if (slot != i + 1) square_[above.variable * n + joint.variable] += value;
    }
    moment_[joint.parent] += moment_[i + 1];
  }
}

// H += square_, with (RG7) for a function with this gradient.
void ReducedForces::gather_ordered(const Eigen::VectorXd& gradient, Eigen::MatrixXd& H) const {
  const int n = model_.n_variables;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) H(place(i), place(j)) += square_[i * n + j];
  if (layout_.nb() == 0) return;
  const Wrench g = wrench(gradient.head<6>());
  for (int b = 1; b < 6; ++b)
    for (int a = 0; a < b; ++a) H(a, b) += dot(ad(twist(Vec6::Unit(b)), twist(Vec6::Unit(a))), g);
}

void ReducedForces::add_hessian(double factor, Eigen::MatrixXd& H) {
  if (!potentials_) return;
  std::fill(square_.begin(), square_.end(), 0.0);
  if (!is_zero(model_.gravity)) add_gravity_hessian(factor);
  for (const auto& e : model_.elements.potentials) e->add_hessian(instant(nullptr, 0.0), factor, square_.data());
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(layout_.n());
  add_gradient(factor, gradient.data());
  gather_ordered(gradient, H);
}

void ReducedForces::add_force_dq(const double* u, double t, double factor, Eigen::MatrixXd& H) {
  if (!has_forces()) return;
  std::fill(square_.begin(), square_.end(), 0.0);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(layout_.n());
  std::fill(row_.begin(), row_.end(), 0.0);
  for (const auto& e : model_.elements.forces) {
    e->add_force_dq(instant(u, t), factor, square_.data());
    if (!e->diagonal()) e->add_force(instant(u, t), factor, row_.data());
  }
  gather(row_, force.data());
  gather_ordered(force, H);
}

void ReducedForces::add_force_du_dt(const double* u, double t, Eigen::MatrixXd& B, Eigen::VectorXd& f_t) {
  const int n = model_.n_variables, nu = model_.elements.n_inputs;
  std::vector<double> by_u(static_cast<std::size_t>(n) * nu, 0.0);
  std::fill(row_.begin(), row_.end(), 0.0);
  for (const auto& e : model_.elements.forces)
    if (const auto* force = dynamic_cast<const ForceDerivatives*>(e.get())) {
      force->add_force_du(instant(u, t), 1.0, by_u.data());
      force->add_force_dt(instant(u, t), 1.0, row_.data());
    }
  gather(row_, f_t.data());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < nu; ++j) B(place(i), j) += by_u[static_cast<std::size_t>(i) * nu + j];
}

}  // namespace bough
