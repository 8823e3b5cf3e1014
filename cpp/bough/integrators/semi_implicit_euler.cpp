#include "bough/integrators/semi_implicit_euler.hpp"

#include "bough/tree/balls.hpp"

namespace bough {

StepStatus SemiImplicitEuler::step(EquationsOfMotion& equations, const Span& span, const double* q0, const double* v0,
                                   double* q1, double* v1) {
  if (!equations.acceleration(span.t, span.start, q0, v0, span.u, a_.data())) return StepStatus::singular;
  for (int i = 0; i < equations.n(); ++i) {
    v1[i] = v0[i] + span.dt * a_[i];  // (X1)
    q1[i] = q0[i] + span.dt * v1[i];  // (X2)
  }
  const Model& model = equations.model();
  const double* Q0 = q0 + equations.n();
  double* Q1 = q1 + equations.n();
  for (const Ball& ball : model.balls) {
    const Quaternion Q = turned_within({Q0[0], Vec3(Q0[1], Q0[2], Q0[3])}, span.dt * ball_vector(ball, v1));
    Q1[0] = Q.w;
    Q.v.store(Q1 + 1);
    Q0 += 4;
    Q1 += 4;
  }
  work = 0.5 * span.dt * (equations.power(v0) + equations.power(v1));
  return StepStatus::fine;
}

}  // namespace bough
