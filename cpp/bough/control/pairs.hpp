// The steps of a motion as pairs of configurations (DB1), from the last to the first, and the sweeps over them (DB2)-(DB4).
//
// The costates of (OB1) need no Jacobian: with w = (w_q, w_p) and t = w_q + D2_1^T w_p,
//
//   a = F^T t over e = (rho, u, k1),   A^T w has (D1_0 - Hmu)^T a_rho + D2_0^T w_p and a_rho,   B^T w has a_u + D2_u^T w_p  (DB5)
//
// and k1 = k0 + move. Steps of several parts have no pairs, so that steps may be neither composed nor halved: Backward has
// those.
//
// Second derivatives are found with the first ones, or where a sweep comes to them: one that is not convex mostly ends after
// few stages, and those before it are then not needed.
#pragma once

#include "bough/control/backward.hpp"
#include "bough/control/pair_sweep.hpp"

namespace bough {

class Pairs {
 public:
  Pairs(const Model& model, int method, double alpha, const StepSettings& settings, int threads);
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  struct Motion {
    int count;
    double t0, dt;
    const double *x, *c;      // (count + 1, numbers of a state), (count, nc)
    const double *l_y, *l_r;  // (count, ny), (count, nq)
    const double* l_lam;      // (count, m), by the constraint forces; null: none
    bool second;              // whether second derivatives are found at once
  };
  struct Derivatives {
    double *costate, *gradient;  // (count + 1, nx) over (q, p) with its last row given, (count, nc)
    double* lam;                 // (count, m, nz) of the constraint forces over (q0, rho, c); null: not wanted
  };
  struct Ended {
    StepStatus status = StepStatus::fine;
    int step = -1;  // the one that has no derivatives
  };
  Ended run(const Motion& motion, const Derivatives& out);

  // After run(), as in PairSweep.
  int backward(const PairProblem& problem, const PairGains& gains);
  void forward(const PairProblem& problem, const PairGains& gains, double* x, double* c) const;
  void control_diagonal(const PairProblem& problem, double* diagonal);  // (count, nc)
  // b over z = (q0, rho, c), of costs l_y, l_r (OB2), without those of forces.
  void slope(double dt, const double* l_y, const double* l_r, double* b) const;
  // Moves (count + 1, nx) of (q, p) from those of (q, rho), and gains (count, nc, nx) of the former from those of the latter.
  void states(const double* xi, double* dx) const;
  void gains(const double* G, double* over_states) const;
  const double* stage(int k) const { return first_.at(k, layout_.size); }
  const PairLayout& layout() const { return layout_; }
  int count() const { return count_; }
  // The number of steps, the last ones, whose second derivatives have been found.
  int curved() const { return count_ - curved_from_; }

  const StepShape& shape() const { return layout_.shape; }
  int numbers() const { return workers_[0]->step.numbers(); }
  int pair() const { return 2 * shape().nq + shape().nu; }

 private:
  struct Worker {
    Worker(const Model& model, int method, double alpha, const StepSettings& settings);
    StepLinearization step;
    RowMatrix J;
    std::vector<double> control;
  };
  // Memory that is not set to zero: pages that are never written cost nothing.
  struct Memory {
    void resize(std::size_t size);
    double* at(std::ptrdiff_t k, std::size_t size) const { return numbers.get() + k * size; }
    std::unique_ptr<double[]> numbers;
    std::size_t capacity = 0;
  };
  Ended first(Worker& worker, const Derivatives& out, std::ptrdiff_t k);
  void costate(const Motion& motion, const Derivatives& out, std::ptrdiff_t k);
  void second(Worker& worker, std::ptrdiff_t k);
  void need_second(int k);
  Ended linearize(Worker& worker, std::ptrdiff_t k);

  std::vector<std::unique_ptr<Worker>> workers_;
  const PairLayout layout_;
  PairSweep sweep_;
  int count_ = 0, curved_from_ = 0;
  Memory first_, second_;
  struct {
    double t0, dt;
    std::vector<double> x, c, w;  // w: of (OB1), (count, nx)
  } motion_;
  Eigen::VectorXd w_, t_, e_;  // of costates
};

}  // namespace bough
