#include "bough/integrators/midpoint.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr int longest_detour = 64;  // factorisations without borders after one whose group of constraints was singular:
                                    // a motion passes through such a place, redundant rows stay singular

}  // namespace

Midpoint::Midpoint(const Model& model, double alpha) : model_(model), alpha_(alpha) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, slots = model.joints.size() + 1;
  for (auto* x : {&qm_, &v_, &L_q_, &L_v_, &force_, &scale_}) x->resize(n);
  joint_.resize(std::max(slots, n));
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.resize(slots);
  tree_.fit(model);
  schur_.fit(model.elements.n_constraints, model.n_dynamic);
  std::vector<int> uses(n, 0);
  for (const Joint& joint : model.joints) ++uses[joint.variable];
  for (std::size_t i = 0; i < n; ++i)
    if (uses[i] == 0) loose_.push_back(static_cast<int>(i));
  limits_.assign(model.elements.forces.size(), Limit::by_value);
  rules_.resize(limits_.size());
  for (std::size_t k = 0; k < limits_.size(); ++k)
    if (model.elements.forces[k]->servo()) servos_.push_back(k);
  if (!servos_.empty())
    for (auto* x : {&shift_, &before_, &after_, &rule_q_, &inertia_}) x->resize(n);
  fit_borders();
  if (least_ == Way::dense || !couplings_.empty()) {
    for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &f_q_}) x->resize(n * n);
    K_.resize(nd, nd);
    rhs_.resize(nd);
    lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(nd);
  }
}

