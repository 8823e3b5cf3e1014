#include "bough/maximal/engine.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "bough/dynamics/elements.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

bool lacks_inertia(const Link& link) {
  const Mat3& I = link.inertia;
  const double third = (I(0, 0) + I(1, 1) + I(2, 2)) / 3.0;
  return !(link.mass > 0.0) || !(dot(I.c[0], cross(I.c[1], I.c[2])) > 1e-12 * third * third * third);
}

MaximalEngine::MaximalEngine(const Model& model, const MaximalSettings& chosen)
    : settings(chosen), model_(model), bodies_(model), space_(bough::body_space(bodies_)), tree_(bodies_) {
  const std::size_t slots = bodies_.n() + 1, places = bodies_.chain.size(), n = model.n_variables;
  for (auto* a : {&x, &v, &w}) a->assign(slots, Vec3::zero());
  o.assign(slots, Quaternion{});
  q.assign(n, 0.0);
  q_rate.assign(n, 0.0);
  drift.assign(slots, Twist::zero());
  break_joint_above_.assign(slots, -1.0);
  broken.assign(slots, false);
  events.reserve(slots);
  s_.assign(model.n(), 0.0);
  g_.assign(slots, Pose::identity());
  joint_.resize(slots);
  J_.assign(places, Twist::zero());
  dual_.assign(places, Wrench::zero());
  world_dual_ = dual_;
  B_.assign(6 * slots, Twist::zero());
  freedom_.assign(slots, 0);
  inertia_.assign(slots, Inertia::zero());
  for (auto* a : {&V_, &driven_, &c_}) a->assign(slots, Twist::zero());
  for (auto* a : {&F_, &f_, &y_, &reaction_}) a->assign(slots, Wrench::zero());
  space_state_.assign(6 * bodies_.n() + 1, {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()});
  for (int i = 0; i < space_.n(); ++i) space_state_[i + 1].J = space_.joints[i].S;
  space_q_.assign(space_.n_variables, 0.0);
  space_out_.assign(space_.n_variables, 0.0);
  tau_.assign(n, 0.0);
  vk_.assign(n, 0.0);
  Q_.resize(slots);
  count_rows();
}

void MaximalEngine::add(std::shared_ptr<const Potential> on_bodies, std::shared_ptr<const Potential> on_variables) {
  if (on_bodies) space_.elements.potentials.push_back(std::move(on_bodies));
  if (on_variables) potentials_.push_back(std::move(on_variables));
}

void MaximalEngine::add(std::shared_ptr<const Force> on_bodies, std::shared_ptr<const Force> on_variables) {
  if (on_bodies) space_.elements.forces.push_back(std::move(on_bodies));
  if (on_variables) forces_.push_back(std::move(on_variables));
}

int MaximalEngine::add(std::shared_ptr<const Constraint> on_bodies, std::shared_ptr<const Constraint> on_variables) {
  MaximalConstraint c;
  c.rows = (on_bodies ? on_bodies : on_variables)->rows();
  c.on_bodies = std::move(on_bodies);
  c.on_variables = std::move(on_variables);
  constraints_.push_back(std::move(c));
  count_rows();
  return static_cast<int>(constraints_.size()) - 1;
}

int MaximalEngine::add(const Contact& contact) {
  contacts_.push_back(contact);
  MaximalConstraint c;
  c.contact = static_cast<int>(contacts_.size()) - 1;
  c.rows = contact.rows();
  constraints_.push_back(std::move(c));
  count_rows();
  return static_cast<int>(constraints_.size()) - 1;
}

void MaximalEngine::enable(int constraint, bool on) {
  constraints_[constraint].enabled = on;
  count_rows();
}

void MaximalEngine::break_joint(int slot) {
  broken[slot] = true;
  count_rows();
}

