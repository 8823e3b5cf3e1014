#include "bough/control/pairs.hpp"

#include <algorithm>

#include "bough/control/all_steps.hpp"

namespace bough {
namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<const RowMatrix>;

constexpr int steps_at_once = 16;  // for each of several threads, of second derivatives that a sweep needs next

}  // namespace

Pairs::Worker::Worker(const Model& model, int method, double alpha, const StepSettings& settings)
    : step(model, method, alpha, settings) {
  const StepShape& shape = step.shape();
  J.resize(shape.rows(), shape.columns());
  control.resize(shape.controls());
}

Pairs::Pairs(const Model& model, int method, double alpha, const StepSettings& settings, int threads)
    : layout_(StepShape(model)), sweep_(model, layout_) {
  for (int i = 0; i < std::max(threads, 1); ++i)
    workers_.push_back(std::make_unique<Worker>(model, method, alpha, settings));
}

void Pairs::Memory::resize(std::size_t size) {
  if (size <= capacity) return;
  numbers.reset(new double[size]);
  capacity = size;
}

Pairs::Ended Pairs::linearize(Worker& worker, std::ptrdiff_t k) {
  const StepStatus status =
      linearize_step(worker.step, {motion_.t0, motion_.dt, motion_.x.data(), motion_.c.data()}, k, worker.control);
  if (status != StepStatus::fine) return {status, static_cast<int>(k)};
  return {};
}

// (DB1) of step k, and the derivatives of its constraint forces.
Pairs::Ended Pairs::first(Worker& worker, const Derivatives& out, std::ptrdiff_t k) {
  if (const Ended ended = linearize(worker, k); ended.step >= 0) return ended;
  double* stage = first_.at(k, layout_.size);
  worker.step.pair(layout_, stage);
  if (!out.lam) return {};
  const auto [nq, nd, nu, nk, m] = shape();
  const int nx = nq + nd, nz = nx + nu + nk;
  worker.step.jacobian(worker.J);
  Eigen::Map<RowMatrix> lam(out.lam + k * m * nz, m, nz);
  lam = (k == 0 ? 1.0 : 0.5) * worker.J.bottomLeftCorner(m, nz);
  lam.middleCols(nd, nk) += lam.rightCols(nk);
  const RowMatrix by_momenta = lam.middleCols(nq, nd) * Matrix(stage + layout_.D1_0, nd, nq);
  lam.leftCols(nq) -= by_momenta;
  return {};
}

// (OB1) by (DB5)
void Pairs::costate(const Motion& motion, const Derivatives& out, std::ptrdiff_t k) {
  const auto [nq, nd, nu, nk, m] = shape();
  const int nx = nq + nd, nc = nu + nk, nz = nx + nc, ne = layout_.ne;
  const double *stage = first_.at(k, layout_.size), *l_y = motion.l_y + k * pair();
  const ConstVector l_r(motion.l_r + k * nq, nq);
  w_ = ConstVector(out.costate + (k + 1) * nx, nx);
  w_.head(nq) += ConstVector(l_y + nq, nq) + l_r / motion.dt;
  std::copy_n(w_.data(), nx, motion_.w.begin() + k * nx);
  const auto w_p = w_.tail(nd);
  t_ = w_.head(nq);
  t_.noalias() += Matrix(stage + layout_.D2_1, nd, nq).transpose() * w_p;
  e_.noalias() = Matrix(stage + layout_.E, nd, ne).transpose() * t_.head(nd);
  e_.tail(nk) += t_.tail(nk);
  e_.segment(nd, nu).noalias() += Matrix(stage + layout_.D2_u, nd, nu).transpose() * w_p;
  e_.segment(nd, nu) += ConstVector(l_y + 2 * nq, nu);
  Vector now(out.costate + k * nx, nx);
  now.head(nq) = ConstVector(l_y, nq) - l_r / motion.dt;
  now.head(nq).noalias() += Matrix(stage + layout_.D2_0, nd, nq).transpose() * w_p;
  now.segment(nd, nk) += e_.tail(nk);
  if (motion.l_lam && out.lam) {
    const Eigen::VectorXd forces =
        Matrix(out.lam + k * m * nz, m, nz).transpose() * ConstVector(motion.l_lam + k * m, m);
    now.head(nq) += forces.head(nq);
    e_ += forces.tail(ne);
  }
  now.head(nq).noalias() += Matrix(stage + layout_.D1_0, nd, nq).transpose() * e_.head(nd);
  now.tail(nd) = e_.head(nd);
  Vector(out.gradient + k * nc, nc) = e_.tail(nc);
}

// W and C of w_k of (OB1), after linearize()
void Pairs::second(Worker& worker, std::ptrdiff_t k) {
  worker.step.curve_pair(motion_.w.data() + k * shape().states(), layout_, second_.at(k, layout_.second_size));
}

