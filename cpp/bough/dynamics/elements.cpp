#include "bough/dynamics/elements.hpp"

#include <algorithm>
#include <cmath>

namespace bough {
namespace {

// Where points coincide at the origin, nothing tells how small h can be.
constexpr double least_scale = 1e-17;

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
}

void add_forces(const Instant& at, double factor, double* out) {
  for (const auto& e : at.model.elements.forces) e->add_force(at, factor, out);
}

void add_forces_dq(const Instant& at, double factor, double* H) {
  for (const auto& e : at.model.elements.forces) e->add_force_dq(at, factor, H);
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

void constraint_dq(const Instant& at, const double* scale, double* Dh) {
  constexpr double round_off = 1e-14;
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
    DDh += c->rows() * n * n;
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
