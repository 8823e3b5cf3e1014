#include "bough/dynamics/inverse_dynamics.hpp"

#include "bough/dynamics/elements.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

void inverse_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* a,
                      double* tau) {
  set_parameters(model, ws.parameters, q);
  ws.acceleration[0] = {Vec3::zero(), -model.gravity};
  ws.force[0] = Wrench::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& x = ws.state[i + 1];
    const JointState& parent = ws.state[joint.parent];
    const double rate = joint.ratio * v[joint.variable];
    if (joint.parent == 0) ws.state[0].g.p = local_world(model, ws.parameters, i);
    place_joint(joint, parent.g, ws.parameters, i, x.g, x.J);
    x.V = parent.V + rate * x.J;
    x.U = ad(ws.state[joint.base].V, x.J);
    ws.acceleration[i + 1] = ws.acceleration[joint.parent] + (joint.ratio * a[joint.variable]) * x.J + rate * x.U;
    if (model.links[i].massless) {
      ws.force[i + 1] = Wrench::zero();
    } else {
      const Inertia I = world_inertia(model.links[i], x.g);
      ws.force[i + 1] = I * ws.acceleration[i + 1] - ad_transpose(x.V, I * x.V);
    }
  }
  std::fill_n(tau, model.n_variables, 0.0);
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    tau[joint.variable] += joint.ratio * dot(ws.state[i + 1].J, ws.force[i + 1]);  // (D1)
    ws.force[joint.parent] += ws.force[i + 1];
  }
  add_potential_gradient({model, ws.state, q}, 1.0, tau);
}

}  // namespace bough
