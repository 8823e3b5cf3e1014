#include "bough/maximal/applied_forces.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

#include "bough/dynamics/elements.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {

BodySpace::BodySpace(const Bodies& bodies) : model(body_space(bodies)), zero(model.n_variables, 0.0) {
  state.assign(6 * bodies.n() + 1, {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()});
  for (int i = 0; i < model.n(); ++i) state[i + 1].J = model.joints[i].S;
}

AppliedForces::AppliedForces(BodyState& state, BodySpace& space)
    : state_(state),
      space_(space),
      F_(state.n() + 1, Wrench::zero()),
      generalised_(state.model.n_variables, 0.0),
      on_bodies_(space.model.n_variables, 0.0) {}

void AppliedForces::add(std::shared_ptr<const Potential> on_bodies, std::shared_ptr<const Potential> on_variables) {
  if (on_bodies) space_.model.elements.potentials.push_back(std::move(on_bodies));
  if (on_variables) potentials_.push_back(std::move(on_variables));
}

void AppliedForces::add(std::shared_ptr<const Force> on_bodies, std::shared_ptr<const Force> on_variables) {
  if (on_bodies) space_.model.elements.forces.push_back(std::move(on_bodies));
  if (on_variables) forces_.push_back(std::move(on_variables));
}

Vec3 AppliedForces::angular_momentum(int slot, double dt) const {
  const Vec3 w = state_.w[slot], h = state_.rotational_inertia(slot) * w;
  if (!state_.settings.implicit_gyroscopic) return h - dt * cross(w, h);  // [L] slide 3
  // I w1 + dt w1 x I w1 = I w0 in the axes of the body, by Newton from w0
  using Eigen::Matrix3d;
  using Eigen::Vector3d;
  const Mat3& R = state_.g[slot].R;
  const auto column = [](const Vec3& a) { return Vector3d(a[0], a[1], a[2]); };
  const auto skewed = [](const Vector3d& a) {
    return (Matrix3d() << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0).finished();
  };
  const Mat3 world = state_.rotational_inertia(slot);
  Matrix3d I;
  for (int k = 0; k < 3; ++k) I.col(k) = column(transpose_times(R, world * R.c[k]));
  const Vector3d w0 = column(transpose_times(R, w)), h0 = I * w0;
  Vector3d w1 = w0;
  for (int k = 0; k < 20; ++k) {
    const Vector3d residual = I * w1 + dt * w1.cross(I * w1) - h0;
    const Vector3d step = (I + dt * (skewed(w1) * I - skewed(I * w1))).fullPivLu().solve(residual);
    w1 -= step;
    if (!(step.norm() > 1e-13 * w1.norm())) break;
  }
  const Vector3d h1 = I * w1;
  return R * Vec3(h1.data());
}

void AppliedForces::add_along_joints(const double* tau, std::vector<Wrench>& F) const {
  const Model& model = state_.model;
  const Bodies& bodies = state_.bodies;
  for (int i = 0; i < model.n_dynamic; ++i) {
    if (tau[i] == 0.0) continue;
    const int j = bodies.first_joint[i], b = bodies.owner[j];
    if (state_.broken[b]) continue;
    const Wrench y = (tau[i] / model.joints[j].ratio) * state_.world_dual[bodies.place[j]];
    F[b] += y;
    F[bodies.body[b - 1].parent] += (-1.0) * y;
  }
}

// Gravity and the elements, at the present state.
void AppliedForces::add_to(std::vector<Wrench>& F, const double* u) {
  const Model& model = state_.model;
  for (int b = 1; b <= state_.n(); ++b) {
    const Inertia& inertia = state_.inertia[b];
    const double m = inertia.m;
    F[b] += Wrench{cross(inertia.mc, model.gravity), m * model.gravity};
  }
  const Elements& elements = space_.model.elements;
  if (!elements.potentials.empty() || !elements.forces.empty()) {
    std::fill(on_bodies_.begin(), on_bodies_.end(), 0.0);
    const Instant at = space_.instant(u, state_.t);
    add_potential_gradient(at, -1.0, on_bodies_.data());
    add_forces(at, 1.0, on_bodies_.data());
    for (int b = 1; b <= state_.n(); ++b) {
      const double* y = &on_bodies_[6 * (b - 1)];
      F[b] += Wrench{Vec3(y), Vec3(y + 3)};
    }
  }
  if (potentials_.empty() && forces_.empty()) return;
  std::fill(generalised_.begin(), generalised_.end(), 0.0);
  Workspace& ws = workspace(model);
  sweep_velocities(model, ws, state_.q.data(), state_.q_rate.data());
  const Instant at{model, ws.state, state_.q.data(), state_.q_rate.data(), u, state_.t};
  for (const auto& e : potentials_) e->add_gradient(at, -1.0, generalised_.data());
  for (const auto& e : forces_) e->add_force(at, 1.0, generalised_.data());
  add_along_joints(generalised_.data(), F);
}

void AppliedForces::momenta(double dt, const double* u, std::vector<Wrench>& f) {
  state_.set_inertia();
  for (int b = 1; b <= state_.n(); ++b) {
    JointState& state = space_.state[6 * b];
    state.g = state_.g[b];
    state.V = state_.world_twist(b);
    F_[b] = Wrench::zero();
  }
  add_to(F_, u);
  for (int b = 1; b <= state_.n(); ++b) {
    const Vec3 p = state_.inertia[b].m * state_.v[b];
    f[b] = Wrench{angular_momentum(b, dt) + cross(state_.x[b], p), p} + dt * F_[b];
  }
}

}  // namespace bough
