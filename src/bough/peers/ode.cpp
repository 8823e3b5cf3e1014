// Open Dynamics Engine: rigid bodies in maximal coordinates held together by joints, behind a C interface for
// `ode.py`. All vectors are in the world at the start.

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <vector>

static_assert(sizeof(dReal) == sizeof(double), "the peer is compared in double precision");

namespace {

enum Kind { HINGE, SLIDER, BALL, UNIVERSAL, PISTON, SLIDE_ON_HINGE, WELD, DISTANCE };

struct Start {
  double position[3], rotation[12], linear[3], angular[3];
};

struct Joint {
  dJointID id;
  Kind kind;
  dBodyID child, parent;  // parent null: the world
};

// generalised force -stiffness (x - rest) - damping x' on the rotation or the translation of a joint
struct Spring {
  int joint;
  bool rotation;
  double stiffness, rest, damping, start, first;
};

// rotations about n axes, one after the other, with a spring and a damper each: with axes a_i at zero and the
// rotation R0 of the child at zero, all in the axes of the parent, R = exp(a_1 q_1) ... exp(a_n q_n) R0
struct Turns {
  dBodyID child, parent;
  int n;
  double axes[3][3], R0[9], start[3], stiffness[3], rest[3], damping[3];
  double q[3];        // where the rotation was last found
  double now[3][3];   // the axes there
  double gram[3][3];  // their products
};

struct Peer {
  dWorldID world;
  double gravity[3];
  std::vector<dBodyID> bodies;
  std::vector<Start> starts;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<Turns> turns;
};

dJointID make_joint(dWorldID world, Kind kind, dBodyID child, dBodyID parent, const double* p, const double* a,
                    const double* b, double length) {
  dJointID j = nullptr;
  switch (kind) {
    case HINGE:
      dJointAttach(j = dJointCreateHinge(world, nullptr), child, parent);
      dJointSetHingeAnchor(j, p[0], p[1], p[2]);
      dJointSetHingeAxis(j, a[0], a[1], a[2]);
      break;
    case SLIDER:
      dJointAttach(j = dJointCreateSlider(world, nullptr), child, parent);
      dJointSetSliderAxis(j, a[0], a[1], a[2]);
      break;
    case BALL:
      dJointAttach(j = dJointCreateBall(world, nullptr), child, parent);
      dJointSetBallAnchor(j, p[0], p[1], p[2]);
      break;
    case UNIVERSAL:  // axis 1 belongs to the first body, the child
      dJointAttach(j = dJointCreateUniversal(world, nullptr), child, parent);
      dJointSetUniversalAnchor(j, p[0], p[1], p[2]);
      dJointSetUniversalAxis1(j, b[0], b[1], b[2]);
      dJointSetUniversalAxis2(j, a[0], a[1], a[2]);
      break;
    case PISTON:
      dJointAttach(j = dJointCreatePiston(world, nullptr), child, parent);
      dJointSetPistonAnchor(j, p[0], p[1], p[2]);
      dJointSetPistonAxis(j, a[0], a[1], a[2]);
      break;
    case SLIDE_ON_HINGE:  // the hinge a on the parent, the slide b fixed to the child
      dJointAttach(j = dJointCreatePR(world, nullptr), child, parent);
      dJointSetPRAnchor(j, p[0], p[1], p[2]);
      dJointSetPRAxis1(j, b[0], b[1], b[2]);
      dJointSetPRAxis2(j, a[0], a[1], a[2]);
      break;
    case WELD:
      dJointAttach(j = dJointCreateFixed(world, nullptr), child, parent);
      dJointSetFixed(j);
      break;
    case DISTANCE:  // between the points p and a
      dJointAttach(j = dJointCreateDBall(world, nullptr), child, parent);
      dJointSetDBallAnchor1(j, p[0], p[1], p[2]);
      dJointSetDBallAnchor2(j, a[0], a[1], a[2]);
      dJointSetDBallDistance(j, length);
  }
  return j;
}

double value(const Joint& joint, bool rotation) {
  if (joint.kind == HINGE) return dJointGetHingeAngle(joint.id);
  if (joint.kind == SLIDER) return dJointGetSliderPosition(joint.id);
  return rotation ? dJointGetPRAngle(joint.id) : dJointGetPRPosition(joint.id);
}

double rate(const Joint& joint, bool rotation) {
  if (joint.kind == HINGE) return dJointGetHingeAngleRate(joint.id);
  if (joint.kind == SLIDER) return dJointGetSliderPositionRate(joint.id);
  return rotation ? dJointGetPRAngleRate(joint.id) : dJointGetPRPositionRate(joint.id);
}

void axis_of(const Joint& joint, bool rotation, dVector3 out) {
  if (joint.kind == HINGE)
    dJointGetHingeAxis(joint.id, out);
  else if (joint.kind == SLIDER)
    dJointGetSliderAxis(joint.id, out);
  else if (rotation)
    dJointGetPRAxis2(joint.id, out);
  else
    dJointGetPRAxis1(joint.id, out);
}

double elongation(const Peer& peer, const Spring& spring) {
  return spring.start + value(peer.joints[spring.joint], spring.rotation) - spring.first - spring.rest;
}

// equal and opposite on the two bodies of the joint; a force acts where the joint turns, or at the child
void apply(const Peer& peer, const Spring& spring) {
  const Joint& joint = peer.joints[spring.joint];
  const double f = -spring.stiffness * elongation(peer, spring) - spring.damping * rate(joint, spring.rotation);
  dVector3 a;
  axis_of(joint, spring.rotation, a);
  if (spring.rotation) {
    dBodyAddTorque(joint.child, f * a[0], f * a[1], f * a[2]);
    if (joint.parent) dBodyAddTorque(joint.parent, -f * a[0], -f * a[1], -f * a[2]);
    return;
  }
  dVector3 at;
  if (joint.kind == SLIDE_ON_HINGE)
    dJointGetPRAnchor(joint.id, at);
  else
    std::copy(dBodyGetPosition(joint.child), dBodyGetPosition(joint.child) + 3, at);
  dBodyAddForceAtPos(joint.child, f * a[0], f * a[1], f * a[2], at[0], at[1], at[2]);
  if (joint.parent) dBodyAddForceAtPos(joint.parent, -f * a[0], -f * a[1], -f * a[2], at[0], at[1], at[2]);
}

const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void rotation_of(dBodyID body, double* R) {
  const double* from = body ? dBodyGetRotation(body) : nullptr;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) R[3 * r + c] = from ? from[4 * r + c] : UNIT[3 * r + c];
}

