#include "bough/dynamics/parameter_gradient.hpp"

#include <algorithm>

#include "bough/dynamics/lagrangian.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

double dot(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double dot(const Mat3& a, const Mat3& b) { return dot(a.c[0], b.c[0]) + dot(a.c[1], b.c[1]) + dot(a.c[2], b.c[2]); }

}  // namespace

ParameterGradient::ParameterGradient(const Model& model, const ParameterVariations& variations)
    : model_(model), variations_(variations), rows_(model) {
  along_.resize(model.joints.size() + 1);
  by_.resize(model.joints.size() + 1);
  covectors.fit(model.n_variables);
  for (auto* x : {&q_, &v_}) x->resize(model.n_variables);
  along_[0] = {Twist::zero(), Twist::zero(), Wrench::zero(), Wrench::zero(), Wrench::zero(), Wrench::zero()};
  for (const ParameterVariation& by : variations)
    tree_ |= !by.offsets.empty() || !by.bodies.empty() || !is_zero(by.gravity);
  std::size_t most = 0;
  for (const auto& c : model.elements.constraints) most = std::max<std::size_t>(most, c->rows());
  Dh_.resize(most * (model.n_variables + 2));
}

void ParameterGradient::sweep(const PhiPlace& point) {
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, point.q, point.v, Origin::local);
  const Vec3& gravity = model_.gravity;
  by_gravity_ = Vec3::zero();
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const JointState& x = ws.state[i + 1];
    const Along& parent = along_[joint.parent];
    Along& at = along_[i + 1];
    const double sigma = joint.ratio * point.sigma[joint.variable], tau = joint.ratio * point.tau[joint.variable];
    at.Sigma = parent.Sigma + sigma * x.J;  // (PG2)
    at.W = parent.W + sigma * x.U + tau * x.J;
    const Inertia I = world_inertia(model_.links[i], x.g);
    at.h = I * x.V;
    at.h_dot = I * at.W - ad_transpose(at.Sigma, at.h);
    const Vec3 rate = I.m * at.Sigma.v + cross(at.Sigma.w, I.mc);  // of mc
    at.F = {cross(I.mc, gravity), I.m * gravity};
    at.F_dot = {cross(rate, gravity), Vec3::zero()};
    by_gravity_ += rate;
    const Twist V = adjoint_inverse(x.g, x.V), W = adjoint_inverse(x.g, at.W), S = adjoint_inverse(x.g, at.Sigma);
    const Vec3 down = transpose_times(x.g.R, gravity);
    ByJoint& by = by_[i + 1];
    by.mass = dot(W.v, V.v) + dot(S.v, down);  // (PG4)
    by.moment = cross(V.v, W.w) - cross(V.w, W.v) + cross(down, S.w);
    by.inertia = outer(W.w, V.w);
  }
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const JointState &x = ws.state[i + 1], &before = ws.state[joint.parent];
    Along& at = along_[i + 1];
    Along& parent = along_[joint.parent];
    ByJoint& by = by_[i + 1];
    const Twist V_dot = parent.W + ad(parent.Sigma, before.V);
    const Wrench R = ad_transpose(V_dot, at.h) + ad_transpose(parent.Sigma, ad_transpose(before.V, at.h) + at.F) +
                     ad_transpose(before.V, at.h_dot) + at.F_dot;  // (PG5)
    Pose start = before.g;
    if (joint.parent == 0) start.p = local_world(model_, ws.parameters, i);
    by.R = to_frame(start * joint.X, R);
    by.shift = dot(x.J, R);  // (PG6)
    by.ratio = point.q[joint.variable] * by.shift +
               point.v[joint.variable] * (dot(ad(parent.Sigma, x.J), at.h) + dot(x.J, at.h_dot)) +
               point.sigma[joint.variable] * (dot(x.U, at.h) + dot(x.J, at.F)) +
               point.tau[joint.variable] * dot(x.J, at.h);
    if (joint.parent == 0) continue;
    parent.h += at.h;
    parent.h_dot += at.h_dot;
    parent.F += at.F;
    parent.F_dot += at.F_dot;
  }
}

void ParameterGradient::add_tree(const PhiPlace& point, double* out) const {
  for (std::size_t k = 0; k < variations_.size(); ++k) {
    const ParameterVariation& by = variations_[k];
    if (by.turns_screws) continue;
    double sum = dot(by.gravity, by_gravity_);
    for (const auto& [joint, xi, shift, ratio] : by.offsets) {
      const ByJoint& of = by_[joint + 1];
      sum += dot(xi, of.R) + shift * of.shift + ratio * of.ratio;
    }
    for (const auto& [link, mass, moment, inertia] : by.bodies) {
      const ByJoint& of = by_[link + 1];
      sum += mass * of.mass + dot(moment, of.moment) + dot(inertia, of.inertia);
    }
    out[k] += point.weight * sum;
  }
}

