#include "bough/tree/kinematics.hpp"

#include <algorithm>
#include <cstring>

#include "bough/solvers/products.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

using Mat4 = Eigen::Matrix4d;
using RowMat4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

Mat4 hat(const Twist& x) {
  Mat4 m = Mat4::Zero();
  const Mat3 W = skew(x.w);
  for (int k = 0; k < 3; ++k) W.c[k].store(m.col(k).data());
  x.v.store(m.col(3).data());
  return m;
}

Mat4 homogeneous(const Pose& g) {
  Mat4 m = Mat4::Identity();
  for (int k = 0; k < 3; ++k) g.R.c[k].store(m.col(k).data());
  g.p.store(m.col(3).data());
  return m;
}

void add(double* out, double factor, const Mat4& m) { Eigen::Map<RowMat4>{out} += factor * m; }

void add(double* out, double factor, const Twist& x) {
  for (int k = 0; k < 3; ++k) {
    out[k] += factor * x.w[k];
    out[k + 3] += factor * x.v[k];
  }
}

Pose frame_pose(const Model& model, const Workspace& ws, int frame) {
  const FramePlace& place = model.frames[frame];
  return ws.state[place.joint].g * place.X;
}

Vec3 place_of_world(const Model& model, const JointParameters& parameters, int i, Origin origin) {
  return origin == Origin::local ? local_world(model, parameters, i) : Vec3::zero();
}

bool one_ball(const Joint& a, const Joint& b) { return a.ball >= 0 && a.ball == b.ball; }

// Calls visit(i, joint) for every joint i inboard of the frame, leaf to root.
template <class Visit>
void for_ancestors(const Model& model, int slot, Visit visit) {
  for (; slot > 0; slot = model.joints[slot - 1].parent) visit(slot, model.joints[slot - 1]);
}

}  // namespace

void sweep_poses(const Model& model, Workspace& ws, const double* q, Origin origin) {
  sweep_poses(model, ws.parameters, ws.state, q, origin);
}

void sweep_poses(const Model& model, JointParameters& parameters, std::vector<JointState>& state, const double* q,
                 Origin origin) {
  set_parameters(model, parameters, q);
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& x = state[i + 1];
    if (joint.parent == 0) state[0].g.p = place_of_world(model, parameters, i, origin);
    place_joint(joint, state[joint.parent].g, parameters, i, x.g, x.J);
  }
}

void sweep_velocities(const Model& model, Workspace& ws, const double* q, const double* v, Origin origin) {
  set_parameters(model, ws.parameters, q);
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    JointState& x = ws.state[i + 1];
    const JointState& parent = ws.state[joint.parent];
    if (joint.parent == 0) ws.state[0].g.p = place_of_world(model, ws.parameters, i, origin);
    place_joint(joint, parent.g, ws.parameters, i, x.g, x.J);
    x.V = parent.V + (joint.ratio * v[joint.variable]) * x.J;
    x.U = ad(ws.state[joint.base].V, x.J);
  }
}

void pose(const Model& model, Workspace& ws, int frame, const double* q, double* out) {
  sweep_poses(model, ws, q);
  Eigen::Map<RowMat4>{out} = homogeneous(frame_pose(model, ws, frame));
}

void poses(const Model& model, Workspace& ws, const int* frames, int count, const double* q, double* out) {
  sweep_poses(model, ws, q);
  for (int k = 0; k < count; ++k) Eigen::Map<RowMat4>{out + 16 * k} = homogeneous(frame_pose(model, ws, frames[k]));
}

void pose_dq(const Model& model, Workspace& ws, int frame, const double* q, double* out) {
  sweep_poses(model, ws, q);
  std::fill_n(out, 16 * model.n_variables, 0.0);
  const Mat4 g = homogeneous(frame_pose(model, ws, frame));
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& joint) {
    add(out + 16 * joint.variable, joint.ratio, hat(ws.state[i].J) * g);  // (T5), (T8)
  });
}

void pose_dqdq(const Model& model, Workspace& ws, int frame, const double* q, double* out) {
  const std::size_t n = model.n_variables;
  sweep_poses(model, ws, q);
  std::fill_n(out, 16 * n * n, 0.0);
  const Mat4 g = homogeneous(frame_pose(model, ws, frame));
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& below) {
    const Mat4 Jg = hat(ws.state[i].J) * g;
    for_ancestors(model, i, [&](int j, const Joint& above) {
      const Mat4 d = hat(ws.state[j].J) * Jg;  // (T5), root-most factor first
      const double factor = below.ratio * above.ratio;
      add(out + 16 * (n * below.variable + above.variable), factor, d);
      if (i == j) return;
      const bool ball = one_ball(below, above);  // (BJ6): the last derivative moves what the first one has turned
      add(out + 16 * (n * above.variable + below.variable), factor,
          ball ? hat(ws.state[i].J) * (hat(ws.state[j].J) * g) : d);
    });
  });
}

