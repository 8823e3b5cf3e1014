// Poses, screws and velocities of all joints in one outward sweep; poses, velocities and their derivatives of one frame.
//
//   (T1) g_i = g_parent X_i exp(S_i s_i),  s_i = shift_i + ratio_i q
//   (T2) J_i = Ad(g_i) S_i
//   (T3) V_i = V_parent + J_i ds_i/dt
//   (T4) U_i = ad(V_parent) J_i                     the rate of change of J_i
//   (T5) d^m g_k / ds_i1 ... ds_im = Jhat_i1 ... Jhat_im g_k   indices sorted root to leaf, all at or above k, else 0
//   (T6) d v_k / ds_i = Ad(g_k^-1) U_i,  d v_k / d(ds_i/dt) = Ad(g_k^-1) J_i   (body velocity v_k, i at or above k)
//
// Outputs are over configuration variables; q has n_variables entries.
#pragma once

#include "bough/tree/workspace.hpp"

namespace bough {

// The reference point of positions and twists: the origin of the world, or a point near each tree that hangs from it.
enum class Origin { world, local };

// (T1), (T2) for every joint.
void sweep_poses(const Model& model, Workspace& ws, const double* q, Origin origin = Origin::world);
// The same into memory of the caller: one slot for the world and one for each joint.
void sweep_poses(const Model& model, JointParameters& parameters, std::vector<JointState>& state, const double* q,
                 Origin origin = Origin::world);

// (T1)-(T4) for every joint.
void sweep_velocities(const Model& model, Workspace& ws, const double* q, const double* v,
                      Origin origin = Origin::world);

// One frame; out is 4x4 row-major, or an array of such, or 6-vectors (angular, linear).
void pose(const Model& model, Workspace& ws, int frame, const double* q, double* out);
void pose_dq(const Model& model, Workspace& ws, int frame, const double* q, double* out);
void pose_dqdq(const Model& model, Workspace& ws, int frame, const double* q, double* out);
void pose_derivative(const Model& model, Workspace& ws, int frame, const double* q, const int* variables, int order,
                     double* out);
// Several frames after one sweep.
void poses(const Model& model, Workspace& ws, const int* frames, int count, const double* q, double* out);
enum class JacobianKind : int { body, spatial, hybrid };
void jacobian(const Model& model, Workspace& ws, int frame, JacobianKind kind, const double* q, double* out);
void body_velocity(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out);
void body_velocity_dq(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out);
void body_velocity_dqdq(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out);
void body_velocity_dqdv(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out);

}  // namespace bough
