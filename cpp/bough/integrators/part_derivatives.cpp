#include "bough/integrators/part_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "bough/spatial/geodesic.hpp"
#include "bough/tree/balls.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;
using ConstRows = Eigen::Map<const RowMatrix>;

constexpr double converged = 1e-12;  // the last correction of q1, relative to its size or to one
constexpr double round_off = 1e-9;   // what is accepted if corrections do not become smaller
constexpr double near = 1e-6;        // the largest first correction: a longer one may lead to another root
constexpr double exact = 2e-12;      // of f, relative to its terms: an end with more is first corrected along the tree
constexpr int most_corrections = 12;
constexpr double time_step = 1e-6;  // of the difference of Dh in time, which only constraints of users have

}  // namespace

PartDerivatives::PartDerivatives(const Model& model, std::unique_ptr<DiscreteLagrangian> rule)
    : model_(model),
      shape_(model),
      rule_(std::move(rule)),
      rows_(model),
      matrix_(model, *rule_, rows_),
      elements_(model.elements),
      by_rule_(dynamic_cast<RuleDerivatives&>(*rule_)),
      slots_(model) {
  const auto [nq, nd, nu, nk, m] = shape_;
  q1_.resize(model.width());
  for (auto* x : {&values_.D1, &values_.D2, &values_.scale}) x->resize(nq);
  for (auto* x : {&mu_, &held_.h, &held_.h_scale}) x->resize(m);
  for (auto* x : {&held_.Dh0, &held_.Dh1}) x->resize(static_cast<std::size_t>(m) * nq);
  for (auto* x : {&slots_.D1_0, &slots_.D1_1, &slots_.D2_0, &slots_.D2_1, &held_.H_mu}) x->setZero(nq, nq);
  for (auto* x : {&slots_.D1_u, &slots_.D2_u}) x->resize(nq, nu);
  for (auto* x : {&times_.D1_dt, &times_.D2_dt, &times_.D1_t, &times_.D2_t}) x->setZero(nq);
  times_.h_t.setZero(m);
  held_.exact = model.balls.empty() && std::ranges::none_of(elements_.constraints, [](const auto* c) { return !c; });
  solved_.X.resize(nd + m, shape_.columns());
  solved_.P.resize(most_rows_at_once, shape_.columns());
  x_.resize(nd);
  y_.resize(m);
}

bool PartDerivatives::shifts() const {
  const double* shift = rule_->shifted();
  return shift && std::any_of(shift, shift + shape_.nq, [](double x) { return x != 0.0; });
}

void PartDerivatives::set_constraints(const double* q, double t, bool values, std::vector<double>& Dh) {
  if (shape_.m == 0) return;
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, q);
  const Instant at{model_, ws.state, q, nullptr, nullptr, t};
  constraint(at, held_.h.data(), held_.h_scale.data());
  constraint_dq(at, held_.h_scale.data(), rows_, Dh.data());
  if (values && timed_) constraint_rate(at, times_.h_t.data());
}

// q1 where Newton's method starts; of balls phi, from q0.
void PartDerivatives::start_near(const double* near_q1) {
  std::copy_n(near_q1, shape_.nd, q1_.begin());
  std::copy_n(part_.k1, shape_.nk, q1_.begin() + shape_.nd);
  for (const Ball& ball : model_.balls) {
    const Quaternion from = quaternion_of(ball, part_.q0);
    const Quaternion to = turned_within(quaternion_of(ball, near_q1), ball_vector(ball, near_q1));
    set_ball_vector(ball, q1_.data(), rotation_vector(transpose(rotation(from)) * rotation(to)));
    set_quaternion(ball, q1_.data(), from);
  }
}

// q1 += x_, of balls by (BJ2).
void PartDerivatives::move_end() {
  Map(q1_.data(), shape_.nd) += x_;
  for (const Ball& ball : model_.balls) {
    const Vec3 turn = ball_vector(ball, x_.data()), phi = ball_vector(ball, q1_.data()) - turn;
    set_ball_vector(ball, q1_.data(), phi + transpose_times(Geodesic(phi).B0, turn));
  }
}

void PartDerivatives::end(double* q) const {
  std::copy(q1_.begin(), q1_.end(), q);
  settle(model_, q);
}

