#include "bough/maximal/chain.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "bough/solvers/products.hpp"
#include "bough/spatial/rotation.hpp"

namespace bough {
namespace {

constexpr double converged = 3e-8;  // of a correction: what the next one would be is its square
constexpr double commuting = 1e-15;
constexpr int max_iterations = 30;

double inner(const Twist& x, const Twist& y) { return dot(x.w, y.w) + dot(x.v, y.v); }
double inner(const Wrench& x, const Twist& y) { return dot(x.n, y.w) + dot(x.f, y.v); }
Wrench as_wrench(const Twist& x) { return {x.w, x.v}; }

// (MK1), (MK3)
void place_chain(const Model& model, const int* joints, int length, const double* s, Twist* J, Pose& G) {
  Pose H = Pose::identity();
  for (int c = length - 1; c >= 0; --c) {
    const Joint& joint = model.joints[joints[c]];
    J[c] = c == length - 1 ? joint.S : adjoint_inverse(H, joint.S);
    const Pose step = exp_screw(joint.S, s[joints[c]]);
    H = joint.X * (c == length - 1 ? step : step * H);
  }
  G = H;
}

// (MK4) by the Gram matrix of the screws; a ridge at round-off keeps it finite where the chain is singular.
void find_duals(const Model& model, const int* joints, int length, int freedom, const Twist* J, Wrench* dual) {
  if (freedom == 1) {
    for (int c = 0; c < length; ++c)
      dual[c] = model.joints[joints[c]].dynamic ? as_wrench((1.0 / inner(J[c], J[c])) * J[c]) : Wrench::zero();
    return;
  }
  using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  int at[6], k = 0;
  for (int c = 0; c < length; ++c) {
    dual[c] = Wrench::zero();
    if (model.joints[joints[c]].dynamic && k < 6) at[k++] = c;
  }
  if (k == 0) return;
  Gram M(k, k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) M(i, j) = inner(J[at[i]], J[at[j]]);
  M.diagonal().array() += 1e-13 * M.trace();
  const Gram inverse = M.llt().solve(Gram::Identity(k, k));
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) dual[at[i]] += inverse(i, j) * as_wrench(J[at[j]]);
}

}  // namespace

void recover(const Model& model, const Bodies& bodies, const Body& body, const Pose& a, const Pose& b, double* s,
             Twist* J, Wrench* dual, ChainState& out) {
  const int* joints = bodies.chain.data() + body.chain;
  const Pose X = relative(a, b);
  for (out.iterations = 1; out.iterations <= max_iterations; ++out.iterations) {
    place_chain(model, joints, body.length, s, J, out.G);
    const Pose E = relative(out.G, X);
    out.e = {rotation_vector(E.R), E.p};  // (MK2)
    if (body.freedom == 0) return;
    find_duals(model, joints, body.length, body.freedom, J, dual);
    double size = 0.0;
    const Twist e = out.e;
    for (int c = 0; c < body.length; ++c) {  // (MK5)
      if (!model.joints[joints[c]].dynamic) continue;
      const double ds = inner(dual[c], e);
      s[joints[c]] += ds;
      out.e = out.e - ds * J[c];
      size = std::max(size, std::abs(ds));
    }
    // One screw commutes with itself: what is left is the product of the correction and the drift.
    if (size <= converged || (body.length == 1 && size * (norm(out.e.w) + norm(out.e.v)) <= commuting)) break;
  }
  if (body.freedom == 6) out.e = Twist::zero();
}

}  // namespace bough
