#include "bough/dynamics/reduced_base.hpp"

#include "bough/solvers/dense.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double pi = 3.141592653589793, full_turn = 2.0 * pi;
constexpr double lock = 1e-12;  // cos b below this: only a - c or a + c is known

double near(double angle, double before) { return angle + full_turn * std::round((before - angle) / full_turn); }

// Angles with R = Rz(a) Ry(b) Rx(c), b in [-pi/2, pi/2].
void angles(const Mat3& R, double a_before, double* abc) {
  const double cosine = std::hypot(R(0, 0), R(1, 0));
  abc[1] = std::atan2(-R(2, 0), cosine);
  abc[0] = cosine > lock ? std::atan2(R(1, 0), R(0, 0)) : a_before;
  // c from Rx(c) = Ry(-b) Rz(-a) R: its second row is that of Rz(-a) R.
  const double sa = std::sin(abc[0]), ca = std::cos(abc[0]);
  abc[2] = std::atan2(sa * R(0, 2) - ca * R(1, 2), ca * R(1, 1) - sa * R(0, 1));
}

// (B14)
Mat66 base_jacobian(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q) {
  const Pose g = base_pose(model, layout, ws, q);
  Mat66 E;
  for (int k = 0; k < 6; ++k) E.col(k) = vector(adjoint_inverse(g, ws.state[layout.base + k + 1].J));
  return E;
}

Vec6 six(const double* x) { return Eigen::Map<const Vec6>(x); }

}  // namespace

Pose base_pose(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q) {
  if (layout.base < 0) return Pose::identity();
  sweep_poses(model, ws, q);
  return ws.state[layout.base + 6].g;
}

void base_coordinates(const Model& model, const ReducedLayout& layout, const Pose& g, const double* before,
                      double* out) {
  const Pose& X = model.joints[layout.base].X;
  transpose_times(X.R, g.p - X.p).store(out);
  double first[3], best = 0.0;
  angles(transpose(X.R) * g.R, before[3], first);
  // (a, b, c) and (a + pi, pi - b, c + pi) are the same rotation.
  for (int other = 0; other < 2; ++other) {
    const double abc[3] = {near(other ? first[0] + pi : first[0], before[3]),
                           near(other ? pi - first[1] : first[1], before[4]),
                           near(other ? first[2] + pi : first[2], before[5])};
    double distance = 0.0;
    for (int k = 0; k < 3; ++k) distance += (abc[k] - before[3 + k]) * (abc[k] - before[3 + k]);
    if (other && distance >= best) break;
    best = distance;
    std::copy_n(abc, 3, out + 3);
  }
}

void base_twist(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* rates,
                double* xi) {
  Eigen::Map<Vec6>(xi, 6) = base_jacobian(model, layout, ws, q) * six(rates);
}

void base_rates(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* xi,
                double* rates) {
  Eigen::Map<Vec6>(rates, 6) = least_squares(base_jacobian(model, layout, ws, q), six(xi));
}

void base_momenta(const Model& model, const ReducedLayout& layout, Workspace& ws, const double* q, const double* P,
                  double* momenta) {
  Eigen::Map<Vec6>(momenta, 6) = base_jacobian(model, layout, ws, q).transpose() * six(P);
}

}  // namespace bough
