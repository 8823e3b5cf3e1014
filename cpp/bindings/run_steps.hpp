// The loop of a run, which all ways to step share: no GIL, every so many nodes recorded, errors of users' elements kept.
#pragma once

#include <limits>

#include "bindings/arrays.hpp"

// What a step takes of an array: its own row, or the same numbers in all steps.
struct PerStep {
  const double* data;
  std::size_t stride;  // 0: the same

  const double* operator[](long step) const { return data + step * stride; }
};

// Inputs: one row of n numbers, or one for each step.
inline PerStep inputs_of(const In& u, std::size_t n, long steps) {
  const bool changing = n > 0 && u.size() > n;
  need(u, changing ? steps : steps > 0, n);
  return {u.data(), changing ? n : 0};
}
// Kinematic values at the ends of the steps, or none: then they are held.
inline PerStep kinematic_of(const In& k, const std::vector<double>& held, long steps) {
  if (k.size() == 0) return {held.data(), 0};
  need(k, steps, held.size());
  return {k.data(), held.size()};
}

// How many rows its outputs have at least when a run has recorded all its nodes, from `row` on.
inline std::size_t rows_of_run(long steps, long every, long phase, long row) {
  constexpr long most = std::numeric_limits<long>::max() / 4;
  const auto counts = [](long x) { return x >= 0 && x <= most; };
  if (!counts(steps) || !counts(phase) || !counts(row) || every < 1) throw nb::value_error("steps of a run");
  return row + (phase + steps) / every;
}

template <class Status>
struct Ran {
  Status status{};                 // of the last step tried
  long done = 0;                   // steps
  long row;                        // the next one to fill
  nb::object raised = nb::none();  // what an element of the user raised
};

// step(i, from) makes step i and returns its status; from: the row of the node that it starts at, or -1. record(i, row)
// writes the node that it ends at. phase: how many steps ago a node was recorded.
template <class Status, class Step, class Record>
Ran<Status> run_steps(long steps, long every, long phase, long row, Status user_error, Step step, Record record) {
  Ran<Status> ran{.row = row};
  try {
    nb::gil_scoped_release release;
    for (; ran.done < steps; ++ran.done) {
      ran.status = step(ran.done, phase == 0 && ran.row > 0 ? ran.row - 1 : -1);
      if (ran.status != Status{}) break;
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
