// Array arguments of the bindings. Python checks shapes and says what is wrong with them (src/bough/arguments.py); here only
// their sizes are checked, so that nothing is read or written beyond an array, whatever Python passes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bough/tree/balls.hpp"

namespace nb = nanobind;

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using InInt = nb::ndarray<const int, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

// Raises ValueError unless an array has room for `count` rows of `size` numbers.
template <class A>
void need(const A& array, std::size_t count, std::size_t size) {
  if (size > 0 && array.size() / size < count) throw nb::value_error("an array that is too short");
}

template <class T>
void need_exactly(const std::vector<T>& values, std::size_t size) {
  if (values.size() != size) throw nb::value_error("an array of the wrong length");
}

// The rows of a batch (rows, n), or the one row of an array (n,), with a check of each array: Rows(q).of(q, n).of(out, 3).
struct Rows {
  std::size_t count;

  explicit Rows(const In& first) : count(first.ndim() < 2 ? first.ndim() : first.shape(0)) {}
  template <class A>
  const Rows& of(const A& array, std::size_t size) const {
    need(array, count, size);
    return *this;
  }
};

// The configurations of a batch as the core has them; those of a model without balls where they are.
class Configurations {
 public:
  Configurations(const bough::Model& model, const In& q)
      : model_(model), user_(q.data()), row_(model.balls.empty() ? 0 : model.width()) {}
  // The row is kept until the next one is asked for.
  const double* operator()(std::size_t b) {
    const double* row = user_ + b * model_.n_coordinates();
    if (row_.empty()) return row;
    to_core(model_, row, row_.data());
    return row_.data();
  }

 private:
  const bough::Model& model_;
  const double* user_;
  std::vector<double> row_;
};

// The number of an existing frame.
inline int frame_of(const bough::Model& model, int frame) {
  if (frame < 0 || static_cast<std::size_t>(frame) >= model.frames.size()) throw nb::index_error("no such frame");
  return frame;
}

inline int variable_of(const bough::Model& model, int variable) {
  if (variable < 0 || variable >= model.n_variables) throw nb::index_error("no such variable");
  return variable;
}

// Calls f(workspace, b) for every row b of a batch, without the GIL.
template <class F>
void for_batch(const bough::Model& model, std::size_t batch, F f) {
  nb::gil_scoped_release release;
  bough::Workspace& ws = bough::workspace(model);
  for (std::size_t b = 0; b < batch; ++b) f(ws, b);
}
