// Energies, centre of mass and total momentum.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

double kinetic_energy(const Model& model, Workspace& ws, const double* q, const double* v);
double potential_energy(const Model& model, Workspace& ws, const double* q);
// d3V/dq dq dq, n_variables cube; every potential must have it.
void potential_energy_dqdqdq(const Model& model, Workspace& ws, const double* q, double* T);
double total_mass(const Model& model);
void center_of_mass(const Model& model, Workspace& ws, const double* q, double* out);  // 3

// Total momentum at the world origin: 3 angular, 3 linear.
void spatial_momentum(const Model& model, Workspace& ws, const double* q, const double* v, double* out);

}  // namespace bough
