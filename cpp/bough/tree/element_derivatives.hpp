// What derivatives of a step need of elements beyond what Newton's method does. Kinds implement these beside their own
// interface; of one that does not, a force has no inputs and no time, and a constraint sums its second derivatives.
#pragma once

#include "bough/tree/elements.hpp"

namespace bough {

class Along;

class PotentialDerivatives {
 public:
  virtual ~PotentialDerivatives() = default;
  // H (n_variables square) += factor times the derivative of d2V/dq dq along a direction.
  virtual void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const = 0;
  // Whether that is zero for every direction.
  virtual bool quadratic() const { return false; }
};

class ForceDerivatives {
 public:
  virtual ~ForceDerivatives() = default;
  // B (n_variables, n_inputs) += factor df/du, and out += factor df/dt at fixed q and v.
  virtual void add_force_du(const Instant&, double /*factor*/, double* /*B*/) const {}
  virtual void add_force_dt(const Instant&, double /*factor*/, double* /*out*/) const {}
  // Whether all second derivatives by q, v and u are zero wherever they exist.
  virtual bool linear() const { return false; }
  // The second derivatives of the virtual power c . f of a force that does not depend on v, if the kind has them: at an
  // instant whose state is swept with c in place of v, qq (n_variables square) += d2(c . f)/dq dq and
  // uq (n_inputs, n_variables) += d2(c . f)/du dq.
  virtual bool has_virtual_hessian() const { return false; }
  virtual void add_virtual_hessian(const Instant&, double* /*qq*/, double* /*uq*/) const {}
};

class ConstraintDerivatives {
 public:
  virtual ~ConstraintDerivatives() = default;
  // H (n_variables square) += sum_r weights_r d2h_r/dq dq; its rows omit the joints at or above Instant::fork, as the
  // gradient does.
  virtual void add_hessian(const Instant& at, const double* weights, double* H) const = 0;
  // The derivatives of both along a direction, if the kind has them: H += sum_r weights_r (d2h_r/dq dq)', and
  // C (rows, n_variables) += (dh/dq)'. Of a direction, only joints below Instant::fork count.
  virtual bool has_along() const { return false; }
  virtual void add_hessian_along(const Instant&, const Along&, const double* /*weights*/, double* /*H*/) const {}
  virtual void add_gradient_along(const Instant&, const Along&, double* /*C*/) const {}
};

// B += factor df/du, summed over the forces of a model.
inline void add_forces_du(const Instant& at, double factor, double* B, const Elements& elements) {
  for (const auto& e : elements.forces)
    if (const auto* force = dynamic_cast<const ForceDerivatives*>(e.get())) force->add_force_du(at, factor, B);
}

// The elements of a model with these derivatives; null for one that has none.
struct ElementDerivatives {
  explicit ElementDerivatives(const Elements& elements) {
    for (const auto& e : elements.forces) forces.push_back(dynamic_cast<const ForceDerivatives*>(e.get()));
    for (const auto& e : elements.potentials) potentials.push_back(dynamic_cast<const PotentialDerivatives*>(e.get()));
    for (const auto& e : elements.constraints)
      constraints.push_back(dynamic_cast<const ConstraintDerivatives*>(e.get()));
  }
  std::vector<const PotentialDerivatives*> potentials;
  std::vector<const ForceDerivatives*> forces;
  std::vector<const ConstraintDerivatives*> constraints;
};

}  // namespace bough
