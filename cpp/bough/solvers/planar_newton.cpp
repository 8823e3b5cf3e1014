#include "bough/solvers/planar_newton.hpp"

#include <cmath>

#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

// (x . a, y . b1, y . b2, 0) of an angular and a linear part.
template <int axis>
inline Lane4 planar(const Vec3& x, const Vec3& y) {
  return shuffle<axis, 4 + (axis + 1) % 3, 4 + (axis + 2) % 3, 3>(x.a, y.a);
}

inline double dot(const Lane4& x, const Lane4& y) { return sum(x * y); }

}  // namespace

PlanarNewton::PlanarNewton(const Model& model)
    : axis_(model.plane.axis), nodes_(model.joints.size()), sums_(model.joints.size() + 1) {
  for (int i = 0; i < model.n(); ++i) nodes_[i].moment = model.plane.joints[i].moment;
}

bool PlanarNewton::factor(const Model& model, const TreeSweep& sweep, double alpha, double* x) {
  return axis_ == 0   ? factor_about<0>(model, sweep, alpha, x)
         : axis_ == 1 ? factor_about<1>(model, sweep, alpha, x)
                      : factor_about<2>(model, sweep, alpha, x);
}

template <int axis>
bool PlanarNewton::factor_about(const Model& model, const TreeSweep& sweep, double alpha, double* x) {
  constexpr int first = (axis + 1) % 3, second = (axis + 2) % 3;
  const double dt = sweep.dt, beta = 1.0 - alpha, inverse_dt = 1.0 / dt, k = alpha * beta * dt;
  const double g1 = k * model.gravity[first], g2 = k * model.gravity[second];
  Lane4 P0{}, P1{}, P2{}, P3{}, s{};  // of the joint before, if it is a child
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    const JointState& at = sweep.state[i + 1];
    const MidpointBody& body = sweep.bodies[i + 1];
    Node& node = nodes_[i];
    if (joint.subtree_end == i + 1) {
      P0 = P1 = P2 = P3 = s = Lane4{};
    } else if (!model.joints[i + 1].last_child) {  // there are other children
      const Sum& others = sums_[i + 1];
      P0 += others.P[0];
      P1 += others.P[1];
      P2 += others.P[2];
      P3 += others.P[3];
      s += others.s;
    }
    const double m = inverse_dt * model.links[i].mass, c1 = body.c[first], c2 = body.c[second];
    const double mc1 = m * c1, mc2 = m * c2;
    P0 += Lane4{inverse_dt * node.moment + mc1 * c1 + mc2 * c2, -mc2, mc1, 0.0};  // (PN2)
    P1 += Lane4{-mc2, m, 0.0, 0.0};
    P2 += Lane4{mc1, 0.0, m, 0.0};

    if (joint.dynamic) {
      const Lane4 J = planar<axis>(at.J.w, at.J.v), U = planar<axis>(at.U.w, at.U.v);
      const Lane4 h = planar<axis>(body.h.n, body.h.f);
      const Lane4 sigma = shuffle<3, 3, 3, 4>(U, J);  // lane 3 of U is zero
      const Lane4 y = J + (alpha * dt) * U + sigma, w = (beta * dt) * U - J + sigma;
      // ad(J)^T h = (f1 v2 - f2 v1, s f2, -s f1)
      const Lane4 e =
          shuffle<1, 2, 3, 3>(h, h) * shuffle<2, 0, 3, 3>(J, J) - shuffle<2, 3, 1, 3>(h, h) * shuffle<1, 3, 0, 3>(J, J);
      const double mass = model.subtree_mass[i + 1];
      const double gamma =
          dot(J, Lane4{-(body.mc[first] * g1 + body.mc[second] * g2), mass * g2, -mass * g1, 0.0});  // (PN1)
      const Lane4 gravity{0.0, 0.0, 0.0, gamma};
      const Lane4 u = lane_sums(P0 * y, P1 * y, P2 * y, P3 * y) + (gravity - alpha * e);
      const Lane4 t = (w[0] * P0 + w[1] * P1) + (w[2] * P2 + w[3] * P3) + (gravity - beta * e);
      const double D = dot(y, t) + node.diagonal;
      if (D == 0.0 || !std::isfinite(D)) return false;
      const double inverse_D = 1.0 / D, c = (x[i] - dot(w, s)) * inverse_D;  // (N3)
      const Lane4 part = inverse_D * t;
      P0 -= u[0] * part;
      P1 -= u[1] * part;
      P2 -= u[2] * part;
      P3 -= u[3] * part;
      s += c * u;
      node.y = y;
      node.w = w;
      node.u = u;
      node.t = t;
      node.inverse_D = inverse_D;
      node.c = c;
    }
    if (joint.parent == i || joint.parent == 0) continue;
    Sum& parent = sums_[joint.parent];
    if (joint.last_child)
      parent = {{P0, P1, P2, P3}, s, Lane4{}};
    else {
      parent.P[0] += P0;
      parent.P[1] += P1;
      parent.P[2] += P2;
      parent.P[3] += P3;
      parent.s += s;
    }
  }
  expand<false>(model, x);
  return true;
}

template <bool transposed>
void PlanarNewton::solve(const Model& model, double* x) {
  Lane4 s{};
  for (int i = model.n() - 1; i >= 0; --i) {  // (N3)
    const Joint& joint = model.joints[i];
    Node& node = nodes_[i];
    if (joint.subtree_end == i + 1)
      s = Lane4{};
    else if (!model.joints[i + 1].last_child)
      s += sums_[i + 1].s;
    if (joint.dynamic) {
      node.c = (x[i] - dot(transposed ? node.y : node.w, s)) * node.inverse_D;
      s += node.c * (transposed ? node.t : node.u);
    }
    if (joint.parent == i || joint.parent == 0) continue;
    if (joint.last_child)
      sums_[joint.parent].s = s;
    else
      sums_[joint.parent].s += s;
  }
  expand<transposed>(model, x);
}

template void PlanarNewton::solve<false>(const Model& model, double* x);
template void PlanarNewton::solve<true>(const Model& model, double* x);

// (N4)
template <bool transposed>
void PlanarNewton::expand(const Model& model, double* x) {
  sums_[0].eta = Lane4{};
  Lane4 eta{};  // of the joint before
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Node& node = nodes_[i];
    if (joint.parent != i) eta = sums_[joint.parent].eta;
    if (joint.dynamic) {
      x[i] = node.c - dot(eta, transposed ? node.u : node.t) * node.inverse_D;
      eta += x[i] * (transposed ? node.w : node.y);
    } else {
      x[i] = 0.0;
    }
    if (joint.subtree_end > i + 1) sums_[i + 1].eta = eta;
  }
}

}  // namespace bough
