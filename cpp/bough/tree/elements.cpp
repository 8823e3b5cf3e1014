#include "bough/tree/elements.hpp"

#include <algorithm>
#include <stdexcept>

#include "bough/tree/balls.hpp"
#include "bough/tree/model.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {

void Potential::add_third(const Instant&, double, double*) const {
  throw std::logic_error("a potential without third derivative");
}

void Constraint::third(const Instant&, double*) const {
  throw std::logic_error("a constraint without third derivative");
}

void Constraint::rate(const Instant&, double* h_t) const { std::fill_n(h_t, rows(), 0.0); }

void Constraint::bias(const Instant& at, double* out) const {
  const std::size_t n = at.model.n_variables;
  thread_local std::vector<double> H;
  H.assign(rows() * n * n, 0.0);
  hessian(at, H.data());
  for (int r = 0; r < rows(); ++r) {
    out[r] = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) out[r] += at.v[i] * H[(r * n + i) * n + j] * at.v[j];
  }
  if (at.model.balls.empty()) return;
  H.assign(rows() * n, 0.0);
  gradient(at, H.data());
  for (int r = 0; r < rows(); ++r) out[r] += order_along(at.model, H.data() + r * n, at.v);
}

void Elements::add(std::shared_ptr<const Potential> potential) {
  diagonal &= potential->diagonal();
  potentials.push_back(std::move(potential));
}

void Elements::add(std::shared_ptr<const Force> force) {
  diagonal &= force->diagonal();
  forces.push_back(std::move(force));
}

void Elements::add(std::shared_ptr<const Constraint> constraint) {
  n_constraints += constraint->rows();
  constraints.push_back(std::move(constraint));
}

void Elements::add(std::shared_ptr<const Unilateral> unilateral) {
  n_contacts += unilateral->contacts();
  n_contact_rows += unilateral->contacts() * (1 + unilateral->tangents());
  unilaterals.push_back(std::move(unilateral));
}

}  // namespace bough
