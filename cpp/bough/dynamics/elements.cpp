#include "bough/dynamics/elements.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/tree/balls.hpp"

namespace bough {
namespace {

// Where points coincide at the origin, nothing tells how small h can be.
constexpr double least_scale = 1e-17;
constexpr double round_off = 1e-14;  // of a row of Dh, relative to the scale of h

// Calls add(out) with a zeroed vector over variables, the memory of the thread.
template <class Add>
const double* gradient_of(const Model& model, Add add) {
  thread_local std::vector<double> gradient;
  gradient.assign(model.n_variables, 0.0);
  add(gradient.data());
  return gradient.data();
}

// (BJ6) for the rows of a constraint.
void order_rows(const Instant& at, const Constraint& c, double* DDh) {
  const std::size_t n = at.model.n_variables;
  thread_local std::vector<double> Dh;
  Dh.assign(c.rows() * n, 0.0);
  c.gradient(at, Dh.data());
  for (int r = 0; r < c.rows(); ++r) order_hessian(at.model, Dh.data() + r * n, 1.0, DDh + r * n * n);
}

}  // namespace

double elements_energy(const Instant& at) {
  double sum = 0.0;
  for (const auto& e : at.model.elements.potentials) sum += e->energy(at);
  return sum;
}

void add_potential_gradient(const Instant& at, double factor, double* out) {
  for (const auto& e : at.model.elements.potentials) e->add_gradient(at, factor, out);
}

void add_potential_hessian(const Instant& at, double factor, double* H) {
  for (const auto& e : at.model.elements.potentials) e->add_hessian(at, factor, H);
  if (at.model.balls.empty() || at.model.elements.potentials.empty()) return;
  order_hessian(at.model,
                gradient_of(at.model,
                            [&](double* g) {
                              for (const auto& e : at.model.elements.potentials)
                                if (!e->diagonal()) e->add_gradient(at, 1.0, g);
                            }),
                factor, H);
}

void add_potential_third(const Instant& at, double factor, double* T) {
  for (const auto& e : at.model.elements.potentials) e->add_third(at, factor, T);
}

void add_forces(const Instant& at, double factor, double* out) {
  for (const auto& e : at.model.elements.forces) e->add_force(at, factor, out);
}

void add_forces_dq(const Instant& at, double factor, double* H) {
  for (const auto& e : at.model.elements.forces) e->add_force_dq(at, factor, H);
  if (at.model.balls.empty() || at.model.elements.forces.empty()) return;
  order_hessian(at.model,
                gradient_of(at.model,
                            [&](double* g) {
                              for (const auto& e : at.model.elements.forces)
                                if (!e->diagonal()) e->add_force(at, 1.0, g);
                            }),
                factor, H);
}

void add_forces_dv(const Instant& at, double factor, double* H) {
  for (const auto& e : at.model.elements.forces) e->add_force_dv(at, factor, H);
}

void constraint(const Instant& at, double* h, double* scale) {
  for (const auto& c : at.model.elements.constraints) {
    c->value(at, h, scale);
    for (int r = 0; r < c->rows(); ++r) scale[r] = std::max(scale[r], least_scale);
    h += c->rows();
    scale += c->rows();
  }
}

ConstraintRows::ConstraintRows(const Model& model) {
  for (const auto& c : model.elements.constraints) {
    const Support support = c->support(model);
    fork.push_back(support.fork);
    const std::vector<int> found = bough::joints(model, support);
    std::vector<int> across = support.variables;
    if (!support.known) {
      across.resize(model.n_variables);
      std::iota(across.begin(), across.end(), 0);
    }
    for (const int i : found) across.push_back(model.joints[i].variable);
    std::sort(across.begin(), across.end());
    across.erase(std::unique(across.begin(), across.end()), across.end());
    variables.insert(variables.end(), c->rows(), across);
    joints.insert(joints.end(), c->rows(), found);
  }
}

void constraint_dq(const Instant& at, const double* scale, const ConstraintRows& rows, double* Dh) {
  const std::size_t n = at.model.n_variables;
  std::size_t r = 0, first = 0;
  Instant below = at;
  for (std::size_t k = 0; k < rows.fork.size(); ++k) {
    const Constraint& c = *at.model.elements.constraints[k];
    first = r;
    for (; r < first + c.rows(); ++r)
      for (const int i : rows.variables[r]) Dh[r * n + i] = 0.0;
    below.fork = rows.fork[k];
    c.gradient(below, Dh + first * n);
    for (std::size_t i = first; i < r; ++i) {
      const auto counts = [&](int j) { return std::abs(Dh[i * n + j]) > round_off * scale[i]; };
      if (std::none_of(rows.variables[i].begin(), rows.variables[i].end(), counts))
        for (const int j : rows.variables[i]) Dh[i * n + j] = 0.0;
    }
  }
}

void constraint_dq(const Instant& at, const double* scale, double* Dh) {
  const std::size_t n = at.model.n_variables;
  std::fill_n(Dh, at.model.elements.n_constraints * n, 0.0);
  for (const auto& c : at.model.elements.constraints) {
    c->gradient(at, Dh);
    for (int r = 0; r < c->rows(); ++r, Dh += n, ++scale) {
      double size = 0.0;
      for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(Dh[i]));
      if (size <= round_off * *scale) std::fill_n(Dh, n, 0.0);
    }
  }
}

void constraint_dqdq(const Instant& at, double* DDh) {
  const std::size_t n = at.model.n_variables;
  std::fill_n(DDh, at.model.elements.n_constraints * n * n, 0.0);
  for (const auto& c : at.model.elements.constraints) {
    c->hessian(at, DDh);
    if (!at.model.balls.empty()) order_rows(at, *c, DDh);
    DDh += c->rows() * n * n;
  }
}

void constraint_dqdqdq(const Instant& at, double* DDDh) {
  const std::size_t n = at.model.n_variables, cube = n * n * n;
  std::fill_n(DDDh, at.model.elements.n_constraints * cube, 0.0);
  for (const auto& c : at.model.elements.constraints) {
    c->third(at, DDDh);
    DDDh += c->rows() * cube;
  }
}

void constraint_rate(const Instant& at, double* h_t) {
  for (const auto& c : at.model.elements.constraints) {
    c->rate(at, h_t);
    h_t += c->rows();
  }
}

void constraint_bias(const Instant& at, double* out) {
  for (const auto& c : at.model.elements.constraints) {
    c->bias(at, out);
    out += c->rows();
  }
}

}  // namespace bough