// One correction along the tree, which costs less than the slots, if f is not yet round-off and the correction is small.
// Whether q1 moved.
bool PartDerivatives::near_end() {
  const int nd = shape_.nd;
  bool off = false;
  for (int i = 0; i < nd; ++i) {
    x_[i] = -(part_.p0[i] + values_.D1[i]);
    off |= std::abs(x_[i]) > exact * (values_.scale[i] + std::abs(part_.p0[i]));
  }
  if (!off || !matrix_.correct(x_.data())) return false;
  for (int i = 0; i < nd; ++i)
    if (!(std::abs(x_[i]) <= near * std::max(1.0, std::abs(q1_[i])))) return false;
  move_end();
  return true;
}

void PartDerivatives::set_slots() {
  slots_.with_rows.clear(slots_.D1_0.data());  // set_hessian_of_rows() has added to it
  for (RowMatrix* slot : {&slots_.D1_1, &slots_.D2_0, &slots_.D2_1}) slots_.others.clear(slot->data());
  rule_->slot_derivatives(
      {slots_.D1_0.data(), slots_.D1_1.data(), slots_.D2_0.data(), slots_.D2_1.data(), slots_.others.known()});
}

// Newton's method on (S1), whose solution is linear in mu. A last correction that is round-off leaves T as it is, and changes
// p1 by dD2/dq1 times itself.
StepStatus PartDerivatives::converge(const double* near_q1) {
  const auto [nq, nd, nu, nk, m] = shape_;
  start_near(near_q1);
  std::fill(mu_.begin(), mu_.end(), 0.0);
  rule_->recall_branches({});
  const Interval interval{part_.t, part_.dt, part_.q0, q1_.data(), part_.u};
  set_constraints(part_.q0, part_.t, false, held_.Dh0);
  rule_->evaluate(interval, values_.D1.data(), values_.D2.data(), values_.scale.data());
  if (m == 0 && near_end()) rule_->evaluate(interval, values_.D1.data(), values_.D2.data(), values_.scale.data());
  double change = 1.0;
  for (int i = 0; i < most_corrections && change > converged; ++i) {
    if (i > 0) rule_->evaluate(interval, values_.D1.data(), values_.D2.data(), values_.scale.data());
    set_constraints(q1_.data(), part_.t + part_.dt, true, held_.Dh1);
    set_slots();
    x_ = -(ConstMap(part_.p0, nd) + ConstMap(values_.D1.data(), nd));
    if (m > 0) x_.noalias() += ConstRows(held_.Dh0.data(), m, nq).leftCols(nd).transpose() * ConstMap(mu_.data(), m);
    for (int r = 0; r < m; ++r) y_[r] = -held_.h[r];
    if (!matrix_.factor(slots_.D1_1.data(), D())) return StepStatus::singular;
    matrix_.solve(x_.data(), y_.data());
    move_end();
    Map(mu_.data(), m) += y_;
    change = 0.0;
    for (int j = 0; j < nd; ++j) change = std::max(change, std::abs(x_[j]) / std::max(1.0, std::abs(q1_[j])));
    if (!std::isfinite(x_.sum())) return StepStatus::not_finite;
    if (i == 0 && change > near) return StepStatus::no_convergence;
  }
  Map(values_.D2.data(), nd).noalias() += slots_.D2_1.topLeftCorner(nd, nd) * x_;
  return change <= round_off ? StepStatus::fine : StepStatus::no_convergence;
}

StepStatus PartDerivatives::linearize(const Part& part, const double* near_q1, bool timed) {
  part_ = part;
  timed_ = timed;
  solved_.done = false;
  if (const StepStatus status = converge(near_q1); status != StepStatus::fine) return status;
  by_rule_.input_derivatives(slots_.D1_u.data(), slots_.D2_u.data());
  if (timed)
    by_rule_.time_derivatives({times_.D1_dt.data(), times_.D2_dt.data(), times_.D1_t.data(), times_.D2_t.data()});
  set_hessian_of_rows();
  set_least_multipliers();
  return StepStatus::fine;
}

// H += sum_r weights_r d2h_r/dq dq, with the rows of Dh.
void PartDerivatives::add_hessian_of_rows(const Instant& at, const double* weights, double* H) const {
  for (std::size_t k = 0; k < rows_.fork.size(); ++k) {
    add_hessian_of_row(at, k, weights, H);
    weights += model_.elements.constraints[k]->rows();
  }
}

