#include "bough/control/reach.hpp"

#include <algorithm>

namespace bough {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

constexpr double round_off = 1e-8;  // part of a column that other columns do not have

}  // namespace

Reach::Reach(const Model& model, int method, double alpha, const StepSettings& settings)
    : step_(model, method, alpha, settings) {
  control_.resize(shape().controls());
  w_.resize(shape().rows());
  by_s_.resize(shape().columns());
}

Reach::Ended Reach::linearize(const Motion& motion, std::ptrdiff_t k) {
  const StepStatus status = linearize_step(step_, {motion.t0, motion.dt, motion.x, motion.c}, k, control_);
  return status == StepStatus::fine ? Ended{} : Ended{status, static_cast<int>(k)};
}

// [T, 0; 0, 1] over (q0, p0, u, k1): kinematic variables of the start move those of the end.
void Reach::set_columns(const RowMatrix& T) {
  const StepShape& s = shape();
  const Eigen::Index r = T.cols();
  D_.setZero(s.dt(), r + s.controls());
  D_.topLeftCorner(s.states(), r) = T;
  D_.block(s.k(), 0, s.nk, r) = T.middleRows(s.nd, s.nk);
  D_.block(s.u(), r, s.nu, s.nu).setIdentity();
  D_.block(s.k(), r + s.nu, s.nk, s.nk).setIdentity();
}

// (OT1), (OT2) by Gram and Schmidt, the column of which most is left first, each twice.
void Reach::set_basis(std::ptrdiff_t k) {
  const Eigen::Index nx = shape().states(), columns = S_.cols();
  left_ = scale_.asDiagonal() * S_.topRows(nx);
  const Eigen::RowVectorXd sizes = left_.colwise().norm();
  RowMatrix& J = J_[k];
  basis_.resize(nx, std::min(nx, columns));
  Eigen::Index count = 0;
  while (count < basis_.cols()) {
    Eigen::Index best = -1;
    double most = round_off;
    for (Eigen::Index j = 0; j < columns; ++j)
      if (const double part = sizes[j] > 0.0 ? left_.col(j).norm() / sizes[j] : 0.0; part > most) {
        most = part;
        best = j;
      }
    if (best < 0) break;
    auto t = basis_.col(count);
    t = left_.col(best) / left_.col(best).norm();
    for (Eigen::Index i = 0; i < count; ++i) t -= basis_.col(i).dot(t) * basis_.col(i);
    t /= t.norm();
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index j = 0; j < columns; ++j) left_.col(j) -= t.dot(left_.col(j)) * t;
    left_.col(best).setZero();
    ++count;
  }
  left_ = scale_.asDiagonal() * S_.topRows(nx);
  J.noalias() = basis_.leftCols(count).transpose() * left_;
  T_[k + 1] = scale_.cwiseInverse().asDiagonal() * basis_.leftCols(count);
}

Reach::Ended Reach::forward(const Motion& motion, const double* scale, int most) {
  const StepShape& s = shape();
  const std::size_t count = motion.count;
  scale_ = ConstMap(scale, s.states());
  T_.resize(count + 1);
  J_.resize(count);
  lam_.resize(count);
  T_[0].resize(s.states(), 0);
  size_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (const Ended ended = linearize(motion, k); ended.step >= 0) return ended;
    if (!step_.whole()) size_ = most + 1;
    if (size_ > most) {
      T_.resize(1);
      J_.clear();
      return {};
    }
    set_columns(T_[k]);
    step_.forward(D_, S_);
    set_basis(k);
    if (s.m > 0) lam_[k] = (k == 0 ? 1.0 : 0.5) * S_.bottomRows(s.m);
    size_ = std::max(size_, static_cast<int>(T_[k + 1].cols()));
  }
  return {};
}

