// The equations of a step (S1) of four runs at once without constraints, and Newton's method on them with a fresh matrix in
// every iteration. A lane that is solved keeps its q1, at which it is evaluated again to the same numbers.
#pragma once

#include "bough/integrators/lane_tree.hpp"
#include "bough/integrators/step_equations.hpp"

namespace bough {

class LaneEquations {
 public:
  // Whether the equations of a model can be solved in lanes: its elements act on single variables, and no servo does.
  static bool fits(const Model& model);

  LaneEquations(const Model& model, double alpha, const StepSettings& settings);
  void load(int lane, const Model& model);

  // What a step of all lanes starts from; u: the inputs of each lane.
  struct Start {
    double t, dt;
    const LaneArray &q, &p;
    const double* const* u;
  };
  // Where runs begin: velocities of the momenta, accelerations of what rests, energies, and inverse_pivots() of the tree.
  struct Beginning {
    LaneArray v, a;
    Lane4 kinetic, potential, inverse_pivots;
  };
  const Beginning& begin(const Start& start, bool any_moves, bool any_rests);
  const Beginning& beginning() const { return beginning_; }

  // One lane's way to a solution.
  struct Trial {
    bool open = false;            // in: whether it is to be solved; out: false
    bool little_history = false;  // in: the guess is rough
    double floor = 0.0;           // in and out: round-off level met
    bool solved = false;
    int iterations = 0;
    double residual = 0.0, before = 0.0;  // relative to the size of the terms
  };
  // From a guess in q1.
  void solve(const Start& start, Trial* trials);

  // Of the step solved last.
  LaneArray q1;
  const LaneArray& D2() const { return D2_; }
  const LaneArray& f() const { return f_; }
  const LaneArray& force() const { return force_; }  // fd- = fd+
  const LaneArray& units() const { return unit_; }
  LaneTree& tree() { return tree_; }
  // -dLd/d(dt), in kinetic and potential part.
  struct Energy {
    Lane4 kinetic, potential;
  };
  Energy energy();

 private:
  struct Lagrangian {
    LaneArray q, v, L_q, L_v;  // at the midpoint
  };
  // For elements, which know one system.
  struct Single {
    const Model* model = nullptr;
    std::vector<double> q, v, out, force;
  };

  void evaluate(const Start& start, bool first, Trial* trials);
  void add_elements(const Start& start);
  Lane4 potential_energy() const;
  void set_diagonal(const Start& start);
  void judge(int iteration, Trial& trial) const;
  Instant instant(const Single& of, double t, const double* u) const;

  const double alpha_, tolerance_;
  const int max_iterations_;
  const bool pulled_, forced_;  // by potentials, by forces of elements
  LaneTree tree_;
  Lagrangian at_;
  LaneArray f_, D2_, force_, size_, d_, x_, unit_;  // size_: inverse sizes of the terms of f
  LaneArray zero_;
  Beginning beginning_;
  Single single_[lanes];
  const std::vector<JointState> no_poses_;
};

}  // namespace bough
