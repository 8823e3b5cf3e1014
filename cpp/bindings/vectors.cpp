#include "bindings/vectors.hpp"

#include <algorithm>
#include <cmath>

Vector::Vector(nb::handle value, std::size_t n) {
  if (!PyObject_CheckBuffer(value.ptr())) return;
  if (PyObject_GetBuffer(value.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return;
  }
  static const double none = 0.0;  // an array without elements may have no address
  const bool doubles = view_.format && view_.format[0] == 'd' && view_.format[1] == 0;
  if (doubles && view_.ndim == 1 && static_cast<std::size_t>(view_.shape[0]) == n) {
    const double* x = n > 0 ? static_cast<const double*>(view_.buf) : &none;
    if (std::all_of(x, x + n, [](double number) { return std::isfinite(number); })) data_ = x;
  }
  if (!data_) release();
}

void Vector::release() {
  if (view_.obj) PyBuffer_Release(&view_);
}

void bind_vectors(nb::module_& m) {
  // Whether each of the arguments after n is such a vector of n numbers.
  m.def("are_vectors", [](std::size_t n, nb::args values) {
    for (const nb::handle value : values)
      if (!Vector(value, n).readable()) return false;
    return true;
  });
}
