#include "bough/dynamics/reduced_node.hpp"

namespace bough {

ReducedNode::ReducedNode(const Model& model, const ReducedLayout& layout)
    : nb(layout.nb()), nr(layout.nr()), nd(layout.n_dynamic), metric(model, layout), llt_(nb + nd) {
  const int n = nb + nr;
  M.resize(n, n);
  for (auto* x : {&A, &A_rate}) x->resize(nb, nr);
  for (auto* x : {&S, &A_P, &S_rate}) x->resize(nr, nr);
  for (auto* x : {&Ga, &Gb, &Gc}) x->resize(n, nr);
  for (auto* x : {&za, &zb, &zc}) x->setZero(n);
  e.resize(nr);
  momentum_.resize(nb + nd);
  dynamic_.resize(nb + nd, nb + nd);
}

bool ReducedNode::set_shape(const double* r) {
  metric.set_shape(r);
  metric.metric(M);
  S = M.bottomRightCorner(nr, nr);
  if (nb == 0) return true;
  if (!inertia.factor(M)) return false;
  A = M.topRightCorner(nb, nr);
  inertia.solve_in_place(A);
  S.noalias() -= M.topRightCorner(nb, nr).transpose() * A;
  return true;
}

void ReducedNode::contract(const Eigen::VectorXd& w, const double* rates, const Eigen::VectorXd& P) {
  const Eigen::Map<const Eigen::VectorXd> rate(rates, nr);
  za.tail(nr) = rate;
  if (nb > 0) {
    za.head(nb).noalias() = -A * rate;
    zb.head(nb) = w;
    zc.head(nb) = P;
    inertia.solve_in_place(zc);
    metric.derivative(zb.data(), Gb);
  }
  metric.derivative(za.data(), Ga);
  e.noalias() = 0.5 * Ga.transpose() * za;
  if (nb == 0) return;
  e.noalias() += Ga.topRows(nb).transpose() * zc.head(nb);
  e.noalias() += 0.5 * Gb.topRows(nb).transpose() * w;
}

void ReducedNode::differentiate() {
  S_rate = Ga.bottomRows(nr);
  if (nb == 0) return;
  metric.derivative(zc.data(), Gc);
  A_rate = Ga.topRows(nb);
  inertia.solve_in_place(A_rate);
  S_rate.noalias() -= A.transpose() * Ga.topRows(nb);
  A_P = Gc.bottomRows(nr);
  A_P.noalias() -= A.transpose() * Gc.topRows(nb);
}

bool ReducedNode::velocity(const double* P, const double* p, double* z) {
  const int known = nb + nd, n = nb + nr;
  Eigen::Map<Eigen::VectorXd> all(z, n);
  momentum_.head(nb) = Eigen::Map<const Eigen::VectorXd>(P, nb);
  momentum_.tail(nd) = Eigen::Map<const Eigen::VectorXd>(p, nd);
  momentum_.noalias() -= M.topRightCorner(known, n - known) * all.tail(n - known);
  dynamic_ = M.topLeftCorner(known, known);
  if (!llt_.factor(dynamic_)) return false;
  llt_.solve_in_place(momentum_);
  all.head(known) = momentum_;
  return true;
}

void reduced_momenta(ReducedNode& node, const Pose& g, const double* r, const double* z, double* mu, double* p) {
  node.set_shape(r);
  const Eigen::VectorXd P = node.M * Eigen::Map<const Eigen::VectorXd>(z, node.nb + node.nr);
  Wrench spatial = Wrench::zero();
  if (node.nb > 0) spatial = to_world(g, {Vec3(P.data()), Vec3(P.data() + 3)});
  spatial.n.store(mu);
  spatial.f.store(mu + 3);
  std::copy_n(P.data() + node.nb, node.nd, p);
}

bool reduced_velocities(ReducedNode& node, const Pose& g, const double* r, const double* mu, const double* p,
                        double* z) {
  const Wrench body = to_frame(g, {Vec3(mu), Vec3(mu + 3)});
  double P[6];
  body.n.store(P);
  body.f.store(P + 3);
  node.metric.set_shape(r);
  node.metric.metric(node.M);
  return node.velocity(P, p, z);
}

}  // namespace bough