// Numbers the rows and fits the scratch memory: whenever constraints come or go.
void MaximalEngine::count_rows() {
  row_of_.clear();
  int total = 0, largest = 0;
  for (MaximalConstraint& c : constraints_) {
    c.row = total;
    total += c.rows;
    largest = std::max(largest, c.rows);
    for (int r = 0; c.enabled && r < c.rows; ++r) row_of_.push_back(c.row + r);
  }
  coupled_.clear();
  for (const int j : bodies_.coupled) {
    const int first = bodies_.first_joint[model_.joints[j].variable];
    if (!broken[bodies_.owner[j]] && !broken[bodies_.owner[first]]) coupled_.push_back(j);
  }
  row_of_.insert(row_of_.end(), coupled_.size(), -1);
  m_ = static_cast<int>(row_of_.size());
  const std::size_t m = m_;
  lam.resize(total, 0.0);
  A_.resize(m * space_.n_variables);
  Z_.resize(m * space_.n_variables);
  for (auto* a : {&C_, &rate_, &scale_, &target_, &impulse_}) a->assign(m, 0.0);
  Dh_.resize(static_cast<std::size_t>(largest) * model_.n_variables);
  S_.resize(m_, m_);
  mu_.resize(m_);
  if (m_ > 0) schur_.fit(m_);
}

// --- state ---

Mat3 MaximalEngine::rotational(int slot) const {
  const Link& link = model_.links[bodies_.body[slot - 1].link];
  const Mat3& R = g_[slot].R;
  Mat3 I = Mat3::zero();
  const Mat3 T = R * link.inertia;
  for (int k = 0; k < 3; ++k) I += outer(T.c[k], R.c[k]);
  if (settings.smallest_inertia > 0.0 && lacks_inertia(link)) I += Mat3::diagonal(settings.smallest_inertia);
  return I;
}

Inertia MaximalEngine::body_inertia(int slot) const {
  const Link& link = model_.links[bodies_.body[slot - 1].link];
  const Vec3 mc = link.mass * x[slot];
  return {rotational(slot) + Mat3::diagonal(dot(mc, x[slot])) + (-1.0) * outer(x[slot], mc), mc, link.mass};
}

Twist MaximalEngine::world_twist(int slot) const { return {w[slot], v[slot] - cross(w[slot], x[slot])}; }

void MaximalEngine::set_poses() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Link& link = model_.links[bodies_.body[b - 1].link];
    g_[b].R = rotation(o[b]);
    g_[b].p = x[b] - g_[b].R * link.com;
  }
}

void MaximalEngine::set_velocities() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    w[b] = V_[b].w;
    v[b] = V_[b].v + cross(V_[b].w, x[b]);
  }
}

// p1 = p0 + h v1,  q1 = q(h |w1|, w1 / |w1|) q0                                                            ([L] slide 3)
void MaximalEngine::move(double dt) {
  for (int b = 1; b <= bodies_.n(); ++b) {
    x[b] += dt * v[b];
    o[b] = turned(o[b], dt * w[b]);
  }
}

void MaximalEngine::start(double time, const double* q0, const double* v0) {
  t = time;
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q0, v0);
  for (int b = 1; b <= bodies_.n(); ++b) {
    const int link = bodies_.body[b - 1].link;
    const JointState& state = ws.state[link + 1];
    x[b] = world_com(model_.links[link], state.g);
    o[b] = quaternion(state.g.R);
    V_[b] = state.V;
  }
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    s_[i] = joint.shift + joint.ratio * q0[joint.variable];
  }
  std::copy_n(q0, q.size(), q.begin());
  std::copy_n(v0, q.size(), q_rate.begin());
  for (int i = 0; i < model_.n_variables; ++i) vk_[i] = i < model_.n_dynamic ? 0.0 : v0[i];
  std::fill(lam.begin(), lam.end(), 0.0);
  set_velocities();
  set_poses();
  recover_joints();
}

