#include "bough/dynamics/metric_variation.hpp"

#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// I' of (B16)
Inertia rate(const Inertia& I, const Twist& W) {
  const Mat3 turned = skew(W.w) * I.I, shifted = outer(W.v, I.mc);
  return {turned + transpose(turned) + Mat3::diagonal(2.0 * dot(W.v, I.mc)) + (-1.0) * (shifted + transpose(shifted)),
          cross(W.w, I.mc) + I.m * W.v, 0.0};
}

}  // namespace

MetricVariation::MetricVariation(const Model& model, const ReducedLayout& layout)
    : model_(model), layout_(layout), place_(model.n()) {
  const std::size_t slots = model.joints.size() + 1;
  for (int i = 0; i < model.n(); ++i) place_[i] = layout.place(model, i);
  for (auto* x : {&W_, &J_, &dJ_}) x->assign(slots, Twist::zero());
  for (auto* x : {&I_, &dI_, &composite_, &dcomposite_}) x->assign(slots, Inertia::zero());
  for (auto* x : {&a_, &da_, &h_, &dh_}) x->assign(slots, Wrench::zero());
}

MetricVariation::Motion MetricVariation::motion() const {
  const std::vector<Twist> twists(J_.size(), Twist::zero());
  const std::vector<Wrench> wrenches(J_.size(), Wrench::zero());
  return {twists, twists, twists, twists, wrenches, wrenches};
}

void MetricVariation::set(const ReducedMetric& metric, const double* dr) {
  const int n = model_.n();
  for (int i = 0; i < n; ++i) {
    const int slot = i + 1, parent = model_.joints[i].parent;
    J_[slot] = metric.ratio(i) * metric.screw(i);
    W_[slot] = W_[parent];
    dJ_[slot] = Twist::zero();
    if (!layout_.in_base(i)) {
      dJ_[slot] = ad(W_[parent], J_[slot]);
      W_[slot] += dr[place_[i] - layout_.nb()] * J_[slot];
    }
    const bool massless = model_.links[i].massless;
    I_[slot] = massless ? Inertia::zero() : world_inertia(model_.links[i], metric.pose(i));
    dcomposite_[slot] = dI_[slot] = massless ? Inertia::zero() : rate(I_[slot], W_[slot]);
    composite_[slot] = metric.composite(i);
  }
  for (int i = n - 1; i >= 0; --i) {
    const int slot = i + 1, parent = model_.joints[i].parent;
    if (parent > 0) dcomposite_[parent] += dcomposite_[slot];
    a_[slot] = composite_[slot] * J_[slot];
    da_[slot] = dcomposite_[slot] * J_[slot] + composite_[slot] * dJ_[slot];
  }
}

void MetricVariation::metric(Eigen::MatrixXd& dM) const {
  dM.setZero();
  for (int i = 0; i < model_.n(); ++i)
    for (int slot = i + 1; slot > 0; slot = model_.joints[slot - 1].parent) {
      const double value = dot(J_[slot], da_[i + 1]) + dot(dJ_[slot], a_[i + 1]);
      dM(place_[i], place_[slot - 1]) += value;
      if (slot != i + 1) dM(place_[slot - 1], place_[i]) += value;
    }
}

