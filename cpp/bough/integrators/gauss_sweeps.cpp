// The sweeps of all stages along the tree, and solves with their mass matrices.
#include <algorithm>

#include "bough/dynamics/mass_matrix.hpp"
#include "bough/integrators/gauss_stages.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr double singular = 1e-15;  // a pivot below this fraction of the subtree's inertia is round-off

// Turns two columns of R by the angles with sines s and cosines c.
inline void turn(LaneVec& a, LaneVec& b, const Lane4& s, const Lane4& c) {
  const LaneVec t = c * a + s * b;
  b = c * b - s * a;
  a = t;
}

// (T1), (T2)
[[gnu::always_inline]] inline void place(const Joint& joint, const LanePose& parent, const Lane4& s, const Lane4& sn,
                                         const Lane4& cs, LanePose& g, LaneTwist& J) {
  LaneMat R = joint.rotated ? parent.R * joint.X.R : parent.R;
  LaneVec p = joint.offset ? parent.p + parent.R * joint.X.p : parent.p;
  switch (joint.kind) {
    case JointKind::rx:
      turn(R.c[1], R.c[2], sn, cs);
      J.w = R.c[0];
      break;
    case JointKind::ry:
      turn(R.c[2], R.c[0], sn, cs);
      J.w = R.c[1];
      break;
    case JointKind::rz:
      turn(R.c[0], R.c[1], sn, cs);
      J.w = R.c[2];
      break;
    case JointKind::tx:
    case JointKind::ty:
    case JointKind::tz:
      J = {LaneVec::zero(), R.c[static_cast<int>(joint.kind) - 1]};
      g = {R, p + s * J.v};
      return;
    default:
      for (int lane = 0; lane < 4; ++lane) {
        const Pose moved = lane_of(LanePose{R, p}, lane) * exp_screw(joint.S, s[lane]);
        const Twist screw = adjoint(moved, joint.S);
        set_lane(g, lane, moved);
        set_lane(J.w, lane, screw.w);
        set_lane(J.v, lane, screw.v);
      }
      return;
  }
  J.v = cross(p, J.w);
  g = {R, p};
}

}  // namespace

Lane4 add_inertia(const Link& link, const LanePose& g, const LaneVec& c, LaneInertia& P) {
  const LaneVec mc = link.mass * c;
  Lane4 A[6] = {mc.y * c.y + mc.z * c.z, mc.x * c.x + mc.z * c.z, mc.x * c.x + mc.y * c.y,
                -(mc.x * c.y),           -(mc.x * c.z),           -(mc.y * c.z)};
  if (link.isotropic) {
    for (int k = 0; k < 3; ++k) A[k] += broadcast(link.inertia(0, 0));
  } else {
    const LaneMat T = g.R * link.inertia;
    for (int k = 0; k < 3; ++k) {
      const LaneVec &a = T.c[k], &b = g.R.c[k];
      A[0] += a.x * b.x;
      A[1] += a.y * b.y;
      A[2] += a.z * b.z;
      A[3] += a.x * b.y;
      A[4] += a.x * b.z;
      A[5] += a.y * b.z;
    }
  }
  for (int k = 0; k < 6; ++k) P.A[k] += A[k];
  P.B[0][1] -= mc.z;
  P.B[0][2] += mc.y;
  P.B[1][0] += mc.z;
  P.B[1][2] -= mc.x;
  P.B[2][0] -= mc.y;
  P.B[2][1] += mc.x;
  for (int k = 0; k < 3; ++k) P.C[k] += broadcast(link.mass);
  return A[0] + A[1] + A[2];
}

// As local_world() of sweep.hpp.
LaneVec GaussStages::local_world(int i) const {
  LaneVec c = LaneVec::zero();
  if (!model_.elements.diagonal) return c;
  Mat3 R = Mat3::identity();
  for (int j = i; j < model_.n(); ++j) {
    const Joint& joint = model_.joints[j];
    if (j > i && joint.parent != j) break;
    c += broadcast(R * joint.X.p);
    R = R * joint.X.R;
    const int k = static_cast<int>(joint.kind);
    if (k >= static_cast<int>(JointKind::rx)) break;
    c += s_[j] * broadcast(R.c[k - 1]);
  }
  return -1.0 * c;
}

// Poses, screws, velocities, and the momentum and first moment of every link.
void GaussStages::sweep_out() {
  const int n = model_.n();
  for (int i = 0; i < n; ++i) {
    const Joint& joint = model_.joints[i];
    s_[i] = broadcast(joint.shift) + joint.ratio * q[joint.variable];
  }
  const auto numbers = [](std::vector<Lane4>& x) { return reinterpret_cast<double*>(x.data()); };
  sincos(numbers(s_), 4 * n, numbers(sn_), numbers(cs_));
  for (int i = 0; i < n; ++i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    if (joint.parent == 0) joints_[0].g.p = local_world(i);
    const StageJoint& parent = joints_[joint.parent];
    StageJoint& x = joints_[i + 1];
    place(joint, parent.g, s_[i], sn_[i], cs_[i], x.g, x.J);
    x.V = parent.V + (joint.ratio * v[joint.variable]) * x.J;
    x.U = ad(parent.V, x.J);
    StageBody& body = bodies_[i + 1];
    if (link.massless) {
      body = {LaneWrench::zero(), LaneVec::zero(), LaneVec::zero()};
      continue;
    }
    body.c = x.g.p + x.g.R * link.com;
    body.mc = link.mass * body.c;
    body.h.f = link.mass * (x.V.v + cross(x.V.w, body.c));
    body.h.n = cross(body.c, body.h.f);
    if (link.isotropic)
      body.h.n += link.inertia(0, 0) * x.V.w;
    else {
      const LaneVec w = transpose_times(x.g.R, x.V.w);
      const Mat3& I = link.inertia;
      body.h.n +=
          x.g.R * LaneVec{I(0, 0) * w.x + I(0, 1) * w.y + I(0, 2) * w.z, I(1, 0) * w.x + I(1, 1) * w.y + I(1, 2) * w.z,
                          I(2, 0) * w.x + I(2, 1) * w.y + I(2, 2) * w.z};
    }
  }
}

