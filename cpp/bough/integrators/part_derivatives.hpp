// First derivatives of one part of a variational step, by the implicit function theorem on (S1):
//
//   T [dd1; dmu] = -[dp0 + (D1_0 - Hmu) dq0 + D1_u du + D1_k dk1 + D1_dt ddt + D1_t dt0 - (dDh0/dt0)^T mu dt0 ;
//                    Dh1_k dk1 + h_t (ddt + dt0)]                                                                (DF3)
//   dq1 = (dd1, dk1),   dp1 = D2_0 dq0 + D2_1 dq1 + D2_u du + D2_dt ddt + D2_t dt0                               (DF4)
//
// with T = [K, -Dh0^T; Dh1, 0] over dynamic columns at the converged q1, Hmu = sum_r mu_r h_r,qq(q0), and the slots
// D1_0, D1_u, ... of the rule (M3), (M5), (M6), (Z3)-(Z5). A scalar psi = lq . q1 + lp . p1 + lmu . mu has the gradient
//
//   T^T [a; b] = -[lq + D2_1^T lp ; lmu]                                                                         (DS1)
//   psi_q0 = D1_0^T a + D2_0^T lp - Hmu a,  psi_p0 = a,  psi_u = D1_u^T a + D2_u^T lp,
//   psi_k1 = lq_k + (D1_1^T a + D2_1^T lp + Dh1^T b)_k,  psi_dt = D1_dt . a + D2_dt . lp + h_t . b               (DS2)
//
// If rows depend on each other, mu is the least one. With X = Dh0^T, w = X+^T mu and C_r = h_r,qq w, its derivative is
//
//   dmu = X+ X dmu_any + (1 - X+ X) C dq0                                                                        (DF7)
//
// for a move along the constraints, and with (dDh0/dtheta) w in place of C dq0 by a parameter. Those have
//
//   psi_theta = a . D1_theta + lp . D2_theta - mu . (Dh0_theta a) + b . h_theta(q1)                               (PG7)
//
// The derivatives of q1 and p1 along the constraints do not depend on the choice of mu.
//
// With balls, dq0 and dq1 are the turns of either end in its own axes (BD1), and Hmu is ordered by (BJ6). The unknown of a
// ball is phi, which a turn of q1 changes by B1 of (BJ2).
#pragma once

#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/parameter_gradient.hpp"
#include "bough/dynamics/phi_hessian.hpp"
#include "bough/integrators/discrete_lagrangian.hpp"
#include "bough/integrators/part_matrix.hpp"
#include "bough/integrators/rule_derivatives.hpp"
#include "bough/integrators/step_equations.hpp"
#include "bough/solvers/products.hpp"
#include "bough/tree/along.hpp"
#include "bough/tree/element_derivatives.hpp"

namespace bough {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The places of s = (q0, p0, u, k1, dt, t) in a row of derivatives, and of (q1, p1, mu) in a column.
struct StepShape {
  int nq, nd, nu, nk, m;
  explicit StepShape(const Model& model)
      : nq(model.n_variables),
        nd(model.n_dynamic),
        nu(model.elements.n_inputs),
        nk(nq - nd),
        m(model.elements.n_constraints) {}
  int p() const { return nq; }
  int u() const { return nq + nd; }
  int k() const { return nq + nd + nu; }
  int dt() const { return nq + nd + nu + nk; }
  int t() const { return dt() + 1; }
  int columns() const { return dt() + 2; }
  int states() const { return nq + nd; }
  int controls() const { return nu + nk; }
  int rows() const { return states() + m; }
};

struct PairLayout;  // pair_stage.hpp

class PartDerivatives {
 public:
  PartDerivatives(const Model& model, std::unique_ptr<DiscreteLagrangian> rule);

  struct Part {
    double t, dt;
    const double *q0, *p0, *k1, *u;
  };
  // Converges q1 from its value but for round-off, and evaluates all that the derivatives are made of there. timed: those
  // by dt and t too.
  StepStatus linearize(const Part& part, const double* near_q1, bool timed);

  // The end, with its rotations in the quaternions alone.
  void end(double* q) const;
  const double* p1() const { return values_.D2.data(); }  // over dynamic variables
  const std::vector<double>& mu() const { return mu_; }
  const StepShape& shape() const { return shape_; }
  // Whether a servo is so stiff that its impulse moves within the step (VS4): its derivative by q0 is not known.
  bool shifts() const;

