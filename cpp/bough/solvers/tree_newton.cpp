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
    Pack66 P = pack(world_inertia(model.links[i], x.g, body.c), inverse_dt);
    if (joint.subtree_end > i + 1) P += node.P;

    Pack66& parent = nodes_[joint.parent].P;
    if (!joint.dynamic) {
      if (joint.last_child)
        parent = P;
      else
        parent += P;
      continue;
    }
    const Vec3 G = model.gravity.cross(x.J.w);
    const Wrench e = ad_transpose(x.J, body.h);
    const double k = alpha * beta * dt;
    const Wrench kappa{k * body.mc.cross(G), (k * model.subtree_mass[i + 1]) * G};
    node.y = pack(x.J.w + (alpha * dt) * x.U.w, x.J.v + (alpha * dt) * x.U.v + eps * G);
    node.w = pack((beta * dt) * x.U.w - x.J.w, (beta * dt) * x.U.v - x.J.v - eps * G);
    node.u = times(P, node.y) + pack(kappa - alpha * e);
    node.t = transpose_times(P, node.w) - pack(kappa + beta * e);
    const double D = dot(node.t, node.y) + node.diagonal;
    if (D == 0.0 || !std::isfinite(D)) return false;
    node.inverse_D = 1.0 / D;
    if (joint.parent == 0) continue;
    if (joint.last_child)
      set_reduced(parent, P, node.u, node.t, node.inverse_D);
    else
      add_reduced(parent, P, node.u, node.t, node.inverse_D);
  }
  return true;
}

void TreeNewton::solve(const Model& model, const double* r, double* delta) {
  const Pack zero{Lane4{}, Lane4{}};
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    Pack s = joint.subtree_end > i + 1 ? node.s : zero;
    if (joint.dynamic) {
      node.c = (r[i] - dot(node.w, s)) * node.inverse_D;
      s += node.c * node.u;
    }
    if (joint.last_child)
      nodes_[joint.parent].s = s;
    else
      nodes_[joint.parent].s += s;
  }
  nodes_[0].eta = zero;
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    const Pack& eta = nodes_[joint.parent].eta;
    if (!joint.dynamic) {
      delta[i] = 0.0;
      node.eta = eta;
      continue;
    }
    delta[i] = node.c - dot(node.t, eta) * node.inverse_D;
    node.eta = eta + delta[i] * node.y;
  }
}

}  // namespace bough