// C = A B, A B^T or A^T B
void multiply(const double* A, const double* B, double* C, bool first = false, bool second = false) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += A[first ? 3 * k + r : 3 * r + k] * B[second ? 3 * c + k : 3 * k + c];
      C[3 * r + c] = sum;
    }
}

void turn_about(const double* a, double angle, double* R) {
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) R[3 * r + k] = c * UNIT[3 * r + k] + s * cross[3 * r + k] + d * a[r] * a[k];
}

// x = gram^-1 x, by elimination: the axes are far from one plane
void solve_gram(const Turns& turns, double* x) {
  double m[3][3];
  std::copy(&turns.gram[0][0], &turns.gram[0][0] + 9, &m[0][0]);
  for (int i = 0; i < turns.n; ++i)
    for (int k = i + 1; k < turns.n; ++k) {
      const double f = m[k][i] / m[i][i];
      for (int c = i; c < turns.n; ++c) m[k][c] -= f * m[i][c];
      x[k] -= f * x[i];
    }
  for (int i = turns.n - 1; i >= 0; --i) {
    for (int c = i + 1; c < turns.n; ++c) x[i] -= m[i][c] * x[c];
    x[i] /= m[i][i];
  }
}

// the rates by which the turns make an angular velocity, in the axes of the parent
void rates(const Turns& turns, const double* w, double* out) {
  for (int i = 0; i < turns.n; ++i) out[i] = turns.now[i][0] * w[0] + turns.now[i][1] * w[1] + turns.now[i][2] * w[2];
  solve_gram(turns, out);
}

