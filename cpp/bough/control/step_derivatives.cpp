#include "bough/control/step_derivatives.hpp"

namespace bough {
namespace {

constexpr int nb = base_variables;

// y += factor A B, y += factor A^T B
template <class Y, class A, class B>
void add_product(Y&& y, double factor, const A& a, const B& b) {
  y.noalias() += factor * a * b;
}
template <class Y, class A, class B>
void add_transposed_product(Y&& y, double factor, const A& a, const B& b) {
  y.noalias() += factor * a.transpose() * b;
}

// y += factor (A^T B + B^T A)
template <class Y, class A, class B>
void add_symmetric_product(Y&& y, double factor, const A& a, const B& b) {
  add_transposed_product(y, factor, a, b);
  add_transposed_product(y, factor, b, a);
}

}  // namespace

StepDerivatives::StepDerivatives(const Model& model, const ReducedLayout& layout)
    : n_(layout.nr()), start_(model, layout), end_(model, layout) {
  const int n = n_, m = nb + 2 * n;
  for (auto* x : {&weights.w1, &weights.w2, &drate_}) x->setZero(n);
  for (auto* x : {&dw_, &dP_}) x->setZero(nb);
  for (auto* x : {&arrived, &C_, &N_, &Y_, &dC_, &dZ_, &by_xi_y_, &part_}) x->setZero(nb, m);
  for (auto* x : {&D1, &D2}) x->setZero(n, m);
  for (auto* x : {&hessian, &K_}) x->setZero(m, m);
  for (auto* x : {&T0_, &T1_}) x->setZero(n, n);
}

// (CD1), and T at both ends.
void StepDerivatives::place_ends(const Steps& steps, const DrivenStep& step, const ReducedNode& start,
                                 const ReducedNode& end) {
  const int n = n_;
  const double half = 0.5 * steps.dt;
  T0_ = start.A_P + start.S_rate;
  T1_ = end.A_P + end.S_rate;
  C_.leftCols<nb>().setIdentity();
  C_.middleCols(nb, n) = 0.5 * (start.A_rate + end.A_rate);
  C_.rightCols(n) = step.A + half * end.A_rate;
  if (steps.mu == nullptr) return;
  N_.setZero();
  N_.middleCols(nb, n) = 0.5 * (start.Gb.topRows<nb>() + end.Gb.topRows<nb>());
  N_.rightCols(n) = half * end.Gb.topRows<nb>();
  add_product(N_, 1.0, step.I, C_);
}

// a of the Lagrangian phi + a . F.
Vec6 StepDerivatives::adjoint_of_momentum(const Steps& steps, const DrivenStep& step, const ReducedNode& start,
                                          const ReducedNode& end) const {
  Vec6 by_xi = eps_.transpose() * Eigen::Map<const Vec6>(weights.lambda);
  if (steps.mu == nullptr) return -by_xi;
  if (steps.dynamic) {  // (CD2), its columns of xi
    const double half = 0.5 * steps.dt;
    Vec6 locked = Vec6::Zero();
    add_product(locked, 1.0, step.A, weights.w2);
    add_product(locked, -1.0, step.A, weights.w1);
    add_product(locked, half, start.A_rate, weights.w1);
    add_product(locked, half, end.A_rate, weights.w2);
    add_product(by_xi, 1.0, step.I, locked);
    add_product(by_xi, half, start.Gb.topRows<nb>(), weights.w1);
    add_product(by_xi, half, end.Gb.topRows<nb>(), weights.w2);
  }
  return -step.momentum_by_xi.solve_transposed(by_xi);
}

// The variation of both ends along (b/dt, w1, w2); without momentum that of P is a/dt, for the Lagrangian is phi + a . w.
void StepDerivatives::vary(const Steps& steps, const DrivenStep& step, const ReducedNode& start, const ReducedNode& end,
                           const double* rates) {
  const Eigen::Map<const Eigen::VectorXd> rate(rates, n_);
  start_.set_direction(start, weights.w1.data());
  end_.set_direction(end, weights.w2.data());
  drate_ = (weights.w2 - weights.w1) / steps.dt;
  const bool momentum = steps.mu != nullptr;
  if (momentum) {
    dw_.noalias() = B_ * a_ / steps.dt;
    for (const ReducedVariation* at : {&start_, &end_}) add_product(dw_, 0.5, at->dA, rate);
    add_product(dw_, 1.0, step.A, drate_);
    dP_.setZero();
    add_product(dP_, 1.0, step.I, dw_);
    for (const ReducedVariation* at : {&start_, &end_}) add_product(dP_, 0.5, at->dI(), step.w);
  } else {
    dP_ = a_ / steps.dt;
  }
  start_.differentiate(start, momentum, dw_, drate_.data(), dP_);
  end_.differentiate(end, momentum, dw_, drate_.data(), dP_);
}

// Y of (CD3), then the derivatives of delta', D1 and D2 by y.
void StepDerivatives::first(const Steps& steps, const DrivenStep& step, const ReducedNode& start,
                            const ReducedNode& end, const Vec6& body_momentum) {
  const int n = n_;
  const double half = 0.5 * steps.dt;
  if (steps.mu == nullptr) {
    Y_ = -C_;
    Y_.leftCols<nb>().setZero();
  } else {
    Y_.setZero();
    add_transposed_product(Y_.rightCols(2 * n), -1.0, B_, N_.rightCols(2 * n));
    for (int k = 0; k < nb; ++k) Y_.col(k) = vector(ad_transpose(twist(Vec6::Unit(k)), wrench(body_momentum)));
    for (int k = 0; k < Y_.cols(); ++k) Y_.col(k) = step.momentum_by_xi.solve(Vec6(Y_.col(k)));
  }
  arrived.setZero();
  add_product(arrived, 1.0, eps_, Y_);  // (CD4)
  arrived.leftCols<nb>() += leave_;
  D1.setZero();
  D2.setZero();
  if (!steps.dynamic) {
    D1.rightCols(n).diagonal().setConstant(-1.0);
    D2.rightCols(n).diagonal().setConstant(1.0);
    return;
  }
  D1.middleCols(nb, n) = half * start_.E - 0.5 * (T0_ + T1_);  // (CD2)
  D1.rightCols(n) = half * (T0_.transpose() - T1_) - step.S;
  D2.middleCols(nb, n) = half * end_.E + 0.5 * (T0_ + T1_);
  D2.rightCols(n) = half * (T1_.transpose() + T1_ + steps.dt * end_.E) + step.S;
  if (steps.mu == nullptr) return;
  part_ = N_;  // by y: dP, then dw
  part_.leftCols<nb>().setZero();
  add_product(part_, 1.0, step.I, Y_);
  add_transposed_product(D1, half, start.A_rate, part_);
  add_transposed_product(D1, -1.0, step.A, part_);
  add_transposed_product(D2, half, end.A_rate, part_);
  add_transposed_product(D2, 1.0, step.A, part_);
  part_ = C_;
  part_.leftCols<nb>().setZero();
  part_ += Y_;
  add_transposed_product(D1, half, start.Gb.topRows<nb>(), part_);
  add_transposed_product(D2, half, end.Gb.topRows<nb>(), part_);
}

// K = (CD5) over x; without momentum dw = 0 in every direction that matters.
void StepDerivatives::add_mechanics(const Steps& steps, const DrivenStep& step) {
  const int n = n_;
  const double dt = steps.dt, half = 0.5 * dt;
  K_.setZero();
  K_.block(nb, nb, n, n) = half * (start_.dE + end_.dE);
  auto mixed = K_.block(nb + n, nb, n, n);  // row of r', column of r
  mixed = half * (start_.dT + end_.dT + dt * end_.dE);
  K_.block(nb, nb + n, n, n) = mixed.transpose();
  K_.bottomRightCorner(n, n) = half * (start_.dS + end_.dS + dt * (end_.dT + end_.dT.transpose()) + dt * dt * end_.dE);
  if (steps.mu == nullptr) return;
  dC_.setZero();
  dC_.middleCols(nb, n) = 0.5 * (start_.dX + end_.dX);
  dC_.rightCols(n) = 0.5 * (start_.dA + end_.dA + dt * end_.dX);
  dZ_.setZero();
  dZ_.middleCols(nb, n) = 0.5 * (start_.dZ + end_.dZ);
  dZ_.rightCols(n) = half * end_.dZ;
  for (const ReducedVariation* at : {&start_, &end_})
    add_product(dZ_, 0.25, at->dI(), C_);  // half of dIbar C: it is added twice
  add_symmetric_product(K_, dt, dC_, N_);
  add_symmetric_product(K_, dt, C_, dZ_);
  // b depends on xi: db . dP twice, and ddb . P
  Mat66 by_xi;
  const Vec6 x = dt * step.xi;
  for (int k = 0; k < nb; ++k) by_xi.col(k) = dt * dtau_inverse_derivative(Retraction::cayley, x, Vec6::Unit(k)) * a_;
  add_transposed_product(K_.topRows<nb>(), 1.0, by_xi, N_);
  add_transposed_product(K_.leftCols<nb>(), 1.0, N_, by_xi);
  const Vec6 P = step.P;
  for (int i = 0; i < nb; ++i)
    for (int j = 0; j <= i; ++j) {
      const double value = -0.25 * dt * dt * P.dot(symmetric_product(Vec6::Unit(i), a_, Vec6::Unit(j)));
      K_(i, j) += value;
      if (i != j) K_(j, i) += value;
    }
}

// The Hessian of the Lagrangian over (xi, y), brought to y by Y.
void StepDerivatives::second(const Steps& steps, const DrivenStep& step, const Vec6& body_momentum) {
  const int n = n_;
  add_mechanics(steps, step);
  hessian = K_;
  hessian.topRows<nb>().setZero();
  hessian.leftCols<nb>().setZero();
  Mat66 by_xi_xi = K_.topLeftCorner<nb, nb>();
  by_xi_y_.leftCols<nb>().setZero();
  by_xi_y_.rightCols(2 * n) = K_.topRightCorner(nb, 2 * n);
  const Eigen::Map<const Vec6> lambda(weights.lambda);
  const Vec6 x = steps.dt * step.xi;
  for (int i = 0; i < nb; ++i) {
    const Vec6 by_i = eps_.col(i);
    for (int j = 0; j < nb; ++j) {
      if (j <= i) {  // (CD4): eps x eps
        const double value = 0.25 * lambda.dot(symmetric_product(by_i, x, eps_.col(j)));
        by_xi_xi(i, j) += value;
        if (i != j) by_xi_xi(j, i) += value;
      }
      by_xi_y_(i, j) += 0.5 * lambda.dot(vector(ad(twist(leave_.col(j)), twist(by_i))));
    }
  }
  if (steps.mu != nullptr) {  // - Ad(g tau(delta))^T mu . a to second order
    Mat66 of_a, of_momentum;
    for (int k = 0; k < nb; ++k) {
      of_a.col(k) = vector(ad(twist(Vec6::Unit(k)), twist(a_)));
      of_momentum.col(k) = vector(ad_transpose(twist(Vec6::Unit(k)), wrench(body_momentum)));
    }
    add_symmetric_product(hessian.topLeftCorner<nb, nb>(), -0.5, of_a, of_momentum);
  }
  add_symmetric_product(hessian, 1.0, Y_, by_xi_y_);
  part_.setZero();
  add_product(part_, 1.0, by_xi_xi, Y_);
  add_transposed_product(hessian, 1.0, Y_, part_);
}

void StepDerivatives::evaluate(const Steps& steps, const DrivenStep& step, ReducedNode& start, ReducedNode& end,
                               const double* rates, const Vec6& body_momentum) {
  const Vec6 x = steps.dt * step.xi;
  B_ = dtau_inverse(Retraction::cayley, x);
  eps_ = steps.dt * dtau(Retraction::cayley, -x);
  for (int k = 0; k < nb; ++k) leave_.col(k) = vector(adjoint_inverse(step.move, twist(Vec6::Unit(k))));
  for (ReducedNode* node : {&start, &end}) {
    if (!steps.dynamic) node->contract(step.w, rates, step.P);
    node->differentiate();
  }
  place_ends(steps, step, start, end);
  a_ = adjoint_of_momentum(steps, step, start, end);
  vary(steps, step, start, end, rates);
  first(steps, step, start, end, body_momentum);
  second(steps, step, body_momentum);
}

}  // namespace bough
