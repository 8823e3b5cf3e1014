// The size of the forces that cancel where a system rests.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// out_i = sum over the potentials |dV/dq_i| + sum over the forces |f_i(q, 0, u, t)| + sum over the bodies |weight_i|:
// what a residual of statics is measured by. Not for use in a step: it allocates.
void static_force_size(const Model& model, Workspace& ws, const double* q, const double* u, double t, double* out);

}  // namespace bough
