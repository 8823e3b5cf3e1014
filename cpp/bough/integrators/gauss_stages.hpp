// All stages of a step, side by side in the lanes of registers: (GL2), (GL4) of gauss.hpp without constraints, their
// residuals, and the mass matrix of each stage, factored by articulated bodies (D2); if joints share a variable, dense.
// Lanes without a stage repeat the first one.
#pragma once

#include "bough/integrators/gauss_state.hpp"
#include "bough/solvers/dense.hpp"
#include "bough/solvers/tree_newton_stages.hpp"

namespace bough {

// The polynomial through the rates of a step that was made: a stage takes its value at first + c length, in units of that
// step. (1, 0) is the rate at its end for all stages.
struct RatePolynomial {
  const GaussState& made;
  double first, length;
};

class GaussStages {
 public:
  GaussStages(const Model& model, const GaussTable& table);

  int count() const { return table_.stages; }
  // A lane for each stage: over all variables, and over dynamic ones in r, the residual (GL7), then the correction of v.
  std::vector<Lane4> q, v, L_v, F, force, r;  // L_v, L_q + f, f

  // Coefficients of all stages that belong to one of them, or to a node: (x[0][k], x[1][k], ...).
  Lane4 column(const GaussTable::Matrix& x, int k) const;
  // v += r
  void correct();
  void take_back();

  // Rates of kinematic variables: they do not change during the iteration (GL5).
  void begin(const GaussStep& step);
  // Rates of dynamic variables, for a first guess.
  void guess(const RatePolynomial& past);
  // (GL2), and L_v, F there; then r.
  void evaluate(const GaussStep& step);
  void set_residuals(const GaussStep& step);
  // The mass matrices. Returns -1, or a variable at which one of them is singular.
  int factor();
  // x = M^-1 x over dynamic variables.
  void solve(std::vector<Lane4>& x);

  // A stage by itself, as it was evaluated last: its numbers are copied by split().
  void split(bool poses);
  Instant instant(int stage, double t, const double* u) const {
    const Single& x = single_[stage];
    return {model_, x.state, x.q.data(), x.v.data(), u, t};
  }

  // By slot, as they were evaluated last.
  const std::vector<StageJoint>& joints() const { return joints_; }
  const std::vector<StageBody>& bodies() const { return bodies_; }

 private:
  void sweep_out();
  void sweep_in();
  void add_elements(const GaussStep& step);
  int factor_dense();
  void solve_dense(std::vector<Lane4>& x);
  LaneVec local_world(int joint) const;
  Lane4 stages_of(const Lane4& x) const;

  struct Pivot {
    LaneTwist J;   // where M was factored
    LaneWrench u;  // (D2)
    LaneWrench s;  // (D3)
    LaneTwist E;   // (D4)
    Lane4 inverse_D, r;
  };
  struct Single {
    std::vector<double> q, v, out;
    std::vector<JointState> state;
  };
  struct Dense {
    Eigen::MatrixXd M;
    Eigen::VectorXd x;
    DenseCholesky llt[most_stages];
  };

  const Model& model_;
  const GaussTable& table_;
  std::vector<int> loose_;          // variables that no joint has
  std::vector<Lane4> s_, sn_, cs_;  // parameters of joints, their sines and cosines
  std::vector<StageJoint> joints_;  // by slot
  std::vector<StageBody> bodies_;   // by slot
  std::vector<Pivot> pivots_;       // by slot
  std::vector<LaneInertia> P_;      // by slot
  std::vector<Lane4> Q_;            // trace of the subtree's inertia: with its mass, the scale that D is judged by
  Single single_[4];
  Dense dense_;
};

}  // namespace bough
