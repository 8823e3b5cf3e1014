#include "bough/dynamics/static_forces.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/kinematics.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// |the generalised force of each weight|, body by body: those of a balance cancel.
void add_weights(const Model& model, const Workspace& ws, double* out) {
  for (int i = 0; i < model.n(); ++i) {
    if (model.links[i].massless) continue;
    const Inertia I = world_inertia(model.links[i], ws.state[i + 1].g);
    const Wrench F{cross(I.mc, model.gravity), I.m * model.gravity};
    for (int j = i + 1; j > 0; j = model.joints[j - 1].parent) {
      const Joint& joint = model.joints[j - 1];
      out[joint.variable] += std::abs(joint.ratio * dot(ws.state[j].J, F));
    }
  }
}

}  // namespace

void static_force_size(const Model& model, Workspace& ws, const double* q, const double* u, double t, double* out) {
  const std::size_t n = model.n_variables;
  const std::vector<double> still(n, 0.0);
  std::vector<double> one(n);
  sweep_velocities(model, ws, q, still.data());
  std::fill_n(out, n, 0.0);
  add_weights(model, ws, out);
  const Instant at{model, ws.state, q, still.data(), u, t};
  const auto add = [&](const auto& add_element) {
    std::fill(one.begin(), one.end(), 0.0);
    add_element();
    for (std::size_t i = 0; i < n; ++i) out[i] += std::abs(one[i]);
  };
  for (const auto& e : model.elements.potentials) add([&] { e->add_gradient(at, 1.0, one.data()); });
  for (const auto& e : model.elements.forces) add([&] { e->add_force(at, 1.0, one.data()); });
}

}  // namespace bough
