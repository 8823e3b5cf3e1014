// Settings of a step in maximal coordinates.
#pragma once

#include "bough/solvers/step_status.hpp"

namespace bough {

struct MaximalSettings {
  double beta = 0.2;                                // share of the drift taken back in a step
  bool projection = false;                          // positions and velocities onto the constraints after each step
  bool implicit_gyroscopic = false;                 // else explicit, as on the slides
  double stiffness = 0.0, angular_stiffness = 0.0;  // of penalty springs, N/m and N m/rad
  double relaxation = 0.0;                          // damping over stiffness, s
  double smallest_inertia = 0.0;                    // added to the rotational inertia of bodies that lack it
  double tolerance = 1e-10;                         // of the implicit solution, relative to the velocities
  int max_iterations = 60;
};

}  // namespace bough
