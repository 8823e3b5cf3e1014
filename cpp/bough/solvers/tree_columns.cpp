// (N3), (N4) for four or eight right-hand sides in one pass: on a chain one of them waits for the result before it most of
// the time, and the others fill the gaps.
#include "bough/solvers/tree_newton.hpp"

namespace bough {
namespace {

inline double lane(const Twist& x, int k) { return k < 4 ? x.w.a[k] : x.v.a[k - 4]; }
inline double lane(const Wrench& x, int k) { return k < 4 ? x.n.a[k] : x.f.a[k - 4]; }

// Eight components of a twist or of a wrench, for the columns of R registers.
template <int R>
struct Columns {
  Lane4 of[8][R];
};

template <int R>
void solve(const Model& model, const std::vector<TreeNode>& nodes, Columns<R>* between, Lane4* x) {
  for (int i = model.n() - 1; i >= 0; --i) {  // (N3)
    const Joint& joint = model.joints[i];
    const TreeNode& node = nodes[i + 1];
    if (node.place < 0) continue;
    Columns<R> s{};
    if (joint.subtree_end != i + 1) s = between[i + 1];
    if (joint.dynamic)
      for (int r = 0; r < R; ++r) {
        Lane4 c = x[i * R + r];
        for (int k = 0; k < 8; ++k) c = c - lane(node.w, k) * s.of[k][r];
        x[i * R + r] = c = node.inverse_D * c;
        for (int k = 0; k < 8; ++k) s.of[k][r] += lane(node.u, k) * c;
      }
    Columns<R>& parent = between[joint.parent];
    if (joint.last_child)
      parent = s;
    else
      for (int k = 0; k < 8; ++k)
        for (int r = 0; r < R; ++r) parent.of[k][r] += s.of[k][r];
  }
  between[0] = Columns<R>{};
  for (int i = 0; i < model.n(); ++i) {  // (N4)
    const Joint& joint = model.joints[i];
    const TreeNode& node = nodes[i + 1];
    Columns<R> eta = between[joint.parent];
    for (int r = 0; r < R; ++r) {
      Lane4& delta = x[i * R + r];
      if (!joint.dynamic) {
        delta = Lane4{};
        continue;
      }
      Lane4 push{};
      for (int k = 0; k < 8; ++k) push += lane(node.t, k) * eta.of[k][r];
      delta = delta - node.inverse_D * push;
      for (int k = 0; k < 8; ++k) eta.of[k][r] += lane(node.y, k) * delta;
    }
    between[i + 1] = eta;
  }
}

}  // namespace

void TreeNewton::solve_columns(const Model& model, Lane4* x, int registers) {
  if (registers == 1)
    bough::solve(model, nodes_, reinterpret_cast<Columns<1>*>(between_.data()), x);
  else
    bough::solve(model, nodes_, reinterpret_cast<Columns<2>*>(between_.data()), x);
}

}  // namespace bough
