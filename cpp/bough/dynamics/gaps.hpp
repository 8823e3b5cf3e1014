// Sums over the one-sided elements of a model: the gaps of all contacts with the size of what cancels in them, dphi/dq
// (n_contacts x n_variables) and dphi/dt at fixed q. Dry friction, which has no gap, has a gap of zero that nothing changes.
#pragma once

#include "bough/tree/unilateral.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

void gap(const Instant& at, double* phi, double* scale);
void gap_dq(const Instant& at, double* Dphi);
void gap_rate(const Instant& at, double* phi_t);

}  // namespace bough
