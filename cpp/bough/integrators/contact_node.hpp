// Velocities and impulses at one instant of a motion with contacts. For chosen contacts with rows J of (UN1) and v that keeps
// the bilateral rows,
//
//   Z = M^-1 (J^T - Dh^T y),  Dh Z = 0,   G = J Z,   U = J v + rate                                              (IM1)
//   v+ = v + Z r                                                                                                (IM2)
//
// with r of the impact law (IL1)-(IL4) on U, or, to project v on contacts that are closed, of the cone problem with b = U and
// no restitution. The momenta that a step ends with hold half a step of what presses on closed contacts: the projection is
// what takes it out. Dry friction gives up to F dt/2 there, and nothing in an impact. Friction at its limit may leave r and even v
// open, where bodies lean on each other: the solution is looked for from the forces that act there, with which what rests rests.
//
// M and the bilateral rows are factored along the tree: at rest, with alpha = dt = 1, (N1) is -M. With balls M is dense.
#pragma once

#include "bough/dynamics/constrained.hpp"
#include "bough/dynamics/contact_rows.hpp"
#include "bough/integrators/contact_state.hpp"
#include "bough/integrators/impact_law.hpp"
#include "bough/solvers/step_matrix.hpp"

namespace bough {

class ContactNode final : private StepTerms {
 public:
  explicit ContactNode(const Model& model);

  void freeze(const double* features) { rows_.freeze(features); }
  // The instant; q must stay. False if the mass matrix is singular.
  bool set(double t, const double* q);
  // v from momenta, on the bilateral rows; kinematic entries are given. Returns -1, or a singular variable.
  int velocity(const double* p, double* v);
  // The same at the instant that is set.
  int velocity_here(const double* p, double* v);
  void momentum(const double* v, double* p);
  // Whether p alone tells v: no bilateral rows, and no kinematic variables. p then takes the impulses of an impact.
  bool plain() const { return model_.elements.n_constraints == 0 && model_.n_variables == model_.n_dynamic; }
  void add_impulses(double* p) const;
  // a without contacts and bilateral rows, kinematic entries given; and the power of the forces. False if the mass matrix is
  // singular.
  bool acceleration(const double* v, const double* u, double* a, double* power);

  // The contacts that take part, and their rows.
  void choose(const std::vector<int>& chosen);
  const std::vector<int>& chosen() const { return chosen_; }
  int row(int i) const { return cones_[i].first; }            // the first of a chosen contact
  const std::vector<double>& U() const { return linear_.U; }  // over chosen rows
  const std::vector<double>& r() const { return linear_.r; }
  double speed() const { return speed_; }  // the size of what U is the sum of
  void set_U(const double* v);

  // (IM2) on all that are chosen, without restitution; `time`: half of the step before; `force`: over the rows of all contacts.
  // False if no solution is found: v then has the impulses that come nearest to the law.
  bool project(double time, const double* force, double* v);
  double rubbed() const { return rubbed_; }  // the energy that friction took in the projection
  // v of momenta at the end of a step of length dt_before, projected on the contacts for which closed(i) is true and on those
  // of dry friction; kinematic entries are given. Returns -1, or a singular variable. If the mass matrix is singular, v is that
  // of the momenta.
  template <class Closed>
  int velocity(double t, const double* q, const double* p, double dt_before, Closed closed, const double* force,
               double* v) {
    t_ = t;
    q_ = q;
    const int singular = velocity(p, v);
    if (singular >= 0) return singular;
    list_.clear();
    for (int i = 0; i < rows_.contacts(); ++i)
      if (closed(i) || rows_[i].dry()) list_.push_back(i);
    if (list_.empty() || !set(t, q)) return -1;
    choose(list_);
    project(0.5 * dt_before, force, v);
    return -1;
  }
  // The impact law; `restitution` of each chosen contact.
  bool impact(const std::vector<double>& restitution, double* v);
  const ImpactLaw& law() const { return law_; }

 private:
  bool along_tree() const override { return model_.balls.empty(); }
  TreeTerms tree_terms() const override { return {state_, bodies_, 1.0, 1.0}; }
  void set_dense(double* K) override;
  void apply(double* v) const;

  const Model& model_;
  ContactRows rows_;
  ConstraintSpace space_;
  StepMatrix matrix_;
  ConeProblem cone_;
  ImpactLaw law_;
  const double* q_ = nullptr;
  double t_ = 0.0, speed_ = 0.0, rubbed_ = 0.0;
  JointParameters parameters_;
  std::vector<JointState> state_;
  std::vector<MidpointBody> bodies_;
  struct Smooth {
    std::vector<double> x, y, h, scale, Dh, L_q, L_v, tau;  // of the bilateral rows and of the mechanics
  };
  Smooth smooth_;
  std::vector<int> chosen_, list_;
  std::vector<ConeRows> cones_;
  std::vector<ImpactContact> contacts_;
  int n_rows_ = 0;
  struct Linear {
    std::vector<double> J, rate, Z, Zmu, G, U, U_plus, b, r;  // (IM1), (IM2), over chosen rows
    std::vector<double> across;
  };
  Linear linear_;
};

}  // namespace bough
