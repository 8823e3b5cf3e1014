#include "bough/integrators/reduced_span.hpp"

namespace bough {

ReducedSpan::ReducedSpan(const Model& model, const ReducedLayout& layout, double alpha, Retraction tau)
    : alpha(alpha),
      beta(1.0 - alpha),
      tau(tau),
      start(std::make_unique<ReducedNode>(model, layout)),
      end(std::make_unique<ReducedNode>(model, layout)),
      nb_(layout.nb()),
      nr_(layout.nr()),
      nd_(layout.n_dynamic) {
  w_size_.setZero(nb_);
  rate_size_.setZero(nr_);
  w.setZero(nb_);
  P.setZero(nb_);
  I.setZero(nb_, nb_);
  A.setZero(nb_, nr_);
  S.setZero(nr_, nr_);
  dw_.setZero(nb_, nb_ + nr_);
  dP_.setZero(nb_, nb_ + nr_);
  T_.setZero(nb_, nb_);
}

// (V1)
bool ReducedSpan::set_end(const double* r1, const Eigen::VectorXd& z) {
  if (!end->set_shape(r1)) return false;
  I = beta * start->I() + alpha * end->I();
  A = beta * start->A + alpha * end->A;
  S = beta * start->S + alpha * end->S;
  w = z.head(nb_);
  w.noalias() += A * z.tail(nr_);
  P.noalias() = I * w;
  start->contract(w, z.data() + nb_, P);
  return true;
}

void ReducedSpan::set_sizes(const Eigen::VectorXd& z, Eigen::VectorXd& scale) {
  scale.setZero();
  rate_size_ = z.tail(nr_).cwiseAbs();
  if (nb_ > 0) {
    w_size_ = A.cwiseAbs().lazyProduct(rate_size_);
    w_size_ += z.head(nb_).cwiseAbs();
    scale.head(nb_) = I.cwiseAbs().lazyProduct(w_size_);
    scale.tail(nd_) = A.leftCols(nd_).cwiseAbs().transpose().lazyProduct(scale.head(nb_));
  }
  scale.tail(nd_) += S.topRows(nd_).cwiseAbs().lazyProduct(rate_size_);
}

void ReducedSpan::differentiate(double dt, const Eigen::VectorXd& z, Eigen::MatrixXd& K) {
  ReducedNode &a = *start, &b = *end;
  b.contract(w, z.data() + nb_, P);
  a.differentiate();
  b.differentiate();
  K.setZero();
  auto shape = K.bottomRightCorner(nr_, nr_);
  shape = S + dt * alpha * b.S_rate - dt * beta * a.S_rate.transpose();
  if (nb_ == 0) return;
  dw_.leftCols(nb_).setIdentity();
  dw_.rightCols(nr_) = A + dt * alpha * b.A_rate;  // (V6)
  dP_.noalias() = I * dw_;
  dP_.rightCols(nr_) += dt * alpha * b.Gb.topRows(nb_);
  const Vec6 hx = dt * z.head<6>(), momentum = P;
  for (int k = 0; k < 6; ++k) T_.col(k) = dt * dtau_inverse_derivative(tau, hx, Vec6::Unit(k)).transpose() * momentum;
  K.topRows(nb_).noalias() = dtau_inverse(tau, hx).transpose() * dP_;  // (V7)
  K.topLeftCorner(nb_, nb_) += T_;
  K.bottomRows(nr_).noalias() += A.transpose() * dP_;  // (V8)
  K.bottomRows(nr_).noalias() -= (dt * beta) * a.A_rate.transpose() * dP_;
  K.bottomRows(nr_).noalias() -= (dt * beta) * a.Gb.topRows(nb_).transpose() * dw_;
  shape += dt * alpha * b.A_P - dt * beta * a.A_P.transpose();
}

}  // namespace bough