void MetricVariation::sweep(const double* z, const double* dz, Motion& out) {
  const int n = model_.n();
  for (int i = 0; i < n; ++i) {
    const int slot = i + 1, parent = model_.joints[i].parent;
    if (layout_.in_base(i)) {
      out.V[slot] = {Vec3(z), Vec3(z + 3)};
      out.dV[slot] = {Vec3(dz), Vec3(dz + 3)};
    } else {
      const double rate = z[place_[i]], change = dz[place_[i]];
      out.U[slot] = ad(out.V[parent], J_[slot]);
      out.dU[slot] = ad(out.dV[parent], J_[slot]) + ad(out.V[parent], dJ_[slot]);
      out.V[slot] = out.V[parent] + rate * J_[slot];
      out.dV[slot] = out.dV[parent] + change * J_[slot] + rate * dJ_[slot];
    }
    h_[slot] = I_[slot] * out.V[slot];
    dh_[slot] = dI_[slot] * out.V[slot] + I_[slot] * out.dV[slot];
  }
  for (int i = n - 1; i >= 0; --i) {
    const int slot = i + 1, parent = model_.joints[i].parent;
    if (layout_.in_base(i)) continue;
    const Twist &J = J_[slot], &U = out.U[slot];
    out.b[slot] = composite_[slot] * U - ad_transpose(J, h_[slot]);
    out.db[slot] = dcomposite_[slot] * U + composite_[slot] * out.dU[slot] - ad_transpose(dJ_[slot], h_[slot]) -
                   ad_transpose(J, dh_[slot]);
    if (parent == 0) continue;
    h_[parent] += h_[slot];
    dh_[parent] += dh_[slot];
  }
}

void MetricVariation::gradient(const Motion& z, Eigen::MatrixXd& G, Eigen::MatrixXd& dG) const {
  const int nb = layout_.nb();
  G.setZero();
  dG.setZero();
  for (int i = 0; i < model_.n(); ++i) {
    if (layout_.in_base(i)) continue;
    const int at = place_[i];
    for (int slot = i + 1; slot > 0; slot = model_.joints[slot - 1].parent) {
      const int above = place_[slot - 1];
      if (!layout_.in_base(slot - 1)) {
        G(at, above - nb) += dot(z.U[slot], a_[i + 1]);
        dG(at, above - nb) += dot(z.dU[slot], a_[i + 1]) + dot(z.U[slot], da_[i + 1]);
      }
      if (slot == i + 1) continue;
      G(above, at - nb) += dot(J_[slot], z.b[i + 1]);
      dG(above, at - nb) += dot(dJ_[slot], z.b[i + 1]) + dot(J_[slot], z.db[i + 1]);
    }
  }
}

void MetricVariation::add_hessian(double factor, const Motion& z, const Motion& y, Eigen::MatrixXd& Q,
                                  Eigen::MatrixXd& dQ) const {
  const int nb = layout_.nb();
  for (int i = 0; i < model_.n(); ++i) {
    if (layout_.in_base(i)) continue;
    const int j = i + 1, row = place_[i] - nb;
    for (int l = j; l > 0 && !layout_.in_base(l - 1); l = model_.joints[l - 1].parent) {
      const int column = place_[l - 1] - nb;
      const double value = dot(z.U[l], y.b[j]) + dot(y.U[l], z.b[j]);
      const double change = dot(z.dU[l], y.b[j]) + dot(z.U[l], y.db[j]) + dot(y.dU[l], z.b[j]) + dot(y.U[l], z.db[j]);
      Q(row, column) += factor * value;
      dQ(row, column) += factor * change;
      if (l == j) continue;
      Q(column, row) += factor * value;
      dQ(column, row) += factor * change;
    }
  }
}

void metric_variation(const Model& model, const ReducedLayout& layout, const double* r, const double* dr,
                      const double* z, const double* dz, const MetricVariationOutputs& out) {
  using Rows = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const int n = layout.n(), nr = layout.nr();
  ReducedMetric metric(model, layout);
  metric.set_shape(r);
  MetricVariation variation(model, layout);
  variation.set(metric, dr);
  MetricVariation::Motion motion = variation.motion();
  variation.sweep(z, dz, motion);
  Eigen::MatrixXd dM(n, n), G(n, nr), dG(n, nr), Q = Eigen::MatrixXd::Zero(nr, nr), dQ = Q;
  variation.metric(dM);
  variation.gradient(motion, G, dG);
  variation.add_hessian(0.5, motion, motion, Q, dQ);
  Rows(out.dM, n, n) = dM;
  Rows(out.G, n, nr) = G;
  Rows(out.dG, n, nr) = dG;
  Rows(out.Q, nr, nr) = Q;
  Rows(out.dQ, nr, nr) = dQ;
}

}  // namespace bough
