#include "bough/integrators/equations_of_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr int projections = 10;  // Newton's steps onto the constraints, which end when they do not help any more
constexpr double meaningless = 1e100;

}  // namespace

bool sound(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::abs(value) < meaningless; });
}

EquationsOfMotion::EquationsOfMotion(const Model& model, double g1, double g2)
    : model_(model), g1_(g1), g2_(g2), space_(model) {
  for (auto* x : {&v_, &a_, &tau_}) x->resize(model.n_variables);
  for (auto* x : {&q_, &moved_}) x->resize(model.width());
  lam_.resize(model.elements.n_constraints);
  if (!model.elements.forces.empty()) force_.resize(model.n_dynamic);
}

// q and v over all variables.
void EquationsOfMotion::complete(const Prescribed& kinematic, const double* q, const double* v) {
  const int nd = model_.n_dynamic, nk = model_.n_variables - nd;
  std::copy_n(q, nd, q_.begin());
  std::copy_n(v, nd, v_.begin());
  std::copy_n(kinematic.k, nk, q_.begin() + nd);
  std::copy_n(kinematic.vk, nk, v_.begin() + nd);
  std::copy_n(q + nd, n_quaternions(), q_.begin() + model_.n_variables);
  for (const Ball& ball : model_.balls) set_ball_vector(ball, q_.data(), Vec3::zero());
}

bool EquationsOfMotion::acceleration(double t, const Prescribed& kinematic, const double* q, const double* v,
                                     const double* u, double* a) {
  const int nd = model_.n_dynamic;
  complete(kinematic, q, v);
  std::copy_n(kinematic.ak, model_.n_variables - nd, a_.begin() + nd);
  ++evaluations;
  singular = bough::acceleration(model_, workspace(model_), space_, q_.data(), v_.data(), tau_.data(), u, t, g1_, g2_,
                                 a_.data(), lam_.data());
  std::copy_n(a_.begin(), nd, a);
  std::copy_n(workspace(model_).tau.begin() + model_.n_variables, force_.size(), force_.begin());
  return singular < 0;
}

double EquationsOfMotion::power(const double* v) const {
  return std::inner_product(force_.begin(), force_.end(), v, 0.0);
}

bool EquationsOfMotion::project(double t, const Prescribed& kinematic, double* q, double* v) {
  const int nd = model_.n_dynamic;
  Workspace& ws = workspace(model_);
  complete(kinematic, q, v);
  // (G6)
  double open = constraint_residual(model_, ws, space_, q_.data(), t);
  for (int i = 0; i < projections && open > 0.0; ++i) {
    moved_ = q_;
    singular = project_configuration(model_, ws, space_, t, moved_.data());
    if (singular >= 0) return false;
    const double left = constraint_residual(model_, ws, space_, moved_.data(), t);
    if (!(left < open)) break;
    open = left;
    q_ = moved_;
  }
  for (int i = 0; i < 2; ++i) {  // (G7), the second time for round-off
    singular = project_velocity(model_, ws, space_, q_.data(), t, v_.data());
    if (singular >= 0) return false;
  }
  std::copy_n(q_.begin(), nd, q);
  std::copy_n(q_.begin() + model_.n_variables, n_quaternions(), q + nd);
  std::copy_n(v_.begin(), nd, v);
  return true;
}

}  // namespace bough
