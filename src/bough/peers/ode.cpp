// Open Dynamics Engine: rigid bodies in maximal coordinates held together by joints, behind a C interface for
// `ode.py`. All vectors are in the world at the start.

#include <ode/ode.h>

#include <algorithm>
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

struct Peer {
  dWorldID world;
  double gravity[3];
  std::vector<dBodyID> bodies;
  std::vector<Start> starts;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
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
  const double f =
      -spring.stiffness * elongation(peer, spring) - spring.damping * rate(joint, spring.rotation);
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

void ode_spring(Peer* peer, int joint, int rotation, double stiffness, double rest, double damping,
                double start) {
  const double first = value(peer->joints[joint], rotation);
  peer->springs.push_back({joint, rotation != 0, stiffness, rest, damping, start, first});
}

void ode_reset(Peer* peer) {
  for (std::size_t i = 0; i < peer->bodies.size(); ++i) place(peer->bodies[i], peer->starts[i]);
}

void ode_step(Peer* peer, int steps, double dt) {
  for (int k = 0; k < steps; ++k) {
    for (const Spring& spring : peer->springs) apply(*peer, spring);
    dWorldStep(peer->world, dt);
  }
}

double ode_energy(const Peer* peer) {
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
