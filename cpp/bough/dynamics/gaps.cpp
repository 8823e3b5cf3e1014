#include "bough/dynamics/gaps.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr double least_scale = 1e-17;  // where points coincide at the origin, nothing tells how small a gap can be

}  // namespace

void gap(const Unilateral& element, const ContactInstant& at, double* phi, double* scale) {
  element.value(at, phi, scale);
  for (int i = 0; i < element.contacts(); ++i) scale[i] = std::max(scale[i], least_scale);
}

void gap(const ContactInstant& at, double* phi, double* scale) {
  ContactInstant here = at;
  for (const auto& e : at.model.elements.unilaterals) {
    const int count = e->contacts();
    gap(*e, here, phi, scale);
    phi += count;
    scale += count;
    if (here.features) here.features += count;
  }
}

void gap_dq(const ContactInstant& at, double* Dphi) {
  const std::size_t n = at.model.n_variables;
  std::fill_n(Dphi, at.model.elements.n_contacts * n, 0.0);
  ContactInstant here = at;
  for (const auto& e : at.model.elements.unilaterals) {
    e->gradient(here, Dphi);
    Dphi += e->contacts() * n;
    if (here.features) here.features += e->contacts();
  }
}

bool has_features(const Model& model) {
  const auto& all = model.elements.unilaterals;
  return std::any_of(all.begin(), all.end(), [](const auto& e) { return e->has_features(); });
}

std::size_t contact_state_size(const Model& model) {
  const std::size_t contacts = model.elements.n_contacts;
  return contacts == 0 ? 0 : contacts + 1 + (has_features(model) ? contacts : 0);
}

void gap_rate(const ContactInstant& at, double* phi_t) {
  for (const auto& e : at.model.elements.unilaterals) {
    e->rate(at, phi_t);
    phi_t += e->contacts();
  }
}

}  // namespace bough
