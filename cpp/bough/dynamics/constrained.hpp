// Continuous dynamics with holonomic constraints ([JM09] eq. 36) and projection of momenta:
//
//   M a = tau - C + Dh^T lam,  Dh a + bias + rate = 0                                                           (C1)
//   Z = M^-1 Dh^T,  (Dh Z) lam = -(bias + rate + Dh a0),  a = a0 + Z lam,  a0 without constraints
//   v = M^-1 (p + Dh^T lam),  Dh v + h_t = 0                                                                    (C2)
//   v += Z lam,  (Dh Z) lam = -(Dh v + h_t)                                                                     (C3)
//   q += Z lam,  (Dh Z) lam = -h                                                                                (C4)
//
// Redundant rows are allowed: lam is the one of least norm. `rate` adds Baumgarte's 2 g1 Dh v + g2^2 h. Where no variable is
// shared, the correction Z lam comes from the tree with its border in time linear in the size of a mechanism of local
// loops: at rest, with alpha = dt = 1, the matrix of tree_newton is -M.
#pragma once

#include <memory>

#include "bough/dynamics/elements.hpp"
#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// Scratch for n_constraints rows.
struct ConstraintSpace {
  explicit ConstraintSpace(const Model& model);
  // Z lam added to x, with (Dh Z) lam = lam on entry; kinematic entries of x stay. Returns -1 or a singular variable.
  int correct(Workspace& ws, const double* q, double* x);

  std::vector<double> Dh, Z, h, scale, bias, rate;
  Eigen::MatrixXd S;
  Eigen::VectorXd lam;
  RankRevealing schur;

 private:
  bool correct_in_tree(const double* q, double* x);

  const Model& model_;
  std::vector<std::vector<int>> joints_;  // of each row; empty where variables are shared
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  std::vector<double> joint_, lam_;
  TreeNewton tree_;
  TreeBorder border_;
};

// A space that the calling thread keeps for its next call with this model: making one takes longer than a small
// mechanism's acceleration. While it lives, the thread gives out no second one, so that a user's element may call the core.
class KeptConstraintSpace {
 public:
  explicit KeptConstraintSpace(const Model& model);
  ~KeptConstraintSpace();
  KeptConstraintSpace(const KeptConstraintSpace&) = delete;
  KeptConstraintSpace& operator=(const KeptConstraintSpace&) = delete;
  operator ConstraintSpace&() { return *space_; }

 private:
  const Model& model_;
  std::unique_ptr<ConstraintSpace> space_;
};

// tau: generalised forces without potentials and force elements; a: kinematic entries given. lam has n_constraints entries.
// Returns -1 or a variable at which the mass matrix is singular.
int acceleration(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* v,
                 const double* tau, const double* u, double t, double baumgarte_velocity, double baumgarte_position,
                 double* a, double* lam);

// v from p over dynamic variables; kinematic entries of v given.
int velocity_from_momentum(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, const double* p,
                           double t, double* v);

// (C3) and one step of Newton's method (C4): by the metric of kinetic energy, the shortest way onto the constraints. The
// kinematic entries stay. Return as above.
int project_velocity(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t, double* v);
int project_configuration(const Model& model, Workspace& ws, ConstraintSpace& space, double t, double* q);

// The largest |h|.
double constraint_residual(const Model& model, Workspace& ws, ConstraintSpace& space, const double* q, double t);

}  // namespace bough
