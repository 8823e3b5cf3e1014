// Cases of the C++ tests: CASE(name) { ... } registers a test, near(a, b, tolerance, what) fails it.
// tests/unit/test_cpp.py builds and runs them.
#pragma once

#include <cmath>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bough/spatial/spatial.hpp"

namespace bough::tests {

struct Case {
  std::string name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Register {
  Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

#define CASE(name)                                             \
  void name();                                                 \
  const ::bough::tests::Register register_##name(#name, name); \
  void name()

inline void near(double a, double b, double tolerance, const std::string& what) {
  if (std::abs(a - b) <= tolerance) return;
  std::ostringstream text;
  text.precision(17);
  text << what << ": " << a << " is not " << b << " to " << tolerance;
  throw std::runtime_error(text.str());
}

inline void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

// Uniform in [-1, 1], the same in every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return 2.0 * (engine_() / 4294967295.0) - 1.0; }

 private:
  std::mt19937 engine_;
};

inline Vec3 random_vector(Random& random) {
  const double x = random(), y = random();
  return {x, y, random()};
}

using Matrix = std::vector<std::vector<double>>;  // by rows

inline Matrix random_matrix(int rows, int columns, unsigned seed) {
  Random random(seed);
  Matrix A(rows, std::vector<double>(columns));
  for (auto& row : A)
    for (double& x : row) x = random();
  return A;
}

inline Matrix transposed(const Matrix& A) {
  Matrix T(A[0].size(), std::vector<double>(A.size()));
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A[i].size(); ++j) T[j][i] = A[i][j];
  return T;
}

inline std::vector<double> times(const Matrix& A, const std::vector<double>& x) {
  std::vector<double> y(A.size(), 0.0);
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i][j] * x[j];
  return y;
}

// A A^T
inline Matrix gram(const Matrix& A) {
  Matrix G;
  for (const auto& row : A) G.push_back(times(A, row));
  return G;
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// A^-1 b by elimination with row pivots.
inline std::vector<double> gauss(Matrix A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

}  // namespace bough::tests