// Which joints each row has, and whether that saves work.
void Midpoint::fit_borders() {
  const double n = model_.n(), m = model_.elements.n_constraints;
  const auto dynamic = [this](std::vector<int> found) {
    std::erase_if(found, [this](int i) { return !model_.joints[i].dynamic; });
    return found;
  };
  bool known = !model_.shared;
  std::vector<std::vector<int>> rows;
  const auto couple = [&](const auto& e, Coupling c) {
    if (e->diagonal()) return;
    const Support support = e->support(model_);
    known &= support.known;
    c.joints = dynamic(joints(model_, support));
    c.first = static_cast<int>(rows.size());
    rows.insert(rows.end(), c.joints.size(), c.joints);
    couplings_.push_back(std::move(c));
  };
  for (const auto& e : model_.elements.potentials) couple(e, {e, nullptr, {}, 0});
  for (const auto& e : model_.elements.forces) couple(e, {nullptr, e, {}, 0});
  const auto dense = [this] {
    couplings_.clear();
    least_ = way_ = Way::dense;
  };
  if (!known || rows.size() > 4 * n) return dense();
  elements_.fit(model_, rows);
  if (!rows.empty() && elements_.work() + 300.0 * n > 0.7 * n * n * n + 20.0 * n * n) return dense();
  constraint_joints_ = ConstraintRows(model_).joints;
  for (auto& found : constraint_joints_) rows.push_back(found = dynamic(std::move(found)));
  border_.resize(rows.size());
  if (m == 0) return;
  all_.fit(model_, rows);
  if (all_.work() > elements_.work() + m * (60.0 * n + 2.0 * m * n + m * m)) least_ = way_ = Way::schur;
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
void Midpoint::sweep_in(double duration) {
  // Without shared variables each joint writes the only term of its own: zeroing first took 3 % of a short pendulum's step.
  for (const int i : loose_) L_q_[i] = 0.0;
  const bool shared = model_.shared;
  if (shared)
    for (auto* x : {&L_q_, &L_v_, &scale_}) std::fill(x->begin(), x->end(), 0.0);
  const auto put = [shared](double& to, double x) { to = shared ? to + x : x; };
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
    const Lane4 size = abs(Jh_n).a + abs(Jh_f).a + duration * (abs(JF_n).a + abs(JF_f).a);
    const Lane4 sums = lane_sums(Jh_n.a + Jh_f.a, Uh + JF_n.a + JF_f.a, size, Lane4{});
    put(L_v_[joint.variable], joint.ratio * sums[0]);
    put(L_q_[joint.variable], joint.ratio * sums[1]);
    put(scale_[joint.variable], std::abs(joint.ratio) * sums[2]);
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
  if (!servos_.empty()) set_rules(step);
  const double dt = step.dt, duration = std::abs(dt),
               beta = 1.0 - alpha_;  // a part of a composed step goes back in time
  for (int i = 0; i < model_.n_variables; ++i) {
    qm_[i] = beta * step.q0[i] + alpha_ * step.q1[i];
    v_[i] = (step.q1[i] - step.q0[i]) / dt;
  }
  sweep_out();
  sweep_in(duration);
  const Instant at = instant(step);
  add_potential_gradient(at, -1.0, L_q_.data());
  if (!model_.elements.forces.empty()) {
    std::fill(force_.begin(), force_.end(), 0.0);
    if (servos_.empty())
      add_forces(at, 0.5 * dt, force_.data());
    else
      add_servo_forces(at, dt);
  }
  const double *before = forces_before(), *after = forces_after();
  for (int i = 0; i < model_.n_variables; ++i) {
    D1[i] = beta * dt * L_q_[i] - L_v_[i] + before[i];   // (M1)
    D2[i] = alpha_ * dt * L_q_[i] + L_v_[i] + after[i];  // (M2)
    scale[i] = scale_[i] + duration * std::abs(L_q_[i]) + std::abs(before[i]);
  }
}

DiscreteLagrangian::Energy Midpoint::energy(const Interval& step) {
  for (int i = 0; i < model_.n_variables; ++i) {
    qm_[i] = (1.0 - alpha_) * step.q0[i] + alpha_ * step.q1[i];
    v_[i] = (step.q1[i] - step.q0[i]) / step.dt;
  }
  Workspace& ws = workspace(model_);
  return {kinetic_energy(model_, ws, qm_.data(), v_.data()), potential_energy(model_, ws, qm_.data())};
}

bool Midpoint::factor(const Interval& step, const Jacobians& D, double* x, double* y) {
  way_ = least_;
  choose_limits(step, x);
  if (way_ != Way::dense) {
    set_diagonal(step);
    set_elements(step);
  }
  if (way_ == Way::bordered && D.rows > 0 && detour_ == 0) {
    set_constraints(D);
    if (factor_tree(step, all_, x, y)) {
      next_detour_ = 1;
      return true;
    }
    detour_ = next_detour_;
    next_detour_ = std::min(2 * next_detour_, longest_detour);
  }
  if (way_ != Way::dense) {
    way_ = Way::schur;
    detour_ = std::max(0, detour_ - 1);
    if (factor_tree(step, elements_, x, nullptr)) {
      schur_.factor(D, [this](double* z) { solve_tree(elements_, z, nullptr); });
      schur_.solve(D, x, y);
      return true;
    }
    if (couplings_.empty()) return false;
    way_ = Way::dense;
  }
  if (!factor_dense(step)) return false;
  schur_.factor(D, [this](double* z) { solve_dense(z); });
  solve(D, x, y);
  return true;
}

void Midpoint::solve(const Jacobians& D, double* x, double* y) {
  if (way_ == Way::bordered) return solve_tree(D.rows > 0 ? all_ : elements_, x, y);
  if (way_ == Way::schur)
    solve_tree(elements_, x, nullptr);
  else
    solve_dense(x);
  schur_.solve(D, x, y);
}

// The rules of the servos for a step from q0, by the inertias there: what articulated bodies see at each joint (D2), or the
// diagonal of the mass matrix where variables are shared.
void Midpoint::set_rules(const Interval& step) {
  if (step.dt == rule_dt_ && std::equal(rule_q_.begin(), rule_q_.end(), step.q0)) return;
  rule_dt_ = step.dt;
  std::copy_n(step.q0, model_.n_variables, rule_q_.begin());
  std::fill(inertia_.begin(), inertia_.end(), 0.0);
  Workspace& ws = workspace(model_);
  joint_inertias(model_, ws, step.q0, inertia_.data());
  for (const std::size_t k : servos_)
    rules_[k] = model_.elements.forces[k]->servo_rule(step.dt, alpha_, inertia_.data());
}

// force_ is the half of each impulse, and shift_ what a stiff servo moves from the end to the start (VS4).
void Midpoint::add_servo_forces(const Instant& at, double dt) {
  std::fill(shift_.begin(), shift_.end(), 0.0);
  Instant of = at;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    of.lead = rules_[k].lead;
    model_.elements.forces[k]->add_force(of, 0.5 * dt, force_.data());
    if (rules_[k].shift > 0.0) model_.elements.forces[k]->add_force(of, 0.5 * dt * rules_[k].shift, shift_.data());
  }
  for (std::size_t i = 0; i < force_.size(); ++i) {
    before_[i] = force_[i] + shift_[i];
    after_[i] = force_[i] - shift_[i];
  }
}

// Which branch each servo takes in this iteration (VS3), and what the right-hand side lacks where that is not the branch of
// its present value.
void Midpoint::choose_limits(const Interval& step, double* x) {
  Instant at = instant(step);
  for (const std::size_t k : servos_) {
    const Force& force = *model_.elements.forces[k];
    const double half = 0.5 * step.dt * (1.0 + rules_[k].shift);
    at.lead = rules_[k].lead;
    at.limit = Limit::by_value;
    const Limit present = force.next_limit(at);
    at.limit = limits_[k];
    at.limit = limits_[k] = force.next_limit(at);
    if (at.limit == present) continue;
    force.add_force(at, -half, x);
    at.limit = Limit::by_value;
    force.add_force(at, half, x);
  }
}

// Springs and dampers on single variables, from variables to joint parameters.
void Midpoint::set_diagonal(const Interval& step) {
  const Elements& all = model_.elements;
  if (all.potentials.empty() && all.forces.empty()) return;
  Instant at = instant(step);
  std::fill(joint_.begin(), joint_.end(), 0.0);
  for (const auto& e : all.potentials) e->add_diagonal(at, -alpha_ * (1.0 - alpha_) * step.dt, joint_.data());
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const double half = 0.5 * (1.0 + rules_[k].shift);
    at.limit = limits_[k];
    at.lead = rules_[k].lead;
    all.forces[k]->add_diagonal(at, half * alpha_ * step.dt, half, joint_.data());
  }
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    tree_.diagonal(i) = joint_[joint.variable] / (joint.ratio * joint.ratio);
  }
}

