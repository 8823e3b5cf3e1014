#include "bough/integrators/reduced_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

ReducedEquations::ReducedEquations(const Model& model, const ReducedSettings& settings)
    : layout_(reduced_layout(model)),
      settings_(settings),
      nb_(layout_.nb()),
      nr_(layout_.nr()),
      nd_(layout_.n_dynamic),
      forces_(model, layout_) {
  for (End* end : {&start_, &end_}) end->node = std::make_unique<ReducedNode>(model, layout_);
  const int n = nb_ + nr_, unknowns = nb_ + nd_;
  for (auto* x : {&z_, &newton_.corrected, &start_.gradient, &end_.gradient, &start_.F, &end_.F}) x->setZero(n);
  for (auto* x : {&newton_.delta, &rows_.f, &rows_.scale}) x->setZero(unknowns);
  for (auto* x : {&P0_, &w_, &P_, &rows_.w_size}) x->setZero(nb_);
  r1_.setZero(nr_);
  rows_.rate_size.setZero(nr_);
  mean_.I.setZero(nb_, nb_);
  mean_.A.setZero(nb_, nr_);
  mean_.S.setZero(nr_, nr_);
  newton_.dw.setZero(nb_, n);
  newton_.dP.setZero(nb_, n);
  newton_.K.setZero(n, n);
  newton_.D.setZero(unknowns, unknowns);
  newton_.T.setZero(nb_, nb_);
  newton_.lu = Eigen::PartialPivLU<Eigen::MatrixXd>(unknowns);
}

bool ReducedEquations::begin(const ReducedState& state) {
  if (!start_known_) {
    if (!start_.node->set_shape(state.r.data())) return false;
    forces_.set_state(state.g, state.r.data(), z_.data());
    start_.gradient.setZero();
    forces_.add_gradient(1.0, start_.gradient.data());
    start_known_ = true;
  }
  if (nb_ > 0) P0_ = vector(to_frame(state.g, state.mu));
  return true;
}

StepStatus ReducedEquations::solve(const ReducedState& state, const StepPart& part, bool damped) {
  state_ = &state;
  part_ = part;
  attempted = 0;
  for (int i = nd_; i < nr_; ++i) z_[nb_ + i] = (part.k1[i - nd_] - state.r[i]) / part.dt;
  return newton(*this, settings_.max_iterations, damped);
}

// w, P_a, both ends of the step and the residuals of (V2), (V3).
StepStatus ReducedEquations::evaluate() {
  const ReducedState& state = *state_;
  const double dt = part_.dt;
  const double alpha = settings_.alpha, beta = 1.0 - alpha;
  const auto rate = z_.tail(nr_);
  r1_ = Eigen::Map<const Eigen::VectorXd>(state.r.data(), nr_) + dt * rate;
  if (!end_.node->set_shape(r1_.data())) return StepStatus::singular;
  mean_.I = beta * start_.node->I() + alpha * end_.node->I();
  mean_.A = beta * start_.node->A + alpha * end_.node->A;
  mean_.S = beta * start_.node->S + alpha * end_.node->S;
  w_ = z_.head(nb_);
  w_.noalias() += mean_.A * rate;
  P_.noalias() = mean_.I * w_;
  start_.node->contract(w_, z_.data() + nb_, P_);

  start_.F = -dt * beta * start_.gradient;
  if (forces_.has_forces()) {
    forces_.set_state(state.g, state.r.data(), z_.data());
    forces_.add_force(part_.u, state.t, dt * beta, start_.F.data());
  }
  rows_.f.tail(nd_) = Eigen::Map<const Eigen::VectorXd>(state.p.data(), nd_) + start_.F.segment(nb_, nd_) +
                      dt * beta * start_.node->e.head(nd_);
  rows_.f.tail(nd_).noalias() -= mean_.S.topRows(nd_) * rate;
  if (nb_ > 0) {
    const Vec6 hx = dt * z_.head<6>();
    rows_.f.head(nb_) = P0_ + start_.F.head(nb_);
    rows_.f.head(nb_).noalias() -= dtau_inverse(settings_.tau, hx).transpose() * P_.head<6>();
    rows_.f.tail(nd_).noalias() -= mean_.A.leftCols(nd_).transpose() * P_;
  }
  measure();
  return std::isfinite(residual) ? StepStatus::fine : StepStatus::not_finite;
}

// The residual relative to the size of the terms of its row, and to the round-off of momenta far from the world origin.
void ReducedEquations::measure() {
  const ReducedState& state = *state_;
  const double dt = part_.dt;
  rows_.rate_size = z_.tail(nr_).cwiseAbs();
  rows_.scale.setZero();
  if (nb_ > 0) {
    rows_.w_size = mean_.A.cwiseAbs().lazyProduct(rows_.rate_size);
    rows_.w_size += z_.head(nb_).cwiseAbs();
    rows_.scale.head(nb_) = mean_.I.cwiseAbs().lazyProduct(rows_.w_size);
    rows_.scale.tail(nd_) = mean_.A.leftCols(nd_).cwiseAbs().transpose().lazyProduct(rows_.scale.head(nb_));
    rows_.scale.head(nb_) += P0_.cwiseAbs() + start_.F.head(nb_).cwiseAbs();
    // A step turns the base, which mixes the rows of the angular and of the linear momentum.
    const double far = 4.0 * std::numeric_limits<double>::epsilon() / settings_.tolerance * norm(state.g.p);
    const double linear = rows_.scale.segment<3>(3).sum(), angular = rows_.scale.head<3>().sum();
    rows_.scale.segment<3>(3).setConstant(linear);
    rows_.scale.head<3>().setConstant(angular + dt * z_.segment<3>(3).norm() * linear + far * norm(state.mu.f));
  }
  rows_.scale.tail(nd_) += mean_.S.topRows(nd_).cwiseAbs().lazyProduct(rows_.rate_size);
  rows_.scale.tail(nd_) += Eigen::Map<const Eigen::VectorXd>(state.p.data(), nd_).cwiseAbs() +
                           start_.F.segment(nb_, nd_).cwiseAbs() + dt * start_.node->e.head(nd_).cwiseAbs();
  residual = 0.0;
  for (int i = 0; i < nb_ + nd_; ++i) {
    const double ratio = rows_.f[i] == 0.0 ? 0.0 : std::abs(rows_.f[i]) / (unit() * rows_.scale[i]);
    if (ratio <= residual) continue;
    residual = ratio;
    worst_row = i;
    if (std::isnan(ratio)) return;
  }
}

