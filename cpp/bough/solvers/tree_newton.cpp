#include "bough/solvers/tree_newton.hpp"

#include "bough/solvers/tree_newton_rows.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

void TreeNewton::resize(const Model& model, bool bordered) {
  nodes_.assign(model.joints.size() + 1, TreeNode{});
  nodes_[0].place = -1;
  std::vector<bool> moves(nodes_.size());  // if a joint at or above a slot is dynamic
  for (int i = 0; i < model.n(); ++i) moves[i + 1] = model.joints[i].dynamic || moves[model.joints[i].parent];
  int alive = 0;
  std::vector<int> unused;
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    if (!bordered && !moves[i + 1]) {
      node.place = -1;
      continue;
    }
    if (joint.subtree_end == i + 1) {
      if (unused.empty()) unused.push_back(alive++);
      node.place = unused.back();
      unused.pop_back();
    }
    if (joint.parent == 0 || (!bordered && !moves[joint.parent]))
      unused.push_back(node.place);
    else if (joint.last_child)
      nodes_[joint.parent].place = node.place;
    else
      unused.push_back(node.place);
  }
  matrices_.resize(alive);
  gravity_axes(model.gravity, e_, g_e_);
}

void gravity_axes(const Vec3& g, Vec3 (&e)[2], Vec3 (&g_e)[2]) {
  const Vec3 away = std::abs(g[0]) <= std::abs(g[1]) && std::abs(g[0]) <= std::abs(g[2]) ? Vec3::unit(0)
                    : std::abs(g[1]) <= std::abs(g[2])                                   ? Vec3::unit(1)
                                                                                         : Vec3::unit(2);
  e[0] = cross(g, away);
  e[1] = cross(g, e[0]);
  for (int k = 0; k < 2; ++k) {
    if (!is_zero(e[k])) e[k] = e[k] / norm(e[k]);
    g_e[k] = cross(g, e[k]);
  }
}

bool TreeNewton::factor(const Model& model, const std::vector<JointState>& state,
                        const std::vector<MidpointBody>& bodies, double dt, double alpha, double* r, TreeBorder* border,
                        double* y) {
  const double beta = 1.0 - alpha, k = alpha * beta * dt, inverse_dt = 1.0 / dt;
  if (border) border->begin(y);
  for (int i = model.n() - 1; i >= 0; --i) {
    TreeNode& node = nodes_[i + 1];
    if (node.place < 0) continue;
    const Joint& joint = model.joints[i];
    const Link& link = model.links[i];
    const JointState& x = state[i + 1];
    const MidpointBody& body = bodies[i + 1];
    Mat8& P = matrices_[node.place];
    const bool leaf = joint.subtree_end == i + 1;
    if (leaf) P = Mat8{};
    if (border && !border->close_before(i + 1, &P)) return false;

    const double s0 = dot(e_[0], x.J.w), s1 = dot(e_[1], x.J.w);
    node.y = with_lanes(x.J + (alpha * dt) * x.U, s0, s1);
    node.w = with_lanes((beta * dt) * x.U - x.J, s0, s1);
    Wrench Py, Pw;
    if (link.massless)
      apply<false>(P, Mat6{}, node.y, node.w, Py, Pw);
    else
      apply<true>(P, matrix(world_inertia(link, x.g, body.c), inverse_dt), node.y, node.w, Py, Pw);

    if (joint.dynamic) {
      const Vec3 l = (k * model.subtree_mass[i + 1]) * x.J.v - k * cross(body.mc, x.J.w);
      const double g0 = dot(l, g_e_[0]), g1 = dot(l, g_e_[1]);
      const Wrench e = ad_transpose(x.J, body.h);
      node.u = Py + with_lanes(-alpha * e, g0, g1);
      node.t = Pw + with_lanes(-beta * e, g0, g1);
      const double D = dot(node.y, node.t) + node.diagonal;
      if (D == 0.0 || !std::isfinite(D)) return false;
      node.inverse_D = 1.0 / D;
      // Nothing reads P of the world, unless rows are still open there.
      if (nodes_[joint.parent].place >= 0 || border) reduce_matrix(P, node.u, node.t, node.inverse_D);
      if (border) border->eliminate(i + 1, node);
    }
    if (border && !border->close_after(i + 1, P)) return false;
    reduce<false>(i, joint, node, leaf, r[i], border);
    const int to = nodes_[joint.parent].place;
    if (joint.last_child || to < 0) continue;
    Mat8& parent = matrices_[to];
    for (int row = 0; row < 8; ++row) parent.row[row] += P.row[row];
  }
  if (border && !border->close_before(0, nullptr)) return false;
  expand<false>(model, r, border, y);
  return true;
}

void TreeNewton::solve(const Model& model, double* x, TreeBorder* border, double* y) {
  solve_sides<false>(model, x, border, y);
}

void TreeNewton::solve_transposed(const Model& model, double* x, TreeBorder* border, double* y) {
  solve_sides<true>(model, x, border, y);
}

template <bool transposed>
void TreeNewton::solve_sides(const Model& model, double* x, TreeBorder* border, double* y) {
  if (border) border->restart(y);
  for (int i = model.n() - 1; i >= 0; --i)
    if (nodes_[i + 1].place >= 0)
      reduce<transposed>(i, model.joints[i], nodes_[i + 1], model.joints[i].subtree_end == i + 1, x[i], border);
  expand<transposed>(model, x, border, y);
}

// (N3)
template <bool transposed>
inline void TreeNewton::reduce(int i, const Joint& joint, TreeNode& node, bool leaf, double r, TreeBorder* border) {
  const Twist& w = transposed ? node.y : node.w;
  const Wrench& u = transposed ? node.t : node.u;
  Wrench s = leaf ? Wrench::zero() : node.s;
  if (border) s += border->forward_before(i + 1, transposed);
  if (joint.dynamic) {
    node.c = (r - dot(w, s)) * node.inverse_D;
    s += node.c * u;
    if (border) border->forward(i + 1, node.c, transposed);
  }
  if (border) s += border->forward_after(i + 1, transposed);
  if (joint.last_child)
    nodes_[joint.parent].s = s;
  else
    nodes_[joint.parent].s += s;
}

// (N4)
template <bool transposed>
void TreeNewton::expand(const Model& model, double* x, TreeBorder* border, double* y) {
  nodes_[0].eta = Twist::zero();
  if (border) {
    border->forward_before(0, transposed);
    border->backward_before(0, nodes_[0].eta, transposed);
  }
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    TreeNode& node = nodes_[i + 1];
    if (node.place < 0) {
      x[i] = 0.0;
      continue;
    }
    const Twist& eta = nodes_[joint.parent].eta;
    if (border) border->backward_after(i + 1, eta, transposed);
    x[i] = joint.dynamic ? node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D : 0.0;
    if (border && joint.dynamic) x[i] -= border->backward(i + 1, transposed) * node.inverse_D;
    node.eta = joint.dynamic ? eta + x[i] * (transposed ? node.w : node.y) : eta;
    if (border) border->backward_before(i + 1, node.eta, transposed);
  }
  if (border) std::copy_n(border->solution(), border->size(), y);
}

}  // namespace bough
