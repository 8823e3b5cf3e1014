#include "bough/integrators/lane_tree.hpp"

#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

[[gnu::always_inline]] inline void turn(LaneVec& a, LaneVec& b, const Lane4& s, const Lane4& c) {
  const LaneVec t = c * a + s * b;
  b = c * b - s * a;
  a = t;
}

inline Lane4 sizes_of(const LaneTwist& a, const LaneWrench& b) {
  return abs(a.w.x * b.n.x) + abs(a.w.y * b.n.y) + abs(a.w.z * b.n.z) + abs(a.v.x * b.f.x) + abs(a.v.y * b.f.y) +
         abs(a.v.z * b.f.z);
}

bool same(const Link& a, const Link& b) { return a.massless == b.massless && a.isotropic == b.isotropic; }

bool same(const Joint& a, const Joint& b) {
  return a.parent == b.parent && a.kind == b.kind && a.variable == b.variable && a.rotated == b.rotated &&
         a.offset == b.offset;
}

}  // namespace

bool LaneTree::fits(const Model& model) {
  if (model.shared || !model.dynamic_only || model.n() != model.n_variables || model.n() == 0) return false;
  for (const Joint& joint : model.joints)
    if (joint.kind < JointKind::tx || joint.kind > JointKind::rz || !joint.dynamic) return false;
  return true;
}

bool LaneTree::alike(const Model& a, const Model& b) {
  if (a.n() != b.n() || a.n_variables != b.n_variables) return false;
  for (int i = 0; i < a.n(); ++i)
    if (!same(a.joints[i], b.joints[i]) || !same(a.links[i], b.links[i])) return false;
  return true;
}

LaneTree::LaneTree(const Model& model) : joints_(model.joints), links_(model.links) {
  const std::size_t n = joints_.size();
  numbers_.resize(n);
  for (auto* x : {&s_, &sn_, &cs_}) x->assign(n, Lane4{});
  bodies_.resize(n + 1);
  const LaneVec o = LaneVec::zero();
  bodies_[0] = {{{{broadcast(Vec3::unit(0)), broadcast(Vec3::unit(1)), broadcast(Vec3::unit(2))}}, o},
                LaneTwist::zero(),
                LaneTwist::zero(),
                LaneTwist::zero(),
                o,
                o,
                LaneWrench::zero()};
  origins_.assign(n, o);
  nodes_.resize(n + 1);
  traces_.assign(n + 1, Lane4{});
  place_.assign(n + 1, 0);
  int alive = 0;
  std::vector<int> unused;
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = joints_[i];
    if (joint.subtree_end == i + 1) {
      if (unused.empty()) unused.push_back(alive++);
      place_[i + 1] = unused.back();
      unused.pop_back();
    }
    if (joint.parent > 0 && joint.last_child)
      place_[joint.parent] = place_[i + 1];
    else
      unused.push_back(place_[i + 1]);
  }
  matrices_.resize(alive);
}

void LaneTree::load(int lane, const Model& model) {
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Link& link = model.links[i];
    Numbers& x = numbers_[i];
    set_lane(x.ratio, lane, joint.ratio);
    set_lane(x.inverse_ratio, lane, 1.0 / joint.ratio);
    set_lane(x.shift, lane, joint.shift);
    set_lane(x.mass, lane, link.mass);
    set_lane(x.subtree_mass, lane, model.subtree_mass[i + 1]);
    for (int k = 0; k < 3; ++k) set_lane(x.R.c[k], lane, joint.X.R.c[k]);
    set_lane(x.p, lane, joint.X.p);
    set_lane(x.com, lane, link.com);
    for (int k = 0; k < 3; ++k) set_lane(x.inertia[k], lane, link.inertia(k, k));
    set_lane(x.inertia[xy], lane, link.inertia(0, 1));
    set_lane(x.inertia[xz], lane, link.inertia(0, 2));
    set_lane(x.inertia[yz], lane, link.inertia(1, 2));
  }
  set_lane(gravity_, lane, model.gravity);
  set_lane(base_, lane, -model.base.mass * dot(model.gravity, model.base.com));
}

// As local_world() of sweep.hpp, which is minus this.
LaneVec LaneTree::tree_origin(int i) const {
  LaneVec c = LaneVec::zero();
  LaneMat R = bodies_[0].g.R;
  for (std::size_t j = i; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (static_cast<int>(j) > i && joint.parent != static_cast<int>(j)) break;
    const Numbers& x = numbers_[j];
    if (joint.offset) c += R * x.p;
    if (joint.rotated) R = {{R * x.R.c[0], R * x.R.c[1], R * x.R.c[2]}};
    if (joint.kind >= JointKind::rx) break;
    c += s_[j] * R.c[static_cast<int>(joint.kind) - 1];
  }
  return c;
}

