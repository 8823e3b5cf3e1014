// The step that ends where a gap closes: its length dt is an unknown of Newton's method beside q1 and mu.
//
//   T [x; y] = -[f; h] ,   ddt = -(phi + J_n x) / (J_n q' + J_k k' + phi_t) ,   dq = x + q' ddt ,   dmu = y + mu' ddt   (EV5)
//
// with J_n = dphi/dq at q1 and q', k' the rates of q1 by dt: of dynamic variables those of the polynomial that q1 is guessed from,
// and mu' = mu / dt' with dt' twice the time of the node. What these are off by makes the last iterations linear with that factor,
// and has no part in what is found. So has the matrix, which is kept as long as residuals fall fast. An iteration is always made,
// as in any step; phi is met to a few units in the last place of its terms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/integrators/step_equations.hpp"

namespace bough {
namespace {

constexpr double found = 4.0 * std::numeric_limits<double>::epsilon();  // of the size of a gap
constexpr double near = 1e-7;  // residual and gap, relative to their sizes, from which an iteration leaves round-off
constexpr double fast = 0.02;  // of the residual before: what a kept matrix may leave
constexpr int most_iterations = 8;

}  // namespace

bool StepEquations::meet(const StepStart& start, const Meeting& meeting, const double* u, const double* first,
                         double* dt) {
  const int n = model_.n_variables, nd = model_.n_dynamic, m = constraints_.rows();
  start_ = start;
  constraints_.begin(start.t, start.q);
  std::copy_n(first, nd, q1_.begin());
  std::copy(start.q + n, start.q + q1_.size(), q1_.begin() + n);
  for (double& mu : mu_) mu *= meeting.node_time / (meeting.node_time + meeting.longest - *dt);
  const double from = *dt;
  bool close = false, fresh = true;  // before the last correction; whether the matrix is to be found
  double before = 0.0;               // the residual
  for (int k = 0; k < most_iterations; ++k) {
    const double t1 = start.t + *dt;
    step_ = {start.t, *dt, start.q, q1_.data(), u};
    const double further = *dt - from;
    for (int i = nd; i < n; ++i)
      q1_[i] = first[i] + further * (meeting.q_rate[i] + 0.5 * further * meeting.k_bend[i - nd]);
    if (evaluate() != StepStatus::fine) return false;
    double rate;
    const double phi = contacts_->gap(meeting.contact, t1, q1_.data(), scratch_.J.data(), &rate);
    if (close && std::abs(phi) <= found * meeting.size && solved(k)) {
      constraints_.set_gradient(t1, q1_.data());  // of the next q0
      return true;
    }
    if (!fresh && residual() > std::max(1.0, fast * before)) fresh = true;
    before = residual();
    close = residual_.momentum <= near && std::abs(phi) <= near * meeting.size;
    ++iterations;
    if (fresh || matrix_.reads_rows()) constraints_.set_gradient(t1, q1_.data());
    const Jacobians D = constraints_.jacobians();
    for (int i = 0; i < nd; ++i) correction_.q[i] = -f_[i];
    for (int r = 0; r < m; ++r) correction_.mu[r] = -constraints_.h()[r];
    if (fresh) {
      rule_->choose_branches(correction_.q.data());
      if (!matrix_.factor(*rule_, D, correction_.q.data(), correction_.mu.data())) return false;
    } else {
      matrix_.solve_again(D, correction_.q.data(), correction_.mu.data());
    }
    fresh = false;
    const double* J = scratch_.J.data();
    const double slope = std::inner_product(J, J + n, meeting.q_rate, rate) +
                         further * std::inner_product(J + nd, J + n, meeting.k_bend, 0.0);
    const double change = -std::inner_product(J, J + nd, correction_.q.begin(), phi) / slope;
    if (!(slope < 0.0) || !(*dt + change > 0.0 && *dt + change < meeting.longest)) return false;
    *dt += change;
    for (int i = 0; i < nd; ++i) q1_[i] += correction_.q[i] + change * meeting.q_rate[i];
    for (int r = 0; r < m; ++r) mu_[r] += correction_.mu[r] + change / meeting.node_time * mu_[r];
  }
  return false;
}

}  // namespace bough
