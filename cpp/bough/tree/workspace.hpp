// Scratch memory of the kernels: one per thread, grown to the largest model seen, so that no call allocates twice.
#pragma once

#include <vector>

#include "bough/tree/model.hpp"

namespace bough {

// World-frame quantities of one joint, filled by the outward sweeps. Slot 0 is the world.
struct JointState {
  Pose g;   // pose                       (T1)
  Twist J;  // world screw                (T2)
  Twist V;  // velocity of the link       (T3)
  Twist U;  // rate of change of J        (T4)
};

// Parameters of all joints with their sines and cosines, padded to full registers.
struct JointParameters {
  std::vector<Lane4> lanes[3];
  double *s = nullptr, *sn = nullptr, *cs = nullptr;
  std::vector<Mat3> turns;   // of the balls
  std::vector<Lane4> betas;  // b of (BJ2) of the rotation vectors of four balls at a time
  void fit(const Model& model) {
    if (turns.size() < model.balls.size()) turns.resize(model.balls.size());
    if (betas.size() < model.fours.size()) betas.resize(model.fours.size());
    const std::size_t size = (model.joints.size() + 3) / 4;
    if (s && lanes[0].size() >= size) return;
    for (auto& lane : lanes) lane.assign(size + 1, Lane4{});
    s = reinterpret_cast<double*>(lanes[0].data());
    sn = reinterpret_cast<double*>(lanes[1].data());
    cs = reinterpret_cast<double*>(lanes[2].data());
  }
};

// Articulated-body quantities of one joint: (D2)-(D4).
struct Articulated {
  Mat6 P;
  Wrench u, F;          // P J, bias wrench
  Twist E;              // acceleration
  double inverse_D, r;  // D and the reduced right-hand side
  double m, Q;          // mass and trace of inertia of the subtree: the scale of D
};

// The same of a joint in a tree that moves in a plane: (PD1)-(PD5).
struct PlanarNode {
  double omega, alpha, A1, A2;  // rates and accelerations before the pivots, then what these add to alpha and A
  double Pww, Pw1, Pw2, P11, P12, P22, t, f1, f2;  // inertia and wrench
  double Q;                                        // the scale of Pww
  // The way from the parent's origin, the direction of a slide, and the pivot's row over D. What a pivot stores has no
  // neighbours, lest the compiler gathers it in registers first: a fifth of the time.
  double k1, r1, k2, r2, kw, e1, x, e2;
};

struct Workspace {
  JointParameters parameters;
  std::vector<JointState> state;
  std::vector<Inertia> inertia;     // world inertia of a link, then of the subtree
  std::vector<Wrench> momentum;     // h, then summed over the subtree
  std::vector<Twist> acceleration;  // A
  std::vector<Wrench> force;
  std::vector<Articulated> articulated;
  std::vector<PlanarNode> planar;
  std::vector<double> rows;    // a and b as structure of arrays: 12 rows of n
  std::vector<double> column;  // one joint-space vector
  std::vector<double> tau;     // two vectors over variables
  std::vector<double> matrix;  // joint-space matrices, if joints share variables
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
    if (!model.balls.empty()) parameters.fit(model);
    if (state.size() >= slots) return;
    parameters.fit(model);
    state.resize(slots);
    inertia.resize(slots);
    momentum.resize(slots);
    acceleration.resize(slots);
    force.resize(slots);
    articulated.resize(slots);
    planar.resize(slots);
    rows.resize(12 * slots);
    column.resize(slots);
    state[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  }
};

// The calling thread's workspace, large enough for the model.
Workspace& workspace(const Model& model);

// While it lives, the calling thread has another workspace, for kernels that run inside a user's element while the
// caller still needs its own.
class WorkspaceScope {
 public:
  WorkspaceScope();
  ~WorkspaceScope();
  WorkspaceScope(const WorkspaceScope&) = delete;
  WorkspaceScope& operator=(const WorkspaceScope&) = delete;
};

}  // namespace bough
