#include "bough/maximal/velocity_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

constexpr double no_mobility = 1e-13;  // of a row that the joints hold already, relative to that of free bodies
constexpr double closed = 1e-13;  // drift of a projected joint, relative to the size of the system or to one radian
constexpr int max_projections = 20;

}  // namespace

VelocityStepper::VelocityStepper(const MaximalParts& parts)
    : at_(parts), tree_(parts.state.bodies), B_(6 * (parts.state.n() + 1), Twist::zero()) {
  const std::size_t slots = parts.state.n() + 1;
  freedom_.assign(slots, 0);
  for (auto* a : {&V_, &c_}) a->assign(slots, Twist::zero());
  for (auto* a : {&f_, &y_}) a->assign(slots, Wrench::zero());
}

void VelocityStepper::find_basis() {
  const BodyState& state = at_.state;
  for (int b = 1; b <= state.n(); ++b) {
    const Body& body = state.bodies.body[b - 1];
    Twist* B = &B_[6 * (b - 1)];
    freedom_[b] = state.broken[b] ? 6 : body.freedom;
    if (freedom_[b] == 6) {
      for (int k = 0; k < 3; ++k) {
        B[k] = {Vec3::unit(k), cross(state.x[b], Vec3::unit(k))};
        B[k + 3] = {Vec3::zero(), Vec3::unit(k)};
      }
    } else if (body.constant_span) {
      for (int k = 0; k < body.freedom; ++k)
        B[k] = adjoint(state.g[b], adjoint_inverse(state.joint[b].G, body.span[k]));
    } else {
      for (int c = body.chain; c < body.chain + body.length; ++c)
        if (state.model.joints[state.bodies.chain[c]].dynamic) *B++ = adjoint(state.g[b], state.J[c]);
    }
  }
}

// Of a row on free bodies, whose right-hand side it leaves in f_: what the joints leave is at most this.
double VelocityStepper::free_mobility(int r) {
  const BodyState& state = at_.state;
  double mobility = 0.0;
  for (int b = 1; b <= state.n(); ++b) {
    f_[b] = at_.rows.on_body(r, b);
    const Vec3 n = f_[b].n - cross(state.x[b], f_[b].f);
    const Link& link = state.model.links[state.bodies.body[b - 1].link];
    const double m = link.mass, about = link.inertia(0, 0) + link.inertia(1, 1) + link.inertia(2, 2);
    if (m > 0.0) mobility += dot(f_[b].f, f_[b].f) / m;
    if (about > 0.0) mobility += dot(n, n) / about;
  }
  return mobility;
}

// V_ is the solution without rows; adds what makes A V = target.
void VelocityStepper::solve_rows() {
  MaximalRows& rows = at_.rows;
  const int m = rows.size(), n = at_.state.n();
  const std::size_t columns = rows.columns();
  for (int r = 0; r < m; ++r) multipliers_[r] = target_[r] - rows.product(r, V_);
  for (int r = 0; r < m; ++r) {
    const double mobility = free_mobility(r);
    tree_.solve(f_, nullptr, c_);
    const double S = rows.product(r, c_);
    const bool held = !(S > no_mobility * mobility);
    double* z = &Z_[r * columns];
    for (int b = 1; b <= n; ++b, z += 6) {
      (held ? Vec3::zero() : c_[b].w).store(z);
      (held ? Vec3::zero() : c_[b].v).store(z + 3);
    }
    if (held) {
      std::fill_n(&rows.A[r * columns], columns, 0.0);
      multipliers_[r] = 0.0;
    }
  }
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  S_.noalias() = Rows(rows.A.data(), m, columns) * Rows(Z_.data(), m, columns).transpose();  // (MS1)
  schur_.factor(S_);
  schur_.solve(multipliers_);
  for (int r = 0; r < m; ++r) {
    rows.impulse[r] = multipliers_[r];
    const double* z = &Z_[r * columns];
    for (int b = 1; b <= n; ++b, z += 6) V_[b] += multipliers_[r] * Twist{Vec3(z), Vec3(z + 3)};
  }
}

// T V = f_ with the joints moving by c_ and the rows by target_.
StepStatus VelocityStepper::constrained_solve() {
  failed_slot = tree_.factor(at_.state.inertia, B_, freedom_);
  if (failed_slot >= 0) return StepStatus::singular;
  tree_.solve(f_, c_.data(), V_);
  if (at_.rows.size() > 0) solve_rows();
  return StepStatus::fine;
}

