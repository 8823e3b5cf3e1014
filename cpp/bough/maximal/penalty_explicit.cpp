#include "bough/maximal/penalty_explicit.hpp"

namespace bough {

ExplicitPenaltyStepper::ExplicitPenaltyStepper(const MaximalParts& parts, PenaltySprings& springs)
    : at_(parts), springs_(springs), f_(parts.state.n() + 1, Wrench::zero()), y_(f_) {}

StepStatus ExplicitPenaltyStepper::step(double dt, const double* k1, const double* u) {
  BodyState& state = at_.state;
  at_.forces.momenta(dt, u, f_);
  state.set_driven(dt, k1);
  springs_.place();
  springs_.forces(y_);
  at_.breaks.check(at_.rows, state);
  for (int b = 1; b <= state.n(); ++b) {  // (ME2)
    const Wrench p = f_[b] + dt * y_[b];
    state.v[b] = (1.0 / state.inertia[b].m) * p.f;
    state.w[b] = solve_symmetric(state.rotational_inertia(b), p.n - cross(state.x[b], p.f));
  }
  state.move(dt);
  if (!state.finite()) return StepStatus::exploded;
  state.arrive(dt, k1);
  state.recover_rates();
  const double size = state.extent();
  for (int b = 1; b <= state.n(); ++b)
    if (!state.broken[b] && !(norm(state.drift(b).w) < 1.0 && norm(state.drift(b).v) < size))
      return StepStatus::exploded;
  return StepStatus::fine;
}

}  // namespace bough
