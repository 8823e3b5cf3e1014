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
// with E0, E1 the rows of q0 and q1 in ds and sym X = X + X^T; inputs come in likewise. The rows of kinematic variables in E1
// are those of k1, so that only the others are multiplied, over the entries of W that may differ from zero. The third
// derivatives of rows, and C, are exact for kinds that have them along a direction (EA1)-(EA5), else differences of fourth
// order along a. Balls are in part_curvature_balls.cpp.
#include "bough/dynamics/pairs.hpp"
#include "bough/integrators/part_derivatives.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

using ConstMap = Eigen::Map<const Eigen::VectorXd>;
using Map = Eigen::Map<Eigen::VectorXd>;

constexpr double length = 1e-3;  // of the difference, as a part of the largest entry of the direction

// to += factor (H + H^T) / 2
void add_symmetric_part(const RowMatrix& H, double factor, RowMatrix& to) {
  const int n = static_cast<int>(H.rows());
  constexpr int tile = 8;
  const double half = 0.5 * factor;
  for (int ib = 0; ib < n; ib += tile)
    for (int jb = 0; jb < n; jb += tile)
      for (int i = ib; i < std::min(ib + tile, n); ++i)
        for (int j = jb; j < std::min(jb + tile, n); ++j) to(i, j) += half * (H(i, j) + H(j, i));
}

Pattern first_columns(const Pattern& of, int count) {
  std::vector<std::vector<int>> rows(of.rows());
  for (int i = 0; i < of.rows(); ++i)
    for (int e = of.start[i]; e < of.start[i + 1]; ++e)
      if (of.column[e] < count) rows[i].push_back(of.column[e]);
  return Pattern::of(rows);
}

}  // namespace

PartDerivatives::Curvature::Curvature(const Model& model, const StepShape& shape)
    : phi(model), entries(first_columns(VariablePattern(model, shape.nq, true).pattern, shape.nd)) {
  const auto [nq, nd, nu, nk, m] = shape;
  by_rows = Pattern::full(nq, m);
  for (RowMatrix* W : {&W00, &W01, &W11, &h}) W->setZero(nq, nq);
  for (RowMatrix* W : {&Wu0, &Wu1}) W->setZero(nu, nq);
  Wuu.setZero(nu, nu);
  C.setZero(m, nq);
  Ct.setZero(nq, m);
  WX.resize(nq, shape.columns());
  R.resize(4 * ((shape.dt() + 3) / 4), shape.columns());
  U.resize(nu, shape.columns());
  inputs = Pattern::full(nu, nd);
  q.resize(model.width());
  a.setZero(nq);
  gradient.setZero(nq);
  if (!model.balls.empty()) {
    for (RowMatrix* G : {&by_q, &by_v}) G->setZero(nq, nq);
    f_u.setZero(nq, nu);
  }
  Dh.resize(static_cast<std::size_t>(m) * nq);
}

// The Hessian of Phi over (q0, q1, u), (DS3) without its rows.
void PartDerivatives::set_phi(const double* lp) {
  const auto [nq, nd, nu, nk, m] = shape_;
  Curvature& to = *curvature_;
  PhiHessian& phi = to.phi;
  std::copy_n(to.a.data(), nq, phi.covectors.a.begin());
  std::copy_n(lp, nd, phi.covectors.lp.begin());
  std::fill_n(phi.covectors.lp.begin() + nd, nk, 0.0);
  if (!model_.balls.empty()) return set_phi_of_balls();
  const double y = 1.0 / part_.dt;
  for (RowMatrix* W : {&to.Wu0, &to.Wu1, &to.Wuu}) W->setZero();
  const bool known = slots_.others.known();
  if (known) {
    for (RowMatrix* W : {&to.W00, &to.W11}) slots_.with_rows.clear(W->data());
    slots_.others.clear(to.W01.data());
  } else {
    for (RowMatrix* W : {&to.W00, &to.W01, &to.W11}) W->setZero();
  }
  for (int i = 0; i < by_rule_.places(); ++i) {
    const PhiPlace place = by_rule_.place(i, phi.covectors.a.data(), phi.covectors.lp.data(), phi.covectors);
    const double x0 = place.at_0, x1 = place.at_1;
    const auto add = [&]<bool set>() {
      phi.for_pairs(place, [&](const PairBlock& of) {
        const Lane4 sum = y * (of.down + of.up), rest = (y * y) * of.vv, x = (x0 * x1) * of.qq - rest;
        const Lane4 W00 = (x0 * x0) * of.qq - x0 * sum + rest, W11 = (x1 * x1) * of.qq + x1 * sum + rest;
        const Lane4 row = x + y * (x0 * of.down - x1 * of.up), column = x + y * (x0 * of.up - x1 * of.down);
        add_pairs<3, set>(model_, of, {W00, row, W11}, {W00, column, W11},
                          {to.W00.data(), to.W01.data(), to.W11.data()});
      });
    };
    known&& i == 0 ? add.template operator()<true>() : add.template operator()<false>();
    if (phi.set_elements(place)) add_phi_of_elements(x0, x1);
  }
}

