// Bodies in maximal coordinates: position of the centre of mass, unit quaternion, linear and angular velocity each, and
// what acts on them. The ways to step are in velocity.cpp, penalty_explicit.cpp and penalty_implicit.cpp.
//
// Wrenches and twists of bodies are taken at the world origin. Elements between frames act on the bodies as they are;
// elements that know variables (springs and forces of a variable, gears, what a user wrote) are evaluated at the recovered
// q and v, and act along the joints: a generalised force tau of a variable is the pair of wrenches +-tau w_c / ratio of its
// joint (MK4), a row Dh of a constraint the row sum Dh w_c / ratio on twists.
#pragma once

#include "bough/maximal/chain.hpp"
#include "bough/maximal/contact.hpp"
#include "bough/maximal/rotation.hpp"
#include "bough/maximal/tree_velocity.hpp"
#include "bough/solvers/rank_revealing.hpp"
#include "bough/tree/workspace.hpp"

#include <memory>

namespace bough {

enum class MaximalStatus : int { fine, singular, not_finite, no_convergence, exploded };

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

// A constraint of the model, of a user's choice at run time, or a contact; its rows are `row`, `row` + 1, ... of lam.
struct MaximalConstraint {
  std::shared_ptr<const Constraint> on_bodies, on_variables;  // one of them, or
  int contact = -1;                                           // a contact
  int rows = 1, row = 0;
  bool enabled = true;
  double break_above = -1.0;  // norm of its force, negative: never
};

// Whether a link has no mass, or no rotational inertia about some axis.
bool lacks_inertia(const Link& link);

// I^-1 b for a regular symmetric I
Vec3 solve_symmetric(const Mat3& I, const Vec3& b);

class MaximalEngine {
 public:
  MaximalEngine(const MaximalEngine&) = delete;
  MaximalEngine& operator=(const MaximalEngine&) = delete;
  MaximalEngine(const Model& model, const MaximalSettings& settings);

  // Elements of the model in their order; a null constraint on bodies means that it acts on variables.
  void add(std::shared_ptr<const Potential> on_bodies, std::shared_ptr<const Potential> on_variables);
  void add(std::shared_ptr<const Force> on_bodies, std::shared_ptr<const Force> on_variables);
  int add(std::shared_ptr<const Constraint> on_bodies, std::shared_ptr<const Constraint> on_variables);
  int add(const Contact& contact);
  void enable(int constraint, bool on);
  bool enabled(int constraint) const { return constraints_[constraint].enabled; }
  void break_joint(int slot);
  void break_above(int constraint, double force) { constraints_[constraint].break_above = force; }
  void break_joint_above(int slot, double force) {
    break_joint_above_[slot] = force;
    watched_ = true;
  }

  void start(double t, const double* q, const double* v);
  void project_velocities();  // onto what is enabled

  // Kinematic values at the end of the step, inputs during it. On failure the state is the one before the step.
  MaximalStatus step_velocity(double dt, const double* k1, const double* u);
  MaximalStatus step_penalty_explicit(double dt, const double* k1, const double* u);
  MaximalStatus step_penalty_implicit(double dt, const double* k1, const double* u);

  // Back to the state before the step: after an exception of an element that a user wrote.
  void restore() { fail(MaximalStatus::fine); }

  // The largest eigenvalue of M^-1 A^T K A with K the penalty springs: see stability.cpp.
  double penalty_eigenvalue();
  // Mean square of the radius of gyration: what makes an angular stiffness of a linear one.
  double gyration() const;
  const Model& model() const { return model_; }
  const Bodies& bodies() const { return bodies_; }

  // State: by slot, slot 0 is the world.
  double t = 0.0;
  std::vector<Vec3> x, v, w;
  std::vector<Quaternion> o;
  // Recovered: variables of the model, drift of the joints by slot, forces of the constraints.
  std::vector<double> q, q_rate, lam;
  std::vector<Twist> drift;
  std::vector<bool> broken;
  std::vector<int> events;  // constraints, or -slot of joints, that broke in the last step
  MaximalSettings settings;
  int failed_slot = 0, iterations = 0;

 private:
  struct Saved {
    double t;
    std::vector<Vec3> x, v, w;
    std::vector<Quaternion> o;
    std::vector<double> q, q_rate, s;
  };
  void save();
  MaximalStatus fail(MaximalStatus status);

  void count_rows();
  Inertia body_inertia(int slot) const;
  Mat3 rotational(int slot) const;       // about the centre of mass, world axes
  Vec3 spun(int slot, double dt) const;  // angular momentum after the gyroscopic term
  Twist world_twist(int slot) const;
  void set_poses();
  void set_velocities();  // v, w from V_
  void recover_joints();
  void recover_rates();
  void find_basis();
  void move(double dt);  // positions by v, w
  void add_forces_to(std::vector<Wrench>& F, const double* u);
  void add_along_joints(const double* tau, std::vector<Wrench>& F) const;
  void set_driven(double dt, const double* k1);
  void place_driven();
  void find_rows();
  void add_row_of_variables(const double* Dh, double* row, double* rate) const;
  void momenta(double dt, const double* u, std::vector<Wrench>& f);
  MaximalStatus solve_rows(const std::vector<double>& target, std::vector<Twist>& V);
  MaximalStatus constrained_solve(const Twist* c, const std::vector<double>& target);
  MaximalStatus project_positions();
  MaximalStatus finish(double dt, const double* k1);
  void add_reactions(double dt);
  void check_breaks();
  bool finite() const;
  double extent() const;
  void penalty_projectors();
  Wrench penalty(int slot, const Twist& relative) const;
  void add_penalties(std::vector<Wrench>& F);
  double row_stiffness(int r) const;

  const Model& model_;
  Bodies bodies_;
  Model space_;
  std::vector<std::shared_ptr<const Potential>> potentials_;
  std::vector<std::shared_ptr<const Force>> forces_;
  std::vector<MaximalConstraint> constraints_;
  std::vector<Contact> contacts_;

  std::vector<double> s_;          // by joint of the model
  std::vector<Pose> g_;            // of the links of bodies, by slot
  std::vector<ChainState> joint_;  // by slot
  std::vector<Twist> J_;           // by place in the chains, in the axes of the body
  std::vector<Wrench> dual_, world_dual_;
  std::vector<Twist> B_;  // 6 a body, world
  std::vector<int> freedom_;
  std::vector<Inertia> inertia_;
  std::vector<Twist> V_, driven_, c_;
  std::vector<Wrench> F_, f_, y_, reaction_;  // reaction_: forces of the joints, where they are watched
  std::vector<double> break_joint_above_;     // by slot, negative: never
  bool watched_ = false;
  std::vector<JointState> space_state_;
  std::vector<double> space_q_, tau_, space_out_, vk_;
  TreeVelocity tree_;

  int m_ = 0;                 // enabled rows
  std::vector<int> coupled_;  // joints whose variable has another one before them, neither broken
  std::vector<int> row_of_;   // enabled row -> row of lam, or -1 for a shared variable
  std::vector<double> A_, Z_, C_, rate_, scale_, target_, impulse_, Dh_;
  Eigen::MatrixXd S_;
  Eigen::VectorXd mu_;
  RankRevealing schur_;

  std::vector<Eigen::Matrix<double, 6, 6>> Q_;  // projectors of penalties, axes of the body
  Saved saved_;
  std::shared_ptr<class PenaltySolver> implicit_;
  friend class PenaltySolver;
};

}  // namespace bough