// By assignment to vectors that fit: no allocation after the first step.
void MaximalEngine::save() {
  saved_.t = t;
  saved_.x = x;
  saved_.v = v;
  saved_.w = w;
  saved_.o = o;
  saved_.q = q;
  saved_.q_rate = q_rate;
  saved_.s = s_;
}

MaximalStatus MaximalEngine::fail(MaximalStatus status) {
  t = saved_.t;
  x = saved_.x;
  v = saved_.v;
  w = saved_.w;
  o = saved_.o;
  q = saved_.q;
  q_rate = saved_.q_rate;
  s_ = saved_.s;
  set_poses();
  recover_joints();
  return status;
}

bool MaximalEngine::finite() const {
  Lane4 sum{};
  for (int b = 1; b <= bodies_.n(); ++b) sum += v[b].a * v[b].a + w[b].a * w[b].a;
  return std::isfinite(sum[0] + sum[1] + sum[2]);
}

double MaximalEngine::extent() const {
  double size = 0.0;
  for (const Joint& joint : model_.joints) size += norm(joint.X.p);
  for (const Link& link : model_.links) size = std::max(size, norm(link.com));
  return size > 0.0 ? size : 1.0;
}

// --- joints ---

void MaximalEngine::recover_joints() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Body& body = bodies_.body[b - 1];
    recover(model_, bodies_, body, g_[body.parent], g_[b], s_.data(), J_.data() + body.chain, dual_.data() + body.chain,
            joint_[b]);
    drift[b] = joint_[b].e;
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const int i = bodies_.chain[c];
      const Joint& joint = model_.joints[i];
      world_dual_[c] = to_world(g_[b], dual_[c]);
      if (joint.dynamic && bodies_.first_joint[joint.variable] == i)
        q[joint.variable] = (s_[i] - joint.shift) / joint.ratio;
    }
  }
}

// Rates of the joints: w_c . (V_b - V_a) less what prescribed joints do.
void MaximalEngine::recover_rates() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Body& body = bodies_.body[b - 1];
    const Twist relative = world_twist(b) - (body.parent > 0 ? world_twist(body.parent) : Twist::zero()) - driven_[b];
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const int i = bodies_.chain[c];
      const Joint& joint = model_.joints[i];
      if (joint.dynamic && bodies_.first_joint[joint.variable] == i)
        q_rate[joint.variable] = dot(relative, world_dual_[c]) / joint.ratio;
    }
  }
  for (int i = model_.n_dynamic; i < model_.n_variables; ++i) q_rate[i] = vk_[i];
}

// What the joints leave free, world twists.
void MaximalEngine::find_basis() {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Body& body = bodies_.body[b - 1];
    Twist* B = &B_[6 * (b - 1)];
    freedom_[b] = broken[b] ? 6 : body.freedom;
    if (freedom_[b] == 6) {
      for (int k = 0; k < 3; ++k) {
        B[k] = {Vec3::unit(k), cross(x[b], Vec3::unit(k))};
        B[k + 3] = {Vec3::zero(), Vec3::unit(k)};
      }
    } else if (body.constant_span) {
      for (int k = 0; k < body.freedom; ++k) B[k] = adjoint(g_[b], adjoint_inverse(joint_[b].G, body.span[k]));
    } else {
      for (int c = body.chain; c < body.chain + body.length; ++c)
        if (model_.joints[bodies_.chain[c]].dynamic) *B++ = adjoint(g_[b], J_[c]);
    }
  }
}

// Twists of bodies relative to the ones before them that prescribed joints make during the step.
void MaximalEngine::set_driven(double dt, const double* k1) {
  if (model_.dynamic_only) return;
  for (int i = model_.n_dynamic; i < model_.n_variables; ++i) vk_[i] = (k1[i - model_.n_dynamic] - q[i]) / dt;
  place_driven();
}

