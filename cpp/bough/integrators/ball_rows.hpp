// Velocities and energies of recorded rows of a tree of balls alone, four rows side by side: its joints one by one, row after
// row, took a twelfth of a run of 2000 steps.
//
// With d_c the way from the centre of a ball to that of a ball outboard of it, c the centre of mass of its link from there, and
// r = R p, all in world axes, a subtree that turns about its centre freely passes on the moment r and a force, C v + g at the
// velocity v of the centre:
//
//   A = I + m (c.c - c c^T) - sum d^ C_c d^,   B = m c^ + sum d^ C_c,   n = sum (r_c + d x g_c)                (BJ21)
//   a = A^-1 (r - n),   K = A^-1 B,   C = m + sum C_c - B^T K,   g = sum g_c + B^T a                            (BJ22)
//   w = a - K v,   v_c = v + w x d,   p . omega = r . (w - w of the parent)                                     (BJ23)
#pragma once

#include "bough/integrators/coarse_steps.hpp"

namespace bough {

// The rows `at` of a run; nothing if other elements than forces act, or a mass matrix is singular: then rows are to be found
// one by one.
std::vector<CheckedRow> rows_of_balls(const Model& model, const RecordedRows& run, const std::vector<std::size_t>& at);

}  // namespace bough
