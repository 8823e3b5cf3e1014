#include "bough/integrators/reduced.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

constexpr double exact = 1e-15;      // a residual of the guess that needs no iteration
constexpr double round_off = 1e-10;  // where a residual that does not fall any more is taken for round-off

// One step of Newton's method for the nearest rotation: R (3 - R^T R)/2.
Mat3 orthonormal(const Mat3& R) {
  const Mat3 G = transpose(R) * R;
  return R * (Mat3::diagonal(1.5) + (-0.5) * G);
}

Wrench head(const Eigen::VectorXd& x) { return {Vec3(x.data()), Vec3(x.data() + 3)}; }

}  // namespace

ReducedStepper::ReducedStepper(const Model& model, const ReducedSettings& settings)
    : model_(model),
      layout_(reduced_layout(model)),
      settings_(settings),
      nb_(layout_.nb()),
      nr_(layout_.nr()),
      nd_(layout_.n_dynamic),
      node0_(std::make_unique<ReducedNode>(model, layout_)),
      node1_(std::make_unique<ReducedNode>(model, layout_)),
      forces_(model, layout_) {
  const int n = nb_ + nr_, unknowns = nb_ + nd_;
  for (auto* x : {&z_, &trial_, &gradient0_, &gradient1_, &F0_, &F1_}) x->setZero(n);
  for (auto* x : {&delta_, &f_, &scale_}) x->setZero(unknowns);
  for (auto* x : {&P0_, &w_, &P_, &w_size_}) x->setZero(nb_);
  r1_.setZero(nr_);
  rate_size_.setZero(nr_);
  I_.setZero(nb_, nb_);
  A_.setZero(nb_, nr_);
  S_.setZero(nr_, nr_);
  dw_.setZero(nb_, n);
  dP_.setZero(nb_, n);
  K_.setZero(n, n);
  D_.setZero(unknowns, unknowns);
  T_.setZero(nb_, nb_);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(unknowns);
  state.r.resize(nr_);
  state.p.resize(nd_);
  state.past.resize(static_cast<std::size_t>(memory) * n);
}

void ReducedStepper::start(double t, const Pose& g, const double* r, const Wrench& mu, const double* p,
                           const double* z) {
  state.t = t;
  state.dt_before = state.work = 0.0;
  state.g = g;
  state.mu = mu;
  std::copy_n(r, nr_, state.r.begin());
  std::copy_n(p, nd_, state.p.begin());
  std::copy_n(z, nb_ + nr_, state.past.begin());
  state.known = 1;
  node0_known_ = false;
}

// The polynomial through the velocities of the last `points` steps of equal size: signed binomials as weights.
void ReducedStepper::extrapolate(int points) {
  const int n = nb_ + nr_;
  z_.setZero();
  double weight = points;
  for (int a = 0; a < points; ++a) {
    z_ += weight * Eigen::Map<const Eigen::VectorXd>(state.past.data() + (state.known - 1 - a) * n, n);
    weight *= -static_cast<double>(points - 1 - a) / (a + 2);
  }
}

void ReducedStepper::set_rates(double dt, const double* k1) {
  for (int i = nd_; i < nr_; ++i) z_[nb_ + i] = (k1[i - nd_] - state.r[i]) / dt;
}

// w, P_a, both ends of the step and the residuals of (V2), (V3). False where a locked inertia is singular.
bool ReducedStepper::evaluate(double dt, const double* u) {
  const double alpha = settings_.alpha, beta = 1.0 - alpha;
  const auto rate = z_.tail(nr_);
  r1_ = Eigen::Map<const Eigen::VectorXd>(state.r.data(), nr_) + dt * rate;
  if (!node1_->set_shape(r1_.data())) return false;
  I_ = beta * node0_->I() + alpha * node1_->I();
  A_ = beta * node0_->A + alpha * node1_->A;
  S_ = beta * node0_->S + alpha * node1_->S;
  w_ = z_.head(nb_);
  w_.noalias() += A_ * rate;
  P_.noalias() = I_ * w_;
  node0_->contract(w_, z_.data() + nb_, P_);

  F0_ = -dt * beta * gradient0_;
  if (forces_.has_forces()) {
    forces_.set_state(state.g, state.r.data(), z_.data());
    forces_.add_force(u, state.t, dt * beta, F0_.data());
  }
  f_.tail(nd_) =
      Eigen::Map<const Eigen::VectorXd>(state.p.data(), nd_) + F0_.segment(nb_, nd_) + dt * beta * node0_->e.head(nd_);
  f_.tail(nd_).noalias() -= S_.topRows(nd_) * rate;
  if (nb_ > 0) {
    const Vec6 hx = dt * z_.head<6>();
    f_.head(nb_) = P0_ + F0_.head(nb_);
    f_.head(nb_).noalias() -= dtau_inverse(settings_.tau, hx).transpose() * P_.head<6>();
    f_.tail(nd_).noalias() -= A_.leftCols(nd_).transpose() * P_;
  }
  measure(dt);
  return true;
}

