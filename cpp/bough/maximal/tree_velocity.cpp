#include "bough/maximal/tree_velocity.hpp"

#include <Eigen/Cholesky>

namespace bough {
namespace {

constexpr double singular = 1e-13;

// The size that D would have without cancellation.
double scale(const Mat6& P, const Twist& J) {
  return (std::abs(P.row[0].n[0]) + std::abs(P.row[1].n[1]) + std::abs(P.row[2].n[2])) * dot(J.w, J.w) +
         (std::abs(P.row[3].f[0]) + std::abs(P.row[4].f[1]) + std::abs(P.row[5].f[2])) * dot(J.v, J.v);
}

}  // namespace

TreeVelocity::TreeVelocity(const Bodies& bodies)
    : bodies_(bodies),
      freedom_(bodies.n() + 1),
      P_(bodies.n() + 1),
      U_(6 * bodies.n()),
      K_(6 * bodies.n()),
      r_(6 * bodies.n()),
      inverse_(bodies.n() + 1),
      inverses_(bodies.n() + 1) {}

// (MV2) for a freedom above one: D scaled to a unit diagonal, then inverted.
int TreeVelocity::reduce(int b, const std::vector<Twist>& B) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const int k = freedom_[b], at = 6 * (b - 1);
  Small D(k, k);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> root(k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) D(i, j) = dot(B[at + i], U_[at + j]);
  for (int i = 0; i < k; ++i) {
    if (!(D(i, i) > singular * scale(P_[b], B[at + i]))) return b;
    root[i] = 1.0 / std::sqrt(D(i, i));
  }
  D = (root.asDiagonal() * D * root.asDiagonal()).eval();
  const Eigen::LLT<Small> llt(D);
  for (int i = 0; i < k; ++i)
    if (!(llt.matrixLLT()(i, i) * llt.matrixLLT()(i, i) > singular)) return b;
  const Small inverse = root.asDiagonal() * llt.solve(Small::Identity(k, k)) * root.asDiagonal();
  inverses_[b].topLeftCorner(k, k) = inverse;
  for (int i = 0; i < k; ++i) {
    K_[at + i] = Wrench::zero();
    for (int j = 0; j < k; ++j) K_[at + i] += inverse(i, j) * U_[at + j];
  }
  return -1;
}

int TreeVelocity::factor(const std::vector<Inertia>& inertia, const std::vector<Twist>& B,
                         const std::vector<int>& freedom) {
  B_ = &B;
  const int n = bodies_.n();
  for (int b = 1; b <= n; ++b) P_[b] = matrix(inertia[b], 1.0);
  for (int b = n; b > 0; --b) {
    const int k = freedom_[b] = freedom[b], at = 6 * (b - 1), parent = bodies_.body[b - 1].parent;
    for (int i = 0; i < k; ++i) U_[at + i] = transpose_times(P_[b], B[at + i]);
    if (k == 1) {
      const double D = dot(B[at], U_[at]);
      if (!(D > singular * scale(P_[b], B[at]))) return b;
      inverse_[b] = 1.0 / D;
      if (parent > 0) P_[parent] += reduced(P_[b], U_[at], inverse_[b]);  // (MV3)
      continue;
    }
    if (k > 1 && reduce(b, B) >= 0) return b;
    if (parent == 0 || k == 6) continue;
    Mat6 P = P_[b];
    for (int i = 0; i < k; ++i)
      for (int r = 0; r < 3; ++r) {
        P.row[r] = P.row[r] - K_[at + i].n[r] * U_[at + i];
        P.row[r + 3] = P.row[r + 3] - K_[at + i].f[r] * U_[at + i];
      }
    P_[parent] += P;
  }
  return -1;
}

// (MV1) by (MV2)-(MV4).
void TreeVelocity::solve(std::vector<Wrench>& f, const Twist* c, std::vector<Twist>& V) {
  const int n = bodies_.n();
  const std::vector<Twist>& B = *B_;
  for (int b = n; b > 0; --b) {
    const int k = freedom_[b], at = 6 * (b - 1), parent = bodies_.body[b - 1].parent;
    Wrench g = f[b];
    if (c) g = g - transpose_times(P_[b], c[b]);
    if (k == 1) {  // (MV2)
      r_[at] = inverse_[b] * dot(B[at], g);
      if (parent > 0) f[parent] += g - r_[at] * U_[at];
      continue;
    }
    double x[6];
    for (int i = 0; i < k; ++i) x[i] = dot(B[at + i], g);
    for (int i = 0; i < k; ++i) {
      r_[at + i] = 0.0;
      for (int j = 0; j < k; ++j) r_[at + i] += inverses_[b](i, j) * x[j];
    }
    if (parent == 0 || k == 6) continue;
    for (int i = 0; i < k; ++i) g = g - r_[at + i] * U_[at + i];
    f[parent] += g;  // (MV3)
  }
  V[0] = Twist::zero();
  for (int b = 1; b <= n; ++b) {  // (MV4)
    const int k = freedom_[b], at = 6 * (b - 1);
    const Twist& Va = V[bodies_.body[b - 1].parent];
    if (k == 6) {  // a free body: the velocity of its parent does not matter
      V[b] = c ? c[b] : Twist::zero();
      for (int i = 0; i < 6; ++i) V[b] += r_[at + i] * B[at + i];
      continue;
    }
    V[b] = c ? Va + c[b] : Va;
    if (k == 1) {
      V[b] += (r_[at] - inverse_[b] * dot(Va, U_[at])) * B[at];
      continue;
    }
    for (int i = 0; i < k; ++i) V[b] += (r_[at + i] - dot(Va, K_[at + i])) * B[at + i];
  }
}

}  // namespace bough
