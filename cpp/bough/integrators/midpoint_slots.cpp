// Derivatives of the discrete Lagrangian of the midpoint rule by both ends (M3), (M5), by inputs, and by time (M6).
//
// Without balls the slots are summed pair by pair of joints on one path, so that nothing is computed where they are zero:
// with x = alpha beta dt L_qq - L_vv / dt, each pair has
//
//   D1_1[j, i] = D2_0[i, j] = x + beta L_qv[j, i] - alpha L_qv[i, j]
//
// while D1_0 and D2_1 are symmetric. What elements add comes after it.
#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/lagrangian.hpp"
#include "bough/integrators/midpoint.hpp"

namespace bough {

// by_q dt f_q + by_v f_v for the half of the impulse before or after, in f_slot_.
void Midpoint::set_force_derivative(bool after_step, double by_q, double by_v) {
  std::fill(f_slot_.begin(), f_slot_.end(), 0.0);
  forces_.for_each(instant(), [&](const Force& force, const Instant& of, double before, double after) {
    const double half = after_step ? after : before;
    force.add_force_dq(of, half * by_q * step_.dt, f_slot_.data());
    force.add_force_dv(of, half * by_v, f_slot_.data());
  });
}

void Midpoint::slot_derivatives(const Slots& out) {
  if (!balls_.four.empty()) return out.D1_0 ? slots_with_balls(out) : set_dense_with_balls(out.D1_1);
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.n_variables;
  if (!out.cleared)
    for (double* to : {out.D1_0, out.D1_1, out.D2_0, out.D2_1})
      if (to) std::fill_n(to, size, 0.0);
  set_pair_wrenches(model_, state_, workspace(model_));
  add_slots_of_pairs(out);
  if (!model_.elements.potentials.empty()) add_slots_of_potentials(out);
  forces_.for_each(instant(), [&](const Force& force, const Instant& of, double before, double after) {
    const auto add = [&](double half, double by_q, double by_v, double* to) {
      if (!to) return;
      force.add_force_dq(of, half * by_q * step_.dt, to);
      force.add_force_dv(of, half * by_v, to);
    };
    add(before, 1.0 - alpha_, -1.0, out.D1_0);
    add(before, alpha_, 1.0, out.D1_1);
    add(after, 1.0 - alpha_, -1.0, out.D2_0);
    add(after, alpha_, 1.0, out.D2_1);
  });
}

// (M3), (M5), of pairs of joints.
void Midpoint::add_slots_of_pairs(const Slots& out) {
  const double dt = step_.dt, alpha = alpha_, beta = 1.0 - alpha, per = 1.0 / dt;
  const auto add = [&]<bool set>() {
    for_lagrangian_pairs(model_, state_, workspace(model_), [&](const PairBlock& of) {
      const Lane4 x = alpha * beta * dt * of.qq - per * of.vv;
      const Lane4 row = x + beta * of.down - alpha * of.up, column = x + beta * of.up - alpha * of.down;
      if (!out.D1_0) return add_pairs<1, set>(model_, of, {row}, {column}, {out.D1_1});
      const Lane4 sum = of.down + of.up, first = beta * beta * dt * of.qq - beta * sum + per * of.vv,
                  last = alpha * alpha * dt * of.qq + alpha * sum + per * of.vv;
      add_pairs<4, set>(model_, of, {first, row, column, last}, {first, column, row, last},
                        {out.D1_0, out.D1_1, out.D2_0, out.D2_1});
    });
  };
  out.cleared ? add.template operator()<true>() : add.template operator()<false>();
}

// - V_qq in the place of L_qq, on the diagonal alone if no potential has more.
void Midpoint::add_slots_of_potentials(const Slots& out) {
  const double dt = step_.dt, alpha = alpha_, beta = 1.0 - alpha;
  const std::size_t n = model_.n_variables;
  const auto& potentials = model_.elements.potentials;
  const bool diagonal = std::all_of(potentials.begin(), potentials.end(), [](const auto& e) { return e->diagonal(); });
  const std::size_t size = diagonal ? n : n * n, stride = diagonal ? n + 1 : 1;
  L_qq_.assign(size, 0.0);
  const Instant at = instant();
  for (const auto& e : potentials)
    diagonal ? e->add_diagonal(at, -dt, L_qq_.data()) : e->add_hessian(at, -dt, L_qq_.data());
  const auto add = [&](double factor, double* to) {
    if (!to) return;
    for (std::size_t e = 0; e < size; ++e) to[e * stride] += factor * L_qq_[e];
  };
  add(beta * beta, out.D1_0);
  add(alpha * beta, out.D1_1);
  add(alpha * beta, out.D2_0);
  add(alpha * alpha, out.D2_1);
}

void Midpoint::input_derivatives(double* D1_u, double* D2_u) {
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.elements.n_inputs;
  std::fill_n(D1_u, size, 0.0);
  std::fill_n(D2_u, size, 0.0);
  std::size_t k = 0;
  forces_.for_each(instant(), [&](const Force&, const Instant& of, double before, double after) {
    const ForceDerivatives* force = derivatives_.forces[k++];
    if (!force) return;
    force->add_force_du(of, before * step_.dt, D1_u);
    force->add_force_du(of, after * step_.dt, D2_u);
  });
  if (!balls_.four.empty()) turn_rows(model_.elements.n_inputs, D1_u, D2_u);
}

void Midpoint::time_derivatives(const TimeSlots& out) {  // (M6)
  const double dt = step_.dt, beta = 1.0 - alpha_;
  const std::size_t n = model_.n_variables;
  for (double* x : {out.D1_dt, out.D2_dt, out.D1_t, out.D2_t}) std::fill_n(x, n, 0.0);
  std::size_t k = 0;
  forces_.for_each(instant(), [&](const Force&, const Instant& of, double before, double after) {
    const ForceDerivatives* force = derivatives_.forces[k++];
    if (!force) return;
    force->add_force_dt(of, before * dt, out.D1_t);
    force->add_force_dt(of, after * dt, out.D2_t);
  });
  if (balls_.four.empty()) {
    for (auto* x : {&L_qv_, &L_vv_, &f_slot_}) x->resize(n * n);
    lagrangian_hessians(model_, workspace(model_), qm_.data(), v_.data(), nullptr, L_qv_.data(), L_vv_.data());
  }
  for (const bool after_step : {false, true}) {
    set_force_derivative(after_step, 0.0, 1.0);
    const double *force = after_step ? forces_after() : forces_before(), end = after_step ? alpha_ : beta;
    double* by_dt = after_step ? out.D2_dt : out.D1_dt;
    const double *by_t = after_step ? out.D2_t : out.D1_t, sign = after_step ? -1.0 : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      by_dt[i] = end * L_q_[i] + force[i] / dt + alpha_ * by_t[i];
      for (std::size_t j = 0; j < n; ++j)
        by_dt[i] += (sign * L_vv_[i * n + j] / dt - end * L_qv_[i * n + j] - f_slot_[i * n + j]) * v_[j];
    }
  }
  if (!balls_.four.empty()) turn_time_derivatives(out);
}

}  // namespace bough
