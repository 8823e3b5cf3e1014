// The second derivatives of Phi with balls: (BD7), (BD9) of phi_hessian.hpp.
#include "bough/dynamics/phi_hessian.hpp"
#include "bough/spatial/eigen3.hpp"
#include "bough/spatial/geodesic_curve.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

using Rows = PhiHessian::Rows;
using ConstRows = Eigen::Map<const Rows>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using Matrix3 = Eigen::Matrix3d;

// H += half of what its rows lack by (BJ6), in both of its halves: the mean of either order.
void order_mean(const Model& model, const Eigen::VectorXd& gradient, double factor, Rows& H) {
  for (const Ball& ball : model.balls) {
    const int i = ball.variable;
    const double g[3] = {0.5 * factor * gradient[i], 0.5 * factor * gradient[i + 1], 0.5 * factor * gradient[i + 2]};
    const auto add = [&](int a, int b, double x) {
      H(i + a, i + b) += x;
      H(i + b, i + a) += x;
    };
    add(0, 1, -g[2]);
    add(0, 2, g[1]);
    add(1, 2, -g[0]);
  }
}

}  // namespace

void PhiHessian::evaluate(const PhiPlace& place, const PhiBalls& balls, const Rows& f_u) {
  for (Rows* H : {&uq, &uv, &uu}) H->setZero();
  evaluate(place);
  order(place, balls);
  bend(place, balls, f_u);
}

// (BD7)
void PhiHessian::order(const PhiPlace& place, const PhiBalls& balls) {
  const int n = model_.n_variables;
  const ConstRows L_qq(balls.L_qq, n, n), L_qv(balls.L_qv, n, n), L_vv(balls.L_vv, n, n);
  const ConstVector sigma(place.sigma, n), tau(place.tau, n);
  const Eigen::VectorXd of_q = L_qq * sigma + L_qv * tau, of_v = L_qv.transpose() * sigma + L_vv * tau;
  order_mean(model_, of_q, place.weight, qq);
  const Eigen::VectorXd weighted = place.weight * of_v;
  order_mixed(model_, weighted.data(), qv.data());
  for (const Ball& ball : model_.balls) {
    const int first = ball.variable;
    const Matrix3 turn = place.weight * dense(skew(ball_vector(ball, place.sigma)));
    const Rows S = 0.5 * (L_qq.middleRows(first, 3) + L_qq.middleCols(first, 3).transpose());
    const Rows turned = turn * S;
    qq.middleRows(first, 3) += turned;
    qq.middleCols(first, 3) += turned.transpose();
    qv.middleRows(first, 3) += turn * L_qv.middleRows(first, 3);
  }
}

// (BD8), (BD9), and the gradients of Phi.
void PhiHessian::bend(const PhiPlace& place, const PhiBalls& balls, const Rows& f_u) {
  const int n = model_.n_variables;
  const double dt = place.weight;
  const ConstRows L_qv(balls.L_qv, n, n), L_vv(balls.L_vv, n, n), F_q(balls.F_q, n, n), F_v(balls.F_v, n, n);
  const Eigen::VectorXd sigma = dt * ConstVector(place.sigma, n), tau = dt * ConstVector(place.tau, n);
  const Eigen::VectorXd by_q = F_q.transpose() * sigma + L_qv * tau, by_v = (F_v.transpose() * sigma + L_vv * tau) / dt;
  for (std::size_t k = 0; k < model_.balls.size(); ++k) {
    const Ball& ball = model_.balls[k];
    const Geodesic geodesic = balls.middle[k].geodesic();
    const Vec3 &L_q = balls.middle[k].L_q, &L_v = balls.middle[k].L_v;
    const int first = ball.variable;
    const Vec3 from = ball_vector(ball, balls.a), to = ball_vector(ball, balls.lp);
    const Mat3 of_sigma = geodesic.A0_transposed_slope(to - from),
               of_tau = geodesic.B0_transposed_slope(to - from) + (-1.0) * skew(from);
    const Matrix3 by_sigma = dt * dense(of_sigma), by_tau = dt * dense(of_tau);  // by v
    qv.middleCols(first, 3) +=
        dt * F_q.middleRows(first, 3).transpose() * by_sigma + L_qv.middleCols(first, 3) * by_tau;
    const Rows mixed = dt * F_v.middleRows(first, 3).transpose() * by_sigma + L_vv.middleCols(first, 3) * by_tau;
    vv.middleCols(first, 3) += mixed;
    vv.middleRows(first, 3) += mixed.transpose();
    const Mat3 curve = middle_curve(geodesic, from, to, dt * L_q) + rate_curve(geodesic, from, to, L_v);
    vv.block(first, first, 3, 3) += dt * dt * dense(curve);
    uv.middleCols(first, 3) += f_u.middleRows(first, 3).transpose() * by_sigma;
    const Vec3 way = transpose_times(of_sigma, dt * L_q) + transpose_times(of_tau, L_v);
    for (int a = 0; a < 3; ++a) {
      by_turn[first + a] = by_q[first + a];
      by_way[first + a] = by_v[first + a] + way[a];
    }
  }
}

}  // namespace bough