// What elements add to the Hessian of Phi at a place.
void PartDerivatives::add_phi_of_elements(double x0, double x1) {
  Curvature& to = *curvature_;
  const PhiHessian& phi = to.phi;
  const double y = 1.0 / part_.dt;
  to.h = y * phi.qv.transpose();  // as y G_vq
  for (Eigen::Index e = 0; e < to.h.size(); ++e) {
    const double qq = phi.qq.data()[e], qv = y * phi.qv.data()[e], vq = to.h.data()[e], rest = y * y * phi.vv.data()[e];
    to.W00.data()[e] += x0 * x0 * qq - x0 * (qv + vq) + rest;
    to.W11.data()[e] += x1 * x1 * qq + x1 * (qv + vq) + rest;
    to.W01.data()[e] += x0 * x1 * qq + (x0 * qv - x1 * vq) - rest;
  }
  to.Wu0 += x0 * phi.uq - y * phi.uv;
  to.Wu1 += x1 * phi.uq + y * phi.uv;
  to.Wuu += phi.uu;
}

// The terms of the constraints in W and C, (DS3).
void PartDerivatives::add_curvature_of_rows(const double* b) {
  Curvature& to = *curvature_;
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, q1_.data());
  const Instant end{model_, ws.state, q1_.data(), nullptr, nullptr, part_.t + part_.dt};
  if (held_.exact) {
    add_hessian_of_rows(end, b, to.W11.data());
  } else {
    to.h.setZero();
    add_hessian_of_rows(end, b, to.h.data());
    if (!model_.balls.empty()) {  // (BJ6)
      Map gradient(to.gradient.data(), shape_.nq);
      gradient.noalias() =
          Eigen::Map<const RowMatrix>(held_.Dh1.data(), shape_.m, shape_.nq).transpose() * ConstMap(b, shape_.m);
      order_hessian(model_, gradient.data(), 1.0, to.h.data());
    }
    add_symmetric_part(to.h, 1.0, to.W11);
  }
  sweep_poses(model_, ws, part_.q0);
  Instant at{model_, ws.state, part_.q0, nullptr, nullptr, part_.t};
  to.along.sweep(model_, ws.state, to.a.data());
  to.C.setZero();
  to.minus_mu = -ConstMap(mu_.data(), shape_.m);
  bool exact = true;
  int row = 0;
  for (std::size_t k = 0; k < rows_.fork.size(); ++k) {
    at.fork = rows_.fork[k];
    const ConstraintDerivatives* c = elements_.constraints[k];
    if (c && c->has_along()) {
      c->add_hessian_along(at, to.along, to.minus_mu.data() + row, to.W00.data());
      c->add_gradient_along(at, to.along, to.C.row(row).data());
    } else {
      exact = false;
    }
    row += model_.elements.constraints[k]->rows();
  }
  if (!exact) add_differences_of_rows();
  if (!model_.balls.empty()) order_rows();
}

// Of kinds that have no derivatives along a direction.
void PartDerivatives::add_differences_of_rows() {
  const auto [nq, nd, nu, nk, m] = shape_;
  Curvature& to = *curvature_;
  const double size = to.a.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) return;
  const double e = length / size;
  Workspace& ws = workspace(model_);
  std::copy_n(part_.q0, model_.width(), to.q.begin());
  for (const auto& [place, weight] : {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    const double factor = weight / (12.0 * e);
    for (int i = 0; i < nq; ++i) to.q[i] = part_.q0[i] + (place * e) * to.a[i];
    sweep_poses(model_, ws, to.q.data());
    const Instant at{model_, ws.state, to.q.data(), nullptr, nullptr, part_.t};
    to.h.setZero();
    int row = 0;
    for (std::size_t k = 0; k < rows_.fork.size(); ++k) {
      const Constraint& c = *model_.elements.constraints[k];
      if (const auto* along = elements_.constraints[k]; !along || !along->has_along()) {
        add_hessian_of_row(at, k, mu_.data() + row, to.h.data());
        double* gradient = to.Dh.data() + static_cast<std::size_t>(row) * nq;
        std::fill_n(gradient, static_cast<std::size_t>(c.rows()) * nq, 0.0);
        c.gradient(at, gradient);
        Map(to.C.row(row).data(), c.rows() * nq) += factor * ConstMap(gradient, c.rows() * nq);
      }
      row += c.rows();
    }
    add_symmetric_part(to.h, -factor, to.W00);
  }
}