// The same of one constraint.
void PartDerivatives::add_hessian_of_row(const Instant& at, std::size_t k, const double* weights, double* H) const {
  const Constraint& c = *model_.elements.constraints[k];
  if (elements_.constraints[k]) {
    Instant below = at;
    below.fork = rows_.fork[k];
    elements_.constraints[k]->add_hessian(below, weights, H);
    return;
  }
  const std::size_t size = static_cast<std::size_t>(shape_.nq) * shape_.nq;
  thread_local std::vector<double> all;
  all.assign(c.rows() * size, 0.0);
  c.hessian(at, all.data());
  for (int r = 0; r < c.rows(); ++r)
    for (std::size_t i = 0; i < size; ++i) H[i] += weights[r] * all[r * size + i];
}

// D1_0 - Hmu takes the place of D1_0, and D1_t - (dDh0/dt)^T mu that of D1_t.
void PartDerivatives::set_hessian_of_rows() {
  const auto [nq, nd, nu, nk, m] = shape_;
  if (m == 0) return;
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, part_.q0);
  const Instant at{model_, ws.state, part_.q0, nullptr, nullptr, part_.t};
  if (model_.balls.empty()) {
    y_ = -ConstMap(mu_.data(), m);
    add_hessian_of_rows(at, y_.data(), slots_.D1_0.data());
  } else {
    held_.H_mu.setZero();
    add_hessian_of_rows(at, mu_.data(), held_.H_mu.data());
    Map gradient(values_.D1.data(), nq);  // D1 itself is no longer needed
    gradient.noalias() = ConstRows(held_.Dh0.data(), m, nq).transpose() * ConstMap(mu_.data(), m);
    order_hessian(model_, gradient.data(), 1.0, held_.H_mu.data());
    slots_.D1_0 -= held_.H_mu;
  }
  const auto& constraints = model_.elements.constraints;
  if (!timed_ || std::none_of(constraints.begin(), constraints.end(), [](const auto& c) { return c->moves(); })) return;
  std::vector<double> ahead(held_.Dh0), behind(held_.Dh0), value(m), scale(m);
  for (const double sign : {1.0, -1.0}) {
    Instant moved = at;
    moved.t += sign * time_step;
    constraint(moved, value.data(), scale.data());
    constraint_dq(moved, scale.data(), rows_, (sign > 0.0 ? ahead : behind).data());
  }
  const ConstMap mu(mu_.data(), m);
  times_.D1_t -=
      (ConstRows(ahead.data(), m, nq) - ConstRows(behind.data(), m, nq)).transpose() * mu / (2.0 * time_step);
}

// (DF3)
void PartDerivatives::solve_columns() {
  const auto [nq, nd, nu, nk, m] = shape_;
  if (solved_.done) return;
  solved_.done = true;
  ColumnBlock& X = solved_.X;
  const int columns = timed_ ? shape_.columns() : shape_.dt(), whole = 4 * ((columns + 3) / 4);
  for (ColumnBlock* block : {&X, &solved_.P}) block->use(columns);
  for (int i = 0; i < nd; ++i) {
    double* to = X.row(i);
    Map(to, nq) = -slots_.D1_0.row(i);
    std::fill(to + shape_.p(), to + shape_.u(), 0.0);
    to[shape_.p() + i] = -1.0;
    Map(to + shape_.u(), nu) = -slots_.D1_u.row(i);
    Map(to + shape_.k(), nk) = -slots_.D1_1.row(i).tail(nk);
    std::fill(to + shape_.dt(), to + whole, 0.0);
    if (!timed_) continue;
    to[shape_.dt()] = -times_.D1_dt[i];
    to[shape_.t()] = -times_.D1_t[i];
  }
  for (int r = 0; r < m; ++r) {
    double* to = X.row(nd + r);
    std::fill_n(to, whole, 0.0);
    Map(to + shape_.k(), nk) = -ConstRows(held_.Dh1.data(), m, nq).row(r).tail(nk);
    if (timed_) to[shape_.dt()] = to[shape_.t()] = -times_.h_t[r];
  }
  matrix_.solve(X);
}