// Second derivatives of step k and, on several threads, of those before it.
void Pairs::need_second(int k) {
  if (k >= curved_from_) return;
  const int some = workers_.size() == 1 ? 1 : steps_at_once * static_cast<int>(workers_.size());
  const int from = std::max(k + 1 - some, 0);
  for_all_steps<Ended>(workers_, from, curved_from_, [&](Worker& worker, int step) {
    linearize(worker, step);  // which did not fail in run()
    second(worker, step);
    return Ended{};
  });
  curved_from_ = from;
}

Pairs::Ended Pairs::run(const Motion& motion, const Derivatives& out) {
  const bool together = workers_.size() == 1;
  Worker& worker = *workers_[0];
  const auto [nq, nd, nu, nk, m] = shape();
  count_ = curved_from_ = motion.count;
  first_.resize(count_ * layout_.size);
  second_.resize(count_ * layout_.second_size);
  motion_.t0 = motion.t0;
  motion_.dt = motion.dt;
  motion_.x.assign(motion.x, motion.x + static_cast<std::size_t>(count_ + 1) * numbers());
  motion_.c.assign(motion.c, motion.c + static_cast<std::size_t>(count_) * (nu + nk));
  motion_.w.resize(static_cast<std::size_t>(count_) * (nq + nd));
  e_.resize(layout_.ne);
  if (!together)
    if (const Ended ended =
            for_all_steps<Ended>(workers_, 0, count_, [&](Worker& some, int k) { return first(some, out, k); });
        ended.step >= 0)
      return ended;
  for (std::ptrdiff_t k = count_ - 1; k >= 0; --k) {
    if (together)
      if (const Ended ended = first(worker, out, k); ended.step >= 0) return ended;
    costate(motion, out, k);
    if (together && motion.second) second(worker, curved_from_ = static_cast<int>(k));
  }
  if (together || !motion.second) return {};
  curved_from_ = 0;
  return for_all_steps<Ended>(workers_, 0, count_, [&](Worker& some, int k) {
    const Ended ended = linearize(some, k);
    if (ended.step < 0) second(some, k);
    return ended;
  });
}

int Pairs::backward(const PairProblem& problem, const PairGains& gains) {
  return sweep_.backward(problem, {stage(0), second_.at(0, 0)}, gains, [this](int k) { need_second(k); });
}

void Pairs::forward(const PairProblem& problem, const PairGains& gains, double* x, double* c) const {
  sweep_.forward(problem, stage(0), gains, x, c);
}

void Pairs::control_diagonal(const PairProblem& problem, double* diagonal) {
  for (int k = count_ - 1; k >= 0; --k) {
    if (problem.curved) need_second(k);
    sweep_.control_diagonal(problem, {stage(0), second_.at(0, 0)}, k,
                            diagonal + static_cast<std::size_t>(k) * shape().controls());
  }
}

void Pairs::slope(double dt, const double* l_y, const double* l_r, double* b) const {
  const auto [nq, nd, nu, nk, m] = shape();
  const int nz = nq + layout_.ne, ny = pair();
  for (std::ptrdiff_t k = 0; k < count_; ++k) {
    const ConstVector y(l_y + k * ny, ny), r(l_r + k * nq, nq);
    Vector to(b + k * nz, nz);
    const Eigen::VectorXd at_end = y.segment(nq, nq) + r / dt;
    to.head(nq) = y.head(nq) - r / dt;
    to.tail(layout_.ne).noalias() = Matrix(stage(k) + layout_.E, nd, layout_.ne).transpose() * at_end.head(nd);
    to.tail(nk) += at_end.tail(nk);
    to.segment(nq + nd, nu) += y.tail(nu);
    to.segment(nd, nk) += to.tail(nk);
  }
}

void Pairs::states(const double* xi, double* dx) const {
  const auto [nq, nd, nu, nk, m] = shape();
  const int nx = nq + nd;
  std::copy_n(xi, static_cast<std::size_t>(count_ + 1) * nx, dx);
  for (std::ptrdiff_t k = 0; k < count_; ++k)
    Vector(dx + k * nx + nq, nd).noalias() -= Matrix(stage(k) + layout_.D1_0, nd, nq) * ConstVector(xi + k * nx, nq);
}

void Pairs::gains(const double* G, double* over_states) const {
  const auto [nq, nd, nu, nk, m] = shape();
  const int nx = nq + nd, nc = nu + nk;
  RowMatrix by_momenta(nc, nq);
  for (std::ptrdiff_t k = 0; k < count_; ++k) {
    const Matrix from(G + k * nc * nx, nc, nx);
    Eigen::Map<RowMatrix> to(over_states + k * nc * nx, nc, nx);
    to = from;
    by_momenta.noalias() = from.rightCols(nd) * Matrix(stage(k) + layout_.D1_0, nd, nq);
    to.leftCols(nq) += by_momenta;
  }
}

}  // namespace bough
