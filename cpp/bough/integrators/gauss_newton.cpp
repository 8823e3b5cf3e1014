// Newton's method on the stages (GL4), (GL5) all at once, where the iteration (GL7) does not contract: stiff elements, rough
// steps. Over dynamic variables, with M, L_vq at stage i and F_v, F_q at the stage they belong to,
//
//   J_ik = delta_ik M_i + h a_ik (L_vq,i - F_v,k) - h^2 sum_j a_ij a_jk F_q,j - h^2 sum_l g_il n_lk lam_l . DDh(N_l)   (GL10)
//   S_kl = sum_ij n_kj G_k (J^-1)_ji g_il G_l^T,   delta = -S^-1 (h(N_k) / h + sum_j n_kj G_k y_j),   y = J^-1 r  (GL11)
//
// dense: with s nd unknowns a factorisation costs what many iterations cost, and it is kept while it contracts well.
#include <cmath>

#include "bough/dynamics/lagrangian.hpp"
#include "bough/integrators/gauss.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {

void GaussStepper::fit_newton() {
  const int n = model_.n_variables, size = table_.stages * model_.n_dynamic, rows = table_.stages * constraints_.m;
  for (auto* x : {&newton_.L_qq, &newton_.L_qv, &newton_.L_vv, &newton_.f_v}) x->resize(n * n);
  newton_.DDh.resize(constraints_.m * n * n);
  newton_.J.resize(size, size);
  newton_.lu = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
  for (auto* x : {&newton_.r, &newton_.y}) x->resize(size);
  newton_.columns.resize(size, rows);
  newton_.S.resize(rows, rows);
  newton_.delta.resize(rows);
  if (rows > 0) newton_.schur.fit(rows);
}

// sum_j n_kj G_k x_j, for all nodes and rows.
void GaussStepper::node_rates(const Eigen::VectorXd& x, Eigen::VectorXd& out) const {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int k = 1; k <= s; ++k)
    for (std::size_t r = 0; r < constraints_.m; ++r) {
      double sum = 0.0;
      const double* row = G(k) + r * n;
      for (const int i : constraints_.rows.variables[r]) {
        if (i >= nd) break;
        for (int j = 0; j < s; ++j) sum += table_.n[k][j] * row[i] * x[j * nd + i];
      }
      out[(k - 1) * constraints_.m + r] = sum;
    }
}

bool GaussStepper::factor_newton(double h, const Drive& drive) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  auto& [L_qq, L_qv, L_vv, f_v, DDh, J, lu, r, y, columns, S, delta, schur] = newton_;
  if (J.size() == 0) fit_newton();
  J.setZero();
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const Rows F_q(L_qq.data(), n, n), F_v(f_v.data(), n, n), cross(L_qv.data(), n, n), M(L_vv.data(), n, n);
  for (int j = 0; j < s; ++j) {
    GaussStage& stage = stages_[j];
    lagrangian_hessians(model_, workspace(model_), stage.q.data(), stage.v.data(), L_qq.data(), L_qv.data(),
                        L_vv.data());
    const Instant at = stage.instant(state.t + (state.t_rest + table_.c[j] * h), drive.stage(j));
    f_v = L_qv;
    add_forces_dq(at, 1.0, L_qq.data());
    add_forces_dv(at, 1.0, f_v.data());
    for (int b = 0; b < nd; ++b)
      for (int a = 0; a < nd; ++a) {  // (GL10)
        for (int i = 0; i < s; ++i) {
          const double by_q = h * h * table_.a[i][j] * F_q(a, b);
          for (int k = 0; k < s; ++k) J(i * nd + a, k * nd + b) -= table_.a[j][k] * by_q;
          J(i * nd + a, j * nd + b) -= h * table_.a[i][j] * F_v(a, b);
          J(j * nd + a, i * nd + b) += h * table_.a[j][i] * cross(b, a);
        }
        J(j * nd + a, j * nd + b) += M(a, b);
      }
  }
  for (int l = 1; l < s && constraints_.m > 0; ++l) {
    Workspace& ws = workspace(model_);
    const double* q = nodes_[l].data();
    sweep_poses(model_, ws, q);
    constraint_dqdq({model_, ws.state, q, nullptr, nullptr, state.t + (state.t_rest + table_.d[l] * h)}, DDh.data());
    for (std::size_t r = 0; r < constraints_.m; ++r)
      for (int b = 0; b < nd; ++b)
        for (int a = 0; a < nd; ++a) {
          const double curved = h * constraints_.impulses[l * constraints_.m + r] * DDh[(r * n + a) * n + b];
          if (curved == 0.0) continue;
          for (int i = 0; i < s; ++i)
            for (int k = 0; k < s; ++k) J(i * nd + a, k * nd + b) -= table_.g[i][l] * table_.n[l][k] * curved;
        }
  }
  lu.compute(J);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > 0.0) || !std::isfinite(pivots.maxCoeff())) return false;
  if (constraints_.m == 0) return true;
  for (int l = 0; l < s; ++l)
    for (std::size_t c = 0; c < constraints_.m; ++c) {  // (GL11)
      const int place = static_cast<int>(l * constraints_.m + c);
      for (int i = 0; i < s; ++i)
        for (int a = 0; a < nd; ++a) r[i * nd + a] = table_.g[i][l] * G(l)[c * n + a];
      y = lu.solve(r);
      columns.col(place) = y;
      node_rates(y, delta);
      S.col(place) = delta;
    }
  schur.factor(S);
  return true;
}

// From the residuals in r_ to the corrections of the rates there; the impulses are corrected.
void GaussStepper::solve_newton(double h) {
  const int s = table_.stages, nd = model_.n_dynamic;
  auto& x = newton_;
  for (int i = 0; i < s; ++i)
    for (int a = 0; a < nd; ++a) x.r[i * nd + a] = r_[i][a];
  x.y = x.lu.solve(x.r);
  if (constraints_.m > 0) {
    node_rates(x.y, x.delta);
    for (Eigen::Index row = 0; row < x.delta.size(); ++row) x.delta[row] += constraints_.h[constraints_.m + row] / h;
    x.schur.solve(x.delta);
    x.y.noalias() -= x.columns * x.delta;
    for (Eigen::Index row = 0; row < x.delta.size(); ++row) constraints_.impulses[row] -= x.delta[row];
  }
  for (int i = 0; i < s; ++i)
    for (int a = 0; a < nd; ++a) r_[i][a] = x.y[i * nd + a];
}

}  // namespace bough