// (DF4)
void PartDerivatives::write_state_rows(const StateRows& to) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int nx = shape_.states(), nc = shape_.controls(), known = std::min(to.columns, nc + (timed_ ? 2 : 0));
  solve_columns();
  const auto by_state = [&](int row) { return to.by_state + static_cast<std::size_t>(row) * to.state_stride; };
  const auto by_control = [&](int row) { return to.by_control + static_cast<std::size_t>(row) * to.control_stride; };
  // Rows are written as soon as they are known, so that the memory takes them during the next product.
  const auto write = [&](int i, const double* P) {
    std::copy_n(solved_.X.row(i), nx, by_state(i));
    std::copy_n(solved_.X.row(i) + nx, known, by_control(i));
    double *x = by_state(nq + i), *c = by_control(nq + i);
    Map(x, nq) = ConstMap(P, nq) + slots_.D2_0.row(i).transpose();
    std::copy_n(P + nq, nd, x + nq);
    Map(c, nu) = ConstMap(P + nx, nu) + slots_.D2_u.row(i).transpose();
    Map(c + nu, nk) = ConstMap(P + nx + nu, nk) + slots_.D2_1.row(i).tail(nk).transpose();
    if (known <= nc) return;
    c[nc] = P[shape_.dt()] + times_.D2_dt[i];
    c[nc + 1] = P[shape_.t()] + times_.D2_t[i];
  };
  for (int i = 0; i < nd;) {
    const int made = set_product_rows(matrix_.pattern(), slots_.D2_1.data(), nq, solved_.X, i, solved_.P.lanes());
    for (int r = 0; r < made; ++r, ++i) write(i, solved_.P.row(r));
  }
  for (int i = nd; i < nq; ++i) {
    std::fill_n(by_state(i), nx, 0.0);
    std::fill_n(by_control(i), to.columns, 0.0);
    by_control(i)[nu + i - nd] = 1.0;
  }
  if (known == to.columns) return;
  for (int i = 0; i < nx; ++i) std::fill(by_control(i) + known, by_control(i) + to.columns, 0.0);
}

void PartDerivatives::jacobian(RowMatrix& J) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int nx = shape_.states(), all = shape_.columns(), columns = timed_ ? all : shape_.dt();
  write_state_rows({J.data(), J.data() + nx, all, all, all - nx});
  if (m == 0) return;
  auto mu = J.bottomRows(m);
  mu.rightCols(all - columns).setZero();
  for (int r = 0; r < m; ++r) std::copy_n(solved_.X.row(nd + r), columns, mu.row(r).data());
  if (!least_.needed) return;
  mu = (least_.project * mu).eval();
  mu.leftCols(nq) += least_.C;
}

// (DF7)
void PartDerivatives::set_least_multipliers() {
  const auto [nq, nd, nu, nk, m] = shape_;
  least_.needed = false;
  if (matrix_.independent()) return;
  Eigen::MatrixXd& X = least_.X;
  X = ConstRows(held_.Dh0.data(), m, nq).leftCols(nd).transpose();
  if (least_.inverse.rank(X) == m) return;
  least_.needed = true;
  const Eigen::MatrixXd inverse = least_.inverse.of(X);
  least_.project = inverse * X;
  Eigen::VectorXd& w = least_.w;
  w.setZero(nq);
  w.head(nd) = inverse.transpose() * ConstMap(mu_.data(), m);
  std::vector<double> DDh(static_cast<std::size_t>(m) * nq * nq);
  Workspace& ws = workspace(model_);
  sweep_poses(model_, ws, part_.q0);
  constraint_dqdq({model_, ws.state, part_.q0, nullptr, nullptr, part_.t}, DDh.data());
  RowMatrix C(m, nq);
  for (int r = 0; r < m; ++r)
    C.row(r) = w.transpose() * ConstRows(DDh.data() + static_cast<std::size_t>(r) * nq * nq, nq, nq);
  least_.C = C - least_.project * C;
}

