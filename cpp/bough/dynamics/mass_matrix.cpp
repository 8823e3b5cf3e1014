#include "bough/dynamics/mass_matrix.hpp"

#include "bough/dynamics/pairs.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

void mass_matrix(const Model& model, Workspace& ws, const double* q, double* out) {
  const int n = model.n();
  const std::size_t size = static_cast<std::size_t>(n) * n;
  sweep_poses(model, ws, q, Origin::local);
  ws.inertia[0] = Inertia::zero();
  for (int i = 0; i < n; ++i)
    ws.inertia[i + 1] = model.links[i].massless ? Inertia::zero() : world_inertia(model.links[i], ws.state[i + 1].g);

  // a_i, leaves to root.
  const WrenchRows a{ws.rows.data(), n};
  for (int i = n - 1; i >= 0; --i) {
    a.set(i, ws.inertia[i + 1] * ws.state[i + 1].J);
    ws.inertia[model.joints[i].parent] += ws.inertia[i + 1];
  }

  double* M = out;
  if (!model.one_to_one) {
    if (ws.matrix.size() < 4 * size) ws.matrix.resize(4 * size);
    M = ws.matrix.data();
  }
  for (int j = 0; j < n; ++j) {
    const int end = model.joints[j].subtree_end;
    if (model.one_to_one) std::fill(M + j * n + end, M + (j + 1) * n, 0.0);
    pair_row(a, ws.state[j + 1].J, j, end, M + j * n);  // (L5)
  }
  if (model.one_to_one)
    mirror(M, n);
  else
    gather_variables<true>(model, M, out);
}

}  // namespace bough