// the angles of the present rotation, by Newton's method from the last ones
void find(Turns& turns) {
  double Rp[9], Rc[9], R[9];
  rotation_of(turns.parent, Rp);
  rotation_of(turns.child, Rc);
  multiply(Rp, Rc, R, true);
  for (int iteration = 0; iteration < 10; ++iteration) {
    double P[9], E[9], T[9];
    std::copy(UNIT, UNIT + 9, P);
    for (int i = 0; i < turns.n; ++i) {
      for (int r = 0; r < 3; ++r)
        turns.now[i][r] =
            P[3 * r] * turns.axes[i][0] + P[3 * r + 1] * turns.axes[i][1] + P[3 * r + 2] * turns.axes[i][2];
      turn_about(turns.axes[i], turns.q[i], E);
      multiply(P, E, T);
      std::copy(T, T + 9, P);
    }
    for (int i = 0; i < turns.n; ++i)
      for (int k = 0; k < turns.n; ++k)
        turns.gram[i][k] =
            turns.now[i][0] * turns.now[k][0] + turns.now[i][1] * turns.now[k][1] + turns.now[i][2] * turns.now[k][2];
    multiply(P, turns.R0, T);
    multiply(R, T, E, false, true);  // what is left: R = E P R0
    const double left[3] = {(E[7] - E[5]) / 2, (E[2] - E[6]) / 2, (E[3] - E[1]) / 2};
    double change[3];
    rates(turns, left, change);
    double most = 0;
    for (int i = 0; i < turns.n; ++i) {
      turns.q[i] += change[i];
      most = std::max(most, std::abs(change[i]));
    }
    if (most < 1e-8) return;
  }
}

// the torque whose power is that of the springs and dampers
void apply(Turns& turns) {
  find(turns);
  double Rp[9], w[3], rate[3], f[3], torque[3];
  rotation_of(turns.parent, Rp);
  const double* wc = dBodyGetAngularVel(turns.child);
  for (int k = 0; k < 3; ++k) {
    w[k] = 0;
    for (int r = 0; r < 3; ++r)
      w[k] += Rp[3 * r + k] * (wc[r] - (turns.parent ? dBodyGetAngularVel(turns.parent)[r] : 0));
  }
  rates(turns, w, rate);
  for (int i = 0; i < turns.n; ++i)
    f[i] = -turns.stiffness[i] * (turns.q[i] - turns.rest[i]) - turns.damping[i] * rate[i];
  solve_gram(turns, f);
  for (int r = 0; r < 3; ++r) {
    torque[r] = 0;
    for (int i = 0; i < turns.n; ++i)
      for (int k = 0; k < 3; ++k) torque[r] += Rp[3 * r + k] * turns.now[i][k] * f[i];
  }
  dBodyAddTorque(turns.child, torque[0], torque[1], torque[2]);
  if (turns.parent) dBodyAddTorque(turns.parent, -torque[0], -torque[1], -torque[2]);
}

void place(dBodyID body, const Start& s) {
  dBodySetPosition(body, s.position[0], s.position[1], s.position[2]);
  dBodySetRotation(body, s.rotation);
  dBodySetLinearVel(body, s.linear[0], s.linear[1], s.linear[2]);
  dBodySetAngularVel(body, s.angular[0], s.angular[1], s.angular[2]);
}

}  // namespace

