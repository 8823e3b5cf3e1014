// Derivatives of a discrete Lagrangian by inputs and by time, at the interval that it evaluated last.
#pragma once

#include <stdexcept>

#include "bough/dynamics/phi.hpp"

namespace bough {

class RuleDerivatives {
 public:
  virtual ~RuleDerivatives() = default;

  // dD1/du and dD2/du, (n_variables, n_inputs) by rows.
  virtual void input_derivatives(double* D1_u, double* D2_u) = 0;
  // By the length of the interval and by its time, both over variables; after slot_derivatives with all four.
  struct TimeSlots {
    double *D1_dt, *D2_dt, *D1_t, *D2_t;
  };
  virtual void time_derivatives(const TimeSlots& out) = 0;
  // The places whose Phi together are a . D1 + lp . D2; a and lp over variables. What a place points to is that of `memory`
  // until the next one is made.
  virtual int places() const = 0;
  virtual PhiPlace place(int i, const double* a, const double* lp, Covectors& memory) const = 0;
  // Of the one place of a rule with balls, after slot_derivatives.
  virtual PhiBalls balls_of_place(const double* /*a*/, const double* /*lp*/) const {
    throw std::logic_error("a rule that has no balls");
  }
};

}  // namespace bough