// What changes with a screw is not stationary in time: w (sigma . L_q + tau . L_v) as a difference of its values.
double ParameterGradient::all_differences(const PhiPlace& point, const ParameterVariation& by) {
  const int n = model_.n_variables;
  double sum = 0.0;
  for (const auto& [model, weight] : by.near) {
    lagrangian_gradient(*model, workspace(*model), point.q, point.v, q_.data(), v_.data());
    sum += weight * (dot(point.sigma, q_.data(), n) + dot(point.tau, v_.data(), n));
  }
  return point.weight * sum;
}

void ParameterGradient::add_elements(const PhiPlace& point, double* out) {
  const int n = model_.n_variables;
  Workspace& ws = workspace(model_);
  const Model* swept = nullptr;
  for (std::size_t k = 0; k < variations_.size(); ++k) {
    const ParameterVariation& by = variations_[k];
    if (by.turns_screws) {
      out[k] += all_differences(point, by);
      swept = nullptr;
    }
    if (by.changed.empty()) continue;
    double sum = 0.0;
    for (const auto& [model, weight] : by.near) {
      const Model* place = by.moves_joints ? model : &model_;
      if (swept != place) sweep_velocities(*place, ws, point.q, point.v);
      swept = place;
      const Instant at{*model, ws.state, point.q, point.v, point.u, point.t};
      if (!by.turns_screws && !by.changed.potentials.empty()) {
        std::fill(q_.begin(), q_.end(), 0.0);
        for (const int e : by.changed.potentials) model->elements.potentials[e]->add_gradient(at, -1.0, q_.data());
        sum += weight * point.weight * dot(point.sigma, q_.data(), n);
      }
      if (by.changed.forces.empty()) continue;
      std::fill(q_.begin(), q_.end(), 0.0);
      for (const int e : by.changed.forces) model->elements.forces[e]->add_force(at, 1.0, q_.data());
      sum += weight * dot(point.c, q_.data(), n);
    }
    out[k] += sum;
  }
}

void ParameterGradient::add(const PhiPlace& point, double* out) {
  if (tree_) {
    sweep(point);
    add_tree(point, out);
  }
  add_elements(point, out);
}

// Calls visit(parameter, weight, constraint, its instant, its first row) for all constraints that change.
template <class Visit>
void ParameterGradient::for_constraints(const double* q, double t, Visit visit) {
  Workspace& ws = workspace(model_);
  const Model* swept = nullptr;
  for (std::size_t k = 0; k < variations_.size(); ++k) {
    const ParameterVariation& by = variations_[k];
    if (by.changed.constraints.empty()) continue;
    for (const auto& [model, weight] : by.near) {
      const Model* place = by.moves_joints ? model : &model_;
      if (swept != place) sweep_poses(*place, ws, q);
      swept = place;
      for (const int e : by.changed.constraints) {
        int first = 0;
        for (int before = 0; before < e; ++before) first += model->elements.constraints[before]->rows();
        Instant at{*model, ws.state, q, nullptr, nullptr, t};
        at.fork = rows_.fork[e];
        visit(k, weight, *model->elements.constraints[e], at, first);
      }
    }
  }
}

void ParameterGradient::add_jacobian(const double* q, double t, double factor, const double* rows, const double* a,
                                     double* out) {
  const int n = model_.n_variables;
  for_constraints(q, t, [&](std::size_t k, double weight, const Constraint& c, const Instant& at, int first) {
    std::fill_n(Dh_.begin(), static_cast<std::size_t>(c.rows()) * n, 0.0);
    c.gradient(at, Dh_.data());
    for (int r = 0; r < c.rows(); ++r) out[k] += factor * weight * rows[first + r] * dot(a, Dh_.data() + r * n, n);
  });
}

void ParameterGradient::add_values(const double* q, double t, const double* rows, double* out) {
  for_constraints(q, t, [&](std::size_t k, double weight, const Constraint& c, const Instant& at, int first) {
    c.value(at, Dh_.data(), Dh_.data() + c.rows());
    for (int r = 0; r < c.rows(); ++r) out[k] += weight * rows[first + r] * Dh_[r];
  });
}

}  // namespace bough
