#include "bough/integrators/midpoint.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
Midpoint::Midpoint(const Model& model, double alpha)
    : model_(model), alpha_(alpha), dense_(model.shared || !model.elements.diagonal) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, slots = model.joints.size() + 1;
  for (auto* x : {&qm_, &v_, &L_q_, &L_v_, &force_, &scale_}) x->resize(n);
  joint_.resize(std::max(slots, n));
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.resize(slots);
  if (dense_) {
    for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &f_q_}) x->resize(n * n);
    K_.resize(nd, nd);
    rhs_.resize(nd);
    lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(nd);
  } else {
    tree_.fit(model);
  }
}

// Poses, screws, velocities, and the momentum and first moment of every link.
void Midpoint::sweep_out() {
  set_parameters(model_, parameters_, qm_.data());
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const JointState& parent = state_[joint.parent];
    JointState& x = state_[i + 1];
    MidpointBody& body = bodies_[i + 1];
    if (joint.parent == 0) state_[0].g.p = local_world(model_, parameters_, i);
    place_joint(joint, parent.g, parameters_, i, x.g, x.J);
    x.V = parent.V + (joint.ratio * v_[joint.variable]) * x.J;
    x.U = ad(parent.V, x.J);
    if (link.massless) {
      body = {Wrench::zero(), Vec3::zero(), Vec3::zero()};
      continue;
    }
    body.c = world_com(link, x.g);
    body.mc = link.mass * body.c;
    body.h.f = link.mass * (x.V.v + cross(x.V.w, body.c));
    body.h.n = cross(body.c, body.h.f);
    if (link.isotropic)
      body.h.n += link.inertia(0, 0) * x.V.w;
    else
      body.h.n += x.g.R * (link.inertia * transpose_times(x.g.R, x.V.w));
  }
}

// L_q and L_v over variables (L2), (L3), and the size of their terms; h and mc become sums over subtrees.
void Midpoint::sweep_in(double dt) {
  std::fill(L_q_.begin(), L_q_.end(), 0.0);
  std::fill(L_v_.begin(), L_v_.end(), 0.0);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  // Along a chain the sums stay in registers: the next joint is the parent.
  bool carried = false;
  Wrench carry_h;
  Vec3 carry_mc;
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const JointState& x = state_[i + 1];
    MidpointBody& body = bodies_[i + 1];
    if (carried) {
      body.h += carry_h;
      body.mc += carry_mc;
    }
    const Wrench F{cross(body.mc, model_.gravity), model_.subtree_mass[i + 1] * model_.gravity};
    // Terms of J . h, of U . h + J . F, and their sizes, summed in one go.
    const Vec3 Jh_n(x.J.w.a * body.h.n.a), Jh_f(x.J.v.a * body.h.f.a), JF_n(x.J.w.a * F.n.a), JF_f(x.J.v.a * F.f.a);
    const Lane4 Uh = x.U.w.a * body.h.n.a + x.U.v.a * body.h.f.a;
    const Lane4 size = abs(Jh_n).a + abs(Jh_f).a + dt * (abs(JF_n).a + abs(JF_f).a);
    const Lane4 sums = lane_sums(Jh_n.a + Jh_f.a, Uh + JF_n.a + JF_f.a, size, Lane4{});
    L_v_[joint.variable] += joint.ratio * sums[0];
    L_q_[joint.variable] += joint.ratio * sums[1];
    scale_[joint.variable] += std::abs(joint.ratio) * sums[2];
    carried = joint.parent == i && i > 0;
    if (carried) {
      carry_h = body.h;
      carry_mc = body.mc;
    } else if (joint.parent > 0) {
      bodies_[joint.parent].h += body.h;
      bodies_[joint.parent].mc += body.mc;
    }
  }
}

Instant Midpoint::instant(const Interval& step) const {
  return {model_, state_, qm_.data(), v_.data(), step.u, step.t + alpha_ * step.dt};
}

