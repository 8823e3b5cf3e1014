// Many runs with a variational integrator of second order, on several threads: starts, inputs and models differ from run to
// run, steps and settings do not. Each run begins with a stepper that has no past, so that its numbers depend neither on
// the other runs nor on the number of threads. If all models allow it, runs share the lanes of registers (lane_step.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "bough/integrators/step_equations.hpp"
#include "bough/solvers/step_status.hpp"

namespace bough {

struct ManyRuns {
  struct Method {
    bool trapezoidal = false;
    double alpha = 0.5;
    StepSettings settings;
  };
  // All numbers are those of one run after the other. A stride of zero means the same numbers for all runs or steps.
  std::size_t count = 0;
  std::vector<const Model*> models;
  const int* model = nullptr;  // by run: an index in `models`
  Method method;
  bool lanes = true;                      // whether runs may share registers
  double t0 = 0.0, dt = 0.0, last = 0.0;  // last: the length of the last step
  long steps = 0, every = 1;
  const double *q = nullptr, *p = nullptr;  // count x n_variables, count x n_dynamic
  const double* vk = nullptr;               // velocities of the kinematic variables at the start
  const double* k = nullptr;                // steps x nk values at the ends of the steps; null: held
  const double* u = nullptr;
  std::size_t u_of_run = 0, u_of_step = 0;  // strides
  const double* t = nullptr;                // times of the rows, to check the lengths of steps by them; null: no check
  int lock_angle = -1;                      // the middle angle of a free base, if there is one

  // Results. Rows: the start, every `every`-th node, and the last one. Rows that a failed run does not reach are left alone.
  double *out_q = nullptr, *out_p = nullptr;  // count x rows x n_variables, n_dynamic
  double* out_work = nullptr;                 // count x rows: of the forces up to each row
  struct End {
    StepStatus status = StepStatus::fine;
    long done = 0, iterations = 0, halvings = 0;
    long alone = 0;         // steps of a run in lanes that it made by itself
    bool coarse = false;    // whether the steps are too long for the motion: coarse_steps.hpp
    double residual = 0.0;  // of a step that failed, relative to the tolerance
    int worst_row = 0;
  };
  std::vector<End> ends;  // by run

  long rows() const { return 1 + (steps + every - 1) / every; }
};

// Whether the runs of a model share registers.
bool in_lanes(const Model& model, const ManyRuns::Method& method);

// Makes the runs on this many threads, the calling one among them.
void make_runs(ManyRuns& runs, int threads);

}  // namespace bough
