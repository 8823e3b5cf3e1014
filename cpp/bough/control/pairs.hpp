// The steps of a motion as pairs of configurations (DB1), from the last to the first, and the sweeps over them (DB2)-(DB4).
//
// The costates of (OB1) need no Jacobian: with w = (w_q, w_p) and t = w_q + D2_1^T w_p,
//
//   a = F^T t over e = (rho, u, k1),   A^T w has (D1_0 - Hmu)^T a_rho + D2_0^T w_p and a_rho,   B^T w has a_u + D2_u^T w_p  (DB5)
//
// and k1 = k0 + move. Steps of several parts have no pairs: Backward has those.
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
    bool second;
  };
  struct Derivatives {
    double *costate, *gradient;  // (count + 1, nx) over (q, p) with its last row given, (count, nc)
    double* lam;                 // (count, m, nz) of the constraint forces over (q0, rho, c); null: not wanted
  };
  struct Ended {
    StepStatus status = StepStatus::fine;
    int step = -1;       // the one that has no derivatives
    bool parts = false;  // or that has parts
  };
  Ended run(const Motion& motion, const Derivatives& out);

  // b over z = (q0, rho, c), of costs l_y, l_r (OB2), without those of forces; after run().
  void slope(double dt, const double* l_y, const double* l_r, double* b) const;
  // Moves (count + 1, nx) of (q, p) from those of (q, rho), and gains (count, nc, nx) of the former from those of the latter.
  void states(const double* xi, double* dx) const;
  void gains(const double* G, double* over_states) const;
  const double* stage(int k) const { return stages_.data() + k * layout_.size; }
  const PairLayout& layout() const { return layout_; }
  PairSweep& sweep() { return sweep_; }
  int count() const { return count_; }

  const StepShape& shape() const { return layout_.shape; }
  int numbers() const { return workers_[0]->step.numbers(); }
  int pair() const { return 2 * shape().nq + shape().nu; }

 private:
  struct Worker {
    Worker(const Model& model, int method, double alpha, const StepSettings& settings);
    StepLinearization step;
    RowMatrix J;
    std::vector<double> w, control;
  };
  Ended first(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k);
  void costate(const Motion& motion, const Derivatives& out, std::ptrdiff_t k);
  void second(Worker& worker, const Motion& motion, const Derivatives& out, std::ptrdiff_t k);
  Ended linearize(Worker& worker, const Motion& motion, std::ptrdiff_t k);
  template <class Work>
  Ended for_all(int count, Work work);

  std::vector<std::unique_ptr<Worker>> workers_;
  const PairLayout layout_;
  PairSweep sweep_;
  int count_ = 0;
  std::vector<double> stages_;
  Eigen::VectorXd w_, t_, e_;  // of costates
};

}  // namespace bough
