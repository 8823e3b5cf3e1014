// Second derivatives of one part of a step, contracted with a covector.
//
// With a, b of (DS1) held, Phi = a . D1 + lp . D2 is the derivative of the discrete Lagrangian along (q0, q1) += e (a, lp), so
// that all curvature of a step is that of Phi and of its rows. With G the second derivatives of Phi over (q, v) at each place
// of the rule (phi_hessian.hpp), where q = x0 q0 + x1 q1 and v = (q1 - q0) / dt,
//
//   W00 = x0^2 G_qq - x0 (G_qv + G_vq) / dt + G_vv / dt^2 - sum_r mu_r D3h_r(q0)[a],
//   W01 = x0 x1 G_qq + (x0 G_qv - x1 G_vq) / dt - G_vv / dt^2,
//   W11 = x1^2 G_qq + x1 (G_qv + G_vq) / dt + G_vv / dt^2 + sum_r b_r h_r,qq(q1)                                  (DS3)
//   d2psi/ds ds = E0^T W00 E0 + E1^T W11 E1 + sym(E0^T W01 E1 - E0^T C^T dmu/ds),  C_r = h_r,qq(q0) a             (DS4)
//
// with E0, E1 the rows of q0 and q1 in ds and sym X = X + X^T; inputs come in likewise. The third derivatives of rows, and C,
// are differences of fourth order along a.
#include "bough/integrators/part_derivatives.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

using ConstMap = Eigen::Map<const Eigen::VectorXd>;
using Map = Eigen::Map<Eigen::VectorXd>;
using ConstRows = Eigen::Map<const RowMatrix>;

constexpr double length = 1e-3;  // of the difference, as a part of the largest entry of the direction

}  // namespace

// The Hessian of Phi over (q0, q1, u).
void PartDerivatives::set_phi(const Eigen::VectorXd& a, const double* lp) {
  const auto [nq, nd, nu, nk, m] = shape_;
  Curvature& to = curvature_;
  if (!to.phi) to.phi = std::make_unique<PhiHessian>(model_);
  PhiHessian& phi = *to.phi;
  Map all_a(phi.covectors.a.data(), nq), all_lp(phi.covectors.lp.data(), nq);
  all_a.head(nd) = a;
  all_lp.head(nd) = ConstMap(lp, nd);
  all_a.tail(nk).setZero();
  all_lp.tail(nk).setZero();
  const double y = 1.0 / part_.dt;
  for (int i = 0; i < by_rule_.places(); ++i) {
    const PhiPlace place = by_rule_.place(i, all_a.data(), all_lp.data(), phi.covectors);
    phi.evaluate(place);
    const double x0 = place.at_0, x1 = place.at_1;
    if (i == 0) {
      for (RowMatrix* W : {&to.W00, &to.W01, &to.W11}) W->setZero(nq, nq);
      for (RowMatrix* W : {&to.Wu0, &to.Wu1}) W->setZero(nu, nq);
      to.Wuu.setZero(nu, nu);
    }
    to.X.noalias() = phi.qv + phi.qv.transpose();
    to.W00 += (x0 * x0) * phi.qq - (x0 * y) * to.X + (y * y) * phi.vv;
    to.W11 += (x1 * x1) * phi.qq + (x1 * y) * to.X + (y * y) * phi.vv;
    to.W01 += (x0 * x1) * phi.qq + (x0 * y) * phi.qv - (x1 * y) * phi.qv.transpose() - (y * y) * phi.vv;
    if (nu == 0) continue;
    to.Wu0 += x0 * phi.uq - y * phi.uv;
    to.Wu1 += x1 * phi.uq + y * phi.uv;
    to.Wuu += phi.uu;
  }
}

// The terms of the constraints in W, and C.
void PartDerivatives::add_curvature_of_rows(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const auto [nq, nd, nu, nk, m] = shape_;
  Curvature& to = curvature_;
  Workspace& ws = workspace(model_);
  const auto add = [&](const double* q, double t, const double* weights, double factor, RowMatrix& W) {
    sweep_poses(model_, ws, q);
    to.h.setZero(nq, nq);
    add_hessian_of_rows({model_, ws.state, q, nullptr, nullptr, t}, weights, to.h.data());
    W += (0.5 * factor) * to.h;
    W += (0.5 * factor) * to.h.transpose();
  };
  add(q1_.data(), part_.t + part_.dt, b.data(), 1.0, to.W11);
  to.C.setZero(m, nq);
  to.Dh.assign(static_cast<std::size_t>(m) * nq, 0.0);
  to.value.resize(m);
  to.scale.resize(m);
  to.q.resize(nq);
  const double size = nd > 0 ? a.cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0.0)) return;
  const double e = length / size;
  for (const auto& [place, weight] : {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    const double factor = weight / (12.0 * e);
    std::copy_n(part_.q0, nq, to.q.begin());
    Map(to.q.data(), nd) += (place * e) * a;
    add(to.q.data(), part_.t, mu_.data(), -factor, to.W00);
    const Instant at{model_, ws.state, to.q.data(), nullptr, nullptr, part_.t};
    constraint(at, to.value.data(), to.scale.data());
    constraint_dq(at, to.scale.data(), to.Dh.data());
    to.C += factor * ConstRows(to.Dh.data(), m, nq);
  }
}

void PartDerivatives::hessian(const double* weights, const RowMatrix& J, RowMatrix& H) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int ns = shape_.dt();
  Curvature& of = curvature_;
  of.a = x_;  // of backward()
  of.b = y_;
  set_phi(of.a, weights + shape_.p());
  if (m > 0) add_curvature_of_rows(of.a, of.b);
  const auto E1 = J.topLeftCorner(nq, ns);
  of.X.noalias() = of.W11 * E1;  // (DS4)
  H.noalias() = E1.transpose() * of.X;
  of.X.noalias() = of.W01 * E1;
  if (m > 0) of.X.noalias() -= of.C.transpose() * J.bottomLeftCorner(m, ns);
  H.topRows(nq) += of.X;
  H.leftCols(nq) += of.X.transpose();
  H.topLeftCorner(nq, nq) += of.W00;
  if (nu == 0) return;
  of.Y.noalias() = of.Wu1 * E1;
  of.Y.leftCols(nq) += of.Wu0;
  H.middleRows(shape_.u(), nu) += of.Y;
  H.middleCols(shape_.u(), nu) += of.Y.transpose();
  H.block(shape_.u(), shape_.u(), nu, nu) += of.Wuu;
}

}  // namespace bough
