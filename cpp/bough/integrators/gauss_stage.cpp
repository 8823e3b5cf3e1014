#include "bough/integrators/gauss_stage.hpp"

#include <algorithm>

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/mass_matrix.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr double singular = 1e-15;  // a pivot below this fraction of the subtree's inertia is round-off

}  // namespace

GaussStage::GaussStage(const Model& model) : model_(model) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, slots = model.joints.size() + 1;
  for (auto* x : {&q, &v, &L_v, &F, &force}) x->resize(n);
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.resize(slots);
  pivots_.resize(slots);
  pivots_[0].E = Twist::zero();
  P_.resize(slots);
  Q_.resize(slots);
  std::vector<int> uses(n, 0);
  for (const Joint& joint : model.joints) ++uses[joint.variable];
  for (std::size_t i = 0; i < n; ++i)
    if (uses[i] == 0) loose_.push_back(static_cast<int>(i));
  if (!model.shared) return;
  M_.resize(n, n);
  llt_.compute(Eigen::MatrixXd::Identity(nd, nd));  // allocates
}

// Poses, screws, velocities, and the momentum and first moment of every link.
void GaussStage::sweep_out() {
  set_parameters(model_, parameters_, q.data());
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const JointState& parent = state_[joint.parent];
    JointState& x = state_[i + 1];
    Body& body = bodies_[i + 1];
    if (joint.parent == 0) state_[0].g.p = local_world(model_, parameters_, i);
    place_joint(joint, parent.g, parameters_, i, x.g, x.J);
    x.V = parent.V + (joint.ratio * v[joint.variable]) * x.J;
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

// (L2), (L3) over variables, without elements.
void GaussStage::sweep_in() {
  for (const int i : loose_) F[i] = L_v[i] = 0.0;
  const bool shared = model_.shared;
  if (shared)
    for (auto* x : {&F, &L_v}) std::fill(x->begin(), x->end(), 0.0);
  const auto put = [shared](double& to, double x) { to = shared ? to + x : x; };
  // Along a chain the sums stay in registers: the next joint is the parent.
  bool carried = false;
  Wrench carry_h;
  Vec3 carry_mc;
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const JointState& x = state_[i + 1];
    Body& body = bodies_[i + 1];
    if (carried) {
      body.h += carry_h;
      body.mc += carry_mc;
    }
    const Wrench weight{cross(body.mc, model_.gravity), model_.subtree_mass[i + 1] * model_.gravity};
    put(L_v[joint.variable], joint.ratio * dot(x.J, body.h));
    put(F[joint.variable], joint.ratio * (dot(x.U, body.h) + dot(x.J, weight)));
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

void GaussStage::evaluate(double t, const double* u) {
  sweep_out();
  sweep_in();
  const Instant at = instant(t, u);
  add_potential_gradient(at, -1.0, F.data());
  if (model_.elements.forces.empty()) return;
  std::fill(force.begin(), force.end(), 0.0);
  add_forces(at, 1.0, force.data());
  for (std::size_t i = 0; i < F.size(); ++i) F[i] += force[i];
}

int GaussStage::factor() {
  if (model_.shared) {
    const int nd = model_.n_dynamic;
    mass_matrix(model_, workspace(model_), q.data(), M_.data());  // symmetric: by rows or by columns
    llt_.compute(M_.topLeftCorner(nd, nd));
    for (int i = 0; i < nd; ++i)
      if (const double pivot = llt_.matrixLLT()(i, i); !(pivot * pivot > singular * M_(i, i))) return i;
    return -1;
  }
  for (int i = model_.n() - 1; i >= 0; --i) {
    const Joint& joint = model_.joints[i];
    const Link& link = model_.links[i];
    const JointState& x = state_[i + 1];
    Pivot& pivot = pivots_[i + 1];
    Mat6& P = P_[i + 1];
    double& Q = Q_[i + 1];
    if (joint.subtree_end == i + 1) {
      P = Mat6{};
      Q = 0.0;
    }
    if (!link.massless) {
      const Inertia I = world_inertia(link, x.g, bodies_[i + 1].c);
      P += matrix(I, 1.0);
      Q += I.I(0, 0) + I.I(1, 1) + I.I(2, 2);
    }
    Mat6 rest = P;
    if (joint.dynamic) {  // (D2)
      pivot.J = x.J;
      pivot.u = transpose_times(P, x.J);
      const double D = dot(x.J, pivot.u);
      if (!(D > singular * (dot(x.J.w, x.J.w) * Q + dot(x.J.v, x.J.v) * model_.subtree_mass[i + 1])))
        return joint.variable;
      pivot.inverse_D = 1.0 / D;
      if (joint.parent > 0) rest = reduced(P, pivot.u, pivot.inverse_D);
    }
    if (joint.parent == 0) continue;
    if (joint.last_child) {
      P_[joint.parent] = rest;
      Q_[joint.parent] = Q;
    } else {
      P_[joint.parent] += rest;
      Q_[joint.parent] += Q;
    }
  }
  return -1;
}

void GaussStage::solve(double* x) {
  if (model_.shared) {
    Eigen::Map<Eigen::VectorXd> map(x, model_.n_dynamic);
    llt_.solveInPlace(map);
    return;
  }
  for (int i = model_.n() - 1; i >= 0; --i) {  // (D3)
    const Joint& joint = model_.joints[i];
    Pivot& pivot = pivots_[i + 1];
    Wrench s = joint.subtree_end == i + 1 ? Wrench::zero() : pivot.s;
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
    const Twist& E = pivots_[joint.parent].E;
    if (!joint.dynamic) {
      pivot.E = E;
      continue;
    }
    const double s = pivot.r - dot(E, pivot.u) * pivot.inverse_D;
    pivot.E = E + s * pivot.J;
    x[joint.variable] = s / joint.ratio;
  }
}

}  // namespace bough
