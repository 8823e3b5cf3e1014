// What Newton's method leaves of a step, carried into the momenta at its end.
//
// The rows of a ball are along axes that turn with it, and its torques are about a point that moves by d (in the axes before
// the ball) on the three translations of a floating body, on which F is left:
//
//   P1 = D2 + R1^T (R0 f - d x F)                                                                              (BJ14)
//
// So the spatial momentum of a free tree does not change by any part of what is left, whatever the tolerance is.
#pragma once

#include <vector>

#include "bough/tree/ball_lanes.hpp"

namespace bough {

class CarriedResidual {
 public:
  explicit CarriedResidual(const Model& model);

  // Adds to p, which has D2 + f so far, what balls have in place of f. q0, q1: before and after, with phi in q1.
  void add(const Model& model, const double* q0, const double* q1, const double* f, double* p);
  // exp(phi) of that q1, by fours.
  const std::vector<LaneQuaternion>& turns() const { return turns_; }

 private:
  struct Slides {
    bool three = false;  // whether the ball follows three translations across each other
    int variable[3] = {};
    Vec3 axis[3] = {Vec3::zero(), Vec3::zero(), Vec3::zero()};  // in the axes before the ball
    double ratio[3] = {};
  };
  std::vector<Slides> slides_;         // of each ball
  std::vector<LaneQuaternion> turns_;  // by fours
  bool any_ = false;                   // of them with three
};

}  // namespace bough
