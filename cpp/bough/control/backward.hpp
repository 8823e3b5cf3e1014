// Derivatives of all steps of a motion and of its costs, from the last step to the first.
//
// A stage cost l is a function of y = (q0, q1, u), the configurations at both ends of a step and the inputs during it, and of
// the rates r = (q1 - q0)/dt. The controls are c = (u, k1 - k0), the inputs and the moves of the kinematic variables, so
// that nothing cancels if rates have large weights. With z = (x, c), Y = dy/dz and R = dr/dz,
//
//   w_k = lambda_(k+1) + (l_q1 + l_r/dt, 0),   lambda_k = (l_q0 - l_r/dt, 0) + A^T w_k,   gradient_k = l_c + B^T w_k   (OB1)
//   H_k = d2(w_k . x1)/dz dz + Y^T l_yy Y + R^T l_rr R,   b_k = Y^T l_y + R^T l_r                                    (OB2)
//
// are all that the stage-wise Newton step needs (stagewise_newton.hpp). On several threads J is found first, then the
// costates, then H: the steps do not depend on each other, and the numbers do not depend on the number of threads.
#pragma once

#include <memory>

#include "bough/integrators/step_derivatives.hpp"

namespace bough {

// Linearises step k of a motion x (count + 1, numbers of a state), c (count, nc); `control` has memory for (u, k1).
struct MotionOfSteps {
  double t0, dt;
  const double *x, *c;
};
StepStatus linearize_step(StepLinearization& step, const MotionOfSteps& motion, std::ptrdiff_t k,
                          std::vector<double>& control);

class Backward {
 public:
  Backward(const Model& model, int method, double alpha, const StepSettings& settings, int threads);
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;

  struct Motion {
    int count;
    double t0, dt;
    const double *x, *c;       // (count + 1, numbers of a state), (count, nc)
    const double *l_y, *l_d;   // (count, ny), and the diagonal of l_yy
    const double* l_yy;        // the rest of it, (count, ny, ny); null: none
    const double *l_r, *l_rr;  // (count, nq), (count, nq) a diagonal
    const double* l_lam;       // (count, m), by the constraint forces; null: none
    bool second;               // whether H has the second derivatives of the steps
  };
  struct Derivatives {
    double *J, *H, *b;           // (count, nx, nz), (count, nz, nz), (count, nz)
    double *costate, *gradient;  // (count + 1, nx) with its last row given, (count, nc)
    double* lam;                 // (count, m, nz) of the constraint forces; null: not wanted
  };
  struct Ended {
    StepStatus status = StepStatus::fine;
    int step = -1;  // the one that has no derivatives
  };
  Ended run(const Motion& motion, const Derivatives& out);
  // H without the second derivatives of the steps, from J of a run before: the costs alone, a sixth of the time of a run.
  void plain(const Motion& motion, const Derivatives& out);

  const StepShape& shape() const { return workers_[0]->step.shape(); }
  int numbers() const { return workers_[0]->step.numbers(); }
  int pair() const { return 2 * shape().nq + shape().nu; }  // ny

 private:
  struct Worker {
    Worker(const Model& model, int method, double alpha, const StepSettings& settings);
    StepLinearization step;
    RowMatrix J, Yl, R;
    std::vector<double> w, control;
    ColumnBlock E, lE;  // of the products of plain()
  };
  Ended first(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k);
  void costate(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const;
  Ended second(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k, bool fresh);
  void set_plain(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const;
  void add_costs(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k, bool ends) const;
  void add_blocks(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k) const;

  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace bough
