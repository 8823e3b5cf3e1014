// Second derivatives of the kinetic metric by the shape, contracted with velocities, and the variation of the metric and of
// its derivatives with the shape and the velocities. The screws J, velocities V and momenta h are those of reduced_metric.hpp.
//
//   U_i(z) = [V_parent(z), J_i],   b_i(z) = Ic_i U_i - ad(J_i)^T h_i,   h_i the sum of I V over the links outboard of i
//   z^T (d2M/dr_j dr_l) y = U_l(z) . b_j(y) + U_l(y) . b_j(z)              for l at or above j                     (B15)
//
// A prime is d/de along r + e dr, z + e dz at e = 0; W_i = W_parent + dr_i J_i moves the links:
//   J' = [W, J],   I' = -ad(W)^T I - I ad(W),   V_i' = V_parent' + dz_i J_i + z_i J_i'                             (B16)
//   U' = [V_parent', J] + [V_parent, J'],   h' = sum I' V + I V',   b' = Ic' U + Ic U' - ad(J')^T h - ad(J)^T h'
// and M', G', (z^T ddM y)' are (B1), (B6), (B15) by the product rule                                              (B17)
#pragma once

#include "bough/dynamics/reduced_metric.hpp"

namespace bough {

class MetricVariation {
 public:
  MetricVariation(const Model& model, const ReducedLayout& layout);

  // Velocities z and their variation through the tree, by slot.
  struct Motion {
    std::vector<Twist> V, dV, U, dU;
    std::vector<Wrench> b, db;
  };
  Motion motion() const;

  // Screws and inertias at the shape of `metric`, and (B16) of them along dr.
  void set(const ReducedMetric& metric, const double* dr);

  // M' of (B17), n x n
  void metric(Eigen::MatrixXd& dM) const;

  // z and dz of (B16)
  void sweep(const double* z, const double* dz, Motion& out);

  // G of (B6) and G' of (B17), n x nr
  void gradient(const Motion& z, Eigen::MatrixXd& G, Eigen::MatrixXd& dG) const;

  // Q += factor z^T ddM y of (B15), dQ += factor (z^T ddM y)' of (B17), nr x nr
  void add_hessian(double factor, const Motion& z, const Motion& y, Eigen::MatrixXd& Q, Eigen::MatrixXd& dQ) const;

 private:
  const Model& model_;
  const ReducedLayout& layout_;
  std::vector<int> place_;         // by joint
  std::vector<Twist> W_, J_, dJ_;  // by slot; J times the ratio of its variable
  std::vector<Inertia> I_, dI_, composite_, dcomposite_;
  std::vector<Wrench> a_, da_, h_, dh_;  // a = Ic J
};

// Row-major: M', G, G', Q = z^T ddM z / 2 and Q'.
struct MetricVariationOutputs {
  double *dM, *G, *dG, *Q, *dQ;
};
void metric_variation(const Model& model, const ReducedLayout& layout, const double* r, const double* dr,
                      const double* z, const double* dz, const MetricVariationOutputs& out);

}  // namespace bough
