#include "bough/integrators/midpoint.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/integrators/midpoint_body.hpp"
#include "bough/spatial/fours.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

Midpoint::Midpoint(const Model& model, double alpha)
    : model_(model), alpha_(alpha), forces_(model, alpha), derivatives_(model.elements) {
  const std::size_t n = model.n_variables, slots = model.joints.size() + 1;
  for (auto* x : {&qm_, &v_, &L_q_, &L_v_, &force_, &scale_}) x->resize(n);
  qm_.resize(model.width());
  balls_.four.resize(model.fours.size());
  balls_.middle.resize(model.balls.size());
  if (!model.balls.empty())
    for (auto* x : {&balls_.before, &balls_.after}) x->resize(n);
  parameters_.fit(model);
  state_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  bodies_.resize(slots);
  std::vector<int> uses(n, 0);
  for (const Joint& joint : model.joints) ++uses[joint.variable];
  for (std::size_t i = 0; i < n; ++i)
    if (uses[i] == 0) loose_.push_back(static_cast<int>(i));
  place_balls();
}

// f(from, to) for the joints between balls and ball(number) for each ball, outward or inward. A loop over joints that asks each
// of them whether it is a ball's takes a quarter more for all others.
template <bool inward, class F, class Ball>
inline void between_balls(const Model& model, F f, Ball ball) {
  const int n = model.n(), count = static_cast<int>(model.balls.size());
  const auto end = [&](int k) { return k < count ? model.balls[k].joint : n; };
  const auto begin = [&](int k) { return k > 0 ? model.balls[k - 1].joint + 3 : 0; };
  for (int step = 0; step <= count; ++step) {
    const int k = inward ? count - step : step;
    if (begin(k) < end(k)) f(begin(k), end(k));
    if (step < count) ball(inward ? k - 1 : k);
  }
}

// Poses, screws, velocities, and the momentum and first moment of every link.
void Midpoint::sweep_out() {
  if (model_.only_balls()) {  // which have no other parameters
    set_turns(model_, parameters_, qm_.data());
    return sweep_out_balls(0, model_.balls.size());
  }
  set_parameters(model_, parameters_, qm_.data());
  const auto sweep = [&]<bool all>(int from, int to) {
    for (int i = all ? 0 : from; i < (all ? model_.n() : to); ++i) {
      const Joint& joint = model_.joints[i];
      if (joint.parent == 0) state_[0].g.p = local_world(model_, parameters_, i);
      const JointState& parent = state_[joint.parent];
      JointState& x = state_[i + 1];
      place_joint(joint, parent.g, parameters_, i, x.g, x.J);
      x.V = parent.V + (joint.ratio * v_[joint.variable]) * x.J;
      x.U = ad(parent.V, x.J);
      set_body(model_.links[i], x.g, x.V, bodies_[i + 1]);
    }
  };
  if (balls_.four.empty()) return sweep.template operator()<true>(0, 0);
  between_balls<false>(
      model_, [&](int from, int to) { sweep.template operator()<false>(from, to); },
      [&](int k) { sweep_out_balls(k, k + 1); });
}

// L_q and L_v over variables (L2), (L3), and the size of their terms, but for balls; h and mc become sums over subtrees.
void Midpoint::sweep_in(double duration) {
  // Without shared variables each joint writes the only term of its own: zeroing first took 3 % of a short pendulum's step.
  for (const int i : loose_) L_q_[i] = 0.0;
  const bool shared = model_.shared;
  if (shared)
    for (auto* x : {&L_q_, &L_v_, &scale_}) std::fill(x->begin(), x->end(), 0.0);
  if (model_.only_balls()) return sweep_in_balls(0, model_.balls.size());
  const auto put = [shared](double& to, double x) { to = shared ? to + x : x; };
  const auto sweep = [&]<bool all>(int from, int to) {
    // Along a chain the sums stay in registers: the next joint is the parent.
    bool carried = false;
    Wrench carry_h;
    Vec3 carry_mc;
    for (int i = (all ? model_.n() : to) - 1; i >= (all ? 0 : from); --i) {
      MidpointBody& body = bodies_[i + 1];
      if (carried) {
        body.h += carry_h;
        body.mc += carry_mc;
      }
      const Joint& joint = model_.joints[i];
      const JointState& x = state_[i + 1];
      const Wrench F{cross(body.mc, model_.gravity), model_.subtree_mass[i + 1] * model_.gravity};
      // Terms of J . h, of U . h + J . F, and their sizes, summed in one go.
      const Vec3 Jh_n(x.J.w.a * body.h.n.a), Jh_f(x.J.v.a * body.h.f.a), JF_n(x.J.w.a * F.n.a), JF_f(x.J.v.a * F.f.a);
      const Lane4 Uh = x.U.w.a * body.h.n.a + x.U.v.a * body.h.f.a;
      const Lane4 size = abs(Jh_n).a + abs(Jh_f).a + duration * (abs(JF_n).a + abs(JF_f).a);
      const Lane4 sums = lane_sums(Jh_n.a + Jh_f.a, Uh + JF_n.a + JF_f.a, size, Lane4{});
      put(L_v_[joint.variable], joint.ratio * sums[0]);
      put(L_q_[joint.variable], joint.ratio * sums[1]);
      put(scale_[joint.variable], std::abs(joint.ratio) * sums[2]);
      carried = joint.parent == i && i > (all ? 0 : from);
      if (carried) {
        carry_h = body.h;
        carry_mc = body.mc;
      } else if (joint.parent > 0) {
        bodies_[joint.parent].h += body.h;
        bodies_[joint.parent].mc += body.mc;
      }
    }
  };
  if (balls_.four.empty()) return sweep.template operator()<true>(0, 0);
  between_balls<true>(
      model_, [&](int from, int to) { sweep.template operator()<false>(from, to); },
      [&](int k) { sweep_in_balls(k, k + 1); });
}