void pose_derivative(const Model& model, Workspace& ws, int frame, const double* q, const int* variables, int order,
                     double* out) {
  // (T5) with shared variables: one term for every way to assign a joint at or above the frame to each chosen variable.
  sweep_poses(model, ws, q);
  std::fill_n(out, 16, 0.0);
  const Mat4 g = homogeneous(frame_pose(model, ws, frame));
  // The axes of a ball act in the order of the derivatives, the last one outermost (BJ6).
  std::vector<int> chosen(order), sorted(order);
  const auto before = [&](int a, int b) {
    const Joint &x = model.joints[chosen[a] - 1], &y = model.joints[chosen[b] - 1];
    return one_ball(x, y) ? a > b : chosen[a] < chosen[b];
  };
  const auto assign = [&](const auto& self, int k, double factor) -> void {
    if (k == order) {
      for (int m = 0; m < order; ++m) sorted[m] = m;
      std::sort(sorted.begin(), sorted.end(), before);
      Mat4 d = g;
      for (int m = order - 1; m >= 0; --m) d = hat(ws.state[chosen[sorted[m]]].J) * d;
      add(out, factor, d);
      return;
    }
    for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& joint) {
      if (joint.variable != variables[k]) return;
      chosen[k] = i;
      self(self, k + 1, factor * joint.ratio);
    });
  };
  assign(assign, 0, 1.0);
}

void jacobian(const Model& model, Workspace& ws, int frame, JacobianKind kind, const double* q, double* out) {
  const int n = model.n_variables;
  sweep_poses(model, ws, q);
  std::fill_n(out, 6 * n, 0.0);
  const Pose g = frame_pose(model, ws, frame);
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& joint) {
    Twist x = ws.state[i].J;
    if (kind == JacobianKind::body) x = adjoint_inverse(g, x);
    if (kind == JacobianKind::hybrid) x.v += cross(x.w, g.p);
    for (int r = 0; r < 3; ++r) {
      out[r * n + joint.variable] += joint.ratio * x.w[r];
      out[(r + 3) * n + joint.variable] += joint.ratio * x.v[r];
    }
  });
}

void body_velocity(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out) {
  sweep_velocities(model, ws, q, v);
  std::fill_n(out, 6, 0.0);
  add(out, 1.0, adjoint_inverse(frame_pose(model, ws, frame), ws.state[model.frames[frame].joint].V));
}

void body_velocity_dq(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out) {
  sweep_velocities(model, ws, q, v);
  std::fill_n(out, 6 * model.n_variables, 0.0);
  const Pose g = frame_pose(model, ws, frame);
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& joint) {
    add(out + 6 * joint.variable, joint.ratio, adjoint_inverse(g, ws.state[i].U));  // (T6)
  });
}

// Second derivatives: with j at or above i, and d/ds_i Ad(g_k^-1) X = Ad(g_k^-1) (dX/ds_i - ad(J_i) X),
//   d2 v_k / ds_i d(ds_j/dt) = -Ad(g_k^-1) ad(J_i) J_j = Ad(g_k^-1) ad(J_j) J_i ... only for j above i, else 0
//   d2 v_k / ds_i ds_j = Ad(g_k^-1) (dU_j/ds_i - ad(J_i) U_j) with dU_j/ds_i = 0 for i below or at j
void body_velocity_dqdq(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out) {
  const std::size_t n = model.n_variables;
  sweep_velocities(model, ws, q, v);
  std::fill_n(out, 6 * n * n, 0.0);
  const Pose g = frame_pose(model, ws, frame);
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& below) {
    for_ancestors(model, i, [&](int j, const Joint& above) {
      const Twist d = adjoint_inverse(g, ad(ws.state[j].U, ws.state[i].J));
      const double factor = below.ratio * above.ratio;
      add(out + 6 * (n * below.variable + above.variable), factor, d);
      if (i == j) return;
      const Twist mirrored =
          one_ball(below, above) ? adjoint_inverse(g, ad(ws.state[i].U, ws.state[j].J)) : d;  // (BJ6)
      add(out + 6 * (n * above.variable + below.variable), factor, mirrored);
    });
  });
}

void body_velocity_dqdv(const Model& model, Workspace& ws, int frame, const double* q, const double* v, double* out) {
  const std::size_t n = model.n_variables;
  sweep_velocities(model, ws, q, v);
  std::fill_n(out, 6 * n * n, 0.0);
  const Pose g = frame_pose(model, ws, frame);
  for_ancestors(model, model.frames[frame].joint, [&](int i, const Joint& below) {
    for_ancestors(model, below.parent, [&](int j, const Joint& above) {
      if (one_ball(below, above)) return;  // whose axes turn together
      const Twist d = adjoint_inverse(g, ad(ws.state[j].J, ws.state[i].J));
      add(out + 6 * (n * below.variable + above.variable), below.ratio * above.ratio, d);
    });
  });
}

}  // namespace bough
