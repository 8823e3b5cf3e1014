#include "bough/maximal/body_state.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

bool lacks_inertia(const Link& link) {
  const Mat3& I = link.inertia;
  const double third = (I(0, 0) + I(1, 1) + I(2, 2)) / 3.0;
  return !(link.mass > 0.0) || !(dot(I.c[0], cross(I.c[1], I.c[2])) > 1e-12 * third * third * third);
}

BodyState::BodyState(const Model& m, const MaximalSettings& chosen) : model(m), settings(chosen), bodies(m) {
  const std::size_t slots = bodies.n() + 1, places = bodies.chain.size(), variables = model.n_variables;
  for (auto* a : {&x, &v, &w}) a->assign(slots, Vec3::zero());
  o.assign(slots, Quaternion{});
  for (auto* a : {&q, &q_rate, &prescribed_rates}) a->assign(variables, 0.0);
  s.assign(model.n(), 0.0);
  broken.assign(slots, false);
  g.assign(slots, Pose::identity());
  inertia.assign(slots, Inertia::zero());
  joint.resize(slots);
  for (ChainState& chain : joint) chain.e = Twist::zero();
  J.assign(places, Twist::zero());
  dual_.assign(places, Wrench::zero());
  world_dual = dual_;
  driven.assign(slots, Twist::zero());
}

Mat3 BodyState::rotational_inertia(int slot) const {
  const Link& link = model.links[bodies.body[slot - 1].link];
  const Mat3& R = g[slot].R;
  Mat3 I = Mat3::zero();
  const Mat3 T = R * link.inertia;
  for (int k = 0; k < 3; ++k) I += outer(T.c[k], R.c[k]);
  if (settings.smallest_inertia > 0.0 && lacks_inertia(link)) I += Mat3::diagonal(settings.smallest_inertia);
  return I;
}

Inertia BodyState::body_inertia(int slot) const {
  const Link& link = model.links[bodies.body[slot - 1].link];
  const Vec3 mc = link.mass * x[slot];
  return {rotational_inertia(slot) + Mat3::diagonal(dot(mc, x[slot])) + (-1.0) * outer(x[slot], mc), mc, link.mass};
}

void BodyState::set_inertia() {
  for (int b = 1; b <= n(); ++b) inertia[b] = body_inertia(b);
}

Twist BodyState::world_twist(int slot) const { return {w[slot], v[slot] - cross(w[slot], x[slot])}; }

void BodyState::set_poses() {
  for (int b = 1; b <= n(); ++b) {
    const Link& link = model.links[bodies.body[b - 1].link];
    g[b].R = rotation(o[b]);
    g[b].p = x[b] - g[b].R * link.com;
  }
}

void BodyState::set_velocities(const std::vector<Twist>& V) {
  for (int b = 1; b <= n(); ++b) {
    w[b] = V[b].w;
    v[b] = V[b].v + cross(V[b].w, x[b]);
  }
}

// p1 = p0 + h v1,  q1 = q(h |w1|, w1 / |w1|) q0                                                            ([L] slide 3)
void BodyState::move(double dt) {
  for (int b = 1; b <= n(); ++b) {
    x[b] += dt * v[b];
    o[b] = turned(o[b], dt * w[b]);
  }
}

void BodyState::start(double time, const double* q0, const double* v0) {
  t = time;
  Workspace& ws = workspace(model);
  sweep_velocities(model, ws, q0, v0);
  for (int b = 1; b <= n(); ++b) {
    const int link = bodies.body[b - 1].link;
    const JointState& state = ws.state[link + 1];
    x[b] = world_com(model.links[link], state.g);
    o[b] = quaternion(state.g.R);
    w[b] = state.V.w;
    v[b] = state.V.v + cross(state.V.w, x[b]);
  }
  for (int i = 0; i < model.n(); ++i) {
    const Joint& at = model.joints[i];
    s[i] = at.shift + at.ratio * q0[at.variable];
  }
  std::copy_n(q0, q.size(), q.begin());
  std::copy_n(v0, q.size(), q_rate.begin());
  for (int i = 0; i < model.n_variables; ++i) prescribed_rates[i] = i < model.n_dynamic ? 0.0 : v0[i];
  set_poses();
  recover_joints();
}

void BodyState::restore() {
  static_cast<MaximalCoordinates&>(*this) = saved_;
  set_poses();
  recover_joints();
}

bool BodyState::finite() const {
  Lane4 sum{};
  for (int b = 1; b <= n(); ++b) sum += v[b].a * v[b].a + w[b].a * w[b].a;
  return std::isfinite(sum[0] + sum[1] + sum[2]);
}

double BodyState::extent() const {
  double size = 0.0;
  for (const Joint& at : model.joints) size += norm(at.X.p);
  for (const Link& link : model.links) size = std::max(size, norm(link.com));
  return size > 0.0 ? size : 1.0;
}

void BodyState::recover_joints() {
  for (int b = 1; b <= n(); ++b) {
    const Body& body = bodies.body[b - 1];
    recover(model, bodies, body, g[body.parent], g[b], s.data(), J.data() + body.chain, dual_.data() + body.chain,
            joint[b]);
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const int i = bodies.chain[c];
      const Joint& at = model.joints[i];
      world_dual[c] = to_world(g[b], dual_[c]);
      if (at.dynamic && bodies.first_joint[at.variable] == i) q[at.variable] = (s[i] - at.shift) / at.ratio;
    }
  }
}

// Rates of the joints: w_c . (V_b - V_a) less what prescribed joints do.
void BodyState::recover_rates() {
  for (int b = 1; b <= n(); ++b) {
    const Body& body = bodies.body[b - 1];
    const Twist relative = world_twist(b) - (body.parent > 0 ? world_twist(body.parent) : Twist::zero()) - driven[b];
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const int i = bodies.chain[c];
      const Joint& at = model.joints[i];
      if (at.dynamic && bodies.first_joint[at.variable] == i)
        q_rate[at.variable] = dot(relative, world_dual[c]) / at.ratio;
    }
  }
  for (int i = model.n_dynamic; i < model.n_variables; ++i) q_rate[i] = prescribed_rates[i];
}

void BodyState::set_driven(double dt, const double* k1) {
  if (model.dynamic_only) return;
  for (int i = model.n_dynamic; i < model.n_variables; ++i) prescribed_rates[i] = (k1[i - model.n_dynamic] - q[i]) / dt;
  place_driven();
}

void BodyState::place_driven() {
  if (model.dynamic_only) return;
  for (int b = 1; b <= n(); ++b) {
    const Body& body = bodies.body[b - 1];
    driven[b] = Twist::zero();
    for (int c = body.chain; c < body.chain + body.length; ++c) {
      const Joint& at = model.joints[bodies.chain[c]];
      if (!at.dynamic) driven[b] += (at.ratio * prescribed_rates[at.variable]) * adjoint(g[b], J[c]);
    }
  }
}

void BodyState::set_prescribed(const double* k1) {
  for (int i = 0; i < model.n(); ++i) {
    const Joint& at = model.joints[i];
    if (!at.dynamic) s[i] = at.shift + at.ratio * k1[at.variable - model.n_dynamic];
  }
  for (int i = model.n_dynamic; i < model.n_variables; ++i) q[i] = k1[i - model.n_dynamic];
}

void BodyState::arrive(double dt, const double* k1) {
  t += dt;
  for (int i = 0; i < model.n(); ++i) {
    const Joint& at = model.joints[i];
    if (at.dynamic) s[i] = s[i] + dt * at.ratio * q_rate[at.variable];
  }
  set_prescribed(k1);
  set_poses();
  recover_joints();
}

}  // namespace bough