// (L2), (L3) over variables, without elements.
void GaussStages::sweep_in() {
  for (const int i : loose_) F[i] = L_v[i] = Lane4{};
  const bool shared = model_.shared;
  if (shared)
    for (auto* x : {&F, &L_v}) std::fill(x->begin(), x->end(), Lane4{});
  const auto put = [shared](Lane4& to, const Lane4& x) { to = shared ? to + x : x; };
  const LaneVec gravity = broadcast(model_.gravity);
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const StageJoint& x = joints_[i + 1];
    const StageBody& body = bodies_[i + 1];
    const LaneWrench weight{cross(body.mc, gravity), model_.subtree_mass[i + 1] * gravity};
    put(L_v[joint.variable], joint.ratio * dot(x.J, body.h));
    put(F[joint.variable], joint.ratio * (dot(x.U, body.h) + dot(x.J, weight)));
    if (joint.parent == 0) continue;
    bodies_[joint.parent].h += body.h;
    bodies_[joint.parent].mc += body.mc;
  }
}

int GaussStages::factor() {
  if (model_.shared) return factor_dense();
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const StageJoint& x = joints_[i + 1];
    Pivot& pivot = pivots_[i + 1];
    LaneInertia& P = P_[i + 1];
    Lane4& Q = Q_[i + 1];
    if (joint.subtree_end == i + 1) {
      P.set_zero();
      Q = Lane4{};
    }
    if (!link.massless) Q += add_inertia(link, x.g, bodies_[i + 1].c, P);
    if (joint.dynamic) {  // (D2)
      pivot.J = x.J;
      pivot.u = P * x.J;
      const Lane4 D = dot(x.J, pivot.u);
      const Lane4 least = singular * (dot(x.J.w, x.J.w) * Q + model_.subtree_mass[i + 1] * dot(x.J.v, x.J.v));
      for (int lane = 0; lane < table_.stages; ++lane)
        if (!(D[lane] > least[lane])) return joint.variable;
      pivot.inverse_D = inverse(D);
      if (joint.parent > 0) add_square(P, -pivot.inverse_D, pivot.u);
    }
    if (joint.parent == 0) continue;
    if (joint.last_child) {
      P_[joint.parent] = P;
      Q_[joint.parent] = Q;
    } else {
      P_[joint.parent] += P;
      Q_[joint.parent] += Q;
    }
  }
  return -1;
}

void GaussStages::solve(std::vector<Lane4>& x) {
  if (model_.shared) return solve_dense(x);
  for (int i = model_.n() - 1; i >= 0; --i) {  // (D3)
    const Joint& joint = model_.joints[i];
    Pivot& pivot = pivots_[i + 1];
    LaneWrench s = joint.subtree_end == i + 1 ? LaneWrench::zero() : pivot.s;
    if (joint.dynamic) {
      pivot.r = (x[joint.variable] / joint.ratio - dot(pivot.J, s)) * pivot.inverse_D;
      s += pivot.r * pivot.u;
    }
    if (joint.last_child)
      pivots_[joint.parent].s = s;
    else
      pivots_[joint.parent].s += s;
  }
  for (int i = 0; i < model_.n(); ++i) {  // (D4)
    const Joint& joint = model_.joints[i];
    Pivot& pivot = pivots_[i + 1];
    const LaneTwist& E = pivots_[joint.parent].E;
    if (!joint.dynamic) {
      pivot.E = E;
      continue;
    }
    const Lane4 s = pivot.r - dot(E, pivot.u) * pivot.inverse_D;
    pivot.E = E + s * pivot.J;
    x[joint.variable] = s / joint.ratio;
  }
}

int GaussStages::factor_dense() {
  const int nd = model_.n_dynamic;
  split(false);
  for (int j = 0; j < table_.stages; ++j) {
    auto& [M, x, llt] = dense_;
    mass_matrix(model_, workspace(model_), single_[j].q.data(), M.data());  // symmetric: by rows or by columns
    llt[j].factor(M.topLeftCorner(nd, nd));
    for (int i = 0; i < nd; ++i)
      if (const double pivot = llt[j].pivot(i); !(pivot * pivot > singular * M(i, i))) return i;
  }
  return -1;
}

void GaussStages::solve_dense(std::vector<Lane4>& x) {
  for (int j = 0; j < table_.stages; ++j) {
    for (int i = 0; i < model_.n_dynamic; ++i) dense_.x[i] = x[i][j];
    dense_.llt[j].solve_in_place(dense_.x);
    for (int i = 0; i < model_.n_dynamic; ++i) set_lane(x[i], j, dense_.x[i]);
  }
}

}  // namespace bough