// The residual relative to the size of the terms of its row, and to the round-off of momenta far from the world origin.
void ReducedStepper::measure(double dt) {
  rate_size_ = z_.tail(nr_).cwiseAbs();
  scale_.setZero();
  if (nb_ > 0) {
    w_size_ = A_.cwiseAbs().lazyProduct(rate_size_);
    w_size_ += z_.head(nb_).cwiseAbs();
    scale_.head(nb_) = I_.cwiseAbs().lazyProduct(w_size_);
    scale_.tail(nd_) = A_.leftCols(nd_).cwiseAbs().transpose().lazyProduct(scale_.head(nb_));
    scale_.head(nb_) += P0_.cwiseAbs() + F0_.head(nb_).cwiseAbs();
    // A step turns the base, which mixes the rows of the angular and of the linear momentum.
    const double far = 4.0 * std::numeric_limits<double>::epsilon() / settings_.tolerance * norm(state.g.p);
    const double linear = scale_.segment<3>(3).sum(), angular = scale_.head<3>().sum();
    scale_.segment<3>(3).setConstant(linear);
    scale_.head<3>().setConstant(angular + dt * z_.segment<3>(3).norm() * linear + far * norm(state.mu.f));
  }
  scale_.tail(nd_) += S_.topRows(nd_).cwiseAbs().lazyProduct(rate_size_);
  scale_.tail(nd_) += Eigen::Map<const Eigen::VectorXd>(state.p.data(), nd_).cwiseAbs() +
                      F0_.segment(nb_, nd_).cwiseAbs() + dt * node0_->e.head(nd_).cwiseAbs();
  const double unit = settings_.tolerance * std::max(1, nb_ + nd_);
  residual = 0.0;
  for (int i = 0; i < nb_ + nd_; ++i) {
    const double ratio = f_[i] == 0.0 ? 0.0 : std::abs(f_[i]) / (unit * scale_[i]);
    if (ratio <= residual) continue;
    residual = ratio;
    worst_row = i;
    if (std::isnan(ratio)) return;
  }
}

// (V6)-(V8) with respect to z, of minus the residual.
void ReducedStepper::build_matrix(double dt, const double* u) {
  const double alpha = settings_.alpha, beta = 1.0 - alpha;
  ReducedNode &a = *node0_, &b = *node1_;
  b.contract(w_, z_.data() + nb_, P_);
  a.differentiate();
  b.differentiate();
  K_.setZero();
  auto shape = K_.bottomRightCorner(nr_, nr_);
  shape = S_ + dt * alpha * b.S_rate - dt * beta * a.S_rate.transpose();
  if (nb_ > 0) {
    dw_.leftCols(nb_).setIdentity();
    dw_.rightCols(nr_) = A_ + dt * alpha * b.A_rate;  // (V6)
    dP_.noalias() = I_ * dw_;
    dP_.rightCols(nr_) += dt * alpha * b.Gb.topRows(nb_);
    const Vec6 hx = dt * z_.head<6>(), P = P_;
    for (int k = 0; k < 6; ++k)
      T_.col(k) = dt * dtau_inverse_derivative(settings_.tau, hx, Vec6::Unit(k)).transpose() * P;
    K_.topRows(nb_).noalias() = dtau_inverse(settings_.tau, hx).transpose() * dP_;  // (V7)
    K_.topLeftCorner(nb_, nb_) += T_;
    K_.bottomRows(nr_).noalias() += A_.transpose() * dP_;  // (V8)
    K_.bottomRows(nr_).noalias() -= (dt * beta) * a.A_rate.transpose() * dP_;
    K_.bottomRows(nr_).noalias() -= (dt * beta) * a.Gb.topRows(nb_).transpose() * dw_;
    shape += dt * alpha * b.A_P - dt * beta * a.A_P.transpose();
  }
  forces_.add_force_dz(u, state.t, -dt * beta, K_);
  D_ = K_.topLeftCorner(nb_ + nd_, nb_ + nd_);
}

ReducedStatus ReducedStepper::attempt(double dt, const double* k1, const double* u, bool damped) {
  const int unknowns = nb_ + nd_;
  attempted = 0;
  set_rates(dt, k1);
  if (!evaluate(dt, u)) return ReducedStatus::singular;
  const double unit = settings_.tolerance * std::max(1, unknowns);
  for (int k = 0; k <= settings_.max_iterations; ++k) {
    if (!std::isfinite(residual)) return ReducedStatus::not_finite;
    if (residual <= (k == 0 ? exact / unit : 1.0)) return ReducedStatus::fine;
    if (k == settings_.max_iterations) break;
    ++iterations;
    ++attempted;
    build_matrix(dt, u);
    lu_.compute(D_);
    delta_ = lu_.solve(f_);
    const double before = residual;
    trial_ = z_;
    for (double factor = 1.0;; factor *= 0.5) {
      z_.head(unknowns) = trial_.head(unknowns) + factor * delta_;
      const bool regular = evaluate(dt, u);
      if (!damped || factor < 1e-2) {
        if (!regular) return ReducedStatus::singular;
        break;
      }
      if (regular && residual <= (1.0 - 0.1 * factor) * before) break;
    }
    if (residual > 0.25 * before && residual * unit <= std::max(round_off, 10.0 * unit)) return ReducedStatus::fine;
  }
  return ReducedStatus::no_convergence;
}

