// Between the pose of a free base and its six variables (tx, ty, tz, rz, ry, rx), and between their rates.
//
//   g = X T(tx, ty, tz) Rz(a) Ry(b) Rx(c)                                                                          (B13)
//   xi = E dq/dt, xi the twist of the base in its axes, columns of E: Ad(g)^-1 J_i                                   (B14)
#pragma once

#include "bough/dynamics/reduced_metric.hpp"
#include "bough/spatial/retraction.hpp"

namespace bough {

// (B13) of a configuration q; the identity where there is no base.
Pose base_pose(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q);

// The six variables at the pose g, of all that are possible those nearest to `before`: angles go on past half turns, and
// through gimbal lock.
void base_coordinates(const Model& model, const ReducedLayout& layout, const Pose& g, const double* before,
                      double* out);

// (B14) at q: the twist xi of the base of rates of its six variables, rates of a twist (those of least norm at gimbal lock), and
// the momenta E^T P of the variables of a momentum P of the base in its axes; six numbers each.
void base_twist(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* rates,
                double* xi);
void base_rates(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* xi,
                double* rates);
void base_momenta(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* P,
                  double* momenta);

}  // namespace bough
