#include "bough/maximal/penalty_implicit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/solvers/newton.hpp"

namespace bough {
namespace {

// The twist of a body with coordinates (omega, velocity of x), seen in the frame g.
TreePenalty::Matrix6 seen(const Pose& g, const Vec3& x) {
  TreePenalty::Matrix6 T = TreePenalty::Matrix6::Zero();
  const Mat3 Rt = transpose(g.R), W = Rt * skew(x - g.p);
  for (int k = 0; k < 3; ++k) {
    Rt.c[k].store(T.col(k).data());
    Rt.c[k].store(T.col(k + 3).data() + 3);
    W.c[k].store(T.col(k).data() + 3);
  }
  return T;
}

}  // namespace

ImplicitPenaltyStepper::ImplicitPenaltyStepper(const MaximalParts& parts, PenaltySprings& springs)
    : at_(parts),
      springs_(springs),
      tree_(parts.state.bodies),
      f_(parts.state.n() + 1, Wrench::zero()),
      y_(f_),
      M_(parts.state.n() + 1),
      V_(6 * parts.state.n()),
      p_(V_),
      r_(V_) {}

// Judged by the size of the correction, relative to that of the velocities.
struct ImplicitPenaltyStepper::Equations {
  ImplicitPenaltyStepper& stepper;
  double dt;
  double correction = 0.0;  // the size of the last one
  bool small = false;       // whether that ends the iteration

