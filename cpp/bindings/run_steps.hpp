// The loop of a run, which all ways to step share: no GIL, every so many nodes recorded, errors of users' elements kept.
#pragma once

#include "bindings/arrays.hpp"

// What a step takes of an array: its own row, or the same numbers in all steps.
struct PerStep {
  const double* data;
  std::size_t stride;  // 0: the same

  const double* operator[](long step) const { return data + step * stride; }
};

// Inputs: one row of n numbers, or one for each step.
inline PerStep inputs_of(const In& u, std::size_t n) { return {u.data(), n > 0 && u.size() > n ? n : 0}; }
// Kinematic values at the ends of the steps, or none: then they are held.
inline PerStep kinematic_of(const In& k, const std::vector<double>& held) {
  return k.size() > 0 ? PerStep{k.data(), held.size()} : PerStep{held.data(), 0};
}

struct Ran {
  int status = 0;                  // of the last step tried
  long done = 0;                   // steps
  long row;                        // the next one to fill
  nb::object raised = nb::none();  // what an element of the user raised
};

// step(i, from) makes step i and returns its status; from: the row of the node that it starts at, or -1. record(i, row)
// writes the node that it ends at. phase: how many steps ago a node was recorded.
template <class Step, class Record>
Ran run_steps(long steps, long every, long phase, long row, int user_error, Step step, Record record) {
  Ran ran{.row = row};
  try {
    nb::gil_scoped_release release;
    for (; ran.done < steps; ++ran.done) {
      ran.status = step(ran.done, phase == 0 && ran.row > 0 ? ran.row - 1 : -1);
      if (ran.status != 0) break;
      if (++phase < every) continue;
      phase = 0;
      record(ran.done, ran.row++);
    }
  } catch (nb::python_error& error) {
    ran.status = user_error;
    ran.raised = nb::borrow(error.value());
  }
  return ran;
}