// (V4), (V5); the residual of (V3) is made up for in the next step. Elements may raise until the state is changed.
void ReducedStepper::accept(double dt, const double* u) {
  const double alpha = settings_.alpha;
  Pose g1 = state.g;
  if (nb_ > 0) {
    g1 = state.g * tau(settings_.tau, Vec6(dt * z_.head<6>()));
    g1.R = orthonormal(g1.R);
  }
  forces_.set_state(g1, r1_.data(), z_.data());
  gradient1_.setZero();
  forces_.add_gradient(1.0, gradient1_.data());
  F1_ = -dt * alpha * gradient1_;
  forces_.add_force(u, state.t + dt, dt * alpha, F1_.data());
  if (forces_.has_forces())
    state.work += z_.dot(F0_) + z_.dot(F1_) + dt * ((1.0 - alpha) * z_.dot(gradient0_) + alpha * z_.dot(gradient1_));
  node1_->contract(w_, z_.data() + nb_, P_);

  Eigen::Map<Eigen::VectorXd> p(state.p.data(), nd_);
  p = f_.tail(nd_) + F1_.segment(nb_, nd_) + dt * alpha * node1_->e.head(nd_);
  p.noalias() += S_.topRows(nd_) * z_.tail(nr_);
  if (nb_ > 0) {
    p.noalias() += A_.leftCols(nd_).transpose() * P_;
    state.mu += to_world(state.g, head(F0_)) + to_world(g1, head(F1_));
  }
  state.g = g1;
  std::copy_n(r1_.data(), nr_, state.r.begin());
  gradient0_.swap(gradient1_);
  std::swap(node0_, node1_);
  remember(dt);
}

void ReducedStepper::remember(double dt) {
  const int n = nb_ + nr_;
  if (std::abs(dt - state.dt_before) > 1e-9 * dt) state.known = 0;
  if (state.known == memory) {
    std::copy(state.past.begin() + n, state.past.end(), state.past.begin());
    --state.known;
  }
  std::copy_n(z_.data(), n, state.past.begin() + state.known * n);
  ++state.known;
  state.t += dt;
  state.dt_before = dt;
}

// From the polynomial guess; where that fails from the last velocity, with damping, and from rest.
ReducedStatus ReducedStepper::solve(double dt, const double* k1, const double* u) {
  if (!node0_known_) {
    if (!node0_->set_shape(state.r.data())) return ReducedStatus::singular;
    extrapolate(1);
    forces_.set_state(state.g, state.r.data(), z_.data());
    gradient0_.setZero();
    forces_.add_gradient(1.0, gradient0_.data());
    node0_known_ = true;
  }
  if (nb_ > 0) P0_ = vector(to_frame(state.g, state.mu));
  const bool same = std::abs(dt - state.dt_before) <= 1e-9 * dt;
  ReducedStatus status = ReducedStatus::no_convergence;
  for (int way = 0; way < 3 && status != ReducedStatus::fine; ++way) {
    if (way < 2)
      extrapolate(way == 0 && same ? state.known : 1);
    else
      z_.setZero();
    status = attempt(dt, k1, u, way > 0);
  }
  if (status == ReducedStatus::fine) accept(dt, u);
  return status;
}

// The step in two halves, each halved again where it fails.
ReducedStatus ReducedStepper::halve(double dt, const double* k1, const double* u, int depth) {
  ++halvings;
  std::vector<double> middle(nr_ - nd_);
  for (int i = nd_; i < nr_; ++i) middle[i - nd_] = 0.5 * (state.r[i] + k1[i - nd_]);
  for (const double* k : {static_cast<const double*>(middle.data()), k1}) {
    ReducedStatus status = solve(0.5 * dt, k, u);
    if (status != ReducedStatus::fine && depth > 1) status = halve(0.5 * dt, k, u, depth - 1);
    if (status != ReducedStatus::fine) return status;
  }
  return ReducedStatus::fine;
}

ReducedStatus ReducedStepper::step(double dt, const double* k1, const double* u) {
  ReducedStatus status = solve(dt, k1, u);
  if (status == ReducedStatus::fine || settings_.max_halvings == 0) return status;
  const State before = state;
  const double whole_residual = residual;
  const int whole_row = worst_row, whole_attempted = attempted;
  const auto undo = [&] {
    state = before;
    node0_known_ = false;
    residual = whole_residual;
    worst_row = whole_row;
    attempted = whole_attempted;
  };
  const ReducedStatus whole = status;
  try {
    status = halve(dt, k1, u, settings_.max_halvings);
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
  if (status == ReducedStatus::fine) {
    state.t = before.t + dt;
    return status;
  }
  undo();
  return whole;
}

}  // namespace bough