Instant Midpoint::instant() const {
  return {model_, state_, qm_.data(), v_.data(), step_.u, step_.t + alpha_ * step_.dt};
}

void Midpoint::evaluate(const Interval& step, double* D1, double* D2, double* scale) {
  step_ = step;
  if (!forces_.empty()) forces_.set_rules(step.dt, step.q0);
  const double dt = step.dt, duration = std::abs(dt),
               beta = 1.0 - alpha_;  // a part of a composed step goes back in time
  set_middle(step);
  sweep_out();
  sweep_in(duration);
  if (!model_.elements.potentials.empty()) add_potential_gradient(instant(), -1.0, L_q_.data());
  if (!model_.elements.forces.empty()) {
    const Instant at = instant();
    std::fill(force_.begin(), force_.end(), 0.0);
    if (forces_.empty())
      add_forces(at, 0.5 * dt, force_.data());
    else
      forces_.evaluate(at, dt, force_.data());
  }
  const double *before = plain_before(), *after = plain_after();
  const double *L_q = L_q_.data(), *L_v = L_v_.data(), *sizes = scale_.data(), alpha = alpha_;
  if (!model_.only_balls())
    in_fours(model_.n_variables, [=](auto i) {
      i(D1) = beta * dt * i(L_q) - i(L_v) + i(before);  // (M1)
      i(D2) = alpha * dt * i(L_q) + i(L_v) + i(after);  // (M2)
      i(scale) = i(sizes) + duration * absolute(i(L_q)) + absolute(i(before));
    });
  if (!balls_.four.empty()) turn_balls(dt, D1, D2, scale);
}

// qm and v; the middle of a ball's way is half of phi from either end, (BJ13).
void Midpoint::set_middle(const Interval& step) {
  const double alpha = alpha_, beta = 1.0 - alpha, dt = step.dt, *q0 = step.q0, *q1 = step.q1;
  double *middle = qm_.data(), *velocity = v_.data();
  if (model_.only_balls()) {  // at alpha = 1/2; a product takes less time than a division and gives other digits
    const double per = 1.0 / dt;
    in_fours(model_.n_variables, [=](auto i) {
      const auto from = i(q0), to = i(q1);
      i(middle) = 0.5 * (from + to);
      i(velocity) = per * (to - from);
    });
    copy_fours(model_.width() - model_.n_variables, q1 + model_.n_variables, middle + model_.n_variables);
    return;
  }
  in_fours(model_.n_variables, [=](auto i) {
    const auto from = i(q0), to = i(q1);
    i(middle) = beta * from + alpha * to;
    i(velocity) = (to - from) / dt;
  });
  if (balls_.four.empty()) return;
  std::copy(step.q1 + model_.n_variables, step.q1 + model_.width(), qm_.begin() + model_.n_variables);
}

DiscreteLagrangian::Energy Midpoint::energy(const Interval& step) {
  set_middle(step);
  Workspace& ws = workspace(model_);
  return {kinetic_energy(model_, ws, qm_.data(), v_.data()), potential_energy(model_, ws, qm_.data())};
}

void Midpoint::choose_branches(double* x) {
  if (!forces_.empty()) forces_.choose_branches(instant(), step_.dt, x);
}

void Midpoint::add_diagonal(double* d) const {
  const double dt = step_.dt;
  const Instant at = instant();
  for (const auto& e : model_.elements.potentials) e->add_diagonal(at, -alpha_ * (1.0 - alpha_) * dt, d);
  forces_.for_each(at, [&](const Force& force, const Instant& of, double before, double) {
    force.add_diagonal(of, before * alpha_ * dt, before, d);
  });
}

void Midpoint::add_coupling(const Potential* potential, const Force* force, double* H) const {
  const Instant at = instant();
  if (potential) potential->add_hessian(at, -alpha_ * (1.0 - alpha_) * step_.dt, H);
  if (force) {
    force->add_force_dq(at, 0.5 * alpha_ * step_.dt, H);
    force->add_force_dv(at, 0.5, H);
  }
}

// (M1), (M2) contracted, with (BD3).
PhiPlace Midpoint::place(int, const double* a, const double* lp, Covectors& memory) const {
  const double dt = step_.dt;
  auto& [sigma, tau, c, own_a, own_lp] = memory;
  for (int i = 0; i < model_.n_variables; ++i) {
    sigma[i] = (1.0 - alpha_) * a[i] + alpha_ * lp[i];
    tau[i] = (lp[i] - a[i]) / dt;
    c[i] = 0.5 * dt * (a[i] + lp[i]);
  }
  const std::vector<MiddleBall>& balls = middle_balls();
  for (std::size_t k = 0; k < balls.size(); ++k) {
    const Ball& ball = model_.balls[k];
    const Geodesic along = balls[k].geodesic();
    const Vec3 from = ball_vector(ball, a), to = ball_vector(ball, lp);
    const Vec3 middle = along.A0 * from + transpose_times(along.A0, to);
    set_ball_vector(ball, sigma.data(), middle);
    set_ball_vector(ball, tau.data(), (transpose_times(along.B0, to) - along.B0 * from) / dt);
    set_ball_vector(ball, c.data(), dt * middle);
  }
  const Instant at = instant();
  return {dt, at.t, at.q, at.v, at.u, sigma.data(), tau.data(), c.data(), 1.0 - alpha_, alpha_};
}

}  // namespace bough