extern "C" {

Peer* ode_create(const double* gravity) {
  static const int initialised = dInitODE2(0);
  (void)initialised;
  auto* peer = new Peer;
  peer->world = dWorldCreate();
  std::copy(gravity, gravity + 3, peer->gravity);
  dWorldSetGravity(peer->world, gravity[0], gravity[1], gravity[2]);
  dWorldSetAutoDisableFlag(peer->world, 0);
  return peer;
}

void ode_destroy(Peer* peer) {
  dWorldDestroy(peer->world);
  delete peer;
}

// inertia (3x3) about the centre of mass in the axes of the body; position of the centre of mass; rotation 3x3
void ode_body(Peer* peer, double mass, const double* I, const double* position, const double* rotation,
              const double* linear, const double* angular, int gyroscopic) {
  dBodyID body = dBodyCreate(peer->world);
  dMass m;
  dMassSetParameters(&m, mass, 0, 0, 0, I[0], I[4], I[8], I[1], I[2], I[5]);
  dBodySetMass(body, &m);
  dBodySetGyroscopicMode(body, gyroscopic);
  Start start{};
  std::copy(position, position + 3, start.position);
  std::copy(linear, linear + 3, start.linear);
  std::copy(angular, angular + 3, start.angular);
  for (int r = 0; r < 3; ++r) std::copy(rotation + 3 * r, rotation + 3 * r + 3, start.rotation + 4 * r);
  place(body, start);
  peer->bodies.push_back(body);
  peer->starts.push_back(start);
}

// bodies by number, -1 = the world
void ode_joint(Peer* peer, int kind, int child, int parent, const double* point, const double* first,
               const double* second, double length) {
  dBodyID one = child < 0 ? nullptr : peer->bodies[child];
  dBodyID two = parent < 0 ? nullptr : peer->bodies[parent];
  dJointID id = make_joint(peer->world, Kind(kind), one, two, point, first, second, length);
  peer->joints.push_back({id, Kind(kind), one, two});
}

void ode_spring(Peer* peer, int joint, int rotation, double stiffness, double rest, double damping, double start) {
  const double first = value(peer->joints[joint], rotation);
  peer->springs.push_back({joint, rotation != 0, stiffness, rest, damping, start, first});
}

// axes n x 3 and the rotation of the child at zero, in the axes of the parent; the other arrays have n numbers
void ode_turns(Peer* peer, int child, int parent, int n, const double* axes, const double* R0, const double* start,
               const double* stiffness, const double* rest, const double* damping) {
  Turns turns{};
  turns.child = peer->bodies[child];
  turns.parent = parent < 0 ? nullptr : peer->bodies[parent];
  turns.n = n;
  std::copy(axes, axes + 3 * n, &turns.axes[0][0]);
  std::copy(R0, R0 + 9, turns.R0);
  std::copy(start, start + n, turns.start);
  std::copy(start, start + n, turns.q);
  std::copy(stiffness, stiffness + n, turns.stiffness);
  std::copy(rest, rest + n, turns.rest);
  std::copy(damping, damping + n, turns.damping);
  peer->turns.push_back(turns);
}

void ode_reset(Peer* peer) {
  for (Turns& turns : peer->turns) std::copy(turns.start, turns.start + 3, turns.q);
  for (std::size_t i = 0; i < peer->bodies.size(); ++i) place(peer->bodies[i], peer->starts[i]);
}

void ode_step(Peer* peer, int steps, double dt) {
  for (int k = 0; k < steps; ++k) {
    for (const Spring& spring : peer->springs) apply(*peer, spring);
    for (Turns& turns : peer->turns) apply(turns);
    dWorldStep(peer->world, dt);
  }
}

double ode_energy(Peer* peer) {
  double energy = 0;
  for (dBodyID body : peer->bodies) {
    dMass m;
    dBodyGetMass(body, &m);
    const double *x = dBodyGetPosition(body), *v = dBodyGetLinearVel(body), *o = dBodyGetAngularVel(body);
    double w[4];
    dBodyVectorFromWorld(body, o[0], o[1], o[2], w);
    for (int r = 0; r < 3; ++r) {
      energy += m.mass * (0.5 * v[r] * v[r] - peer->gravity[r] * x[r]);
      for (int c = 0; c < 3; ++c) energy += 0.5 * w[r] * m.I[4 * r + c] * w[c];
    }
  }
  for (const Spring& spring : peer->springs) {
    const double x = elongation(*peer, spring);
    energy += 0.5 * spring.stiffness * x * x;
  }
  for (Turns& turns : peer->turns) {
    find(turns);
    for (int i = 0; i < turns.n; ++i)
      energy += 0.5 * turns.stiffness[i] * (turns.q[i] - turns.rest[i]) * (turns.q[i] - turns.rest[i]);
  }
  return energy;
}

// the energy before, and after each of `count` times `every` steps
void ode_energies(Peer* peer, int count, int every, double dt, double* out) {
  *out++ = ode_energy(peer);
  for (int k = 0; k < count; ++k) {
    ode_step(peer, every, dt);
    *out++ = ode_energy(peer);
  }
}

// position of the centre of mass and rotation (3x3) of every body
void ode_bodies(const Peer* peer, double* out) {
  for (dBodyID body : peer->bodies) {
    out = std::copy(dBodyGetPosition(body), dBodyGetPosition(body) + 3, out);
    const double* R = dBodyGetRotation(body);
    for (int r = 0; r < 3; ++r) out = std::copy(R + 4 * r, R + 4 * r + 3, out);
  }
}
}
