#include "bough/dynamics/gaps.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr double least_scale = 1e-17;  // where points coincide at the origin, nothing tells how small a gap can be

}  // namespace

void gap(const Instant& at, double* phi, double* scale) {
  for (const auto& e : at.model.elements.unilaterals) {
    const int count = e->contacts();
    e->value(at, phi, scale);
    for (int i = 0; i < count; ++i) scale[i] = std::max(scale[i], least_scale);
    phi += count;
    scale += count;
  }
}

void gap_dq(const Instant& at, double* Dphi) {
  const std::size_t n = at.model.n_variables;
  std::fill_n(Dphi, at.model.elements.n_contacts * n, 0.0);
  for (const auto& e : at.model.elements.unilaterals) {
    e->gradient(at, Dphi);
    Dphi += e->contacts() * n;
  }
}

void gap_rate(const Instant& at, double* phi_t) {
  for (const auto& e : at.model.elements.unilaterals) {
    e->rate(at, phi_t);
    phi_t += e->contacts();
  }
}

}  // namespace bough
