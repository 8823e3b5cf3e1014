// The rows of balls in the midpoint rule: (BJ7), (BJ8) of midpoint.hpp.
#include "bough/dynamics/lagrangian.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/tree/balls.hpp"

namespace bough {

// (BJ7) from the rows of other joints, whose factors are 1/2 and 1.
void Midpoint::turn_balls(double dt, double* D1, double* D2, double* scale) {
  const double duration = std::abs(dt);
  const double *before = plain_before(), *after = plain_after();
  std::copy_n(before, model_.n_variables, balls_.before.begin());
  std::copy_n(after, model_.n_variables, balls_.after.begin());
  for (std::size_t k = 0; k < balls_.middle.size(); ++k) {
    const Ball& ball = model_.balls[k];
    auto& [geodesic, L_q, L_v] = balls_.middle[k];
    geodesic = Geodesic(dt * ball_vector(ball, v_.data()));
    L_q = ball_vector(ball, L_q_.data());
    L_v = ball_vector(ball, L_v_.data());
    const Vec3 impulse = ball_vector(ball, before) + ball_vector(ball, after);
    set_ball_vector(ball, balls_.before.data(), transpose_times(geodesic.A0, impulse));
    set_ball_vector(ball, balls_.after.data(), geodesic.A0 * impulse);
    L_q += impulse / dt;
    set_ball_vector(ball, D1, transpose_times(geodesic.A0, dt * L_q) - transpose_times(geodesic.B0, L_v));
    set_ball_vector(ball, D2, geodesic.A0 * (dt * L_q) + geodesic.B0 * L_v);
    // A row has terms of all three axes.
    double size = duration * norm(L_q);
    for (int a = 0; a < 3; ++a) size = std::max(size, scale[ball.variable + a]);
    for (int a = 0; a < 3; ++a) scale[ball.variable + a] = size;
  }
}

const std::vector<BallTerms>* Midpoint::set_ball_terms() const {
  if (balls_.middle.empty()) return nullptr;
  balls_.terms.resize(balls_.middle.size());
  for (std::size_t k = 0; k < balls_.middle.size(); ++k) {
    const auto& [geodesic, L_q, L_v] = balls_.middle[k];
    balls_.terms[k] = {geodesic.A0, geodesic.B0, geodesic.E(),
                       geodesic.A0_transposed_slope(step_.dt * L_q) + (-1.0) * geodesic.B0_transposed_slope(L_v)};
  }
  return &balls_.terms;
}

// (BJ8) over all variables, by rows.
void Midpoint::set_dense_with_balls(double* K) {
  const double dt = step_.dt;
  const std::size_t n = model_.n_variables;
  for (auto* x : {&L_qq_, &L_qv_, &L_vv_, &f_slot_, &balls_.product}) x->resize(n * n);
  lagrangian_hessians(model_, workspace(model_), qm_.data(), v_.data(), L_qq_.data(), L_qv_.data(), L_vv_.data());
  const Instant at = instant();
  std::fill(f_slot_.begin(), f_slot_.end(), 0.0);
  forces_.for_each(at, [&](const Force& force, const Instant& of, double before, double) {
    force.add_force_dq(of, 2.0 * before, L_qq_.data());
    force.add_force_dv(of, 2.0 * before, f_slot_.data());
  });
  std::fill(balls_.product.begin(), balls_.product.begin() + n, 0.0);
  for (const auto& force : model_.elements.forces)  // (BJ6) of those between frames
    if (!force->diagonal()) force->add_force(at, 1.0, balls_.product.data());
  order_hessian(model_, balls_.product.data(), 1.0, L_qq_.data());
  // Columns: H E over the columns of balls, H / 2 elsewhere.
  const auto columns = [&](const std::vector<double>& H, bool transposed, std::vector<double>& out) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) out[i * n + j] = 0.5 * (transposed ? H[j * n + i] : H[i * n + j]);
    for (std::size_t k = 0; k < balls_.middle.size(); ++k) {
      const Mat3 E = balls_.middle[k].geodesic.E();
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
  for (std::size_t k = 0; k < balls_.middle.size(); ++k) {
    const auto& [geodesic, L_q, L_v] = balls_.middle[k];
    const std::size_t first = model_.balls[k].variable;
    for (std::size_t j = 0; j < n; ++j) {
      const auto column = [&](const std::vector<double>& H) {
        return Vec3(H[first * n + j], H[(first + 1) * n + j], H[(first + 2) * n + j]);
      };
      const Vec3 x = transpose_times(geodesic.A0, column(by_q)) - transpose_times(geodesic.B0, column(by_v));
      for (int a = 0; a < 3; ++a) K[(first + a) * n + j] = x[a];
    }
    const Mat3 own = geodesic.A0_transposed_slope(dt * L_q) + (-1.0) * geodesic.B0_transposed_slope(L_v);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) K[(first + a) * n + first + b] += own(a, b);
  }
}

}  // namespace bough
