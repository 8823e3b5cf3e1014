#include "bough/control/driven_step.hpp"

namespace bough {
namespace {

constexpr int max_iterations = 30;
constexpr double exact = 1e-15;      // a Newton step this small, relative to xi, is the last
constexpr double round_off = 1e-12;  // so is one below this that does not shrink any more

}  // namespace

DrivenStep::DrivenStep(const ReducedLayout& layout) {
  const int n = layout.nr();
  w.setZero(base_variables);
  P.setZero(base_variables);
  D1.setZero(n);
  D2.setZero(n);
  I.setZero(base_variables, base_variables);
  A.setZero(base_variables, n);
  S.setZero(n, n);
}

// Newton's method for (CM1), from the twist at which the momentum of the locked tree is the wanted one.
bool DrivenStep::solve_momentum(double dt, const Vec6& A_rates, const Vec6& body_momentum) {
  if (!inertia_.factor(I)) return false;
  const Mat66 locked = I;
  xi = inertia_.solve(body_momentum) - A_rates;
  double before = 0.0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Vec6 x = dt * xi, momentum = locked * (xi + A_rates);
    const Mat66 B = dtau_inverse(Retraction::cayley, x);
    Mat66 by_xi = B.transpose() * locked;
    for (int k = 0; k < 6; ++k)
      by_xi.col(k) += dt * dtau_inverse_derivative(Retraction::cayley, x, Vec6::Unit(k)).transpose() * momentum;
    momentum_by_xi.factor(by_xi);
    const Vec6 step = momentum_by_xi.solve(Vec6(B.transpose() * momentum - body_momentum));
    if (!step.allFinite()) return false;
    xi -= step;
    const double size = step.norm(), scale = xi.norm();
    if (size <= exact * scale || (iteration > 0 && size <= round_off * scale && size >= 0.5 * before)) return true;
    before = size;
  }
  return false;
}

bool DrivenStep::evaluate(const Steps& steps, ReducedNode& start, ReducedNode& end, const double* rates,
                          const Vec6& body_momentum) {
  const Eigen::Map<const Eigen::VectorXd> rate(rates, steps.n());
  A = 0.5 * (start.A + end.A);
  const Vec6 A_rates = A.lazyProduct(rate);
  if (steps.mu == nullptr) {
    xi = -A_rates;
  } else {
    I = 0.5 * (start.I() + end.I());
    if (!solve_momentum(steps.dt, A_rates, body_momentum)) return false;
    w = xi + A_rates;
    P.noalias() = I.lazyProduct(w);
  }
  move = tau(Retraction::cayley, steps.dt * xi);  // (CM2)
  if (!steps.dynamic) {
    D1 = -rate;
    D2 = rate;
    return true;
  }
  start.contract(w, rates, P);
  end.contract(w, rates, P);
  S = 0.5 * (start.S + end.S);
  D2.noalias() = S.lazyProduct(rate);  // (CM3)
  D2.noalias() += A.transpose().lazyProduct(P);
  D1 = 0.5 * steps.dt * start.e - D2;
  D2 += 0.5 * steps.dt * end.e;
  return true;
}

}  // namespace bough
