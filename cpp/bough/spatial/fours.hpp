// Loops over arrays of variables, four numbers at a time. Of a plain loop over several arrays the compiler makes one that
// first compares all their addresses, which takes longer than the variables of most systems themselves.
#pragma once

#include <cmath>

namespace bough {

// Numbers of an array, wherever it begins. As arguments of templates they would lose that they need not be aligned.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

// The numbers from i on of an array.
struct AtFour {
  int i;
  Four& operator()(double* x) const { return *reinterpret_cast<Four*>(x + i); }
  const Four& operator()(const double* x) const { return *reinterpret_cast<const Four*>(x + i); }
};
struct AtTwo {
  int i;
  Two& operator()(double* x) const { return *reinterpret_cast<Two*>(x + i); }
  const Two& operator()(const double* x) const { return *reinterpret_cast<const Two*>(x + i); }
};
struct AtOne {
  int i;
  double& operator()(double* x) const { return x[i]; }
  const double& operator()(const double* x) const { return x[i]; }
};

// f(at) for all groups of n numbers, where at(x) are those of the array x.
template <class F>
[[gnu::always_inline]] inline void in_fours(int n, F f) {
  int i = 0;
  for (; i + 4 <= n; i += 4) f(AtFour{i});
  if (n & 2) f(AtTwo{i});
  if (n & 1) f(AtOne{n - 1});
}

inline void copy_fours(int n, const double* from, double* to) {
  in_fours(n, [=](auto at) { at(to) = at(from); });
}

inline Four absolute(Four x) { return x < 0.0 ? -x : x; }
inline Two absolute(Two x) { return x < 0.0 ? -x : x; }
inline double absolute(double x) { return std::abs(x); }

// The largest of zero and the numbers f(at); those that are NaN do not count.
template <class F>
[[gnu::always_inline]] inline double largest_in_fours(int n, F f) {
  Four most{};
  double found = 0.0;
  const auto enter = [&](double x) { found = x > found ? x : found; };
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const Four x = f(AtFour{i});
    most = x > most ? x : most;
  }
  for (int k = 0; k < 4; ++k) enter(most[k]);
  if (n & 2) {
    const Two x = f(AtTwo{i});
    enter(x[0]);
    enter(x[1]);
  }
  if (n & 1) enter(f(AtOne{n - 1}));
  return found;
}

// a . b, and the sum of the sizes of its terms. One number at a time would wait for the sum before it.
struct SumOfTerms {
  double value = 0.0, size = 0.0;
  void operator+=(const SumOfTerms& other) {
    value += other.value;
    size += other.size;
  }
};
inline SumOfTerms dot_in_fours(int n, const double* a, const double* b) {
  Four value{}, size{};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const Four x = AtFour{i}(a)*AtFour{i}(b);
    value += x;
    size += absolute(x);
  }
  SumOfTerms sum{(value[0] + value[2]) + (value[1] + value[3]), (size[0] + size[2]) + (size[1] + size[3])};
  for (; i < n; ++i) sum += {a[i] * b[i], std::abs(a[i] * b[i])};
  return sum;
}

}  // namespace bough
