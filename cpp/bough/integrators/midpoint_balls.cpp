// The rows of balls in the midpoint rule: (BJ7), (BJ8), (BD1), (BD2) of midpoint.hpp.
#include "bough/dynamics/lagrangian.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/midpoint_body.hpp"
#include "bough/tree/ball_lanes.hpp"

namespace bough {

void Midpoint::place_balls() {
  for (const FourBalls& four : model_.fours) {
    Lane4& mass = balls_.mass.emplace_back();
    for (std::size_t k = 0; k < FourBalls::width; ++k) {
      const int first = static_cast<int>(four.joint[k]), parent = model_.joints[first].parent;
      const std::size_t number = balls_.at.size();
      balls_.at.push_back({&model_.joints[first], &model_.links[first + 2], &state_[parent], &state_[first + 3],
                           &bodies_[first + 3], parent > 0 ? &bodies_[parent] : nullptr,
                           &parameters_.turns[four.place[k]], v_.data() + model_.joints[first].variable,
                           number > 0 && number < model_.balls.size() && &state_[parent] == balls_.at.back().state});
      set_lane(mass, static_cast<int>(k), model_.subtree_mass[first + 3]);
    }
  }
}

// The three joints of a ball at once: one pose and one link. Along a chain the parent's stay in registers.
[[gnu::always_inline]] inline void Midpoint::sweep_out_balls_inlined(std::size_t from, std::size_t to) {
  const bool elements = !model_.elements.potentials.empty() || !model_.elements.forces.empty();
  Vec3 R0, R1, R2, p;  // of the ball before
  Twist V;
  bool carried = false;
  for (const BallPlaces *of = balls_.at.data() + from, *const end = balls_.at.data() + to; of != end; ++of) {
    const BallPlaces& at = *of;
    const Joint& joint = *at.joint;
    const int first = static_cast<int>(at.joint - model_.joints.data());
    if (!at.inner) state_[0].g.p = local_world(model_, parameters_, first);
    if (!carried || !at.after_parent) {
      const JointState& parent = *at.parent;
      R0 = parent.g.R.c[0];
      R1 = parent.g.R.c[1];
      R2 = parent.g.R.c[2];
      p = parent.g.p;
      V = parent.V;
    }
    carried = true;
    JointState& x = *at.state;
    const Mat3& turn = *at.turn;
    const auto in_world = [&](const Vec3& a) { return Vec3(a[0] * R0.a + a[1] * R1.a + a[2] * R2.a); };
    if (joint.offset) p += in_world(joint.X.p);
    if (joint.rotated) {
      const Vec3 a = in_world(joint.X.R.c[0]), b = in_world(joint.X.R.c[1]), c = in_world(joint.X.R.c[2]);
      R0 = a;
      R1 = b;
      R2 = c;
    }
    const Vec3 a = in_world(turn.c[0]), b = in_world(turn.c[1]), c = in_world(turn.c[2]);
    R0 = a;
    R1 = b;
    R2 = c;
    const Vec3 w = at.rate[0] * R0 + at.rate[1] * R1 + at.rate[2] * R2;
    x.g.R.c[0] = R0;
    x.g.R.c[1] = R1;
    x.g.R.c[2] = R2;
    x.g.p = p;
    V.w += w;
    V.v += cross(p, w);
    x.V = V;
    set_body(*at.link, {{{R0, R1, R2}}, p}, V, *at.body);
    if (elements) set_axes(first);
  }
}

[[BOUGH_WITH_32_REGISTERS, gnu::aligned(64)]] void Midpoint::sweep_out_balls_with_32(std::size_t from, std::size_t to) {
  sweep_out_balls_inlined(from, to);
}

[[gnu::hot, gnu::aligned(64)]] void Midpoint::sweep_out_balls(std::size_t from, std::size_t to) {
  has_32_registers ? sweep_out_balls_with_32(from, to) : sweep_out_balls_inlined(from, to);
}

// h and mc become sums over subtrees; the rest is turn_balls(). Along a chain of balls the sums stay in registers.
void Midpoint::sweep_in_balls(std::size_t from, std::size_t to) {
  const bool elements = !model_.elements.potentials.empty();
  Wrench h = Wrench::zero();
  Vec3 mc = Vec3::zero();
  for (std::size_t k = to; k-- > from;) {
    const BallPlaces& at = balls_.at[k];
    MidpointBody& body = *at.body;
    body.h += h;  // zero, unless the ball before is a child
    body.mc += mc;
    h = Wrench::zero();
    mc = Vec3::zero();
    if (at.after_parent && k > from) {
      h = body.h;
      mc = body.mc;
    } else if (at.inner) {
      at.inner->h += body.h;
      at.inner->mc += body.mc;
    }
    if (elements) std::fill_n(L_q_.begin() + model_.balls[k].variable, 3, 0.0);
  }
}

// The three screws of a ball, which only elements read.
void Midpoint::set_axes(int first) {
  const Joint& joint = model_.joints[first];
  const Twist from = state_[joint.parent].V;
  const Pose g = state_[first + 3].g;
  Twist V = from;
  for (int a = 0; a < 3; ++a) {
    JointState& x = state_[first + 1 + a];
    x.g.R = g.R;
    x.g.p = g.p;
    x.J = {g.R.c[a], cross(g.p, g.R.c[a])};
    x.U = ad(from, x.J);
    V += v_[joint.variable + a] * x.J;
    x.V = V;
  }
}

// L_q, L_v and the size of their terms for four balls, whose bodies have the sums of their subtrees: about the centre of the ball,
// where L_v is the angular momentum of the subtree,
//
//   l = n - p x f,   L_q = l x w + f x v + (mc - m p) x gravity,   w and v the velocity of the parent at p         (BJ16)
//
// in world axes, then in those of the ball, and (BJ7) in place of the rows of other joints, whose factors are 1/2 and 1.
[[gnu::always_inline]] inline void Midpoint::turn_balls_inlined(double dt, double* D1, double* D2, double* scale) {
  const Lane4 duration = broadcast(std::abs(dt));
  const LaneVec gravity = broadcast(model_.gravity);
  const double *before = plain_before(), *after = plain_after();
  const bool forces = !model_.elements.forces.empty(), elements = !model_.elements.potentials.empty();
  if (forces) {
    std::copy_n(before, model_.n_variables, balls_.before.begin());
    std::copy_n(after, model_.n_variables, balls_.after.begin());
  }
  for (std::size_t k = 0; k < model_.fours.size(); ++k) {
    const FourBalls& at = model_.fours[k];
    FourMiddles& to = balls_.four[k];
    const BallPlaces* const of = &balls_.at[FourBalls::width * k];
    // References to what stays: what is read again later needs no other place in memory, for want of registers.
    const LaneVec& p = to.p = gather([&](int j) -> const Vec3& { return of[j].state->g.p; });
    const LaneVec& n = to.n = gather([&](int j) -> const Vec3& { return of[j].body->h.n; });
    const LaneVec& f = to.f = gather([&](int j) -> const Vec3& { return of[j].body->h.f; });
    const LaneVec lever = cross(p, f);
    LaneVec sizes = magnitude(n) + magnitude(lever), world;
    const LaneVec& l = to.l = n - lever;
    {
      const LaneVec mc = gather([&](int j) -> const Vec3& { return of[j].body->mc; }), mp = balls_.mass[k] * p;
      const LaneVec weight = cross(mc, gravity), held = cross(mp, gravity);
      sizes += duration * (magnitude(weight) + magnitude(held));
      to.arm = mp - mc;
      world = weight - held;
    }
    const LaneVec& w = to.w = gather([&](int j) -> const Vec3& { return of[j].parent->V.w; });
    world += cross(l, w);
    const LaneVec& v = to.v = gather([&](int j) -> const Vec3& { return of[j].parent->V.v; }) + cross(w, p);
    world += cross(f, v);
    for (int c = 0; c < 3; ++c) to.R.c[c] = gather([&](int j) -> const Vec3& { return of[j].state->g.R.c[c]; });
    const LaneVec L_v = transpose_times(to.R, l);
    LaneVec L_q = transpose_times(to.R, world);
    const LaneVec& phi = to.phi = dt * vectors(at.variable, v_.data());
    const auto [kappa, beta] = geodesic_factors(phi, to.c = parameters_.betas[k]);
    to.k = kappa;
    if (elements || forces) [[unlikely]] {
      LaneVec more = elements ? vectors(at.variable, L_q_.data()) : LaneVec::zero();
      if (forces) {
        const LaneVec impulse = vectors(at.variable, before) + vectors(at.variable, after);
        const LaneVec half = 0.5 * impulse, turned = (0.5 * kappa) * cross(phi, impulse);
        set_vectors(at.variable, balls_.before.data(), half + turned);
        set_vectors(at.variable, balls_.after.data(), half - turned);
        more += (1.0 / dt) * impulse;
      }
      L_q += more;
      world += to.R * more;
    }
    to.L_q = world;
    const LaneVec half = (0.5 * dt) * L_q, across = cross(phi, L_v);
    const LaneVec same = half - 0.5 * across, other = kappa * cross(phi, half) - L_v - beta * cross(phi, across);
    set_vectors(at.variable, D1, same + other);
    set_vectors(at.variable, D2, same - other);
    // A row has terms of all three axes.
    const Lane4 size = square_root(dot(sizes, sizes)) + duration * square_root(dot(L_q, L_q));
    set_vectors(at.variable, scale, {size, size, size});
  }
}

[[BOUGH_WITH_32_REGISTERS, gnu::aligned(64)]] void Midpoint::turn_balls_with_32(double dt, double* D1, double* D2,
                                                                                double* scale) {
  turn_balls_inlined(dt, D1, D2, scale);
}

[[gnu::hot, gnu::aligned(64)]] void Midpoint::turn_balls(double dt, double* D1, double* D2, double* scale) {
  has_32_registers ? turn_balls_with_32(dt, D1, D2, scale) : turn_balls_inlined(dt, D1, D2, scale);
}

const std::vector<MiddleBall>& Midpoint::middle_balls() const {
  for (std::size_t k = 0; k < balls_.middle.size(); ++k) {
    const FourMiddles& of = balls_.four[k / FourBalls::width];
    const int lane = static_cast<int>(k % FourBalls::width);
    const Mat3 R{{lane_of(of.R.c[0], lane), lane_of(of.R.c[1], lane), lane_of(of.R.c[2], lane)}};
    balls_.middle[k] = {lane_of(of.phi, lane), transpose_times(R, lane_of(of.L_q, lane)),
                        transpose_times(R, lane_of(of.l, lane))};
  }
  return balls_.middle;
}

// H += f_q and F += f_v, twice the half of the impulse before or after.
void Midpoint::add_ball_forces(bool after_step, double* H, double* F) {
  const Instant at = instant();
  forces_.for_each(at, [&](const Force& force, const Instant& of, double before, double after) {
    const double half = after_step ? after : before;
    force.add_force_dq(of, 2.0 * half, H);
    force.add_force_dv(of, 2.0 * half, F);
  });
  balls_.second.assign(model_.n_variables, 0.0);
  for (const auto& force : model_.elements.forces)  // (BJ6) of those between frames
    if (!force->diagonal()) force->add_force(at, 1.0, balls_.second.data());
  order_hessian(model_, balls_.second.data(), 1.0, H);
}

// (BJ8) over all variables, by rows.
void Midpoint::set_dense_with_balls(double* K) {
  const std::vector<MiddleBall>& middle = middle_balls();
  const double dt = step_.dt;
  const std::size_t n = model_.n_variables;
  for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &balls_.product, &balls_.second}) x->resize(n * n);
  for (const Ball& ball : model_.balls) set_axes(ball.joint);
  lagrangian_hessians_at(model_, state_, workspace(model_), qm_.data(), L_qq_.data(), L_qv_.data(), L_vv_.data());
  f_slot_.assign(n * n, 0.0);
  add_ball_forces(false, L_qq_.data(), f_slot_.data());
  // Columns: H E over the columns of balls, H / 2 elsewhere.
  const auto columns = [&](const std::vector<double>& H, bool transposed, std::vector<double>& out) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) out[i * n + j] = 0.5 * (transposed ? H[j * n + i] : H[i * n + j]);
    for (std::size_t k = 0; k < middle.size(); ++k) {
      const Mat3 E = middle[k].geodesic().E();
      const std::size_t first = model_.balls[k].variable;
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3 row = 2.0 * Vec3(out.data() + i * n + first);
        transpose_times(E, row).store(out.data() + i * n + first);
      }
    }
  };
  std::vector<double>&by_q = balls_.product, &by_v = balls_.second;
  by_v.resize(n * n);
  columns(L_qq_, false, by_q);
  columns(L_qv_, true, by_v);
  for (std::size_t i = 0; i < n * n; ++i) {
    by_q[i] = dt * by_q[i] + L_qv_[i] + f_slot_[i];  // of dt (L_q + f)
    by_v[i] += L_vv_[i] / dt;                        // of L_v
  }
  for (std::size_t i = 0; i < n * n; ++i) K[i] = 0.5 * by_q[i] - by_v[i];
  for (std::size_t k = 0; k < middle.size(); ++k) {
    const auto& [phi, L_q, L_v] = middle[k];
    const Geodesic along(phi);
    const std::size_t first = model_.balls[k].variable;
    for (std::size_t j = 0; j < n; ++j) {
      const auto column = [&](const std::vector<double>& H) {
        return Vec3(H[first * n + j], H[(first + 1) * n + j], H[(first + 2) * n + j]);
      };
      const Vec3 x = transpose_times(along.A0, column(by_q)) - transpose_times(along.B0, column(by_v));
      for (int a = 0; a < 3; ++a) K[(first + a) * n + j] = x[a];
    }
    const Mat3 own = along.A0_transposed_slope(dt * L_q) + (-1.0) * along.B0_transposed_slope(L_v);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) K[(first + a) * n + first + b] += own(a, b);
  }
}

