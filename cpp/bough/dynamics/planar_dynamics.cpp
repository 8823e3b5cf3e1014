#include "bough/dynamics/planar_dynamics.hpp"

#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/spatial/sincos.hpp"

namespace bough {
namespace {

// Angles and their sines and cosines, in the places of joint parameters, and rates.
void sweep_angles(const Model& model, Workspace& ws, const double* q, const double* v) {
  JointParameters& turn = ws.parameters;
  double theta = 0.0, omega = 0.0;  // of the joint before, in registers
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const double sign = model.plane.joints[i].sign;
    if (joint.parent != i) {
      theta = joint.parent > 0 ? turn.s[joint.parent - 1] : 0.0;
      omega = ws.planar[joint.parent].omega;
    }
    turn.s[i] = theta += sign * (joint.shift + joint.ratio * q[joint.variable]);
    ws.planar[i + 1].omega = omega += sign * (joint.ratio * v[joint.variable]);
  }
  sincos(turn.s, model.n(), turn.sn, turn.cs);
}

// What the outward sweep hands on.
struct Motion {
  double omega, alpha, A1, A2, sine, cosine;
};

// (PD3) of a link with mass m.
void place_link(PlanarNode& x, const PlanarJoint& at, double m, const Motion& now) {
  const double n1 = now.cosine * at.centre1 - now.sine * at.centre2;
  const double n2 = now.sine * at.centre1 + now.cosine * at.centre2;
  const double spin = now.omega * now.omega;
  x.Pw1 = -m * n2;
  x.Pw2 = m * n1;
  x.Q = x.Pww = at.moment + m * (n1 * n1 + n2 * n2);
  x.P11 = x.P22 = m;
  x.P12 = 0.0;
  x.f1 = m * now.A1 + now.alpha * x.Pw1 - spin * x.Pw2;
  x.f2 = m * now.A2 + now.alpha * x.Pw2 + spin * x.Pw1;
  x.t = at.moment * now.alpha + (n1 * x.f2 - n2 * x.f1);
}

// (PD1)-(PD3). a holds kinematic accelerations.
void sweep_outward(const Model& model, Workspace& ws, const double* q, const double* v, const double* a) {
  const int first = (model.plane.axis + 1) % 3, second = (model.plane.axis + 2) % 3;
  const Motion world{0.0, 0.0, -model.gravity[first], -model.gravity[second], 0.0, 1.0};
  ws.planar[0] = PlanarNode{};
  sweep_angles(model, ws, q, v);
  const JointParameters& turn = ws.parameters;
  Motion now = world;  // of the joint before, in registers
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const PlanarJoint& at = model.plane.joints[i];
    PlanarNode& x = ws.planar[i + 1];
    if (joint.parent == 0) {
      now = world;
    } else if (joint.parent != i) {
      const PlanarNode& parent = ws.planar[joint.parent];
      now = {parent.omega, parent.alpha, parent.A1, parent.A2, turn.sn[joint.parent - 1], turn.cs[joint.parent - 1]};
    }
    double d1 = at.d1, d2 = at.d2;
    if (!at.hinge) {
      const double s = joint.shift + joint.ratio * q[joint.variable];
      d1 += s * at.e1;
      d2 += s * at.e2;
    }
    x.r1 = now.cosine * d1 - now.sine * d2;
    x.r2 = now.sine * d1 + now.cosine * d2;
    const double square = now.omega * now.omega;
    now.A1 -= now.alpha * x.r2 + square * x.r1;
    now.A2 += now.alpha * x.r1 - square * x.r2;
    if (!at.hinge) {
      x.e1 = now.cosine * at.e1 - now.sine * at.e2;
      x.e2 = now.sine * at.e1 + now.cosine * at.e2;
      const double across = 2.0 * now.omega * joint.ratio * v[joint.variable];
      const double along = joint.dynamic ? 0.0 : joint.ratio * a[joint.variable];
      now.A1 += along * x.e1 - across * x.e2;
      now.A2 += along * x.e2 + across * x.e1;
    } else if (!joint.dynamic) {
      now.alpha += at.sign * joint.ratio * a[joint.variable];
    }
    now.omega = x.omega;
    now.sine = turn.sn[i];
    now.cosine = turn.cs[i];
    x.alpha = now.alpha;
    x.A1 = now.A1;
    x.A2 = now.A2;
    place_link(x, at, model.links[i].mass, now);
  }
}

