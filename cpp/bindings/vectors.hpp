// Arguments from Python that the core can read as they are: contiguous vectors of finite doubles. Whatever else a user gives
// takes the way through src/bough/arguments.py, which converts it or says what is wrong with it.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// The n numbers of such a vector for as long as this object lives. Needs the GIL at both ends of its life.
class Vector {
 public:
  Vector(nb::handle value, std::size_t n);
  ~Vector() { release(); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  bool readable() const { return data_ != nullptr; }
  const double* data() const { return data_; }

 private:
  void release();

  Py_buffer view_{};
  const double* data_ = nullptr;
};
