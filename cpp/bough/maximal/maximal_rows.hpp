// Rows beyond the joints of the tree, on the twists V of the bodies: constraints of the model, variables that drive several
// joints, rolling and skates.
//
//   dC/dt = a . V + rate
//
// A constraint that knows variables is evaluated at the recovered q and v; its row Dh acts along the joints as the row sum of
// Dh w_c / ratio on twists (MK4).
#pragma once

#include "bough/maximal/applied_forces.hpp"
#include "bough/maximal/no_slip.hpp"

namespace bough {

class MaximalRows {
 public:
  MaximalRows(BodyState& state, BodySpace& space);

  // Each constraint acts on bodies or on variables; the other one is null. Returns its index.
  int add(std::shared_ptr<const Constraint> on_bodies, std::shared_ptr<const Constraint> on_variables);
  int add(const NoSlip& no_slip);
  void enable(int constraint, bool on);
  bool enabled(int constraint) const { return constraints_[constraint].enabled; }
  void break_above(int constraint, double force) { constraints_[constraint].break_above = force; }
  // Numbers the rows and resizes their arrays: whenever constraints or joints come or go.
  void count();

  int size() const { return static_cast<int>(lam_of_.size()); }  // of the enabled rows
  std::size_t columns() const { return space_.model.n_variables; }
  long revision() const { return revision_; }  // changes with every count()

  // A, C, rate and scale of the enabled rows where the bodies are.
  void evaluate();
  const double* row(int r) const { return &A[r * columns()]; }
  Wrench on_body(int r, int slot) const {  // the wrench of a unit force of the row
    const double* a = row(r) + 6 * (slot - 1);
    return {Vec3(a), Vec3(a + 3)};
  }
  double product(int r, const std::vector<Twist>& V) const;  // a . V
  // lam += impulse / dt; and lam = impulse, where that is a force, zero for rows that are not enabled.
  void add_to_lam(double dt);
  void set_lam();
  // Appends the constraints whose force is above their threshold.
  void find_overloaded(std::vector<int>& events) const;

  std::vector<double> A, C, rate, scale;  // A is size x columns, row-major
  std::vector<double> impulse;            // of the last solution, or the force of penalties
  std::vector<double> lam;                // by row of all constraints, enabled or not

 private:
  // A constraint of the model or of a user's choice at run time; its rows are `row`, `row` + 1, ... of lam.
  struct Entry {
    std::shared_ptr<const Constraint> on_bodies, on_variables;  // one of them, or
    int no_slip = -1;                                           // this one
    int rows = 1, row = 0;
    bool enabled = true;
    double break_above = -1.0;  // norm of its force, negative: never
  };
  int append(Entry entry);
  void evaluate_on_variables(const Entry& entry, int r, bool& swept);
  void evaluate_coupled(int joint, int r);
  void add_row_of_variables(const double* Dh, double* row, double* rate) const;
  void add_along_joint(int joint, double factor, double* row, double* rate) const;

  BodyState& state_;
  BodySpace& space_;
  std::vector<Entry> constraints_;
  std::vector<NoSlip> no_slip_;
  std::vector<int> coupled_;  // joints whose variable has another one before them, neither broken
  std::vector<int> lam_of_;   // enabled row -> row of lam, or -1 for a shared variable
  std::vector<double> Dh_;
  long revision_ = 0;
};

}  // namespace bough