// (M4)
void Midpoint::set_elements(const Interval& step) {
  const std::size_t n = model_.n_variables;
  const Instant at = instant(step);
  for (const Coupling& c : couplings_) {
    const int size = static_cast<int>(c.joints.size());
    double* H = f_q_.data();
    const auto entry = [&](int i, int j) -> double& {
      return H[model_.joints[c.joints[i]].variable * n + model_.joints[c.joints[j]].variable];
    };
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) entry(i, j) = 0.0;
    if (c.potential) c.potential->add_hessian(at, -alpha_ * (1.0 - alpha_) * step.dt, H);
    if (c.force) {
      c.force->add_force_dq(at, 0.5 * alpha_ * step.dt, H);
      c.force->add_force_dv(at, 0.5, H);
    }
    for (int i = 0; i < size; ++i) {
      const double ratio = model_.joints[c.joints[i]].ratio;
      for (TreeBorder* border : {&elements_, &all_}) {
        if (border->size() == 0) continue;
        double *column = border->column(c.first + i), *row = border->row(c.first + i);
        for (int j = 0; j < size; ++j) {
          column[j] = i == j ? 1.0 : 0.0;
          row[j] = entry(i, j) / (ratio * model_.joints[c.joints[j]].ratio);
        }
        border->corner(c.first + i) = -1.0;
      }
    }
  }
}

void Midpoint::set_constraints(const Jacobians& D) {
  const int first = all_.size() - D.rows;
  for (int r = 0; r < D.rows; ++r) {
    const std::size_t start = static_cast<std::size_t>(r) * D.n;
    double *column = all_.column(first + r), *row = all_.row(first + r);
    for (std::size_t k = 0; k < constraint_joints_[r].size(); ++k) {
      const Joint& joint = model_.joints[constraint_joints_[r][k]];
      column[k] = -D.Dh0[start + joint.variable] / joint.ratio;
      row[k] = D.Dh1[start + joint.variable] / joint.ratio;
    }
  }
}

// y: over the constraints that are in the border, or null.
bool Midpoint::factor_tree(const Interval& step, TreeBorder& border, double* x, double* y) {
  const int size = border.size(), rows = y ? size - elements_.size() : 0;
  to_joints(x);
  std::fill_n(border_.begin(), size - rows, 0.0);
  if (rows > 0) std::copy_n(y, rows, border_.begin() + size - rows);
  if (!tree_.factor(model_, state_, bodies_, step.dt, alpha_, joint_.data(), size > 0 ? &border : nullptr,
                    border_.data()))
    return false;
  to_variables(x);
  if (rows > 0) std::copy_n(border_.begin() + size - rows, rows, y);
  return true;
}

void Midpoint::solve_tree(TreeBorder& border, double* x, double* y) {
  const int size = border.size(), rows = y ? size - elements_.size() : 0;
  to_joints(x);
  std::fill_n(border_.begin(), size - rows, 0.0);
  if (rows > 0) std::copy_n(y, rows, border_.begin() + size - rows);
  tree_.solve(model_, joint_.data(), size > 0 ? &border : nullptr, border_.data());
  to_variables(x);
  if (rows > 0) std::copy_n(border_.begin() + size - rows, rows, y);
}

bool Midpoint::factor_dense(const Interval& step) {
  const double dt = step.dt;
  const int n = model_.n_variables, nd = model_.n_dynamic;
  const double beta = 1.0 - alpha_;
  lagrangian_hessians(model_, workspace(model_), qm_.data(), v_.data(), L_qq_.data(), L_qv_.data(), L_vv_.data());
  Instant at = instant(step);
  std::fill(f_q_.begin(), f_q_.end(), 0.0);
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const double half = 0.5 * (1.0 + rules_[k].shift);
    at.limit = limits_[k];
    at.lead = rules_[k].lead;
    model_.elements.forces[k]->add_force_dq(at, half * alpha_ * dt, f_q_.data());
    model_.elements.forces[k]->add_force_dv(at, half, f_q_.data());
  }
  for (int i = 0; i < nd; ++i)
    for (int j = 0; j < nd; ++j)  // (M3)
      K_(i, j) = alpha_ * beta * dt * L_qq_[i * n + j] + beta * L_qv_[i * n + j] - alpha_ * L_qv_[j * n + i] -
                 L_vv_[i * n + j] / dt + f_q_[i * n + j];
  lu_.compute(K_);
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  return nd == 0 || (pivots.minCoeff() > 0.0 && std::isfinite(pivots.maxCoeff()));
}

void Midpoint::solve_dense(double* x) {
  Eigen::Map<Eigen::VectorXd> map(x, model_.n_dynamic);
  rhs_ = map;
  map = lu_.solve(rhs_);
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