void PartDerivatives::forward(const double* ds, double* out) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const ConstMap q0(ds, nq), p0(ds + shape_.p(), nd), u(ds + shape_.u(), nu), k1(ds + shape_.k(), nk);
  const double dt = timed_ ? ds[shape_.dt()] : 0.0, t = timed_ ? ds[shape_.t()] : 0.0;
  x_ = -p0;
  x_.noalias() -= slots_.D1_0.topRows(nd) * q0;
  x_.noalias() -= slots_.D1_u.topRows(nd) * u;
  x_.noalias() -= slots_.D1_1.topRightCorner(nd, nk) * k1;
  x_ -= dt * times_.D1_dt.head(nd) + t * times_.D1_t.head(nd);
  y_ = -(dt + t) * times_.h_t;
  if (m > 0) y_.noalias() -= ConstRows(held_.Dh1.data(), m, nq).rightCols(nk) * k1;
  matrix_.solve(x_.data(), y_.data());
  Map q1(out, nq), p1(out + shape_.p(), nd);
  q1.head(nd) = x_;
  q1.tail(nk) = k1;
  p1.noalias() = slots_.D2_0.topRows(nd) * q0;
  p1.noalias() += slots_.D2_1.topRows(nd) * q1;
  p1.noalias() += slots_.D2_u.topRows(nd) * u;
  p1 += dt * times_.D2_dt.head(nd) + t * times_.D2_t.head(nd);
  Map mu(out + shape_.states(), m);
  mu = y_;
  if (least_.needed) mu = least_.project * y_ + least_.C * q0;
}

void PartDerivatives::backward(const double* weights, double* out) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const ConstMap lq(weights, nq), lp(weights + shape_.p(), nd), lmu(weights + shape_.states(), m);
  Map(out, nq) = lq;  // lq + D2_1^T lp, for a while
  Map(out, nq).noalias() += slots_.D2_1.topRows(nd).transpose() * lp;
  x_ = -Map(out, nd);
  y_ = -lmu;
  if (least_.needed) y_ = -least_.project * lmu;
  matrix_.solve_transposed(x_.data(), y_.data());  // (DS1)
  Map k1(out + shape_.k(), nk);
  k1 = Map(out + nd, nk);
  k1.noalias() += slots_.D1_1.topRightCorner(nd, nk).transpose() * x_;
  if (m > 0) k1.noalias() += ConstRows(held_.Dh1.data(), m, nq).rightCols(nk).transpose() * y_;
  Map q0(out, nq), u(out + shape_.u(), nu);  // (DS2)
  q0.noalias() = slots_.D1_0.topRows(nd).transpose() * x_;
  q0.noalias() += slots_.D2_0.topRows(nd).transpose() * lp;
  if (least_.needed) q0.noalias() += least_.C.transpose() * lmu;
  Map(out + shape_.p(), nd) = x_;
  u.noalias() = slots_.D1_u.topRows(nd).transpose() * x_;
  u.noalias() += slots_.D2_u.topRows(nd).transpose() * lp;
  out[shape_.dt()] = out[shape_.t()] = 0.0;
  if (!timed_) return;
  const double rows = times_.h_t.dot(y_);
  out[shape_.dt()] = times_.D1_dt.head(nd).dot(x_) + times_.D2_dt.head(nd).dot(lp) + rows;
  out[shape_.t()] = times_.D1_t.head(nd).dot(x_) + times_.D2_t.head(nd).dot(lp) + rows;
}

void PartDerivatives::add_parameter_gradient(const double* weights, ParameterGradient& by, double* out) {
  const auto [nq, nd, nu, nk, m] = shape_;
  double *a = by.covectors.a.data(), *lp = by.covectors.lp.data();
  Map(a, nd) = x_;
  Map(lp, nd) = ConstMap(weights + shape_.p(), nd);
  std::fill_n(a + nd, nk, 0.0);
  std::fill_n(lp + nd, nk, 0.0);
  for (int i = 0; i < by_rule_.places(); ++i) by.add(by_rule_.place(i, a, lp, by.covectors), out);
  if (m == 0) return;
  by.add_jacobian(part_.q0, part_.t, -1.0, mu_.data(), a, out);
  by.add_values(q1_.data(), part_.t + part_.dt, y_.data(), out);
  if (!least_.needed) return;
  const ConstMap lmu(weights + shape_.states(), m);
  const Eigen::VectorXd rest = lmu - least_.project.transpose() * lmu;  // (DF7)
  by.add_jacobian(part_.q0, part_.t, 1.0, rest.data(), least_.w.data(), out);
}

}  // namespace bough
