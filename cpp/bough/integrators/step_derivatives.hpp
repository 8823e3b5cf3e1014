// First derivatives of a whole variational step: those of its parts, one after the other.
//
// A step is one part, or several if it was halved or composed (S3). With c_j the end of part j and l_j its length, both as
// parts of the step, part j takes s_j = (q_j, p_j, u, k0 + c_j (k1 - k0), l_j dt, t + c_(j-1) dt), so that
//
//   ds_j/ds = E_j,   E_(j+1) has the rows J_j E_j of (q, p),   a gradient goes back by E_j^T                     (DF9)
//
//   d2psi/ds ds = sum_j E_j^T H_j(w_(j+1)) E_j,   w_j = (q, p) rows of J_j^T w_(j+1)                                (DS5)
//
// States are those of the user, whose configurations have quaternions for balls; derivatives are by their turns (BD1).
//
// The force at the start is lam = -sum_j W_j mu_j: one part has W = 1 / w, and two halves of one part
// lam = (w_1 lam_1 + w_2 lam_2) / (w_1 + w_2), w = b/2 + dt/2 - l/2 with the parts b before a half and l at its end. (DF10)
#pragma once

#include "bough/dynamics/constrained.hpp"
#include "bough/integrators/part_derivatives.hpp"
#include "bough/integrators/stepper.hpp"

namespace bough {

// The rule of a method: 0 is the midpoint rule with its alpha, 1 the trapezoidal one.
std::unique_ptr<DiscreteLagrangian> make_rule(const Model& model, int method, double alpha);

class StepLinearization {
 public:
  StepLinearization(const Model& model, int method, double alpha, const StepSettings& settings);

  // The numbers of a state: more than those of a move, which are shape().states(), if there are balls.
  int numbers() const { return model_.n_coordinates() + shape_.nd; }
  // What a step is given: x = (q0, p0), control = (u, k1).
  struct Given {
    double t, dt;
    const double *x, *control;
  };
  // The step from x without any history. `after` is then the end of it.
  StepStatus step(const Given& given);
  const Stepper& after() const { return stepper_; }
  void write_state(double* x1) const { stepper_.state.write(x1); }
  // The next step after it.
  StepStatus go_on(double dt, const double* control) { return stepper_.step(dt, control + shape_.nu, control); }

  // The derivatives of a step from x without history, or from a state with it. x1: the end of the step if it is known,
  // else null.
  StepStatus linearize(const Given& given, const double* x1, bool timed);
  StepStatus linearize(const Stepper::Memory& from, double dt, const double* control, bool timed);

  // Rows (q1, p1, lam), columns (q0, p0, u, k1, dt, t); and products with it from the right and from the left.
  void jacobian(RowMatrix& J);
  // A and B, its columns of states and controls, by rows; false if the step has several parts.
  bool write_jacobians(double* A, double* B);
  void forward(const double* ds, double* out);
  // by: the derivatives by parameters are added to `parameters`, (PG7).
  void backward(const double* weights, double* out, ParameterGradient* by = nullptr, double* parameters = nullptr);
  // The derivatives of (q1, p1, lam) by parameters, by rows: one backward() for each.
  void parameter_jacobian(ParameterGradient& by, double* out);
  // The second derivatives of weights . (q1, p1) over (q0, p0, u, k1).
  void hessian(const double* weights, double* H);
  // Those with E1^T diag(ends) E1, E1 the rows of q1; weights may be null: zero. False, and no H, if the step has parts.
  bool hessian_with_ends(const double* weights, const double* ends, double* H);
  // J D, and D^T times hessian(weights) times D, for a few columns D over (q0, p0, u, k1), in time that grows with their
  // number. Only for steps of one part.
  void forward(const RowMatrix& D, RowMatrix& out);
  void hessian_along(const double* weights, const RowMatrix& D, double* H);
  // (DB1), and its second derivatives. Only for steps of one part.
  void pair(const PairLayout& at, double* stage) { parts_[0]->pair(at, stage); }
  void curve_pair(const double* weights, const PairLayout& at, double* to);
  bool whole() const { return count_ == 1; }
  // The end of the step that was differentiated, converged to round-off.
  void end(double* x1, double* lam) const;

  const StepShape& shape() const { return shape_; }
  bool shifts() const { return shifts_; }
  const Stepper::Failure& failure() const { return stepper_.failure; }

 private:
  struct Piece {
    double from, to, length;      // of the step
    double weight, weight_by_dt;  // of its impulses in lam, and the derivative of that by dt (DF10)
    std::vector<double> s;        // q0, p0, k1 of the part, q0 as in the core
  };
  Given in_core(const Given& given);
  void start(Stepper& stepper, const Given& given);
  StepStatus step_in_core(const Given& given);
  StepStatus made(const Given& given, Stepper& replay, double dt_before, bool timed);
  bool ends_at(const double* q1, const double* p1) const;
  StepStatus linearize_piece(std::size_t j, const Given& given, const double* q1, bool timed);
  void set_weights(double dt, double dt_before);
  void piece_input(const Piece& piece, const double* ds, const double* x, double* out) const;

  const Model& model_;
  const StepShape shape_;
  const int method_, order_;
  const double alpha_;
  Stepper stepper_, replay_;  // replay_: parts of a step, one by one
  ConstraintSpace space_;
  struct Start {
    std::vector<double> v, x, q1;  // in the order of the core; x and q1 of models with balls
  };
  Start start_;
  std::vector<std::unique_ptr<PartDerivatives>> parts_;
  std::vector<Piece> pieces_;
  std::size_t count_ = 0;  // of the pieces in use
  bool shifts_ = false;
  RowMatrix J_, E_, next_;
  struct Chain {
    std::vector<RowMatrix> E;
    RowMatrix one, product;
  };
  Chain chain_;  // of the second derivatives of steps in parts
  std::vector<double> row_, in_, out_;
};

}  // namespace bough