// (DS4). What stands in the columns of k1 beside X is added to W11 X before it is multiplied.
void PartDerivatives::hessian(const double* weights, const double* ends, double* H) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int ns = shape_.dt(), k = shape_.k();
  solve_columns();
  if (!curvature_) curvature_ = std::make_unique<Curvature>(model_, shape_);
  Curvature& of = *curvature_;
  const ColumnBlock& X = solved_.X;
  if (weights) {
    curve(weights);
    if (ends) of.W11.diagonal() += ConstMap(ends, nq);
    set_product(of.entries, of.W11.data(), nq, X, of.WX);
    for (int i = 0; i < nd; ++i) Map(of.WX.row(i) + k, nk) += of.W11.row(i).tail(nk);
    set_rest_of_curvature();
    if (nu > 0) add_inputs_of_curvature();
  } else {
    for (int i = 0; i < nd; ++i) Map(of.WX.row(i), ns) = (ends ? ends[i] : 0.0) * ConstMap(X.row(i), ns);
    for (int i = 0; i < ns; ++i) Map(of.R.row(i), ns).setZero();
    for (int i = 0; i < nk; ++i) of.R.row(k + i)[k + i] = ends ? ends[nd + i] : 0.0;
  }
  set_symmetric_product(X, of.WX, nd, &of.R, ns, H);
}

// R: the upper half of what is beside E1^T W11 E1 over dynamic variables. Its rows of p0 are zero but for inputs.
void PartDerivatives::set_rest_of_curvature() {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int k = shape_.k();
  Curvature& of = *curvature_;
  const ColumnBlock& X = solved_.X;
  // R = W01 E1 - C^T dmu/ds
  set_product(of.entries, of.W01.data(), nq, X, of.R);
  if (m > 0) {
    of.Ct = -of.C.transpose();
    add_product(of.by_rows, of.Ct.data(), m, ColumnRows(X, nd), of.R);
  }
  add_lower_half(of.R, nq);
  for (int i = 0; i < nq; ++i) {
    Map(of.R.row(i) + i, nq - i) += of.W00.row(i).tail(nq - i);
    Map(of.R.row(i) + k, nk) += of.W01.row(i).tail(nk);
  }
  for (int i = 0; i < nk; ++i)
    for (int j = i; j < nk; ++j) of.R.row(k + i)[k + j] = of.W11(nd + i, nd + j) + of.WX.row(nd + i)[k + j];
}

void PartDerivatives::add_inputs_of_curvature() {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int ns = shape_.dt(), u = shape_.u(), k = shape_.k();
  Curvature& of = *curvature_;
  set_product(of.inputs, of.Wu1.data(), nq, solved_.X, of.U);
  for (int i = 0; i < nu; ++i) {
    Map(of.U.row(i), nq) += of.Wu0.row(i);
    Map(of.U.row(i) + k, nk) += of.Wu1.row(i).tail(nk);
    Map(of.R.row(u + i), ns) = ConstMap(of.U.row(i), ns);
    Map(of.R.row(u + i) + u + i, nu - i) += of.Wuu.row(i).tail(nu - i);
  }
  for (int i = 0; i < nu; ++i) {
    for (int j = 0; j < nq; ++j) of.R.row(j)[u + i] += of.U.row(i)[j];
    for (int j = nq; j < u; ++j) of.R.row(j)[u + i] = of.U.row(i)[j];
    for (int j = 0; j <= i; ++j) of.R.row(u + j)[u + i] += of.U.row(i)[u + j];
  }
}

// All W, and C.
void PartDerivatives::curve(const double* weights) {
  curvature_->a.head(shape_.nd) = x_;  // of backward()
  set_phi(weights + shape_.p());
  if (shape_.m > 0) add_curvature_of_rows(y_.data());
}

}  // namespace bough