// (BD1)
void Midpoint::slots_with_balls(const Slots& out) {
  const std::size_t size = static_cast<std::size_t>(model_.n_variables) * model_.n_variables;
  for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &f_slot_, &balls_.product, &balls_.H, &balls_.F}) x->resize(size);
  lagrangian_hessians(model_, workspace(model_), qm_.data(), v_.data(), L_qq_.data(), L_qv_.data(), L_vv_.data());
  for (const bool after : {false, true}) {
    balls_.H = L_qq_;
    balls_.F = L_qv_;
    add_ball_forces(after, balls_.H.data(), balls_.F.data());
    set_slot_with_balls(after, false, after ? out.D2_0 : out.D1_0);
    set_slot_with_balls(after, true, after ? out.D2_1 : out.D1_1);
  }
}

// dD1 or dD2 by one end.
void Midpoint::set_slot_with_balls(bool after, bool end, double* to) {
  const std::vector<MiddleBall>& middle = middle_balls();
  const double dt = step_.dt, per = (end ? 1.0 : -1.0) / dt, sign = after ? 1.0 : -1.0;
  const std::size_t n = model_.n_variables;
  std::vector<double>&by_q = balls_.product, &by_v = balls_.second;  // of dt (L_q + f) and of L_v
  by_v.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t e = i * n + j;
      by_q[e] = dt * (0.5 * balls_.H[e] + per * balls_.F[e]);
      by_v[e] = 0.5 * L_qv_[j * n + i] + per * L_vv_[e];
    }
  for (std::size_t k = 0; k < middle.size(); ++k) {
    const Geodesic along = middle[k].geodesic();
    const Mat3 M = end ? transpose(along.A0) : along.A0, B = end ? transpose(along.B0) : along.B0;
    const std::size_t first = model_.balls[k].variable;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t e = i * n + first;
      const Vec3 L_vq(L_qv_[first * n + i], L_qv_[(first + 1) * n + i], L_qv_[(first + 2) * n + i]);
      (dt * (transpose_times(M, Vec3(balls_.H.data() + e)) + per * transpose_times(B, Vec3(balls_.F.data() + e))))
          .store(by_q.data() + e);
      (transpose_times(M, L_vq) + per * transpose_times(B, Vec3(L_vv_.data() + e))).store(by_v.data() + e);
    }
  }
  for (std::size_t i = 0; i < n * n; ++i) to[i] = 0.5 * by_q[i] + sign * by_v[i];
  for (std::size_t k = 0; k < middle.size(); ++k) {
    const auto& [phi, L_q, L_v] = middle[k];
    const Geodesic along(phi);
    const Mat3 A = after ? along.A0 : transpose(along.A0), B = after ? along.B0 : transpose(along.B0);
    const std::size_t first = model_.balls[k].variable;
    for (std::size_t j = 0; j < n; ++j) {
      const auto column = [&](const std::vector<double>& H) {
        return Vec3(H[first * n + j], H[(first + 1) * n + j], H[(first + 2) * n + j]);
      };
      const Vec3 x = A * column(by_q) + sign * (B * column(by_v));
      for (int a = 0; a < 3; ++a) to[(first + a) * n + j] = x[a];
    }
    Mat3 slope = (-sign) * along.A0_transposed_slope(dt * L_q) + sign * along.B0_transposed_slope(L_v);
    if (after) slope = slope + skew(L_v);
    const Mat3 own = slope * (end ? transpose(along.B0) : (-1.0) * along.B0);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) to[(first + a) * n + first + b] += own(a, b);
  }
}

