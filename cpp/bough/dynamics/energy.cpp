#include "bough/dynamics/energy.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/tree/kinematics.hpp"
#include "bough/tree/points.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// sum of mass * com over all links, the ones fixed to the world included; poses are in the workspace.
Vec3 first_moment(const Model& model, const Workspace& ws) {
  Vec3 sum = model.base.mass * model.base.com;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[i];
    const Pose& g = ws.state[i + 1].g;
    if (link.mass != 0.0) sum += link.mass * (g.p + g.R * link.com);
  }
  return sum;
}

}  // namespace

// (L9)
double kinetic_energy(const Model& model, Workspace& ws, const double* q, const double* v) {
  sweep_velocities(model, ws, q, v, Origin::local);
  double sum = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const JointState& x = ws.state[i + 1];
    if (!model.links[i].massless) sum += 0.5 * dot(x.V, world_inertia(model.links[i], x.g) * x.V);
  }
  return sum;
}

double potential_energy(const Model& model, Workspace& ws, const double* q) {
  sweep_poses(model, ws, q);
  return elements_energy({model, ws.state, q}) - dot(model.gravity, first_moment(model, ws));
}

void potential_energy_dqdqdq(const Model& model, Workspace& ws, const double* q, double* T) {
  const std::size_t n = model.n_variables;
  std::fill_n(T, n * n * n, 0.0);
  sweep_poses(model, ws, q, Origin::local);
  add_potential_third({model, ws.state, q}, 1.0, T);
  if (is_zero(model.gravity)) return;
  // (GV3) of potentials/gravity.cpp, with the masses and first moments outboard of each joint.
  for (int slot = 0; slot <= model.n(); ++slot) ws.inertia[slot] = Inertia::zero();
  for (int slot = model.n(); slot > 0; --slot) {
    const Link& link = model.links[slot - 1];
    const JointState& x = ws.state[slot];
    Inertia& outboard = ws.inertia[slot];
    outboard.m += link.mass;
    if (link.mass != 0.0) outboard.mc += link.mass * world_com(link, x.g);
    const Vec3 rate = cross(x.J.w, outboard.mc) + outboard.m * x.J.v;
    add_third_above(model, ws.state, slot, rate, model.gravity, -1.0, 0, T);
    Inertia& parent = ws.inertia[model.joints[slot - 1].parent];
    parent.m += outboard.m;
    parent.mc += outboard.mc;
  }
}

double total_mass(const Model& model) {
  double sum = model.base.mass;
  for (const Link& link : model.links) sum += link.mass;
  return sum;
}

void center_of_mass(const Model& model, Workspace& ws, const double* q, double* out) {
  sweep_poses(model, ws, q);
  (first_moment(model, ws) / total_mass(model)).store(out);
}

// Each tree about its own origin first, so that a tree far away does not lose the digits of its distance.
void spatial_momentum(const Model& model, Workspace& ws, const double* q, const double* v, double* out) {
  sweep_velocities(model, ws, q, v, Origin::local);
  Wrench sum = Wrench::zero(), tree = Wrench::zero();
  for (int i = 0; i < model.n(); ++i) {
    const JointState& x = ws.state[i + 1];
    if (!model.links[i].massless) tree += world_inertia(model.links[i], x.g) * x.V;
    if (i + 1 < model.n() && model.joints[i + 1].parent > 0) continue;
    int root = i;
    while (model.joints[root].parent > 0) root = model.joints[root].parent - 1;
    tree.n -= cross(local_world(model, ws.parameters, root), tree.f);
    sum += tree;
    tree = Wrench::zero();
  }
  sum.n.store(out);
  sum.f.store(out + 3);
}

}  // namespace bough