// What a joint has from its link and its children. Q is the scale of Pww before anything cancels, up to a factor of two for
// each joint that is no pivot of a hinge.
struct Subtree {
  double Pww, Pw1, Pw2, P11, P12, P22, t, f1, f2, Q;

  explicit Subtree(const PlanarNode& x)
      : Pww(x.Pww), Pw1(x.Pw1), Pw2(x.Pw2), P11(x.P11), P12(x.P12), P22(x.P22), t(x.t), f1(x.f1), f2(x.f2), Q(x.Q) {}

  void store(PlanarNode& x) const {
    x.Pww = Pww;
    x.Pw1 = Pw1;
    x.Pw2 = Pw2;
    x.P11 = P11;
    x.P12 = P12;
    x.P22 = P22;
    x.t = t;
    x.f1 = f1;
    x.f2 = f2;
    x.Q = Q;
  }
};

// Adds x, moved by r, to its parent; m is the mass of the subtree.
inline void hand_on(const Subtree& x, double m, double r1, double r2, Subtree& parent) {
  const double q1 = x.P12 * r1 - x.P11 * r2, q2 = x.P22 * r1 - x.P12 * r2;
  parent.Pww += x.Pww + 2.0 * (r1 * x.Pw2 - r2 * x.Pw1) + (r1 * q2 - r2 * q1);
  parent.Pw1 += x.Pw1 + q1;
  parent.Pw2 += x.Pw2 + q2;
  parent.P11 += x.P11;
  parent.P12 += x.P12;
  parent.P22 += x.P22;
  parent.t += x.t + (r1 * x.f2 - r2 * x.f1);
  parent.f1 += x.f1;
  parent.f2 += x.f2;
  parent.Q += 2.0 * (x.Q + m * (r1 * r1 + r2 * r2));
}

// (PD4), with sigma tau. The division is the last but one operation that the next pivot waits for.
inline bool eliminate_hinge(const Subtree& x, double tau, double m, PlanarNode& at, Subtree& parent) {
  if (!(x.Pww > least_pivot * x.Q)) return false;
  const double inverse_D = 1.0 / x.Pww, r1 = at.r1, r2 = at.r2, square1 = r1 * r1, square2 = r2 * r2;
  const double g = r1 * x.Pw2 - r2 * x.Pw1;
  at.k1 = x.Pw1 * inverse_D;
  at.k2 = x.Pw2 * inverse_D;
  at.kw = g * inverse_D;
  at.x = (tau - x.t) * inverse_D;
  parent.Pww = (((parent.Pww + square2 * x.P11) + square1 * x.P22) - (2.0 * r1 * r2) * x.P12) - (g * g) * inverse_D;
  parent.Pw1 = ((parent.Pw1 + r1 * x.P12) - r2 * x.P11) - (g * x.Pw1) * inverse_D;
  parent.Pw2 = ((parent.Pw2 + r1 * x.P22) - r2 * x.P12) - (g * x.Pw2) * inverse_D;
  parent.P11 = (parent.P11 + x.P11) - (x.Pw1 * x.Pw1) * inverse_D;
  parent.P12 = (parent.P12 + x.P12) - (x.Pw1 * x.Pw2) * inverse_D;
  parent.P22 = (parent.P22 + x.P22) - (x.Pw2 * x.Pw2) * inverse_D;
  const double f1 = x.f1 + at.x * x.Pw1, f2 = x.f2 + at.x * x.Pw2;
  parent.t += tau + (r1 * f2 - r2 * f1);
  parent.f1 += f1;
  parent.f2 += f2;
  parent.Q += m * (square1 + square2);
  return true;
}

