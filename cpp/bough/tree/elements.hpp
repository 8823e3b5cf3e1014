// Interfaces of the elements that act on the tree. One class per kind, one file per kind in potentials/, forces/ and
// constraints/; the tree, and everything that runs over joints, knows only these interfaces. One-sided elements have theirs
// in unilateral.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bough/spatial/spatial.hpp"
#include "bough/tree/support.hpp"

namespace bough {

struct Model;
struct JointState;
class Unilateral;

// A frame of the user, rigidly outboard of joint slot `joint`.
struct FramePlace {
  int joint;
  Pose X;
  double reach = 0.0;  // length of the constant offsets from the world to here: the scale of a position's round-off
};

// The branch of a servo of limited effort: that of its present value, or one that Newton's method has chosen.
enum class Limit : signed char { by_value, free, upper, lower };

// The part of a servo's impulse that moves from the end of a step to its start, and the time by which q is advanced.
struct ServoRule {
  double shift = 0.0, lead = 0.0;
};

// The state at which elements are evaluated. Poses and screws are in `state`, velocities too if v is not null.
struct Instant {
  const Model& model;
  const std::vector<JointState>& state;
  const double* q;
  const double* v = nullptr;
  const double* u = nullptr;
  double t = 0.0;
  int fork = 0;                   // gradients of constraints omit the joints at or above this slot
  Limit limit = Limit::by_value;  // of the servo that is evaluated
  double lead = 0.0;              // of the servo that is evaluated: it is taken at q + lead v
};

// All outputs are over variables and are added to. H is n_variables square, row-major.
class Potential {
 public:
  virtual ~Potential() = default;
  virtual double energy(const Instant& at) const = 0;
  virtual void add_gradient(const Instant& at, double factor, double* out) const = 0;
  virtual void add_hessian(const Instant& at, double factor, double* H) const = 0;

  // T (n_variables cube) += factor * d3V/dq dq dq, if the kind has it.
  virtual bool has_third() const { return false; }
  virtual void add_third(const Instant& at, double factor, double* T) const;

  // The joints in its Hessian.
  virtual Support support(const Model&) const { return {}; }

  // Whether it may depend on time, or on what the core knows nothing of.
  virtual bool moves() const { return false; }

  // True if the Hessian is diagonal: the O(n) tree solve then takes it through add_diagonal.
  virtual bool diagonal() const { return false; }
  virtual void add_diagonal(const Instant&, double, double*) const {}
};

// A generalised force f(q, v, u, t) with its derivatives H_ij = df_i/dq_j, df_i/dv_j.
class Force {
 public:
  virtual ~Force() = default;
  virtual void add_force(const Instant& at, double factor, double* out) const = 0;
  virtual void add_force_dq(const Instant&, double, double*) const {}
  virtual void add_force_dv(const Instant&, double, double*) const {}

  // The joints in its derivatives.
  virtual Support support(const Model&) const { return {}; }

  // Whether it may depend on time, or on what the core knows nothing of.
  virtual bool moves() const { return false; }

  // True if df/dq and df/dv are diagonal over the dynamic variables; d += by_q df/dq + by_v df/dv through add_diagonal.
  virtual bool diagonal() const { return false; }
  virtual void add_diagonal(const Instant&, double /*by_q*/, double /*by_v*/, double*) const {}

  // True for a servo, which says how a step of length dt treats it if the variables have these inertias, and which
  // branch the next Newton iteration takes after that of Instant::limit.
  virtual bool servo() const { return false; }
  virtual ServoRule servo_rule(double /*dt*/, double /*alpha*/, const double* /*inertia*/) const { return {}; }
  virtual Limit next_limit(const Instant&) const { return Limit::by_value; }
};

// Rows h(q, t) = 0, and rows A(q) v = 0 that no h follows from. Jacobian rows are n_variables long and come in zeroed, as does H: one square per row.
class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual int rows() const { return 1; }

  // h and the size of the terms that cancel in it: those of its formula and the reach of its points.
  virtual void value(const Instant& at, double* h, double* scale) const = 0;
  virtual void gradient(const Instant& at, double* Dh) const = 0;
  virtual void hessian(const Instant& at, double* H) const = 0;

  // d3h/dq dq dq, if the kind has it; T comes in zeroed, one cube per row.
  virtual bool has_third() const { return false; }
  virtual void third(const Instant& at, double* T) const;

  // The number of rows, the last ones, that constrain velocities only. The value of such a row is zero, its gradient is A(q), its
  // hessian dA_i/dq_j, and D += factor d(A v)/dq at fixed v, one row each, at an instant with velocities.
  virtual int nonholonomic() const { return 0; }
  virtual void add_slip_dq(const Instant&, double /*factor*/, double* /*D*/) const {}

  // The joints in its gradient if h = 0.
  virtual Support support(const Model&) const { return {}; }

  // Whether it depends on time and can therefore do work.
  virtual bool moves() const { return false; }

  // dh/dt at fixed q; and d2h/dt2 = v^T h_qq v + 2 h_qt v + h_tt without the accelerations. A kind with explicit time
  // overrides both.
  virtual void rate(const Instant&, double* h_t) const;
  virtual void bias(const Instant& at, double* out) const;
};

// An element as passed from Python: numbers in the order that its kind's file states.
struct ElementRecord {
  std::string kind;
  std::vector<FramePlace> frames;
  std::vector<int> variables;
  std::vector<int> inputs;  // -1: the value is a constant
  std::vector<double> values;
};

struct Elements {
  std::vector<std::shared_ptr<const Potential>> potentials;
  std::vector<std::shared_ptr<const Force>> forces;
  std::vector<std::shared_ptr<const Constraint>> constraints;
  std::vector<std::shared_ptr<const Unilateral>> unilaterals;
  int n_inputs = 0, n_constraints = 0;
  int n_contacts = 0, n_contact_rows = 0;  // of unilaterals; rows: a normal one and the tangents of each contact
  bool diagonal = true;                    // no potential or force couples joints

  void add(std::shared_ptr<const Potential> potential);
  void add(std::shared_ptr<const Force> force);
  void add(std::shared_ptr<const Constraint> constraint);
  void add(std::shared_ptr<const Unilateral> unilateral);
};

}  // namespace bough
