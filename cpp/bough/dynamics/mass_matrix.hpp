// The mass matrix M_ij = a_i . J_j, a_i = Ic_i J_i, for j at or above i (L5).
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// out: n_variables x n_variables, row-major, both triangles.
void mass_matrix(const Model& model, Workspace& ws, const double* q, double* out);

}  // namespace bough