  StepStatus evaluate() const {
    stepper.place(dt);
    stepper.residual(dt);
    return stepper.r_.allFinite() && std::isfinite(correction) ? StepStatus::fine : StepStatus::not_finite;
  }
  bool solved(int) const { return false; }
  StepStatus correct() const {
    ++stepper.iterations;
    return stepper.direction(dt) ? StepStatus::fine : StepStatus::no_convergence;
  }
  void move(double factor) {
    stepper.V_ += factor * stepper.r_;
    correction = stepper.size(stepper.r_);
    const double scale = stepper.size(stepper.V_) + dt * std::sqrt(stepper.weight());
    small = correction <= stepper.at_.state.settings.tolerance * scale + stepper.round_off(dt);
  }
  Judgement judge(double) const { return small ? Judgement::accept : Judgement::go_on; }
};

StepStatus ImplicitPenaltyStepper::step(double dt, const double* k1, const double* u) {
  BodyState& state = at_.state;
  begin(dt, k1, u);
  state.t += dt;  // forces and rows are those of the end
  Equations equations{*this, dt};
  iterations = 0;
  const StepStatus status = newton(equations, state.settings.max_iterations);
  if (status != StepStatus::fine) return status;
  state.t -= dt;  // arrive() adds it
  at_.breaks.check(at_.rows, state);
  state.arrive(dt, k1);
  state.recover_rates();
  return StepStatus::fine;
}

void ImplicitPenaltyStepper::begin(double dt, const double* k1, const double* u) {
  BodyState& state = at_.state;
  at_.forces.momenta(dt, u, f_);
  state.set_driven(dt, k1);
  for (int b = 1; b <= state.n(); ++b) {
    const Wrench f = f_[b];
    (f.n - cross(state.x[b], f.f)).store(&p_[at(b)]);
    f.f.store(&p_[at(b) + 3]);
    state.w[b].store(&V_[at(b)]);
    state.v[b].store(&V_[at(b) + 3]);
    M_[b].setZero();
    const Mat3 I = state.rotational_inertia(b);
    for (int k = 0; k < 3; ++k) I.c[k].store(M_[b].col(k).data());
    M_[b].bottomRightCorner<3, 3>() = state.inertia[b].m * Eigen::Matrix3d::Identity();
  }
  state.set_prescribed(k1);
}

// In the metric of mass.
double ImplicitPenaltyStepper::size(const Eigen::VectorXd& velocities) const {
  double sum = 0.0;
  for (int b = 1; b <= at_.state.n(); ++b)
    sum += velocities.segment<6>(at(b)).dot(M_[b] * velocities.segment<6>(at(b)));
  return std::sqrt(sum);
}

// What the round-off of positions is as a velocity, in the metric of mass.
double ImplicitPenaltyStepper::round_off(double dt) const {
  const BodyState& state = at_.state;
  double mass = 0.0, far = state.extent();
  for (int b = 1; b <= state.n(); ++b) {
    mass += state.inertia[b].m;
    far = std::max(far, norm(state.x[b]));
  }
  return 64.0 * std::numeric_limits<double>::epsilon() * far * std::sqrt(mass) / dt;
}

// sum of m g^2: velocities below this times h do not matter
double ImplicitPenaltyStepper::weight() const {
  const BodyState& state = at_.state;
  double sum = 0.0;
  for (int b = 1; b <= state.n(); ++b) sum += state.inertia[b].m;
  return sum * std::max(dot(state.model.gravity, state.model.gravity), 1e-12);
}

// Bodies where V takes them in a step.
void ImplicitPenaltyStepper::place(double dt) {
  BodyState& state = at_.state;
  for (int b = 1; b <= state.n(); ++b) {
    state.w[b] = Vec3(&V_[at(b)]);
    state.v[b] = Vec3(&V_[at(b) + 3]);
    state.x[b] = state.saved().x[b] + dt * state.v[b];
    state.o[b] = turned(state.saved().o[b], dt * state.w[b]);
  }
  state.set_poses();
  state.recover_joints();
  springs_.place();
}

// r of (MI2) in r_
void ImplicitPenaltyStepper::residual(double dt) {
  const BodyState& state = at_.state;
  springs_.forces(y_);
  for (int b = 1; b <= state.n(); ++b) {
    const Wrench y = y_[b];
    Vector6 force;
    (y.n - cross(state.x[b], y.f)).store(force.data());
    y.f.store(force.data() + 3);
    r_.segment<6>(at(b)) = p_.segment<6>(at(b)) + dt * force - M_[b] * V_.segment<6>(at(b));
  }
}

// r_ becomes d of (MI2).
bool ImplicitPenaltyStepper::direction(double dt) {
  const BodyState& state = at_.state;
  const double factor = dt * dt + dt * state.settings.relaxation;
  Vector6 K;
  K << Eigen::Vector3d::Constant(factor * state.settings.angular_stiffness),
      Eigen::Vector3d::Constant(factor * state.settings.stiffness);
  for (int b = 1; b <= state.n(); ++b) tree_.P[b] = M_[b];
  for (int b = 1; b <= state.n(); ++b) {
    const int a = state.bodies.body[b - 1].parent;
    const Matrix6 N = springs_.projector(b) * K.asDiagonal() * springs_.projector(b), Tb = seen(state.g[b], state.x[b]);
    const Matrix6 NT = N * Tb;
    tree_.P[b].noalias() += Tb.transpose() * NT;
    if (a == 0) continue;
    const Matrix6 Ta = seen(state.g[b], state.x[a]);
    tree_.L[b].noalias() = NT.transpose() * Ta;
    tree_.P[a].noalias() += Ta.transpose() * N * Ta;
  }
  if (!tree_.factor()) return false;
  tree_.solve(r_);
  return at_.rows.size() == 0 || add_rows(factor);
}

// d -= Z (W^-1 + A Z)^-1 A d with Z = T^-1 A^T
bool ImplicitPenaltyStepper::add_rows(double factor) {
  const BodyState& state = at_.state;
  const int m = at_.rows.size(), columns = static_cast<int>(at_.rows.columns());
  A_.resize(columns, m);
  Z_.resize(columns, m);
  for (int r = 0; r < m; ++r) {
    for (int b = 1; b <= state.n(); ++b) {
      const double* a = at_.rows.row(r) + at(b);
      const Vec3 f(a + 3);
      (Vec3(a) - cross(state.x[b], f)).store(&A_(at(b), r));
      f.store(&A_(at(b) + 3, r));
    }
    z_ = A_.col(r);
    tree_.solve(z_);
    Z_.col(r) = z_;
  }
  S_.noalias() = A_.transpose() * Z_;
  for (int r = 0; r < m; ++r) S_(r, r) += 1.0 / (factor * springs_.row_stiffness(r));
  multipliers_.noalias() = A_.transpose() * r_;
  if (!llt_.factor(S_)) return false;
  llt_.solve_in_place(multipliers_);
  r_.noalias() -= Z_ * multipliers_;
  return true;
}

}  // namespace bough
