// Newton's matrix of a step with the rows of its constraints, factored for solves:
//
//   T = [K, -Dh0^T; Dh1, 0]      over dynamic variables and constraint rows, K = dD1/dq1 of the rule             (SM1)
//
// The preferred factorisation follows the tree (tree_newton). Constraints, and elements that couple joints, border it
// (tree_border): an element with the matrix H over some joints has as many unknowns pi and rows, H delta - pi = 0, with
// pi added to the rows of those joints.                                                                           (M4)
// If a group of constraints is singular there, or if the border costs more, the constraints are left to their Schur
// complement; few of them take its columns in one pass (few_rows). Trees in a plane without either have a smaller factor (planar_newton). Shared variables, elements that couple most joints, and rules whose K is not of the form (N1) take K dense.
#pragma once

#include "bough/solvers/dense.hpp"
#include "bough/solvers/few_rows.hpp"
#include "bough/solvers/flat_lu.hpp"
#include "bough/solvers/planar_newton.hpp"

namespace bough {

// What (N1) is made of, without elements.
struct TreeTerms {
  const std::vector<JointState>& state;
  const std::vector<MidpointBody>& bodies;
  double dt, alpha;
  const std::vector<FourMiddles>* balls = nullptr;  // if there are balls
};

// K of the interval that a rule evaluated last.
class StepTerms {
 public:
  virtual ~StepTerms() = default;

  // Whether K is (N1) with the terms of elements; if so, the three functions that follow are those terms.
  virtual bool along_tree() const { return false; }
  virtual TreeTerms tree_terms() const;
  // Of elements that act on single variables, added to d over variables.
  virtual void add_diagonal(double*) const {}
  // Of one element that couples joints, added to H, n_variables square; one of the two is null.
  virtual void add_coupling(const Potential*, const Force*, double* /*H*/) const {}

  // All of K, over all variables, by rows.
  virtual void set_dense(double* K) = 0;
};

class StepMatrix {
 public:
  // elements: whether K has terms of elements.
  StepMatrix(const Model& model, bool along_tree, bool elements = true);

  // Factors T and solves T X = B in place, as solve() does; false if K is singular.
  bool factor(StepTerms& terms, const Jacobians& D, double* x, double* y, int columns = 1);

  // For Newton's method, which keeps a matrix: solves with the K factored last; the rows Dh1 are read again if
  // reads_rows(), else they are those factored last.
  void solve_again(const Jacobians& D, double* x, double* y);
  bool reads_rows() const { return active_ == Factorisation::schur || active_ == Factorisation::dense; }

  // T X = B and T^T X = B in place, one right-hand side after another: (n_dynamic, columns) in x and (rows, columns) in
  // y, both by columns. T is that of the last factor() or solve_again(), with the same D. If rows depend on each other,
  // the second is the transpose of the first, which takes the least y.
  void solve(const Jacobians& D, double* x, double* y, int columns);
  void solve_transposed(const Jacobians& D, double* x, double* y, int columns);

  // How many factorisations are made before the preferred one is tried again, and how many after it fails the next time.
  struct Detour {
    int left = 0, next = 1;
  };
  Detour detour;

 private:
  // All in the tree and its border; few constraints by columns; constraints by their Schur complement; K dense, too.
  enum class Factorisation { bordered, columns, schur, dense };
  struct Coupling {
    std::shared_ptr<const Potential> potential;
    std::shared_ptr<const Force> force;
    std::vector<int> joints;
    int first;  // of its rows in the borders
  };
  struct Dense {
    std::vector<double> all;  // K over all variables
    Eigen::MatrixXd K;
    Eigen::VectorXd rhs;
    DenseLu lu;
    // With contacts, which ask for many columns, these are solved for at once by an LU that takes a third of the time.
    FlatLu flat;
    std::vector<Lane4> lanes;
    bool is_flat = false;
    void resize(int n, int n_dynamic, bool with_contacts);
    bool factor(StepTerms& terms, int n);
    void solve(double* x, int count = 1);
    template <int registers>
    void solve_columns(double* x, int count);
    void solve_transposed(double* x);
  };

  void make_borders(bool elements);
  bool factor_along(StepTerms& terms, const Jacobians& D, double* x, double* y);
  void set_diagonal(const StepTerms& terms);
  void set_elements(const StepTerms& terms);
  void set_constraints(const Jacobians& D);
  bool factor_tree(const TreeTerms& terms, TreeBorder& border, double* x, double* y);
  void solve_tree(TreeBorder& border, double* x, double* y, bool transposed = false);
  double* to_joints(double* x);  // returns where they are
  void to_variables(double* x) const;

  const Model& model_;
  Factorisation preferred_ = Factorisation::bordered, active_ = Factorisation::bordered;
  TreeNewton tree_;
  std::unique_ptr<PlanarNewton> planar_;  // in its place, if the tree moves in a plane and nothing borders it
  std::vector<double> joint_;             // right-hand side over joints
  bool direct_ = false;                   // joints are variables: right-hand sides stay where they are
  std::vector<Coupling> couplings_;
  std::vector<double> H_;      // of one coupling
  TreeBorder elements_, all_;  // borders of the elements that couple joints; of these and the constraints
  std::vector<std::vector<int>> constraint_joints_;
  std::vector<double> border_;  // right-hand side of a border
  FewRows few_;
  Schur schur_;
  Dense dense_;
};

}  // namespace bough
