// Array arguments of the bindings. Shapes are checked in Python (model.py); here they are trusted.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bough/tree/workspace.hpp"

namespace nb = nanobind;

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using InInt = nb::ndarray<const int, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

// Calls f(workspace, b) for every row b of a batch, without the GIL.
template <class F>
void for_batch(const bough::Model& model, std::size_t batch, F f) {
  nb::gil_scoped_release release;
  bough::Workspace& ws = bough::workspace(model);
  for (std::size_t b = 0; b < batch; ++b) f(ws, b);
}
