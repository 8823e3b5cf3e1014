#include "bough/tree/balls.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/ball_lanes.hpp"

namespace bough {

bool has_32_registers = [] {
#if defined(__AVX2__) && !defined(_WIN32)  // clang-cl comes without the library of the builtin
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}();

[[gnu::hot, gnu::aligned(64)]] void set_turns(const Model& model, JointParameters& x, const double* q) {
  for (std::size_t k = 0; k < model.fours.size(); ++k) {
    const FourBalls& at = model.fours[k];
    const LaneTurn turn = turn_of(vectors(at.variable, q));
    x.betas[k] = turn.beta;
    const LaneMat R = rotation_of(quaternions(at, q) * turn.quaternion);
    for (int c = 0; c < 3; ++c) {
      Vec3* const to[] = {&x.turns[at.place[0]].c[c], &x.turns[at.place[1]].c[c], &x.turns[at.place[2]].c[c],
                          &x.turns[at.place[3]].c[c]};
      split(R.c[c], to);
    }
  }
}

void set_quaternion(const Ball& ball, double* q, const Quaternion& value) {
  q[ball.quaternion] = value.w;
  value.v.store(q + ball.quaternion + 1);
}

[[gnu::always_inline]] inline void settle_four(const FourBalls& at, const LaneQuaternion& turn, const double* q1,
                                               double* q) {
  const auto [w, v] = quaternions(at, q1) * turn;
  const Lane4 scale = inverse(square_root(w * w + dot(v, v)));
  set_quaternions(at, q, {scale * w, scale * v});
  set_vectors(at.variable, q, LaneVec::zero());
}

void settle(const Model& model, double* q) {
  for (const FourBalls& at : model.fours) settle_four(at, turn_of(vectors(at.variable, q)).quaternion, q, q);
}

[[gnu::hot, gnu::aligned(64)]] void settle(const Model& model, const std::vector<LaneQuaternion>& turns,
                                           const double* q1, double* q) {
  for (std::size_t k = 0; k < model.fours.size(); ++k) settle_four(model.fours[k], turns[k], q1, q);
}

void quaternion_rates(const Model& model, const double* Q, const double* v, double* out) {
  for (const Ball& ball : model.balls) {
    const Quaternion rate = Quaternion{Q[0], Vec3(Q[1], Q[2], Q[3])} * Quaternion{0.0, ball_vector(ball, v)};
    out[0] = 0.5 * rate.w;
    (0.5 * rate.v).store(out + 1);
    Q += 4;
    out += 4;
  }
}

void normalise(const Model& model, double* Q) {
  for (std::size_t i = 0; i < model.balls.size(); ++i, Q += 4) {
    const double scale = 1.0 / std::sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (int k = 0; k < 4; ++k) Q[k] *= scale;
  }
}

void to_user(const Model& model, const double* dynamic, const double* k, double* user) {
  const int nd = model.n_dynamic, nk = model.n_variables - nd;
  if (model.balls.empty()) {
    std::copy_n(dynamic, nd, user);
  } else {
    for (int i = 0; i < nd; ++i)
      if (model.place[i] >= 0) user[model.place[i]] = dynamic[i];
    for (const Ball& ball : model.balls) std::copy_n(dynamic + ball.quaternion - nk, 4, user + ball.place);
  }
  std::copy_n(k, nk, user + model.n_coordinates() - nk);
}

void to_core(const Model& model, const double* user, double* q) {
  for (int i = 0; i < model.n_variables; ++i) q[i] = model.place[i] < 0 ? 0.0 : user[model.place[i]];
  for (const Ball& ball : model.balls) std::copy_n(user + ball.place, 4, q + ball.quaternion);
}

void to_user(const Model& model, const double* q, double* user) {
  if (!model.only_balls())
    for (int i = 0; i < model.n_variables; ++i)
      if (model.place[i] >= 0) user[model.place[i]] = q[i];
  for (const Ball& ball : model.balls) {
    const double* phi = q + ball.variable;
    if (phi[0] == 0.0 && phi[1] == 0.0 && phi[2] == 0.0)
      std::copy_n(q + ball.quaternion, 4, user + ball.place);
    else
      set_quaternion({0, 0, ball.place, 0}, user, turned_within(quaternion_of(ball, q), Vec3(phi)));
  }
}

void order_ball(std::size_t n, const Ball& ball, const double* gradient, double factor, double* H) {
  const std::size_t i = ball.variable;
  const double* g = gradient + i;
  H[i * n + i + 1] -= factor * g[2];
  H[i * n + i + 2] += factor * g[1];
  H[(i + 1) * n + i + 2] -= factor * g[0];
}

void order_hessian(const Model& model, const double* gradient, double factor, double* H) {
  for (const Ball& ball : model.balls) order_ball(model.n_variables, ball, gradient, factor, H);
}

void order_mixed(const Model& model, const double* gradient, double* H) {
  const std::size_t n = model.n_variables;
  for (const Ball& ball : model.balls) {
    const std::size_t i = ball.variable;
    const double* g = gradient + i;
    H[(i + 1) * n + i] -= g[2];
    H[(i + 2) * n + i] += g[1];
    H[(i + 2) * n + i + 1] -= g[0];
  }
}

double order_along(const Model& model, const double* gradient, const double* v) {
  double sum = 0.0;
  for (const Ball& ball : model.balls) {
    const double *g = gradient + ball.variable, *w = v + ball.variable;
    sum += w[0] * w[2] * g[1] - w[0] * w[1] * g[2] - w[1] * w[2] * g[0];
  }
  return sum;
}

}  // namespace bough