StepStatus VelocityStepper::step(double dt, const double* k1, const double* u) {
  BodyState& state = at_.state;
  MaximalRows& rows = at_.rows;
  at_.forces.momenta(dt, u, y_);
  find_basis();
  state.set_driven(dt, k1);
  evaluate_rows();
  const double beta = state.settings.projection ? 0.0 : state.settings.beta;
  for (int b = 1; b <= state.n(); ++b) {
    f_[b] = y_[b];
    c_[b] = state.broken[b] ? Twist::zero() : state.driven[b] - (beta / dt) * adjoint(state.g[b], state.drift(b));
  }
  for (int r = 0; r < rows.size(); ++r) target_[r] = -(beta / dt) * rows.C[r] - rows.rate[r];
  const StepStatus status = constrained_solve();  // (ML1)
  if (status != StepStatus::fine) return status;
  std::fill(rows.lam.begin(), rows.lam.end(), 0.0);
  for (Wrench& y : at_.breaks.reaction) y = Wrench::zero();
  add_reactions(dt);
  state.set_velocities(V_);
  state.move(dt);  // (ML2)
  if (!state.finite()) return StepStatus::not_finite;
  state.arrive(dt, k1);
  if (state.settings.projection) {
    const StepStatus placed = project_positions();
    if (placed != StepStatus::fine) return placed;
    project_velocities();
    add_reactions(dt);
  } else {
    state.recover_rates();
  }
  at_.breaks.check(rows, state);
  return StepStatus::fine;
}

// Rows where the bodies are, and the buffers if they are others than before.
void VelocityStepper::evaluate_rows() {
  MaximalRows& rows = at_.rows;
  rows.evaluate();
  if (revision_ == rows.revision()) return;
  revision_ = rows.revision();
  const int m = rows.size();
  target_.assign(m, 0.0);
  Z_.resize(m * rows.columns());
  S_.resize(m, m);
  multipliers_.resize(m);
  if (m > 0) schur_.fit(m);
}

// (ML3)
StepStatus VelocityStepper::project_positions() {
  BodyState& state = at_.state;
  MaximalRows& rows = at_.rows;
  const double size = state.extent();
  double before = INFINITY;
  for (int k = 0; k < max_projections; ++k) {
    evaluate_rows();
    double worst = 0.0;
    for (int b = 1; b <= state.n(); ++b)
      if (!state.broken[b]) worst = std::max({worst, norm(state.drift(b).w), norm(state.drift(b).v) / size});
    for (int r = 0; r < rows.size(); ++r) worst = std::max(worst, std::abs(rows.C[r]) / std::max(rows.scale[r], 1e-17));
    if (!std::isfinite(worst)) return StepStatus::not_finite;
    if (worst <= closed || (worst <= 1e3 * closed && worst > 0.5 * before)) return StepStatus::fine;
    before = worst;
    find_basis();
    state.set_inertia();
    for (int b = 1; b <= state.n(); ++b) {
      f_[b] = Wrench::zero();
      c_[b] = state.broken[b] ? Twist::zero() : (-1.0) * adjoint(state.g[b], state.drift(b));
    }
    for (int r = 0; r < rows.size(); ++r) target_[r] = -rows.C[r];
    if (constrained_solve() != StepStatus::fine) return StepStatus::singular;
    for (int b = 1; b <= state.n(); ++b) {
      state.x[b] += V_[b].v + cross(V_[b].w, state.x[b]);
      state.o[b] = turned(state.o[b], V_[b].w);
    }
    state.set_poses();
    state.recover_joints();
  }
  return StepStatus::no_convergence;
}

void VelocityStepper::project_velocities() {
  BodyState& state = at_.state;
  MaximalRows& rows = at_.rows;
  find_basis();
  state.place_driven();
  evaluate_rows();
  state.set_inertia();
  for (int b = 1; b <= state.n(); ++b) {
    f_[b] = y_[b] = state.inertia[b] * state.world_twist(b);
    c_[b] = state.broken[b] ? Twist::zero() : state.driven[b];
  }
  for (int r = 0; r < rows.size(); ++r) target_[r] = -rows.rate[r];
  if (constrained_solve() == StepStatus::fine) state.set_velocities(V_);
  state.recover_rates();
}

// Adds the forces of the last solution, whose momenta before it are in y_: lam, and the reactions of the joints. The impulse
// of a joint is what the bodies outboard of it gained and nothing else gave them.
void VelocityStepper::add_reactions(double dt) {
  const BodyState& state = at_.state;
  MaximalRows& rows = at_.rows;
  rows.add_to_lam(dt);
  if (!at_.breaks.watched) return;
  for (int b = 1; b <= state.n(); ++b) {
    f_[b] = state.inertia[b] * V_[b] - y_[b];
    for (int r = 0; r < rows.size(); ++r) f_[b] = f_[b] - rows.impulse[r] * rows.on_body(r, b);
  }
  for (int b = state.n(); b > 0; --b) {
    at_.breaks.reaction[b] += (1.0 / dt) * f_[b];
    f_[state.bodies.body[b - 1].parent] += f_[b];
  }
}

}  // namespace bough
