#include "bough/dynamics/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr double closed = 1e-9;  // h that counts as zero, relative to its scale

double row_dot(const std::vector<double>& rows, int r, int n, const double* x) {
  return std::inner_product(x, x + n, rows.begin() + static_cast<std::size_t>(r) * n, 0.0);
}

// h, its scale and Dh.
void constraint_rows(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t) {
  sweep_poses(model, ws, q);
  const Instant at{model, ws.state, q, nullptr, nullptr, t};
  constraint(at, space.h.data(), space.scale.data());
  constraint_dq(at, space.scale.data(), space.Dh.data());
}

// The space last used by a thread. The model is the same if it lies at the same address and has the same first constraint,
// whose weak pointer outlives it.
struct Kept {
  const Model* model = nullptr;
  std::weak_ptr<const Constraint> first;
  std::unique_ptr<ConstraintSpace> space;
};
thread_local Kept kept;

}  // namespace

KeptConstraintSpace::KeptConstraintSpace(const Model& model) : model_(model) {
  const auto& constraints = model.elements.constraints;
  if (kept.space && kept.model == &model && !constraints.empty() && kept.first.lock() == constraints.front())
    space_ = std::move(kept.space);
  else
    space_ = std::make_unique<ConstraintSpace>(model);
}

KeptConstraintSpace::~KeptConstraintSpace() {
  if (model_.elements.constraints.empty()) return;
  kept = {&model_, model_.elements.constraints.front(), std::move(space_)};
}

ConstraintSpace::ConstraintSpace(const Model& model) : model_(model) {
  const std::size_t n = model.n_variables, m = model.elements.n_constraints, slots = model.joints.size() + 1;
  Dh.resize(m * n);
  Z.resize(m * n);
  h.resize(m);
  scale.resize(m);
  bias.resize(m);
  rate.resize(m);
  S.resize(m, m);
  lam.resize(m);
  if (m == 0) return;
  schur.fit(static_cast<int>(m));
  if (model.shared) return;
  joints_ = ConstraintRows(model).joints;
  for (auto& row : joints_) std::erase_if(row, [&](int i) { return !model.joints[i].dynamic; });
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.assign(slots, {Wrench::zero(), Vec3::zero(), Vec3::zero()});
  joint_.resize(slots);
  lam_.resize(m);
  tree_.resize(model);
  border_.resize(model, joints_);
}

// Rows are local where the constraints hold.
bool ConstraintSpace::correct_in_tree(const double* q, double* x) {
  if (joints_.empty()) return false;
  for (std::size_t r = 0; r < h.size(); ++r)
    if (!(std::abs(h[r]) <= closed * scale[r])) return false;
  set_parameters(model_, parameters_, q);
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    JointState& state = state_[i + 1];
    if (joint.parent == 0) state_[0].g.p = local_world(model_, parameters_, i);
    place_joint(joint, state_[joint.parent].g, parameters_, i, state.g, state.J);
    state.V = state.U = Twist::zero();
    bodies_[i + 1].c = world_com(model_.links[i], state.g);
    joint_[i] = 0.0;
  }
  for (std::size_t r = 0; r < joints_.size(); ++r)
    for (std::size_t k = 0; k < joints_[r].size(); ++k) {
      const Joint& joint = model_.joints[joints_[r][k]];
      border_.row(r)[k] = Dh[r * model_.n_variables + joint.variable] / joint.ratio;
      border_.column(r)[k] = -border_.row(r)[k];
    }
  std::copy_n(lam.data(), lam_.size(), lam_.begin());
  if (!tree_.factor(model_, state_, bodies_, 1.0, 1.0, joint_.data(), &border_, lam_.data())) return false;
  for (std::size_t r = 0; r < lam_.size(); ++r) lam[r] = -lam_[r];
  for (int i = 0; i < model_.n(); ++i)
    if (const Joint& joint = model_.joints[i]; joint.dynamic) x[joint.variable] += joint_[i] / joint.ratio;
  return true;
}

int ConstraintSpace::correct(Workspace& ws, const double* q, double* x) {
  const int n = model_.n_variables, m = model_.elements.n_constraints;
  if (correct_in_tree(q, x)) return -1;
  for (int r = 0; r < m; ++r) {
    double* z = Z.data() + static_cast<std::size_t>(r) * n;
    std::fill_n(z, n, 0.0);
    const int singular = mass_solve(model_, ws, q, Dh.data() + static_cast<std::size_t>(r) * n, z);
    if (singular >= 0) return singular;
    for (int c = 0; c < m; ++c) S(c, r) = row_dot(Dh, c, n, z);
  }
  schur.factor(S);
  schur.solve(lam);
  for (int r = 0; r < m; ++r)
    for (int i = 0; i < model_.n_dynamic; ++i) x[i] += Z[static_cast<std::size_t>(r) * n + i] * lam[r];
  return -1;
}

int acceleration(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* v,
                 const double* tau, const double* u, double t, double baumgarte_velocity, double baumgarte_position,
                 double* a, double* lam) {
  const int n = model.n_variables, m = model.elements.n_constraints;
  double* total = ws.tau.data() + n;
  std::copy_n(tau, n, total);
  if (!model.elements.forces.empty()) {
    sweep_velocities(model, ws, q, v);
    add_forces({model, ws.state, q, v, u, t}, 1.0, total);
  }
  int singular = forward_dynamics(model, ws, q, v, total, a);
  if (singular >= 0 || m == 0) return singular;

  sweep_velocities(model, ws, q, v);
  const Instant at{model, ws.state, q, v, u, t};
  constraint(at, space.h.data(), space.scale.data());
  constraint_dq(at, space.scale.data(), space.Dh.data());
  constraint_rate(at, space.rate.data());
  constraint_bias(at, space.bias.data());
  for (int r = 0; r < m; ++r) {  // (C1)
    const double h_v = row_dot(space.Dh, r, n, v) + space.rate[r];
    space.lam[r] = -(space.bias[r] + row_dot(space.Dh, r, n, a) + 2.0 * baumgarte_velocity * h_v +
                     baumgarte_position * baumgarte_position * space.h[r]);
  }
  singular = space.correct(ws, q, a);
  std::copy_n(space.lam.data(), m, lam);
  return singular;
}

int velocity_from_momentum(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* p,
                           double t, double* v) {
  const int singular = mass_solve(model, ws, q, p, v);
  if (singular >= 0 || model.elements.n_constraints == 0) return singular;
  return project_velocity(model, ws, space, q, t, v);  // (C2)
}

int project_velocity(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t, double* v) {
  const int n = model.n_variables, m = model.elements.n_constraints;
  constraint_rows(model, ws, space, q, t);
  constraint_rate({model, ws.state, q, nullptr, nullptr, t}, space.rate.data());
  for (int r = 0; r < m; ++r) space.lam[r] = -row_dot(space.Dh, r, n, v) - space.rate[r];  // (C3)
  return space.correct(ws, q, v);
}

int project_configuration(const Model& model, Workspace& ws, ConstraintSpace& space, double t, double* q) {
  constraint_rows(model, ws, space, q, t);
  for (int r = 0; r < model.elements.n_constraints; ++r) space.lam[r] = -space.h[r];  // (C4)
  const int singular = space.correct(ws, q, q);
  settle(model, q);
  return singular;
}

double constraint_residual(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t) {
  sweep_poses(model, ws, q);
  constraint({model, ws.state, q, nullptr, nullptr, t}, space.h.data(), space.scale.data());
  double largest = 0.0;
  for (double h : space.h) largest = std::max(largest, std::abs(h));
  return largest;
}

}  // namespace bough
