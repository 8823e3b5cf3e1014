// What a step of order 2s takes from one node to the next, and what drives it (docs/theory/gauss.md).
#pragma once

#include <cstddef>
#include <vector>

namespace bough {

// What drives a step: kinematic variables at the nodes k = 1 ... s, inputs at the stages. A stride of 0: they are held.
struct Drive {
  const double *k, *u;
  std::size_t k_stride, u_stride;
  const double* node(int k_) const { return k + (k_ - 1) * k_stride; }
  const double* stage(int i) const { return u + i * u_stride; }
};

// A step, or a part of it.
struct GaussPart {
  double dt;
  Drive drive;
};

struct GaussState {
  double t = 0.0, t_rest = 0.0;  // *_rest: what rounding left of the sums
  // Of the last step and the one before; 0 at the start: `rates` holds the velocity of the start for every stage.
  double dt_before = 0.0, dt_earlier = 0.0;
  double contraction = 1.0;  // of the last iteration
  double work = 0.0;         // of the forces since the start (GL13)
  int newton = 0;            // for how many steps Newton's method comes first, since the iteration failed
  std::vector<double> q, p, q_rest, p_rest;
  std::vector<double> rates;     // V of the last step and of the one before, by stage
  std::vector<double> impulses;  // mu, h lam_1, ..., h lam_{s-1} of the last step
};

// The step of length h from a node.
struct GaussStep {
  const GaussState& from;
  double h;
  const Drive& drive;
  // The instant at a fraction of the step.
  double time(double fraction) const { return from.t + (from.t_rest + fraction * h); }
};

}  // namespace bough
