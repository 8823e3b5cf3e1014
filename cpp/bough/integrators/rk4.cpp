#include "bough/integrators/rk4.hpp"

#include "bough/tree/balls.hpp"

namespace bough {

RK4::RK4(const Model& model) {
  for (auto& a : a_) a.resize(model.n_dynamic);
  for (auto& Q : Q_) Q.resize(4 * model.balls.size());
}

StepStatus RK4::step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0, double* q1,
                     double* v1) {
  const int n = equations.n(), quaternions = equations.n_quaternions();
  // The stages of quaternions: k of one, and the place of the next.
  const auto turn = [&](int stage, const double* q, const double* v, double length) {
    quaternion_rates(equations.model(), q + n, v, Q_[stage].data());
    for (int i = 0; i < quaternions; ++i) q1[n + i] = q0[n + i] + length * Q_[stage][i];
  };
  const double dt = span.dt, half = 0.5 * dt;
  auto& [a1, a2, a3, a4] = a_;
  if (!equations.acceleration(span.t, span.start, q0, v0, span.u, a1.data())) return StepStatus::singular;  // (K1)
  const double p1 = equations.power(v0);
  turn(0, q0, v0, half);
  for (int i = 0; i < n; ++i) {  // q1 and v1 hold the stages until the end
    q1[i] = q0[i] + half * v0[i];
    v1[i] = v0[i] + half * a1[i];
  }
  if (!equations.acceleration(span.t + half, span.middle, q1, v1, span.u, a2.data()))  // (K2)
    return StepStatus::singular;
  const double p2 = equations.power(v1);
  turn(1, q1, v1, half);
  for (int i = 0; i < n; ++i) {
    q1[i] += half * half * a1[i];
    v1[i] = v0[i] + half * a2[i];
  }
  if (!equations.acceleration(span.t + half, span.middle, q1, v1, span.u, a3.data()))  // (K3)
    return StepStatus::singular;
  const double p3 = equations.power(v1);
  turn(2, q1, v1, dt);
  for (int i = 0; i < n; ++i) {
    q1[i] = q0[i] + dt * v0[i] + dt * half * a2[i];
    v1[i] = v0[i] + dt * a3[i];
  }
  if (!equations.acceleration(span.t + dt, span.end, q1, v1, span.u, a4.data()))  // (K4)
    return StepStatus::singular;
  work = dt / 6.0 * (p1 + 2.0 * (p2 + p3) + equations.power(v1));
  turn(3, q1, v1, 0.0);
  for (int i = 0; i < n; ++i) {
    q1[i] = q0[i] + dt * v0[i] + dt * dt / 6.0 * (a1[i] + a2[i] + a3[i]);    // (K5)
    v1[i] = v0[i] + dt / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);  // (K6)
  }
  for (int i = 0; i < quaternions; ++i)
    q1[n + i] = q0[n + i] + dt / 6.0 * (Q_[0][i] + 2.0 * Q_[1][i] + 2.0 * Q_[2][i] + Q_[3][i]);
  normalise(equations.model(), q1 + n);
  return StepStatus::fine;
}

}  // namespace bough
