#include "bough/solvers/tree_newton.hpp"

#include "bough/tree/sweep.hpp"

namespace bough {

void TreeNewton::fit(const Model& model) {
  nodes_.resize(model.joints.size() + 1);
  for (TreeNode& node : nodes_) node.diagonal = 0.0;
}

bool TreeNewton::factor(const Model& model, const std::vector<JointState>& state,
                        const std::vector<MidpointBody>& bodies, double dt, double alpha) {
  const double beta = 1.0 - alpha, eps = -alpha * beta * dt * dt, inverse_dt = 1.0 / dt;
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    const JointState& x = state[i + 1];
    const MidpointBody& body = bodies[i + 1];
    TreeNode& node = nodes_[i + 1];
    Mat6 P = matrix(world_inertia(model.links[i], x.g, body.c), inverse_dt);
    if (joint.subtree_end > i + 1) P += node.P;

    Mat6& parent = nodes_[joint.parent].P;
    if (!joint.dynamic) {
      if (joint.last_child)
        parent = P;
      else
        parent += P;
      continue;
    }
    const Vec3 G = cross(model.gravity, x.J.w);
    const Wrench e = ad_transpose(x.J, body.h);
    const double k = alpha * beta * dt;
    const Wrench kappa{k * cross(body.mc, G), (k * model.subtree_mass[i + 1]) * G};
    node.y = {x.J.w + (alpha * dt) * x.U.w, x.J.v + (alpha * dt) * x.U.v + eps * G};
    node.w = {(beta * dt) * x.U.w - x.J.w, (beta * dt) * x.U.v - x.J.v - eps * G};
    node.u = P * node.y + kappa - alpha * e;
    node.t = transpose_times(P, node.w) - kappa - beta * e;
    const double D = dot(node.y, node.t) + node.diagonal;
    if (D == 0.0 || !std::isfinite(D)) return false;
    node.inverse_D = 1.0 / D;
    if (joint.parent == 0) continue;
    if (joint.last_child)
      parent = reduced(P, node.u, node.t, node.inverse_D);
    else
      parent += reduced(P, node.u, node.t, node.inverse_D);
  }
  return true;
}

void TreeNewton::solve(const Model& model, const double* r, double* delta) {
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Wrench s = joint.subtree_end > i + 1 ? node.s : Wrench::zero();
    if (joint.dynamic) {
      node.c = (r[i] - dot(node.w, s)) * node.inverse_D;
      s += node.c * node.u;
    }
    if (joint.last_child)
      nodes_[joint.parent].s = s;
    else
      nodes_[joint.parent].s += s;
  }
  nodes_[0].eta = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    const Twist& eta = nodes_[joint.parent].eta;
    if (!joint.dynamic) {
      delta[i] = 0.0;
      node.eta = eta;
      continue;
    }
    delta[i] = node.c - dot(eta, node.t) * node.inverse_D;
    node.eta = eta + delta[i] * node.y;
  }
}

}  // namespace bough
