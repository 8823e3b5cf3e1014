#include "bough/control/backward.hpp"

#include <algorithm>

#include "bough/control/all_steps.hpp"

namespace bough {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<RowMatrix>;
using ConstMatrix = Eigen::Map<const RowMatrix>;

}  // namespace

StepStatus linearize_step(StepLinearization& step, const MotionOfSteps& motion, std::ptrdiff_t k,
                          std::vector<double>& control) {
  const StepShape& s = step.shape();
  const int numbers = step.numbers();
  const double *x = motion.x + k * numbers, *x1 = x + numbers;
  std::copy_n(motion.c + k * s.controls(), s.nu, control.begin());
  std::copy_n(x1 + numbers - s.nd - s.nk, s.nk, control.begin() + s.nu);
  const StepLinearization::Given given{motion.t0 + static_cast<double>(k) * motion.dt, motion.dt, x, control.data()};
  const StepStatus status = step.linearize(given, x1, false);
  return status == StepStatus::fine && step.shifts() ? StepStatus::fed_back : status;
}

Backward::Worker::Worker(const Model& model, int method, double alpha, const StepSettings& settings)
    : step(model, method, alpha, settings) {
  const StepShape& shape = step.shape();
  const int nz = shape.states() + shape.controls();
  J.resize(shape.rows(), shape.columns());
  Yl.resize(shape.nq, nz);
  R.resize(1, nz);
  w.resize(shape.rows());
  control.resize(shape.controls());
  for (ColumnBlock* block : {&E, &lE}) block->resize(shape.nd, nz);
}

Backward::Backward(const Model& model, int method, double alpha, const StepSettings& settings, int threads) {
  for (int i = 0; i < std::max(threads, 1); ++i)
    workers_.push_back(std::make_unique<Worker>(model, method, alpha, settings));
}

// J of step k, and the derivatives of its constraint forces.
Backward::Ended Backward::first(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) {
  const StepShape& s = worker.step.shape();
  const int nx = s.states(), nc = s.controls(), nz = nx + nc;
  const StepStatus status = linearize_step(worker.step, {motion.t0, motion.dt, motion.x, motion.c}, k, worker.control);
  if (status != StepStatus::fine) return {status, static_cast<int>(k)};
  worker.step.jacobian(worker.J);
  Matrix J(out.J + k * nx * nz, nx, nz);
  J = worker.J.topLeftCorner(nx, nz);
  J.middleCols(s.nd, s.nk) += J.middleCols(s.k(), s.nk);  // by moves k1 - k0
  if (out.lam) {
    Matrix lam(out.lam + k * s.m * nz, s.m, nz);
    lam = (k == 0 ? 1.0 : 0.5) * worker.J.bottomLeftCorner(s.m, nz);
    lam.middleCols(s.nd, s.nk) += lam.middleCols(s.k(), s.nk);
  }
  return {};
}

