#include "bough/dynamics/reduced_variation.hpp"

namespace bough {
namespace {

// y += factor A^T B. The matrices are small: a product by coefficients is faster than blocks, and compiles quicker.
template <class Y, class A, class B>
void add_transposed_product(Y& y, double factor, const A& a, const B& b) {
  y.noalias() += factor * a.transpose() * b;
}

}  // namespace

ReducedVariation::ReducedVariation(const Model& model, const ReducedLayout& layout)
    : nb_(layout.nb()),
      nr_(layout.nr()),
      tree_(model, layout),
      a_(tree_.motion()),
      b_(tree_.motion()),
      c_(tree_.motion()) {
  const int n = nb_ + nr_;
  for (auto* x : {&dA, &dX, &dZ}) x->setZero(nb_, nr_);
  for (auto* x : {&dS, &E, &dE, &dT, &part_}) x->setZero(nr_, nr_);
  for (auto* x : {&Ga_, &Gb_, &Gc_, &dGa_, &dGb_, &dGc_}) x->setZero(n, nr_);
  dM_.setZero(n, n);
  dz_.setZero(n);
}

void ReducedVariation::set_direction(const ReducedNode& node, const double* dr) {
  tree_.set(node.metric, dr);
  tree_.metric(dM_);
  const auto dN = dM_.topRightCorner(nb_, nr_);
  dA = dN;
  dA.noalias() -= dI() * node.A;
  dS = dM_.bottomRightCorner(nr_, nr_);
  add_transposed_product(dS, -1.0, dN, node.A);
  add_transposed_product(dS, -1.0, node.A, dA);
  node.inertia.solve_in_place(dA);
}

void ReducedVariation::differentiate(const ReducedNode& node, bool momentum, const Eigen::VectorXd& dw,
                                     const double* drate, const Eigen::VectorXd& dP) {
  const Eigen::Map<const Eigen::VectorXd> change(drate, nr_);
  dz_.head(nb_).noalias() = -(dA.lazyProduct(node.za.tail(nr_)) + node.A.lazyProduct(change));
  dz_.tail(nr_) = change;
  tree_.sweep(node.za.data(), dz_.data(), a_);
  tree_.gradient(a_, Ga_, dGa_);
  dz_.setZero();
  dz_.head(nb_) = dP;
  dz_.head(nb_).noalias() -= dI() * node.zc.head(nb_);
  node.inertia.solve_in_place(dz_);
  tree_.sweep(node.zc.data(), dz_.data(), c_);
  tree_.gradient(c_, Gc_, dGc_);
  E.setZero();
  dE.setZero();
  tree_.add_hessian(1.0, c_, a_, E, dE);
  tree_.add_hessian(0.5, a_, a_, E, dE);
  if (momentum) {
    dz_.setZero();
    dz_.head(nb_) = dw;
    tree_.sweep(node.zb.data(), dz_.data(), b_);
    tree_.gradient(b_, Gb_, dGb_);
    tree_.add_hessian(0.5, b_, b_, E, dE);
    dZ = dGb_.topRows(nb_);
  }
  const Eigen::MatrixXd& X = node.A_rate;
  const auto Ga = Ga_.topRows(nb_), Gc = Gc_.topRows(nb_), dGa = dGa_.topRows(nb_), dGc = dGc_.topRows(nb_);
  dX = dGa;
  dX.noalias() -= dI() * X;
  node.inertia.solve_in_place(dX);

  part_.setZero();  // (RQ4)
  add_transposed_product(part_, 1.0, Gc, X);
  add_transposed_product(E, -1.0, Ga, X);
  E -= part_ + part_.transpose();
  part_.setZero();
  add_transposed_product(part_, 1.0, dGc, X);
  add_transposed_product(part_, 1.0, Gc, dX);
  add_transposed_product(dE, -1.0, dGa, X);
  add_transposed_product(dE, -1.0, Ga, dX);
  dE -= part_ + part_.transpose();

  dT = dGa_.bottomRows(nr_) + dGc_.bottomRows(nr_);  // (RQ6)
  add_transposed_product(dT, -1.0, dA, Ga);
  add_transposed_product(dT, -1.0, dA, Gc);
  add_transposed_product(dT, -1.0, node.A, dGa);
  add_transposed_product(dT, -1.0, node.A, dGc);
}

}  // namespace bough
