#include "bough/integrators/reduced_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/integrators/composition.hpp"

namespace bough {
namespace {

constexpr double exact = 1e-15;      // residual of a guess that needs no iteration
constexpr double round_off = 1e-10;  // residual below which one that does not fall any more is taken for round-off

// One step of Newton's method for the nearest rotation: R (3 - R^T R)/2.
Mat3 orthonormal(const Mat3& R) {
  const Mat3 G = transpose(R) * R;
  return R * (Mat3::diagonal(1.5) + (-0.5) * G);
}

Wrench head(const Eigen::VectorXd& x) { return {Vec3(x.data()), Vec3(x.data() + 3)}; }

}  // namespace

ReducedImpulses::ReducedImpulses(const Model& model, const ReducedLayout& layout) : forces(model, layout) {
  for (auto* x : {&gradient0, &gradient1, &F0, &F1}) x->setZero(layout.n());
}

void ReducedImpulses::set_gradient(const Pose& g, const double* r, const double* z, Eigen::VectorXd& gradient) {
  forces.set_state(g, r, z);
  gradient.setZero();
  forces.add_gradient(1.0, gradient.data());
}

ReducedEquations::ReducedEquations(const Model& model, const ReducedLayout& layout, const ReducedSettings& settings)
    : settings_(settings),
      nb_(layout.nb()),
      nr_(layout.nr()),
      nd_(layout.n_dynamic),
      unit_(settings.tolerance * std::max(1, nb_ + nd_)),
      span_(model, layout, settings.alpha, settings.tau),
      impulses_(model, layout),
      lu_(nb_ + nd_) {
  const int n = nb_ + nr_, unknowns = nb_ + nd_;
  z.setZero(n);
  P0_.setZero(nb_);
  r1_.setZero(nr_);
  for (auto* x : {&delta_, &corrected_, &f_, &scale_}) x->setZero(unknowns);
  K_.setZero(n, n);
}

bool ReducedEquations::begin(const ReducedStart& start, const double* velocities) {
  if (!begun_) {
    if (!span_.set_start(start.r)) return false;
    impulses_.set_gradient(start.g, start.r, velocities, impulses_.gradient0);
    begun_ = true;
  }
  if (nb_ > 0) P0_ = vector(to_frame(start.g, start.mu));
  return true;
}

StepStatus ReducedEquations::solve(const ReducedStart& start, const StepPart& part, bool damped) {
  start_ = &start;
  part_ = part;
  attempted = 0;
  for (int i = nd_; i < nr_; ++i) z[nb_ + i] = (part.k1[i - nd_] - start.r[i]) / part.dt;
  return newton(*this, settings_.max_iterations, damped);
}

// The residuals of (V2), (V3).
StepStatus ReducedEquations::evaluate() {
  const ReducedStart& start = *start_;
  const double dt = part_.dt, beta = span_.beta;
  const auto rate = z.tail(nr_);
  auto& [forces, gradient0, gradient1, F0, F1] = impulses_;
  r1_ = Eigen::Map<const Eigen::VectorXd>(start.r, nr_) + dt * rate;
  if (!span_.set_end(r1_.data(), z)) return StepStatus::singular;

  F0 = -dt * beta * gradient0;
  if (forces.has_forces()) {
    forces.set_state(start.g, start.r, z.data());
    forces.add_force(part_.u, start.t, dt * beta, F0.data());
  }
  f_.tail(nd_) =
      Eigen::Map<const Eigen::VectorXd>(start.p, nd_) + F0.segment(nb_, nd_) + dt * beta * span_.start->e.head(nd_);
  f_.tail(nd_).noalias() -= span_.S.topRows(nd_) * rate;
  if (nb_ > 0) {
    const Vec6 hx = dt * z.head<6>();
    f_.head(nb_) = P0_ + F0.head(nb_);
    f_.head(nb_).noalias() -= dtau_inverse(settings_.tau, hx).transpose() * span_.P.head<6>();
    f_.tail(nd_).noalias() -= span_.A.leftCols(nd_).transpose() * span_.P;
  }
  measure(start);
  return std::isfinite(residual) ? StepStatus::fine : StepStatus::not_finite;
}

// The residual relative to the size of the terms of its row, and to the round-off of momenta far from the world origin.
void ReducedEquations::measure(const ReducedStart& start) {
  const Eigen::VectorXd& F0 = impulses_.F0;
  const double dt = part_.dt;
  span_.set_sizes(z, scale_);
  if (nb_ > 0) {
    scale_.head(nb_) += P0_.cwiseAbs() + F0.head(nb_).cwiseAbs();
    // A step turns the base, which mixes the rows of the angular and of the linear momentum.
    const double far = 4.0 * std::numeric_limits<double>::epsilon() / settings_.tolerance * norm(start.g.p);
    const double linear = scale_.segment<3>(3).sum(), angular = scale_.head<3>().sum();
    scale_.segment<3>(3).setConstant(linear);
    scale_.head<3>().setConstant(angular + std::abs(dt) * z.segment<3>(3).norm() * linear + far * norm(start.mu.f));
  }
  scale_.tail(nd_) += Eigen::Map<const Eigen::VectorXd>(start.p, nd_).cwiseAbs() + F0.segment(nb_, nd_).cwiseAbs() +
                      std::abs(dt) * span_.start->e.head(nd_).cwiseAbs();
  residual = 0.0;
  for (int i = 0; i < nb_ + nd_; ++i) {
    const double ratio = f_[i] == 0.0 ? 0.0 : std::abs(f_[i]) / (unit_ * scale_[i]);
    if (ratio <= residual) continue;
    residual = ratio;
    worst_row = i;
    if (std::isnan(ratio)) return;
  }
}

bool ReducedEquations::solved(int iteration) const { return residual <= (iteration == 0 ? exact / unit_ : 1.0); }

// (V6)-(V8) of minus the residual
StepStatus ReducedEquations::correct() {
  const int unknowns = nb_ + nd_;
  ++iterations;
  ++attempted;
  span_.differentiate(part_.dt, z, K_);
  impulses_.forces.add_force_dz(part_.u, start_->t, -part_.dt * span_.beta, K_);
  lu_.factor(K_.topLeftCorner(unknowns, unknowns));
  lu_.solve(f_, delta_.data());
  corrected_ = z.head(unknowns);
  before_ = residual;
  return StepStatus::fine;
}

Judgement ReducedEquations::judge(double) const {
  const bool stagnates = residual > 0.25 * before_;
  return stagnates && residual * unit_ <= std::max(round_off, 10.0 * unit_) ? Judgement::accept : Judgement::go_on;
}

bool ReducedEquations::fed_back(const ReducedStart& end) {
  if (!impulses_.forces.has_forces()) return false;
  K_.setZero();
  impulses_.forces.set_state(end.g, end.r, z.data());
  impulses_.forces.add_force_dz(part_.u, end.t, 0.5 * part_.dt, K_);
  const auto rate = z.tail(nr_);
  return z.dot(K_.lazyProduct(z)) > most_fed_back * (span_.w.dot(span_.P) + rate.dot(span_.S.lazyProduct(rate)));
}

// The residual of (V3) is made up for in the next step.
void ReducedEquations::finish(Pose& g, double* r, Wrench& mu, double* momenta, double& work) {
  const double dt = part_.dt, alpha = span_.alpha;
  auto& [forces, gradient0, gradient1, F0, F1] = impulses_;
  Pose g1 = g;
  if (nb_ > 0) {
    g1 = g * tau(settings_.tau, Vec6(dt * z.head<6>()));
    g1.R = orthonormal(g1.R);
  }
  impulses_.set_gradient(g1, r1_.data(), z.data(), gradient1);
  F1 = -dt * alpha * gradient1;
  forces.add_force(part_.u, start_->t + dt, dt * alpha, F1.data());
  if (forces.has_forces())
    work += F0.dot(z) + F1.dot(z) + dt * (span_.beta * z.dot(gradient0) + alpha * z.dot(gradient1));
  span_.end->contract(span_.w, z.data() + nb_, span_.P);

  Eigen::Map<Eigen::VectorXd> p(momenta, nd_);
  p = f_.tail(nd_) + F1.segment(nb_, nd_) + dt * alpha * span_.end->e.head(nd_);
  p.noalias() += span_.S.topRows(nd_) * z.tail(nr_);
  if (nb_ > 0) {
    p.noalias() += span_.A.leftCols(nd_).transpose() * span_.P;
    mu += to_world(g, head(impulses_.F0)) + to_world(g1, head(impulses_.F1));
  }
  g = g1;
  std::copy_n(r1_.data(), nr_, r);
  gradient0.swap(gradient1);
  span_.advance();
}

}  // namespace bough