// Rows of impulses, half of them before and half after, as (BJ7) divides those of balls.
void Midpoint::turn_rows(std::size_t width, double* D1, double* D2) const {
  const std::vector<MiddleBall>& middle = middle_balls();
  for (std::size_t k = 0; k < middle.size(); ++k) {
    const Mat3 A0 = middle[k].geodesic().A0;
    const std::size_t first = model_.balls[k].variable;
    for (std::size_t j = 0; j < width; ++j) {
      const auto both = [&](std::size_t a) { return D1[(first + a) * width + j] + D2[(first + a) * width + j]; };
      const Vec3 sum(both(0), both(1), both(2)), before = transpose_times(A0, sum), after = A0 * sum;
      for (int a = 0; a < 3; ++a) {
        D1[(first + a) * width + j] = before[a];
        D2[(first + a) * width + j] = after[a];
      }
    }
  }
}

// (BD2), after those of other joints; f_slot_ has a half of f_v.
void Midpoint::turn_time_derivatives(const TimeSlots& out) {
  const std::vector<MiddleBall>& middle = middle_balls();
  const double dt = step_.dt;
  const std::size_t n = model_.n_variables;
  for (std::size_t k = 0; k < middle.size(); ++k) {
    const Ball& ball = model_.balls[k];
    const auto& [phi, L_q, L_v] = middle[k];
    const Geodesic along(phi);
    double of_x[3] = {}, of_y[3] = {};
    for (int a = 0; a < 3; ++a) {
      const std::size_t row = (ball.variable + a) * n;
      for (std::size_t j = 0; j < n; ++j) {
        of_x[a] += (L_qv_[row + j] + 2.0 * f_slot_[row + j]) * v_[j];
        of_y[a] += L_vv_[row + j] * v_[j];
      }
    }
    const Vec3 x = L_q + alpha_ * (ball_vector(ball, out.D1_t) + ball_vector(ball, out.D2_t)) - Vec3(of_x);
    const Vec3 y = (1.0 / dt) * Vec3(of_y);
    set_ball_vector(ball, out.D1_dt, transpose_times(along.A0, x) + transpose_times(along.B0, y));
    set_ball_vector(ball, out.D2_dt, along.A0 * x - along.B0 * y);
  }
  turn_rows(1, out.D1_t, out.D2_t);
}

}  // namespace bough