// (T1)-(T4), and the momentum and first moment of the link.
template <JointKind kind>
[[gnu::always_inline]] inline void LaneTree::place(int i, const Lane4& rate) {
  constexpr bool turns = kind >= JointKind::rx;
  constexpr int axis = static_cast<int>(kind) - static_cast<int>(turns ? JointKind::rx : JointKind::tx);
  const Joint& joint = joints_[i];
  const Numbers& a = numbers_[i];
  const Body& parent = bodies_[joint.parent];
  Body& x = bodies_[i + 1];

  LaneMat R = parent.g.R;
  LaneVec p = parent.g.p;
  if (joint.offset) p += R * a.p;
  if (joint.rotated) R = {{R * a.R.c[0], R * a.R.c[1], R * a.R.c[2]}};
  LaneTwist J;
  if constexpr (turns) {
    turn(R.c[(axis + 1) % 3], R.c[(axis + 2) % 3], sn_[i], cs_[i]);
    J = {R.c[axis], cross(p, R.c[axis])};
  } else {
    J = {LaneVec::zero(), R.c[axis]};
    p += s_[i] * J.v;
  }
  x.g = {R, p};
  x.J = J;
  LaneTwist V = parent.V;
  if constexpr (turns) {
    x.U = ad(V, J);
    V.w += rate * J.w;
  } else {
    x.U = {LaneVec::zero(), cross(V.w, J.v)};
  }
  V.v += rate * J.v;
  x.V = V;
  const Link& link = links_[i];
  if (link.massless) {
    x.c = x.mc = LaneVec::zero();
    x.h = LaneWrench::zero();
    return;
  }
  const LaneVec c = p + R * a.com;
  x.c = c;
  x.mc = a.mass * c;
  const LaneVec f = a.mass * (V.v + cross(V.w, c));
  LaneVec turned;
  if (link.isotropic)
    turned = a.inertia[xx] * V.w;
  else
    turned = R * symmetric_times(a.inertia, transpose_times(R, V.w));
  x.h = {cross(c, f) + turned, f};
}

void LaneTree::sweep_out(const LaneArray& q, const LaneArray& v) {
  const int n = static_cast<int>(joints_.size());
  for (int i = 0; i < n; ++i) s_[i] = numbers_[i].shift + numbers_[i].ratio * q[joints_[i].variable];
  sincos(numbers(s_), lanes * n, numbers(sn_), numbers(cs_));
  for (int i = 0; i < n; ++i) {
    const Joint& joint = joints_[i];
    if (joint.parent == 0) {
      origins_[i] = tree_origin(i);
      bodies_[0].g.p = -1.0 * origins_[i];
    }
    const Lane4 rate = numbers_[i].ratio * v[joint.variable];
    switch (joint.kind) {
      case JointKind::tx:
        place<JointKind::tx>(i, rate);
        break;
      case JointKind::ty:
        place<JointKind::ty>(i, rate);
        break;
      case JointKind::tz:
        place<JointKind::tz>(i, rate);
        break;
      case JointKind::rx:
        place<JointKind::rx>(i, rate);
        break;
      case JointKind::ry:
        place<JointKind::ry>(i, rate);
        break;
      default:
        place<JointKind::rz>(i, rate);
        break;
    }
  }
}

template <bool sizes>
void LaneTree::sweep_in(const Lane4& duration, LaneArray& L_q, LaneArray& L_v, LaneArray* size) {
  const LaneVec g = gravity_;
  bool carried = false;  // along a chain the sums stay in registers
  LaneWrench h;
  LaneVec mc;
  for (int i = static_cast<int>(joints_.size()) - 1; i >= 0; --i) {
    const Joint& joint = joints_[i];
    const Numbers& a = numbers_[i];
    Body& x = bodies_[i + 1];
    if (carried) {
      h += x.h;
      mc += x.mc;
    } else {
      h = x.h;
      mc = x.mc;
    }
    x.h = h;
    x.mc = mc;
    const LaneWrench F{cross(mc, g), a.subtree_mass * g};
    const LaneTwist& J = x.J;
    L_v[joint.variable] = a.ratio * dot(J, h);
    L_q[joint.variable] = a.ratio * (dot(x.U, h) + dot(J, F));
    if constexpr (sizes) (*size)[joint.variable] = abs(a.ratio) * (sizes_of(J, h) + duration * sizes_of(J, F));
    carried = joint.parent == i && i > 0;
    if (!carried && joint.parent > 0) {
      bodies_[joint.parent].h += h;
      bodies_[joint.parent].mc += mc;
    }
  }
}

void LaneTree::evaluate(const LaneArray& q, const LaneArray& v, LaneArray& L_q, LaneArray& L_v) {
  sweep_out(q, v);
  sweep_in<false>(Lane4{}, L_q, L_v, nullptr);
}

void LaneTree::evaluate(const LaneArray& q, const LaneArray& v, double duration, LaneArray& L_q, LaneArray& L_v,
                        LaneArray& size) {
  sweep_out(q, v);
  sweep_in<true>(broadcast(duration), L_q, L_v, &size);
}

Lane4 LaneTree::potential_energy() const {
  LaneVec moment = LaneVec::zero();
  for (std::size_t i = 0; i < joints_.size(); ++i)
    if (joints_[i].parent == 0) moment += bodies_[i + 1].mc + numbers_[i].subtree_mass * origins_[i];
  return base_ - dot(gravity_, moment);
}

}  // namespace bough
