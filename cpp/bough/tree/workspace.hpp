// Scratch memory of the kernels: one per thread, grown to the largest model seen, so that no call allocates twice.
#pragma once

#include <vector>

#include "bough/spatial/pack.hpp"
#include "bough/tree/model.hpp"

namespace bough {

// World-frame quantities of one joint, filled by the outward sweeps. Slot 0 is the world.
struct JointState {
  Pose g;   // pose                       (T1)
  Twist J;  // world screw                (T2)
  Twist V;  // velocity of the link       (T3)
  Twist U;  // rate of change of J        (T4)
};

// Articulated-body quantities of one joint: (D2)-(D4).
struct Articulated {
  Pack66 P;
  Pack J, u, F;         // screw, P J, bias wrench
  double inverse_D, r;  // D and the reduced right-hand side
  double m, Q;          // mass and trace of inertia of the subtree: the scale against which D is judged
};

struct Workspace {
  std::vector<JointState> state;
  std::vector<Inertia> inertia;     // world inertia of a link, then of the subtree
  std::vector<Wrench> momentum;     // h, then summed over the subtree
  std::vector<Twist> acceleration;  // A
  std::vector<Wrench> force;
  std::vector<Articulated> articulated;
  std::vector<double> rows;    // a and b as structure of arrays: 12 rows of n
  std::vector<double> column;  // one joint-space vector
  std::vector<double> tau;     // two vectors over variables
  std::vector<double> matrix;  // joint-space matrices where joints share variables
  std::vector<double> dense;   // rows and matrices over variables

  void fit_dense(std::size_t size) {
    if (dense.size() < size) dense.resize(size);
  }

  void fit(const Model& model) {
    const std::size_t slots = model.joints.size() + 1, variables = model.n_variables;
    if (tau.size() < 2 * variables) {
      tau.resize(2 * variables);
      fit_dense(3 * variables);
    }
    if (state.size() >= slots) return;
    state.resize(slots);
    inertia.resize(slots);
    momentum.resize(slots);
    acceleration.resize(slots);
    force.resize(slots);
    articulated.resize(slots);
    rows.resize(12 * slots);
    column.resize(slots);
    state[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  }
};

// The calling thread's workspace, large enough for the model.
Workspace& workspace(const Model& model);

}  // namespace bough
