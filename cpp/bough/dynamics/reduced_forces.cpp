#include "bough/dynamics/reduced_forces.hpp"

#include <algorithm>

#include "bough/dynamics/elements.hpp"
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
  if (has_forces()) square_.resize(static_cast<std::size_t>(model.n_variables) * model.n_variables);
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
    x.U = ad(parent.V, x.J);
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

}  // namespace bough
