// Matrices of three-space for Eigen.
#pragma once

#include "bough/solvers/products.hpp"
#include "bough/spatial/vec3.hpp"

namespace bough {

inline Eigen::Matrix3d dense(const Mat3& A) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = A(i, j);
  return out;
}

}  // namespace bough