void Midpoint::evaluate(const Interval& step, double* D1, double* D2, double* scale) {
  const double dt = step.dt, beta = 1.0 - alpha_;
  for (int i = 0; i < model_.n_variables; ++i) {
    qm_[i] = beta * step.q0[i] + alpha_ * step.q1[i];
    v_[i] = (step.q1[i] - step.q0[i]) / dt;
  }
  sweep_out();
  sweep_in(dt);
  const Instant at = instant(step);
  add_potential_gradient(at, -1.0, L_q_.data());
  std::fill(force_.begin(), force_.end(), 0.0);
  add_forces(at, 0.5 * dt, force_.data());
  for (int i = 0; i < model_.n_dynamic; ++i) {
    D1[i] = beta * dt * L_q_[i] - L_v_[i] + force_[i];    // (M1)
    D2[i] = alpha_ * dt * L_q_[i] + L_v_[i] + force_[i];  // (M2)
    scale[i] = scale_[i] + dt * std::abs(L_q_[i]) + std::abs(force_[i]);
  }
}

bool Midpoint::factor(const Interval& step, double* x) {
  if (dense_) {
    if (!factor_dense(step)) return false;
    solve(x);
    return true;
  }
  // Springs and dampers on single variables, from variables to joint parameters.
  const Elements& all = model_.elements;
  if (!all.potentials.empty() || !all.forces.empty()) {
    const Instant at = instant(step);
    std::fill(joint_.begin(), joint_.end(), 0.0);
    for (const auto& e : all.potentials) e->add_diagonal(at, -alpha_ * (1.0 - alpha_) * step.dt, joint_.data());
    for (const auto& e : all.forces) e->add_diagonal(at, 0.5, joint_.data());
    for (int i = 0; i < model_.n(); ++i) {
      const Joint& joint = model_.joints[i];
      tree_.diagonal(i) = joint_[joint.variable] / (joint.ratio * joint.ratio);
    }
  }
  to_joints(x);
  if (!tree_.factor(model_, state_, bodies_, step.dt, alpha_, joint_.data())) return false;
  to_variables(x);
  return true;
}

bool Midpoint::factor_dense(const Interval& step) {
  const double dt = step.dt;
  const int n = model_.n_variables, nd = model_.n_dynamic;
  const double beta = 1.0 - alpha_;
  lagrangian_hessians(model_, workspace(model_), qm_.data(), v_.data(), L_qq_.data(), L_qv_.data(), L_vv_.data());
  const Instant at = instant(step);
  std::fill(f_q_.begin(), f_q_.end(), 0.0);
  add_forces_dq(at, 0.5 * alpha_ * dt, f_q_.data());
  add_forces_dv(at, 0.5, f_q_.data());
  for (int i = 0; i < nd; ++i)
    for (int j = 0; j < nd; ++j)  // (M3)
      K_(i, j) = alpha_ * beta * dt * L_qq_[i * n + j] + beta * L_qv_[i * n + j] - alpha_ * L_qv_[j * n + i] -
                 L_vv_[i * n + j] / dt + f_q_[i * n + j];
  lu_.compute(K_);
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  return nd == 0 || (pivots.minCoeff() > 0.0 && std::isfinite(pivots.maxCoeff()));
}

void Midpoint::solve(double* x) {
  if (dense_) {
    Eigen::Map<Eigen::VectorXd> map(x, model_.n_dynamic);
    rhs_ = map;
    map = lu_.solve(rhs_);
    return;
  }
  to_joints(x);
  tree_.solve(model_, joint_.data());
  to_variables(x);
}

// Right-hand sides and solutions between variables and joint parameters (one joint for each dynamic variable here).
void Midpoint::to_joints(const double* x) {
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    joint_[i] = joint.dynamic ? x[joint.variable] / joint.ratio : 0.0;
  }
}

void Midpoint::to_variables(double* x) const {
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    if (joint.dynamic) x[joint.variable] = joint_[i] / joint.ratio;
  }
}

}  // namespace bough