bool ReducedEquations::solved(int iteration) const { return residual <= (iteration == 0 ? exact / unit() : 1.0); }

StepStatus ReducedEquations::correct() {
  ++iterations;
  ++attempted;
  build_matrix();
  newton_.lu.compute(newton_.D);
  newton_.delta = newton_.lu.solve(rows_.f);
  newton_.before = residual;
  newton_.corrected = z_;
  return StepStatus::fine;
}

void ReducedEquations::move(double factor) {
  const int unknowns = nb_ + nd_;
  z_.head(unknowns) = newton_.corrected.head(unknowns) + factor * newton_.delta;
}

Judgement ReducedEquations::judge(double) const {
  const bool stagnates = residual > 0.25 * newton_.before;
  return stagnates && residual * unit() <= std::max(round_off, 10.0 * unit()) ? Judgement::accept : Judgement::go_on;
}

// (V6)-(V8) with respect to z, of minus the residual.
void ReducedEquations::build_matrix() {
  const double dt = part_.dt;
  const double alpha = settings_.alpha, beta = 1.0 - alpha;
  ReducedNode &a = *start_.node, &b = *end_.node;
  b.contract(w_, z_.data() + nb_, P_);
  a.differentiate();
  b.differentiate();
  newton_.K.setZero();
  auto shape = newton_.K.bottomRightCorner(nr_, nr_);
  shape = mean_.S + dt * alpha * b.S_rate - dt * beta * a.S_rate.transpose();
  if (nb_ > 0) {
    newton_.dw.leftCols(nb_).setIdentity();
    newton_.dw.rightCols(nr_) = mean_.A + dt * alpha * b.A_rate;  // (V6)
    newton_.dP.noalias() = mean_.I * newton_.dw;
    newton_.dP.rightCols(nr_) += dt * alpha * b.Gb.topRows(nb_);
    const Vec6 hx = dt * z_.head<6>(), P = P_;
    for (int k = 0; k < 6; ++k)
      newton_.T.col(k) = dt * dtau_inverse_derivative(settings_.tau, hx, Vec6::Unit(k)).transpose() * P;
    newton_.K.topRows(nb_).noalias() = dtau_inverse(settings_.tau, hx).transpose() * newton_.dP;  // (V7)
    newton_.K.topLeftCorner(nb_, nb_) += newton_.T;
    newton_.K.bottomRows(nr_).noalias() += mean_.A.transpose() * newton_.dP;  // (V8)
    newton_.K.bottomRows(nr_).noalias() -= (dt * beta) * a.A_rate.transpose() * newton_.dP;
    newton_.K.bottomRows(nr_).noalias() -= (dt * beta) * a.Gb.topRows(nb_).transpose() * newton_.dw;
    shape += dt * alpha * b.A_P - dt * beta * a.A_P.transpose();
  }
  forces_.add_force_dz(part_.u, state_->t, -dt * beta, newton_.K);
  newton_.D = newton_.K.topLeftCorner(nb_ + nd_, nb_ + nd_);
}

// (V4), (V5); the residual of (V3) is made up for in the next step.
void ReducedEquations::advance(ReducedState& state) {
  const double dt = part_.dt;
  const double alpha = settings_.alpha;
  Pose g1 = state.g;
  if (nb_ > 0) {
    g1 = state.g * tau(settings_.tau, Vec6(dt * z_.head<6>()));
    g1.R = orthonormal(g1.R);
  }
  forces_.set_state(g1, r1_.data(), z_.data());
  end_.gradient.setZero();
  forces_.add_gradient(1.0, end_.gradient.data());
  end_.F = -dt * alpha * end_.gradient;
  forces_.add_force(part_.u, state.t + dt, dt * alpha, end_.F.data());
  if (forces_.has_forces())
    state.work += z_.dot(start_.F) + z_.dot(end_.F) +
                  dt * ((1.0 - alpha) * z_.dot(start_.gradient) + alpha * z_.dot(end_.gradient));
  end_.node->contract(w_, z_.data() + nb_, P_);

  Eigen::Map<Eigen::VectorXd> p(state.p.data(), nd_);
  p = rows_.f.tail(nd_) + end_.F.segment(nb_, nd_) + dt * alpha * end_.node->e.head(nd_);
  p.noalias() += mean_.S.topRows(nd_) * z_.tail(nr_);
  if (nb_ > 0) {
    p.noalias() += mean_.A.leftCols(nd_).transpose() * P_;
    state.mu += to_world(state.g, head(start_.F)) + to_world(g1, head(end_.F));
  }
  state.g = g1;
  std::copy_n(r1_.data(), nr_, state.r.begin());
  std::swap(start_, end_);
}

}  // namespace bough