// (OB1)
void Backward::costate(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const {
  const StepShape& s = shape();
  const int nx = s.states(), nc = s.controls(), nz = nx + nc, nq = s.nq, ny = pair();
  const ConstMatrix J(out.J + k * nx * nz, nx, nz);
  const double *l_y = motion.l_y + k * ny, *next = out.costate + (k + 1) * nx;
  const Vector l_r(motion.l_r + k * nq, nq);
  double *b = out.b + k * nz, *now = out.costate + k * nx, *gradient = out.gradient + k * nc;
  Eigen::Map<Eigen::VectorXd> w(worker.w.data(), nx), direct(b, nz);
  direct.setZero();
  direct.head(nq) = Vector(l_y, nq) - l_r / motion.dt;
  direct.segment(nx, s.nu) = Vector(l_y + 2 * nq, s.nu);
  if (motion.l_lam && out.lam)
    direct.noalias() +=
        ConstMatrix(out.lam + k * s.m * nz, s.m, nz).transpose().lazyProduct(Vector(motion.l_lam + k * s.m, s.m));
  w = Vector(next, nx);
  const Eigen::VectorXd at_end = Vector(l_y + nq, nq) + l_r / motion.dt;
  w.head(nq) += at_end;
  const Eigen::VectorXd total = direct + J.transpose().lazyProduct(w);
  std::copy_n(total.data(), nx, now);
  std::copy_n(total.data() + nx, nc, gradient);
  direct.noalias() += J.topRows(nq).transpose().lazyProduct(at_end);
}

// (OB2)
Backward::Ended Backward::second(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k,
                                 bool fresh) {
  const StepShape& s = worker.step.shape();
  const int nx = s.states(), nz = nx + s.controls(), nq = s.nq;
  Matrix H(out.H + k * nz * nz, nz, nz);
  if (!fresh)
    if (const Ended ended = first(worker, motion, out, k); ended.step >= 0) return ended;
  if (motion.second) {
    Eigen::Map<Eigen::VectorXd> w(worker.w.data(), nx);
    w = Vector(out.costate + (k + 1) * nx, nx);
    w.head(nq) += Vector(motion.l_y + k * pair() + nq, nq) + Vector(motion.l_r + k * nq, nq) / motion.dt;
  }
  const double *weights = motion.second ? worker.w.data() : nullptr, *ends = motion.l_d + k * pair() + nq;
  const bool with_ends = worker.step.hessian_with_ends(weights, ends, H.data());
  if (!with_ends) {
    if (weights)
      worker.step.hessian(weights, H.data());
    else
      H.setZero();
  }
  H.middleCols(s.nd, s.nk) += H.middleCols(s.k(), s.nk);
  H.middleRows(s.nd, s.nk) += H.middleRows(s.k(), s.nk);
  add_costs(worker, motion, out, k, !with_ends);
  return {};
}

// E1^T l_q1q1 E1 over the rows of dynamic variables, those of the others are k0 + (k1 - k0); and the other costs.
void Backward::set_plain(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const {
  const StepShape& s = shape();
  const int nx = s.states(), nz = nx + s.controls();
  const double *J = out.J + k * nx * nz, *ends = motion.l_d + k * pair() + s.nq;
  for (int i = 0; i < s.nd; ++i) {
    std::copy_n(J + i * nz, nz, worker.E.row(i));
    for (int j = 0; j < nz; ++j) worker.lE.row(i)[j] = ends[i] * J[i * nz + j];
  }
  Matrix H(out.H + k * nz * nz, nz, nz);
  set_symmetric_product(worker.E, worker.lE, worker.E.rows(), nullptr, nz, H.data());
  for (int i = 0; i < s.nk; ++i)
    for (const int a : {s.nd + i, s.k() + i})
      for (const int b : {s.nd + i, s.k() + i}) H(a, b) += ends[s.nd + i];
  add_costs(worker, motion, out, k, false);
}

// Y^T l_yy Y + R^T l_rr R, block by block; `ends`: with the diagonal of q1, else that is in H.
void Backward::add_costs(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k,
                         bool ends) const {
  const StepShape& s = shape();
  const int nx = s.states(), nz = nx + s.controls(), nq = s.nq, ny = pair();
  const ConstMatrix J(out.J + k * nx * nz, nx, nz);
  const Vector diagonal(motion.l_d + k * ny, ny), rates(motion.l_rr + k * nq, nq);
  Matrix H(out.H + k * nz * nz, nz, nz);
  const auto E1 = J.topRows(nq);
  H.diagonal().head(nq) += diagonal.head(nq);
  H.diagonal().segment(nx, s.nu) += diagonal.tail(s.nu);
  if (ends) {
    worker.Yl.noalias() = diagonal.segment(nq, nq).asDiagonal() * E1;
    H.noalias() += E1.transpose() * worker.Yl;
  }
  const double per = 1.0 / motion.dt;
  for (int i = 0; i < nq; ++i) {
    if (rates[i] == 0.0) continue;
    if (i >= s.nd) {  // k1 - k0 is a control
      const int at = s.k() + i - s.nd;
      H(at, at) += per * per * rates[i];
      continue;
    }
    worker.R.row(0) = per * E1.row(i);
    worker.R(0, i) -= per;
    H.noalias() += (rates[i] * worker.R.row(0).transpose()) * worker.R.row(0);
  }
  if (motion.l_yy) add_blocks(worker, motion, out, k);
}

// The rest of l_yy; blocks that are zero cost nothing.
void Backward::add_blocks(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const {
  const StepShape& s = shape();
  const int nx = s.states(), nz = nx + s.controls(), nq = s.nq, nu = s.nu, ny = pair();
  const ConstMatrix L(motion.l_yy + k * ny * ny, ny, ny), J(out.J + k * nx * nz, nx, nz);
  Matrix H(out.H + k * nz * nz, nz, nz);
  const auto E1 = J.topRows(nq);
  H.topLeftCorner(nq, nq) += L.topLeftCorner(nq, nq);
  H.block(nx, nx, nu, nu) += L.bottomRightCorner(nu, nu);
  H.block(0, nx, nq, nu) += L.topRightCorner(nq, nu);
  H.block(nx, 0, nu, nq) += L.bottomLeftCorner(nu, nq);
  const auto ends = L.block(nq, nq, nq, nq), mixed = L.block(0, nq, nq, nq);
  const auto driven = L.block(2 * nq, nq, nu, nq);
  if ((ends.array() != 0.0).any()) {
    worker.Yl.noalias() = ends * E1;
    H.noalias() += E1.transpose() * worker.Yl;
  }
  if ((mixed.array() != 0.0).any()) {
    worker.Yl.noalias() = mixed * E1;
    H.topRows(nq) += worker.Yl;
    H.leftCols(nq) += worker.Yl.transpose();
  }
  if (nu > 0 && (driven.array() != 0.0).any()) {
    const RowMatrix part = driven * E1;
    H.middleRows(nx, nu) += part;
    H.middleCols(nx, nu) += part.transpose();
  }
}

void Backward::plain(const Motion& motion, const Derivatives& out) {
  for_all_steps<Ended>(workers_, 0, motion.count, [&](Worker& worker, int k) {
    set_plain(worker, motion, out, k);
    return Ended{};
  });
}

Backward::Ended Backward::run(const Motion& motion, const Derivatives& out) {
  const bool together = workers_.size() == 1;
  Worker& worker = *workers_[0];
  if (!together)
    if (const Ended ended =
            for_all_steps<Ended>(workers_, 0, motion.count, [&](Worker& w, int k) { return first(w, motion, out, k); });
        ended.step >= 0)
      return ended;
  for (std::ptrdiff_t k = motion.count - 1; k >= 0; --k) {
    if (together)
      if (const Ended ended = first(worker, motion, out, k); ended.step >= 0) return ended;
    costate(worker, motion, out, k);
    if (together)
      if (const Ended ended = second(worker, motion, out, k, true); ended.step >= 0) return ended;
  }
  if (together) return {};
  return for_all_steps<Ended>(workers_, 0, motion.count,
                              [&](Worker& w, int k) { return second(w, motion, out, k, false); });
}

}  // namespace bough
