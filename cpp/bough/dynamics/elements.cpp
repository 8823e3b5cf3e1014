#include "bough/dynamics/elements.hpp"

#include "bough/constraints/distance.hpp"
#include "bough/constraints/point.hpp"
#include "bough/potentials/configuration_spring.hpp"
#include "bough/potentials/linear_spring.hpp"

namespace bough {
namespace {

// Calls f(constraint, row) for every constraint of every kind.
template <class F>
void for_constraints(const Elements& all, F f) {
  std::size_t k = 0;
  for (const auto& c : all.point_constraints) f(c, all.row_order[k++]);
  for (const auto& c : all.distance_constraints) f(c, all.row_order[k++]);
}

}  // namespace

double elements_energy(const Model& model, const States& state, const double* q) {
  double sum = 0.0;
  for (const auto& e : model.elements.configuration_springs) sum += energy(e, q);
  for (const auto& e : model.elements.linear_springs) sum += energy(e, state);
  return sum;
}

void add_potential_gradient(const Model& model, const States& state, const double* q, double factor, double* out) {
  for (const auto& e : model.elements.configuration_springs) add_gradient(e, q, factor, out);
  for (const auto& e : model.elements.linear_springs) add_gradient(e, model, state, factor, out);
}

void add_potential_hessian(const Model& model, const States& state, Workspace& ws, double factor, double* H) {
  for (const auto& e : model.elements.configuration_springs)
    H[e.variable * (model.n_variables + 1)] += factor * e.stiffness;
  for (const auto& e : model.elements.linear_springs)
    add_hessian(e, model, state, factor, ws.dense.data(), H);
}

void add_forces(const Model& model, const double* v, const double* u, double factor, double* out) {
  const Elements& all = model.elements;
  for (std::size_t i = 0; i < all.damping.size(); ++i) out[i] -= factor * all.damping[i] * v[i];
  for (const auto& e : all.configuration_forces) out[e.variable] += factor * (e.input >= 0 ? u[e.input] : e.value);
}

void add_forces_dv(const Model& model, double factor, double* H) {
  const Elements& all = model.elements;
  for (std::size_t i = 0; i < all.damping.size(); ++i) H[i * (model.n_variables + 1)] -= factor * all.damping[i];
}

void constraint(const Model& model, const States& state, const double* q, double* h, double* scale) {
  const Elements& all = model.elements;
  std::size_t k = 0;
  for (const auto& c : all.point_constraints) {
    const int row = all.row_order[k++];
    h[row] = value(c, state, scale[row]);
  }
  for (const auto& c : all.distance_constraints) {
    const int row = all.row_order[k++];
    h[row] = value(c, state, q, scale[row]);
  }
}

void constraint_dq(const Model& model, const States& state, double* Dh) {
  const std::size_t n = model.n_variables;
  std::fill_n(Dh, model.elements.n_constraints * n, 0.0);
  for_constraints(model.elements, [&](const auto& c, int row) { gradient(c, model, state, Dh + row * n); });
}

void constraint_dqdq(const Model& model, const States& state, Workspace& ws, double* DDh) {
  const std::size_t n = model.n_variables;
  std::fill_n(DDh, model.elements.n_constraints * n * n, 0.0);
  std::size_t k = 0;
  for (const auto& c : model.elements.point_constraints)
    hessian(c, model, state, DDh + model.elements.row_order[k++] * n * n);
  for (const auto& c : model.elements.distance_constraints)
    hessian(c, model, state, ws.dense.data(), DDh + model.elements.row_order[k++] * n * n);
}

void constraint_bias(const Model& model, Workspace& ws, const double* v, double* out) {
  ws.acceleration[0] = Twist::zero();
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const JointState& x = ws.state[i + 1];
    ws.acceleration[i + 1] = ws.acceleration[joint.parent] + (joint.ratio * v[joint.variable]) * x.U;
  }
  for_constraints(model.elements, [&](const auto& c, int row) { out[row] = bias(c, ws.state, ws.acceleration); });
}

}  // namespace bough
