#include "bough/integrators/reduced_derivatives.hpp"

#include <algorithm>

#include "bough/integrators/composition.hpp"
#include "bough/spatial/rotation.hpp"

namespace bough {
namespace {

constexpr double singular = 1e-14;  // smallest pivot, relative

Wrench head(const Eigen::VectorXd& x) { return {Vec3(x.data()), Vec3(x.data() + 3)}; }

// The matrix whose column k is f(unit twist k), 6 x 6.
template <class Column>
Mat66 by_columns(Column f) {
  Mat66 out;
  for (int k = 0; k < 6; ++k) out.col(k) = f(Vec6(Vec6::Unit(k)));
  return out;
}

ReducedSettings of_one_part(ReducedSettings settings) {
  settings.order = 2;
  settings.max_halvings = 0;
  return settings;
}

}  // namespace

ReducedPart::ReducedPart(const Model& model, const ReducedLayout& layout, double alpha, Retraction tau)
    : model_(model),
      shape_(model, layout),
      span_(model, layout, alpha, tau),
      forces_(model, layout),
      variation_(model, layout),
      lu_(layout.nb() + layout.n_dynamic) {
  const int n = layout.n(), nr = shape_.nr, nb = shape_.nb, columns = shape_.columns();
  z_.setZero(n);
  zero_.setZero(std::max(n, 1));
  for (auto* x : {&by_.r0, &by_.r1}) x->setZero(nr, columns);
  for (auto* x : {&by_.w, &by_.P}) x->setZero(nb, columns);
  by_.z.setZero(n, columns);
  by_.right.setZero(nb + shape_.nd, columns);
  K_.setZero(n, n);
}

void ReducedPart::set_forces(const Pose& g, const double* r, const Given& given, double t, Forces& of) {
  const int n = shape_.nb + shape_.nr;
  forces_.set_state(g, r, given.z);
  for (auto* x : {&of.by_q, &of.by_z}) x->setZero(n, n);
  of.by_u.setZero(n, shape_.nu);
  for (auto* x : {&of.value, &of.by_t}) x->setZero(n);
  forces_.add_gradient(-1.0, of.value.data());
  forces_.add_hessian(-1.0, of.by_q);
  if (!forces_.has_forces()) return;
  forces_.add_force(given.u, t, 1.0, of.value.data());
  forces_.add_force_dq(given.u, t, 1.0, of.by_q);
  forces_.add_force_dz(given.u, t, 1.0, of.by_z);
  forces_.add_force_du_dt(given.u, t, of.by_u, of.by_t);
}

// Both ends, at the velocities of the step.
void ReducedPart::set_nodes(const ReducedStepper::State& from, const Given& given) {
  const int nb = shape_.nb, nr = shape_.nr;
  z_ = Eigen::Map<const Eigen::VectorXd>(given.z, nb + nr);
  const Eigen::VectorXd r1 = Eigen::Map<const Eigen::VectorXd>(from.r.data(), nr) + given.dt * z_.tail(nr);
  span_.set_start(from.r.data());
  span_.set_end(r1.data(), z_);
  span_.differentiate(given.dt, z_, K_);
  Pose g1 = from.g;
  if (nb > 0) g1 = from.g * tau(span_.tau, Vec6(given.dt * z_.head<6>()));
  set_forces(from.g, from.r.data(), given, given.t, at_[0]);
  set_forces(g1, r1.data(), given, given.t + given.dt, at_[1]);
  for (int e : {0, 1}) {
    ReducedNode& node = e == 0 ? *span_.start : *span_.end;
    variation_.set_direction(node, zero_.data());
    variation_.differentiate(node, nb > 0, zero_.head(nb), zero_.data(), zero_.head(nb));
    E_[e] = variation_.E;
    T_[e] = node.S_rate;
    if (nb > 0) T_[e] += node.A_P;
  }
}

// (RG1) of the columns of z, r0 and r1 that are set.
void ReducedPart::set_motion(const Given& given) {
  const int nb = shape_.nb, nr = shape_.nr;
  by_.r1 = by_.r0 + given.dt * by_.z.bottomRows(nr);
  by_.r1.col(shape_.dt()) += z_.tail(nr);
  if (nb == 0) return;
  by_.w = by_.z.topRows(nb);
  by_.w.noalias() += span_.A * by_.z.bottomRows(nr);
  by_.w.noalias() += span_.beta * span_.start->A_rate * by_.r0;
  by_.w.noalias() += span_.alpha * span_.end->A_rate * by_.r1;
  by_.P.noalias() = span_.I * by_.w;
  by_.P.noalias() += span_.beta * span_.start->Gb.topRows(nb) * by_.r0;
  by_.P.noalias() += span_.alpha * span_.end->Gb.topRows(nb) * by_.r1;
}

// The right-hand side of (RG4), at the rates of the kinematic variables alone.
void ReducedPart::set_direct(const ReducedStepper::State& from, const Given& given) {
  const auto [nb, nr, nd, nu, nk] = shape_;
  const double dt = given.dt, beta = span_.beta, alpha = span_.alpha;
  by_.z.setZero();
  by_.r0.setZero();
  by_.r0.middleCols(shape_.r(), nr).setIdentity();
  set_motion(given);
  Eigen::MatrixXd& right = by_.right;
  right.setZero();
  const Forces& force = at_[0];
  right.leftCols(shape_.mu()) = dt * beta * force.by_q.topRows(nb + nd);
  right.middleCols(shape_.u(), nu) = dt * beta * force.by_u.topRows(nb + nd);
  right.col(shape_.dt()) = beta * force.value.head(nb + nd);
  auto shape = right.bottomRows(nd);
  shape.middleCols(shape_.p(), nd) += Eigen::MatrixXd::Identity(nd, nd);
  shape.noalias() += dt * beta * E_[0].topRows(nd) * by_.r0;  // (RG2)
  shape.col(shape_.dt()) += beta * span_.start->e.head(nd);
  shape.noalias() -= beta * T_[0].topRows(nd) * by_.r0;
  shape.noalias() -= alpha * T_[1].topRows(nd) * by_.r1;
  if (nb == 0) return;
  shape.noalias() += dt * beta * span_.start->A_rate.leftCols(nd).transpose() * by_.P;
  shape.noalias() += dt * beta * span_.start->Gb.topLeftCorner(nb, nd).transpose() * by_.w;
  shape.noalias() -= span_.A.leftCols(nd).transpose() * by_.P;
  auto base = right.topRows(nb);
  const Vec6 hx = dt * z_.head<6>(), P = span_.P;
  const Wrench P0 = to_frame(from.g, from.mu);
  base.leftCols(6) += by_columns([&](const Vec6& n) { return vector(ad_transpose(twist(n), P0)); });  // (RG3)
  base.middleCols(shape_.mu(), 6) += by_columns([&](const Vec6& x) { return vector(to_frame(from.g, wrench(x))); });
  base.noalias() -= dtau_inverse(span_.tau, hx).transpose() * by_.P;
  base.col(shape_.dt()) -= dtau_inverse_derivative(span_.tau, hx, Vec6(z_.head<6>())).transpose() * P;
}

// (RG4)
bool ReducedPart::solve(const Given& given) {
  const auto [nb, nr, nd, nu, nk] = shape_;
  const int unknowns = nb + nd;
  K_ -= given.dt * span_.beta * at_[0].by_z;
  auto rates = by_.z.bottomRows(nk);
  rates.middleCols(shape_.r() + nd, nk) = -Eigen::MatrixXd::Identity(nk, nk) / given.dt;
  rates.middleCols(shape_.k(), nk) = Eigen::MatrixXd::Identity(nk, nk) / given.dt;
  rates.col(shape_.dt()) = -z_.tail(nk) / given.dt;
  by_.right.noalias() -= K_.topRightCorner(unknowns, nk) * rates;
  if (unknowns == 0) return true;
  lu_.factor(K_.topLeftCorner(unknowns, unknowns));
  const DenseLu::Pivots found = lu_.pivots();
  if (!(found.least > singular * found.largest)) return false;
  lu_.solve_in_place(by_.right);
  by_.z.topRows(unknowns) = by_.right;
  return true;
}

// (RG5), (RG6)
void ReducedPart::set_end(const ReducedStepper::State& from, const Given& given, RowMatrix& J) {
  const auto [nb, nr, nd, nu, nk] = shape_;
  const double dt = given.dt, beta = span_.beta, alpha = span_.alpha;
  const int last = shape_.dt();
  J.setZero(shape_.states(), shape_.columns());
  J.middleRows(shape_.r(), nr) = by_.r1;
  J.block(shape_.r() + nd, 0, nk, J.cols()).setZero();  // k1 itself, without round-off
  J.block(shape_.r() + nd, shape_.k(), nk, nk).setIdentity();
  Pose g1 = from.g;
  if (nb > 0) {
    const Vec6 hx = dt * z_.head<6>();
    const Pose way = tau(span_.tau, hx);
    g1 = from.g * way;
    auto n1 = J.topRows(6);
    const Mat66 left = dtau(span_.tau, Vec6(-hx));
    n1.noalias() = dt * left * by_.z.topRows(6);
    n1.col(last) += left * z_.head<6>();
    n1.leftCols(6) += by_columns([&](const Vec6& n) { return vector(adjoint_inverse(way, twist(n))); });
  }
  // F' of both ends.
  Eigen::MatrixXd F[2];
  for (int e : {0, 1}) {
    const double part = dt * (e == 0 ? beta : alpha);
    F[e].setZero(nb + nr, J.cols());
    if (e == 0)
      F[e].leftCols(shape_.mu()) = part * at_[e].by_q;
    else
      F[e].noalias() = part * at_[e].by_q * J.topRows(nb + nr);
    F[e].noalias() += part * at_[e].by_z * by_.z;
    F[e].middleCols(shape_.u(), nu) += part * at_[e].by_u;
    F[e].col(last) += part / dt * at_[e].value;
    if (e == 1) F[e].col(last) += part * at_[e].by_t;
  }
  auto p1 = J.bottomRows(nd);
  p1.noalias() = span_.S.topRows(nd) * by_.z.bottomRows(nr);
  p1.noalias() += beta * T_[0].topRows(nd) * by_.r0;
  p1.noalias() += alpha * T_[1].topRows(nd) * by_.r1;
  p1.noalias() += dt * alpha * E_[1].topRows(nd) * by_.r1;
  p1.noalias() += dt * alpha * T_[1].leftCols(nd).transpose() * by_.z.bottomRows(nr);
  p1.col(last) += alpha * span_.end->e.head(nd);
  p1 += F[1].middleRows(nb, nd);
  if (nb == 0) return;
  p1.noalias() += span_.A.leftCols(nd).transpose() * by_.P;
  p1.noalias() += dt * alpha * span_.end->A_rate.leftCols(nd).transpose() * by_.P;
  p1.noalias() += dt * alpha * span_.end->Gb.topLeftCorner(nb, nd).transpose() * by_.w;
  auto mu1 = J.middleRows(shape_.mu(), 6);
  mu1.middleCols(shape_.mu(), 6).setIdentity();
  for (int e : {0, 1}) {
    const Pose& g = e == 0 ? from.g : g1;
    const Wrench impulse = head(Eigen::VectorXd(dt * (e == 0 ? beta : alpha) * at_[e].value));
    const Mat66 out = by_columns([&](const Vec6& x) { return vector(to_world(g, wrench(x))); });
    const Mat66 turned = out * by_columns([&](const Vec6& n) { return vector(ad_transpose(twist(n), impulse)); });
    mu1.noalias() += out * F[e].topRows(6);
    if (e == 0)
      mu1.leftCols(6) -= turned;
    else
      mu1.noalias() -= turned * J.topRows(6);
  }
}

bool ReducedPart::jacobian(const ReducedStepper::State& from, const Given& given, RowMatrix& J) {
  set_nodes(from, given);
  set_direct(from, given);
  if (!solve(given)) return false;
  set_motion(given);
  set_end(from, given, J);
  return true;
}

ReducedLinearization::ReducedLinearization(const Model& model, const ReducedSettings& settings)
    : shape_(model, reduced_layout(model)),
      stepper_(model, settings),
      replay_(model, of_one_part(settings)),
      node_(model, stepper_.layout()),
      part_(model, stepper_.layout(), settings.alpha, settings.tau) {
  z_.resize(shape_.nb + shape_.nr);
  k_.resize(shape_.nk);
}

void ReducedLinearization::start(const Given& given) {
  const auto [nb, nr, nd, nu, nk] = shape_;
  const double* x = given.x;
  Pose g = Pose::identity();
  Wrench mu = Wrench::zero();
  if (nb > 0) {
    const double scale = 1.0 / std::sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
    g = {rotation(Quaternion{scale * x[3], scale * Vec3(x + 4)}), Vec3(x)};
    x += 7;
    mu = wrench(Eigen::Map<const Vec6>(x + nr));
  }
  const double *r = x, *p = x + nr + nb, *k1 = given.control + nu;
  double spatial[6];
  mu.n.store(spatial);
  mu.f.store(spatial + 3);
  std::fill(z_.begin(), z_.end(), 0.0);
  for (int i = 0; i < nk; ++i) z_[nb + nd + i] = (k1[i] - r[nd + i]) / given.dt;
  // A guess only: if the metric is singular, the step says so.
  if (!reduced_velocities(node_, g, r, spatial, p, z_.data())) std::fill_n(z_.begin(), nb + nd, 0.0);
  stepper_.start(given.t, g, r, mu, p, z_.data());
}

StepStatus ReducedLinearization::step(const Given& given) {
  start(given);
  return stepper_.step(given.dt, given.control + shape_.nu, given.control);
}

StepStatus ReducedLinearization::linearize(const Given& given) {
  start(given);
  const ReducedStepper::State from = stepper_.state;
  return linearize(from, given.dt, given.control);
}

StepStatus ReducedLinearization::linearize(const ReducedStepper::State& from, double dt, const double* control) {
  const auto [nb, nr, nd, nu, nk] = shape_;
  const int nx = shape_.states(), last = shape_.dt();
  stepper_.recall(from);
  const double *k1 = control + nu, *k0 = from.r.data() + nd;
  if (const StepStatus status = stepper_.step(dt, k1, control); status != StepStatus::fine) return status;
  replay_.recall(from);
  J_.setIdentity(nx, shape_.columns());
  double end = 0.0;
  const auto& lengths = stepper_.parts();
  for (std::size_t j = 0; j < lengths.size(); ++j) {
    end = j + 1 == lengths.size() ? 1.0 : end + lengths[j] / dt;
    for (int i = 0; i < nk; ++i) k_[i] = k0[i] + end * (k1[i] - k0[i]);
    const ReducedStepper::State before = replay_.state;
    if (const StepStatus status = replay_.step(lengths[j], k_.data(), control); status != StepStatus::fine)
      return status;
    const ReducedStepper::State& now = replay_.state;
    const double* z = now.past.data() + static_cast<std::ptrdiff_t>(now.known - 1) * (nb + nr);
    if (!part_.jacobian(before, {before.t, lengths[j], z, control}, one_)) return StepStatus::singular;
    next_.noalias() = one_.leftCols(nx) * J_;
    next_.middleCols(shape_.u(), nu) += one_.middleCols(shape_.u(), nu);
    next_.middleCols(shape_.r() + nd, nk) += (1.0 - end) * one_.middleCols(shape_.k(), nk);
    next_.middleCols(shape_.k(), nk) += end * one_.middleCols(shape_.k(), nk);
    next_.col(last) += lengths[j] / dt * one_.col(last);
    J_ = next_;
  }
  return StepStatus::fine;
}

void ReducedLinearization::write_state(double* x1) const {
  const auto& now = stepper_.state;
  if (shape_.nb > 0) {
    now.g.p.store(x1);
    const Quaternion Q = quaternion(now.g.R);
    x1[3] = Q.w;
    Q.v.store(x1 + 4);
    x1 += 7;
  }
  x1 = std::copy(now.r.begin(), now.r.end(), x1);
  if (shape_.nb > 0) {
    now.mu.n.store(x1);
    now.mu.f.store(x1 + 3);
    x1 += 6;
  }
  std::copy(now.p.begin(), now.p.end(), x1);
}

}  // namespace bough
