// Penalty springs and dampers at the joints, stepped explicitly, y of (ME1):
//
//   v1 = v0 + h M^-1 (F + y),  then positions by v1                                                                  (ME2)
#pragma once

#include "bough/maximal/penalty_springs.hpp"

namespace bough {

class ExplicitPenaltyStepper {
 public:
  ExplicitPenaltyStepper(const MaximalParts& parts, PenaltySprings& springs);
  StepStatus step(double dt, const double* k1, const double* u);

 private:
  MaximalParts at_;
  PenaltySprings& springs_;
  std::vector<Wrench> f_, y_;  // momenta after the applied forces; forces of the springs
};

}  // namespace bough