// (D2), (D3) with J = (0, e).
inline bool eliminate_slide(Subtree x, double tau, double m, PlanarNode& at, Subtree& parent) {
  const double e1 = at.e1, e2 = at.e2, uw = x.Pw1 * e1 + x.Pw2 * e2, u1 = x.P11 * e1 + x.P12 * e2,
               u2 = x.P12 * e1 + x.P22 * e2;
  const double D = u1 * e1 + u2 * e2;
  if (!(D > least_pivot * m)) return false;
  const double inverse_D = 1.0 / D;
  at.kw = (uw + at.r1 * u2 - at.r2 * u1) * inverse_D;
  at.k1 = u1 * inverse_D;
  at.k2 = u2 * inverse_D;
  at.x = (tau - (x.f1 * e1 + x.f2 * e2)) * inverse_D;
  x.Pww -= (uw * uw) * inverse_D;
  x.Pw1 -= uw * at.k1;
  x.Pw2 -= uw * at.k2;
  x.P11 -= u1 * at.k1;
  x.P12 -= u1 * at.k2;
  x.P22 -= u2 * at.k2;
  x.t += uw * at.x;
  x.f1 += u1 * at.x;
  x.f2 += u2 * at.x;
  hand_on(x, m, at.r1, at.r2, parent);
  return true;
}

// Returns -1 or the joint whose pivot is zero.
int eliminate(const Model& model, Workspace& ws, const double* tau) {
  Subtree tree(ws.planar[model.n()]);  // of joint i, in registers
  for (int i = model.n() - 1; i >= 0; --i) {
    const Joint& joint = model.joints[i];
    const PlanarJoint& at = model.plane.joints[i];
    PlanarNode& x = ws.planar[i + 1];
    Subtree parent(ws.planar[joint.parent]);
    const double m = model.subtree_mass[i + 1];
    if (!joint.dynamic)
      hand_on(tree, m, x.r1, x.r2, parent);
    else if (!(at.hinge ? eliminate_hinge(tree, at.sign * at.inverse_ratio * tau[joint.variable], m, x, parent)
                        : eliminate_slide(tree, at.inverse_ratio * tau[joint.variable], m, x, parent)))
      return i;
    if (joint.parent == i) {
      tree = parent;
    } else {
      parent.store(ws.planar[joint.parent]);
      tree = Subtree(ws.planar[i]);
    }
  }
  return -1;
}

// (PD5)
void expand(const Model& model, Workspace& ws, double* a) {
  double alpha = 0.0, A1 = 0.0, A2 = 0.0;  // of the joint before, in registers
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const PlanarJoint& at = model.plane.joints[i];
    PlanarNode& x = ws.planar[i + 1];
    if (joint.parent != i) {
      const PlanarNode& parent = ws.planar[joint.parent];
      alpha = parent.alpha;
      A1 = parent.A1;
      A2 = parent.A2;
    }
    const double rest = (x.x - x.k1 * A1 - x.k2 * A2) - x.kw * alpha;
    A1 -= alpha * x.r2;
    A2 += alpha * x.r1;
    if (joint.dynamic && at.hinge) {
      a[joint.variable] = at.sign * at.inverse_ratio * (rest - alpha);
      alpha = rest;
    } else if (joint.dynamic) {
      a[joint.variable] = at.inverse_ratio * rest;
      A1 += rest * x.e1;
      A2 += rest * x.e2;
    }
    x.alpha = alpha;
    x.A1 = A1;
    x.A2 = A2;
  }
}

}  // namespace

int planar_dynamics(const Model& model, Workspace& ws, const double* q, const double* v, const double* tau, double* a) {
  sweep_outward(model, ws, q, v, a);
  if (const int i = eliminate(model, ws, tau); i >= 0) return model.joints[i].variable;
  expand(model, ws, a);
  return -1;
}

}  // namespace bough
