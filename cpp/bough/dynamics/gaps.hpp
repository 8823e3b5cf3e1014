// Sums over the one-sided elements of a model: the gaps of all contacts with the size of what cancels in them, dphi/dq
// (n_contacts x n_variables) and dphi/dt at fixed q; ContactInstant::features are those of all contacts. Dry friction, which has no gap, has a gap of zero that nothing changes.
#pragma once

#include "bough/tree/unilateral.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

void gap(const ContactInstant& at, double* phi, double* scale);
// Of one element alone, at the features of its own contacts.
void gap(const Unilateral& element, const ContactInstant& at, double* phi, double* scale);
void gap_dq(const ContactInstant& at, double* Dphi);
void gap_rate(const ContactInstant& at, double* phi_t);

// Whether contacts have features; and the numbers that record what contacts are at an instant: statuses, the length of the step
// that led there and, if there are such, features.
bool has_features(const Model& model);
std::size_t contact_state_size(const Model& model);

}  // namespace bough
