// The memory of a stepper as plain numbers, for pickles: every vector has its length before it.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <vector>

#include "bough/integrators/contact_state.hpp"
#include "bough/tree/elements.hpp"

namespace nb = nanobind;

class Packed {
 public:
  std::vector<double> numbers;

  void operator()(double x) { numbers.push_back(x); }
  template <class T>
  void operator()(const std::vector<T>& x) {
    numbers.push_back(static_cast<double>(x.size()));
    for (const T& part : x) numbers.push_back(static_cast<double>(part));
  }
};

// Raises ValueError where the numbers are not those of a memory. Whether its sizes are those of a model is not known here.
class Unpacked {
 public:
  explicit Unpacked(const std::vector<double>& numbers) : numbers_(numbers) {}

  void operator()(double& x) { x = next(); }
  void operator()(int& x) { x = static_cast<int>(whole(1e9)); }
  void operator()(bool& x) { x = whole(1.0) == 1.0; }
  void operator()(std::vector<double>& x) {
    x.resize(length());
    for (double& part : x) part = next();
  }
  void operator()(std::vector<bough::Limit>& x) { choices(x, bough::Limit::lower); }
  void operator()(std::vector<bough::ContactStatus>& x) { choices(x, bough::ContactStatus::slide); }
  void end() const {
    if (place_ != numbers_.size()) fail();
  }

 private:
  [[noreturn]] static void fail() { throw nb::value_error("not the memory of a state"); }
  double next() {
    if (place_ == numbers_.size()) fail();
    return numbers_[place_++];
  }
  double whole(double most) {
    const double x = next();
    if (!(x >= 0.0 && x <= most && x == std::floor(x))) fail();
    return x;
  }
  template <class Choice>
  void choices(std::vector<Choice>& x, Choice last) {
    x.resize(length());
    for (Choice& part : x) part = static_cast<Choice>(static_cast<int>(whole(static_cast<double>(last))));
  }
  std::size_t length() { return static_cast<std::size_t>(whole(static_cast<double>(numbers_.size()))); }

  const std::vector<double>& numbers_;
  std::size_t place_ = 0;
};