  // J (rows, columns) of StepShape, by (DF3), (DF4), (DF7); without `timed` the last two columns are zero.
  void jacobian(RowMatrix& J);
  // Its rows of q1 and p1: the columns of (q0, p0) and those of (u, k1, dt, t), of which the first `columns` are asked for,
  // apart from each other and with strides of their own.
  struct StateRows {
    double *by_state, *by_control;
    int state_stride, control_stride, columns;
  };
  void write_state_rows(const StateRows& to);
  // J ds, with ds over columns and the result over rows of StepShape.
  void forward(const double* ds, double* out);
  // J^T w by (DS1), (DS2); a and b stay for the second derivatives.
  void backward(const double* weights, double* out);
  // The second derivatives of psi, (q0, p0, u, k1) square, after backward() with its weights, those of mu zero; and of
  // 1/2 sum ends_i q1_i^2 without those of q1, if ends is not null. weights may be null, for psi = 0.
  void hessian(const double* weights, const double* ends, double* H);
  // J D for a few columns D over (q0, p0, u, k1), without J; and D^T times the second derivatives of psi times D, after
  // backward() with its weights (part_along.cpp).
  void forward(const RowMatrix& D, RowMatrix& out);
  void hessian_along(const double* weights, const RowMatrix& D, double* H);
  // The matrices of (DB1), where the layout says; and W and C of psi, after backward() with its weights (part_pair.cpp).
  void pair(const PairLayout& at, double* stage);
  void curve_pair(const double* weights, const PairLayout& at, double* to);
  // out += the derivatives of psi by parameters (PG7), after backward() with its weights.
  void add_parameter_gradient(const double* weights, ParameterGradient& by, double* out);

 private:
  void set_constraints(const double* q, double t, bool values, std::vector<double>& Dh);
  StepStatus converge(const double* near_q1);
  void start_near(const double* near_q1);
  void move_end();
  bool near_end();
  void add_hessian_of_rows(const Instant& at, const double* weights, double* H) const;
  void add_hessian_of_row(const Instant& at, std::size_t k, const double* weights, double* H) const;
  void set_hessian_of_rows();
  void set_slots();
  void solve_columns();
  void solve_some(const RowMatrix& D);
  void set_least_multipliers();
  // part_curvature.cpp
  void curve(const double* weights);
  void set_rest_of_curvature();
  void add_inputs_of_curvature();
  void set_phi(const double* lp);
  void set_phi_of_balls();
  void add_phi_of_elements(double x0, double x1);
  void bend_ends(const PhiBalls& balls);
  void order_rows();
  void add_curvature_of_rows(const double* b);
  void add_differences_of_rows();

  Jacobians D() const { return {shape_.m, shape_.nq, shape_.nd, held_.Dh0.data(), held_.Dh1.data()}; }

  const Model& model_;
  const StepShape shape_;
  const std::unique_ptr<DiscreteLagrangian> rule_;
  const ConstraintRows rows_;
  PartMatrix matrix_;
  const ElementDerivatives elements_;
  RuleDerivatives& by_rule_;
  Part part_{};
  bool timed_ = false;
  std::vector<double> q1_, mu_;
  struct Values {
    std::vector<double> D1, D2, scale;
  };
  Values values_;
  struct Held {
    std::vector<double> h, h_scale, Dh0, Dh1;
    RowMatrix H_mu;
    bool exact = false;  // without balls, and all rows have second derivatives of their own
  };
  Held held_;
  struct Slots {
    explicit Slots(const Model& model) : others(model, false), with_rows(model, true) {}
    RowMatrix D1_0, D1_1, D2_0, D2_1, D1_u, D2_u;
    PairPlaces others, with_rows;  // of elements, and of constraints too
  };
  Slots slots_;
  struct Times {
    Eigen::VectorXd D1_dt, D2_dt, D1_t, D2_t, h_t;
  };
  Times times_;
  // dd1/ds and dmu/ds (DF3) after solve_columns().
  struct Solved {
    ColumnBlock X;  // dd1/ds, and dmu/ds in the rows that follow
    ColumnBlock P;  // some rows of D2_1 X
    bool done = false;
    ColumnBlock some;         // those along a few columns
    RowMatrix right, E1, WE;  // memory for these
  };
  Solved solved_;
  struct Least {
    bool needed = false;
    Eigen::MatrixXd X;
    PseudoInverse inverse{1e-12};  // the part of a row of Dh that is not in the others, relative
    Eigen::MatrixXd project;       // X+ X
    RowMatrix C;                   // (1 - X+ X) C
    Eigen::VectorXd w;             // X+^T mu, over variables
  };
  Least least_;            // (DF7)
  Eigen::VectorXd x_, y_;  // one right-hand side, then a and b of (DS1)
  // The Hessian of Phi over (q0, q1, u), and C; memory for a configuration, for rows and for products.
  struct Curvature {
    Curvature(const Model& model, const StepShape& shape);
    PhiHessian phi;
    Along along;
    Pattern entries;  // of W, by dynamic variables
    Pattern by_rows, inputs;
    RowMatrix W00, W01, W11, Wu0, Wu1, Wuu, C, Ct, h;
    RowMatrix by_q, by_v, f_u;  // of balls: columns of G by one end, and dt df/du
    ColumnBlock WX, R, U;
    Eigen::VectorXd a, gradient, minus_mu;  // over variables, and over rows
    std::vector<double> q, Dh;
  };
  std::unique_ptr<Curvature> curvature_;
};

}  // namespace bough
