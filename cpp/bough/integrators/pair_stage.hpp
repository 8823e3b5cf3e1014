// A step as a relation of the configurations at its ends, q0 and q1, and of the force rho that acts at its start: with
// e = (rho, u, k1), and the slots of (DF3), (DF4),
//
//   rho = dp0 + (D1_0 - Hmu) dq0,   (dd1, dmu) = (E, Y) de,   dp1 = D2_0 dq0 + D2_1 dq1 + D2_u du                  (DB1)
//
// so that E and Y have one column for each dynamic variable and each control, not for q0. All by rows; the second
// derivatives of (DS3) have a memory of their own, because not every sweep needs them.
#pragma once

#include "bough/integrators/part_derivatives.hpp"

namespace bough {

// Where the matrices of a stage stand in its memory.
struct PairLayout {
  explicit PairLayout(const StepShape& of);
  StepShape shape;
  int ne;                        // columns of E: nd + nu + nk
  std::size_t E, Y;              // (nd, ne), (m, ne)
  std::size_t D1_0, D2_0, D2_1;  // (nd, nq), the first with -Hmu
  std::size_t D2_u;              // (nd, nu)
  std::size_t size;
  std::size_t W00, W01, W11;  // (nq, nq)
  std::size_t Wu0, Wu1, Wuu;  // (nu, nq), (nu, nq), (nu, nu)
  std::size_t C;              // (m, nq)
  std::size_t second_size;
};

}  // namespace bough