void Reach::write(double* T, double* J, double* lam) const {
  const StepShape& s = shape();
  const std::size_t nx = s.states(), nc = s.controls(), size = size_, nz = size + nc;
  for (std::size_t k = 0; k < T_.size(); ++k) {
    Eigen::Map<RowMatrix> to(T + k * nx * size, nx, size);
    to.setZero();
    to.leftCols(T_[k].cols()) = T_[k];
  }
  const auto widen = [&](const RowMatrix& from, Eigen::Map<RowMatrix> to) {
    const Eigen::Index r = from.cols() - static_cast<Eigen::Index>(nc);
    to.setZero();
    to.topLeftCorner(from.rows(), r) = from.leftCols(r);
    to.topRightCorner(from.rows(), nc) = from.rightCols(nc);
  };
  for (std::size_t k = 0; k < J_.size(); ++k) {
    widen(J_[k], {J + k * size * nz, static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(nz)});
    if (lam) widen(lam_[k], {lam + k * s.m * nz, s.m, static_cast<Eigen::Index>(nz)});
  }
}

// (OB1) over xi
void Reach::set_gradient(const Motion& motion, const Costs& costs, const double* last, double* gradient) const {
  const StepShape& s = shape();
  const int nc = s.controls(), nq = s.nq, ny = pair();
  Eigen::VectorXd lambda = T_[motion.count].transpose() * ConstMap(last, s.states()), total;
  for (std::ptrdiff_t k = motion.count - 1; k >= 0; --k) {
    const double* l_y = costs.l_y + k * ny;
    const Eigen::VectorXd by_rate = ConstMap(costs.l_r + k * nq, nq) / motion.dt;
    lambda.noalias() += T_[k + 1].topRows(nq).transpose() * (ConstMap(l_y + nq, nq) + by_rate);
    total.noalias() = J_[k].transpose() * lambda;
    if (costs.l_lam) total.noalias() += lam_[k].transpose() * ConstMap(costs.l_lam + k * s.m, s.m);
    Map to(gradient + k * nc, nc);
    to = total.tail(nc);
    to.head(s.nu) += ConstMap(l_y + 2 * nq, s.nu);
    lambda = total.head(T_[k].cols());
    lambda.noalias() += T_[k].topRows(nq).transpose() * (ConstMap(l_y, nq) - by_rate);
  }
}

Reach::Ended Reach::backward(const Motion& motion, const Costs& costs, const Derivatives& out) {
  const StepShape& s = shape();
  const int nx = s.states(), nc = s.controls(), nq = s.nq, ny = pair();
  const std::size_t nz = size_ + nc;
  for (std::ptrdiff_t k = motion.count - 1; k >= 0; --k) {
    if (const Ended ended = linearize(motion, k); ended.step >= 0) return ended;
    const double* l_y = costs.l_y + k * ny;
    const ConstMap l_r(costs.l_r + k * nq, nq);
    Map w(w_.data(), s.rows()), now(out.costate + k * nx, nx), gradient(out.gradient + k * nc, nc);
    w.head(nx) = ConstMap(out.costate + (k + 1) * nx, nx);
    w.head(nq) += ConstMap(l_y + nq, nq) + l_r / motion.dt;
    w.tail(s.m).setZero();
    if (costs.l_lam) w.tail(s.m) = (k == 0 ? 1.0 : 0.5) * ConstMap(costs.l_lam + k * s.m, s.m);
    step_.backward(w_.data(), by_s_.data());
    now = ConstMap(by_s_.data(), nx);
    now.segment(s.nd, s.nk) += ConstMap(by_s_.data() + s.k(), s.nk);
    now.head(nq) += ConstMap(l_y, nq) - l_r / motion.dt;
    gradient = ConstMap(by_s_.data() + s.u(), nc);
    gradient.head(s.nu) += ConstMap(l_y + 2 * nq, s.nu);
    set_columns(T_[k]);
    const Eigen::Index r = T_[k].cols();
    H_.resize(D_.cols(), D_.cols());
    step_.hessian_along(w_.data(), D_, H_.data());
    Eigen::Map<RowMatrix> H(out.H + k * nz * nz, nz, nz);
    H.setZero();
    H.topLeftCorner(r, r) = H_.topLeftCorner(r, r);
    H.topRightCorner(r, nc) = H_.topRightCorner(r, nc);
    H.bottomLeftCorner(nc, r) = H_.bottomLeftCorner(nc, r);
    H.bottomRightCorner(nc, nc) = H_.bottomRightCorner(nc, nc);
  }
  return {};
}

}  // namespace bough