// The same where the bodies are now.
void MaximalEngine::place_driven() {
  if (model_.dynamic_only) return;
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Body& body = bodies_.body[b - 1];
    driven_[b] = Twist::zero();
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const Joint& joint = model_.joints[bodies_.chain[c]];
      if (!joint.dynamic) driven_[b] += (joint.ratio * vk_[joint.variable]) * adjoint(g_[b], J_[c]);
    }
  }
}

// --- forces ---

Vec3 MaximalEngine::spun(int slot, double dt) const {
  const Vec3 h = rotational(slot) * w[slot];
  if (!settings.implicit_gyroscopic) return h - dt * cross(w[slot], h);  // [L] slide 3
  // I w1 + dt w1 x I w1 = I w0 in the axes of the body, by Newton from w0
  using Eigen::Matrix3d;
  using Eigen::Vector3d;
  const Mat3& R = g_[slot].R;
  const auto column = [](const Vec3& a) { return Vector3d(a[0], a[1], a[2]); };
  const auto skewed = [](const Vector3d& a) {
    return (Matrix3d() << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0).finished();
  };
  const Mat3 world = rotational(slot);
  Matrix3d I;
  for (int k = 0; k < 3; ++k) I.col(k) = column(transpose_times(R, world * R.c[k]));
  const Vector3d w0 = column(transpose_times(R, w[slot])), h0 = I * w0;
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

void MaximalEngine::add_along_joints(const double* tau, std::vector<Wrench>& F) const {
  for (int i = 0; i < model_.n_dynamic; ++i) {
    if (tau[i] == 0.0) continue;
    const int j = bodies_.first_joint[i], b = bodies_.owner[j];
    if (broken[b]) continue;
    const Wrench y = (tau[i] / model_.joints[j].ratio) * world_dual_[bodies_.place[j]];
    F[b] += y;
    F[bodies_.body[b - 1].parent] += (-1.0) * y;
  }
}

// Gravity and the elements, at the present state.
void MaximalEngine::add_forces_to(std::vector<Wrench>& F, const double* u) {
  for (int b = 1; b <= bodies_.n(); ++b) {
    const double m = inertia_[b].m;
    F[b] += Wrench{cross(inertia_[b].mc, model_.gravity), m * model_.gravity};
  }
  if (!space_.elements.potentials.empty() || !space_.elements.forces.empty()) {
    std::fill(space_out_.begin(), space_out_.end(), 0.0);
    const Instant at{space_, space_state_, space_q_.data(), space_q_.data(), u, t};
    add_potential_gradient(at, -1.0, space_out_.data());
    bough::add_forces(at, 1.0, space_out_.data());
    for (int b = 1; b <= bodies_.n(); ++b) {
      const double* y = &space_out_[6 * (b - 1)];
      F[b] += Wrench{Vec3(y), Vec3(y + 3)};
    }
  }
  if (potentials_.empty() && forces_.empty()) return;
  std::fill(tau_.begin(), tau_.end(), 0.0);
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q.data(), q_rate.data());
  const Instant at{model_, ws.state, q.data(), q_rate.data(), u, t};
  for (const auto& e : potentials_) e->add_gradient(at, -1.0, tau_.data());
  for (const auto& e : forces_) e->add_force(at, 1.0, tau_.data());
  add_along_joints(tau_.data(), F);
}

// Momenta after the applied forces of a step: M V0 + h F, with the gyroscopic term.
void MaximalEngine::momenta(double dt, const double* u, std::vector<Wrench>& f) {
  for (int b = 1; b <= bodies_.n(); ++b) {
    inertia_[b] = body_inertia(b);
    JointState& state = space_state_[6 * b];
    state.g = g_[b];
    state.V = world_twist(b);
    F_[b] = Wrench::zero();
  }
  add_forces_to(F_, u);
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Vec3 p = inertia_[b].m * v[b];
    f[b] = Wrench{spun(b, dt) + cross(x[b], p), p} + dt * F_[b];
  }
}

}  // namespace bough
