// Second derivatives of one part of a step with balls: by turns exp(n_0), exp(n_1) of either end, symmetric.
//
// With G the second derivatives of Phi over (q, v) at the middle (phi_hessian.hpp) and M_e, V_e of (BD1) for the ends e, f,
//
//   W_ef = M_e^T G_qq M_f + M_e^T G_qv V_f + V_e^T G_vq M_f + V_e^T G_vv V_f + Q_ef                              (BD10)
//
// where Q is the symmetric matrix of what constant turns of the ends bend the middle and phi by. With g = Phi_q, y = Phi_phi,
//
//   n . Q n = n_0 . P0 w + n_1 . P1 w,   w = B1 n_1 - B0 n_0,
//   P0 = d(A0^T g - B0^T y)/dphi,   P1 = skew(y) - P0                                                            (BD11)
//
// The rows of constraints have, with S the symmetric part of Hmu and dots along a, (BJ6),
//
//   W00 -= (Hmu)' + (a x S) + (a x S)^T,   C_r = (dh_r/dq)' + a x dh_r/dq                                        (BD12)
#include "bough/integrators/part_derivatives.hpp"
#include "bough/spatial/eigen3.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

using ConstRows = Eigen::Map<const RowMatrix>;
using Matrix3 = Eigen::Matrix3d;

// M_e and dt V_e of a ball.
struct End {
  Matrix3 M, B;
  End(const Geodesic& of, bool end)
      : M(dense(end ? transpose(of.A0) : of.A0)), B(end ? dense(transpose(of.B0)) : Matrix3(-dense(of.B0))) {}
};

}  // namespace

// (BD10)
void PartDerivatives::set_phi_of_balls() {
  Curvature& to = *curvature_;
  PhiHessian& phi = to.phi;
  const double *a = phi.covectors.a.data(), *lp = phi.covectors.lp.data(), per = 1.0 / part_.dt;
  const PhiPlace place = by_rule_.place(0, a, lp, phi.covectors);
  const PhiBalls balls = by_rule_.balls_of_place(a, lp);
  to.f_u = slots_.D1_u + slots_.D2_u;  // as A0 + A1 = 1
  phi.evaluate(place, balls, to.f_u);
  for (const bool end : {false, true}) {
    const double sign = end ? per : -per;
    to.by_q = 0.5 * phi.qq + sign * phi.qv;
    to.by_v.noalias() = sign * phi.vv;
    to.by_v += 0.5 * phi.qv.transpose();
    RowMatrix& Wu = end ? to.Wu1 : to.Wu0;
    Wu = 0.5 * phi.uq + sign * phi.uv;
    for (std::size_t k = 0; k < model_.balls.size(); ++k) {
      const int first = model_.balls[k].variable;
      const End of(balls.middle[k].geodesic(), end);
      to.by_q.middleCols(first, 3) = phi.qq.middleCols(first, 3) * of.M + per * phi.qv.middleCols(first, 3) * of.B;
      to.by_v.middleCols(first, 3) =
          phi.qv.middleRows(first, 3).transpose() * of.M + per * phi.vv.middleCols(first, 3) * of.B;
      Wu.middleCols(first, 3) = phi.uq.middleCols(first, 3) * of.M + per * phi.uv.middleCols(first, 3) * of.B;
    }
    for (const bool row : {false, true}) {
      if (row && !end) continue;  // W10 is the transpose of W01
      RowMatrix& W = !end ? to.W00 : row ? to.W11 : to.W01;
      W = 0.5 * to.by_q + (row ? per : -per) * to.by_v;
      for (std::size_t k = 0; k < model_.balls.size(); ++k) {
        const int first = model_.balls[k].variable;
        const End of(balls.middle[k].geodesic(), row);
        W.middleRows(first, 3) =
            of.M.transpose() * to.by_q.middleRows(first, 3) + per * of.B.transpose() * to.by_v.middleRows(first, 3);
      }
    }
  }
  to.Wuu = phi.uu;
  bend_ends(balls);
}

// (BD11)
void PartDerivatives::bend_ends(const PhiBalls& balls) {
  Curvature& to = *curvature_;
  for (std::size_t k = 0; k < model_.balls.size(); ++k) {
    const Ball& ball = model_.balls[k];
    const Geodesic geodesic = balls.middle[k].geodesic();
    const Vec3 g = ball_vector(ball, to.phi.by_turn.data()), y = ball_vector(ball, to.phi.by_way.data());
    const Mat3 slope = geodesic.A0_transposed_slope(g) + (-1.0) * geodesic.B0_transposed_slope(y);
    const Matrix3 P0 = dense(slope), P1 = dense(skew(y)) - P0, B0 = dense(geodesic.B0), B1 = B0.transpose();
    const int first = ball.variable;
    const Matrix3 Q00 = -P0 * B0, Q11 = P1 * B1;
    to.W00.block(first, first, 3, 3) += 0.5 * (Q00 + Q00.transpose());
    to.W11.block(first, first, 3, 3) += 0.5 * (Q11 + Q11.transpose());
    to.W01.block(first, first, 3, 3) += 0.5 * (P0 * B1 - B1 * P1.transpose());
  }
}

// (BD12)
void PartDerivatives::order_rows() {
  const auto [nq, nd, nu, nk, m] = shape_;
  Curvature& to = *curvature_;
  const ConstRows Dh0(held_.Dh0.data(), m, nq);
  to.gradient.noalias() = held_.H_mu * to.a;
  to.h.setZero();
  order_hessian(model_, to.gradient.data(), 1.0, to.h.data());
  for (const Ball& ball : model_.balls) {
    const int first = ball.variable;
    const Matrix3 turn = dense(skew(ball_vector(ball, to.a.data())));
    to.h.middleRows(first, 3) += turn * (held_.H_mu.middleRows(first, 3) + held_.H_mu.middleCols(first, 3).transpose());
    to.C.middleCols(first, 3) += Dh0.middleCols(first, 3) * turn.transpose();
  }
  to.W00 -= 0.5 * (to.h + to.h.transpose());
}

}  // namespace bough
