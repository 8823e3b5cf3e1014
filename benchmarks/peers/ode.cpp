// Open Dynamics Engine: rigid bodies in maximal coordinates held together by joints, behind a C interface for
// `ode.py`.

#include <ode/ode.h>

#include <algorithm>
#include <vector>

static_assert(sizeof(dReal) == sizeof(double), "the peer is timed in double precision");

namespace {

struct Start {
  double position[3], rotation[12];
};

struct Peer {
  dWorldID world;
  double gravity[3];
  std::vector<dBodyID> bodies;
  std::vector<Start> starts;
};

}  // namespace

extern "C" {

// bodies: mass, inertia (3x3 about the centre of mass, body axes), position of the centre of mass, rotation
// joints: the two bodies (-1 = the world), 1 for a ball and 0 for a hinge, anchor and axis in the world
Peer* ode_create(int bodies, const double* mass, const double* inertia, const double* position,
                 const double* rotation, int joints, const int* first, const int* second, const int* ball,
                 const double* anchor, const double* axis, const double* gravity) {
  static const int initialised = dInitODE2(0);
  (void)initialised;
  auto* peer = new Peer;
  peer->world = dWorldCreate();
  std::copy(gravity, gravity + 3, peer->gravity);
  dWorldSetGravity(peer->world, gravity[0], gravity[1], gravity[2]);
  dWorldSetAutoDisableFlag(peer->world, 0);
  for (int i = 0; i < bodies; ++i) {
    dBodyID body = dBodyCreate(peer->world);
    const double* I = inertia + 9 * i;
    dMass m;
    dMassSetParameters(&m, mass[i], 0, 0, 0, I[0], I[4], I[8], I[1], I[2], I[5]);
    dBodySetMass(body, &m);
    dBodySetGyroscopicMode(body, 0);  // all systems here are planar, where the gyroscopic torque is zero
    Start start{};
    std::copy(position + 3 * i, position + 3 * i + 3, start.position);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) start.rotation[4 * r + c] = rotation[9 * i + 3 * r + c];
    dBodySetPosition(body, start.position[0], start.position[1], start.position[2]);
    dBodySetRotation(body, start.rotation);
    peer->bodies.push_back(body);
    peer->starts.push_back(start);
  }
  for (int j = 0; j < joints; ++j) {
    const double *p = anchor + 3 * j, *a = axis + 3 * j;
    dBodyID one = peer->bodies[first[j]];
    dBodyID two = second[j] < 0 ? nullptr : peer->bodies[second[j]];
    dJointID joint =
        ball[j] ? dJointCreateBall(peer->world, nullptr) : dJointCreateHinge(peer->world, nullptr);
    dJointAttach(joint, one, two);
    if (ball[j]) {
      dJointSetBallAnchor(joint, p[0], p[1], p[2]);
    } else {
      dJointSetHingeAnchor(joint, p[0], p[1], p[2]);
      dJointSetHingeAxis(joint, a[0], a[1], a[2]);
    }
  }
  return peer;
}

void ode_destroy(Peer* peer) {
  dWorldDestroy(peer->world);
  delete peer;
}

// back to the first configuration, at rest
void ode_reset(Peer* peer) {
  for (std::size_t i = 0; i < peer->bodies.size(); ++i) {
    const Start& start = peer->starts[i];
    dBodySetPosition(peer->bodies[i], start.position[0], start.position[1], start.position[2]);
    dBodySetRotation(peer->bodies[i], start.rotation);
    dBodySetLinearVel(peer->bodies[i], 0, 0, 0);
    dBodySetAngularVel(peer->bodies[i], 0, 0, 0);
  }
}

void ode_step(Peer* peer, int steps, double dt) {
  for (int k = 0; k < steps; ++k) dWorldStep(peer->world, dt);
}

double ode_energy(const Peer* peer) {
  double energy = 0;
  for (dBodyID body : peer->bodies) {
    dMass m;
    dBodyGetMass(body, &m);
    const double *x = dBodyGetPosition(body), *v = dBodyGetLinearVel(body);
    double w[4];
    dBodyVectorFromWorld(body, dBodyGetAngularVel(body)[0], dBodyGetAngularVel(body)[1],
                         dBodyGetAngularVel(body)[2], w);
    for (int r = 0; r < 3; ++r) {
      energy += m.mass * (0.5 * v[r] * v[r] - peer->gravity[r] * x[r]);
      for (int c = 0; c < 3; ++c) energy += 0.5 * w[r] * m.I[4 * r + c] * w[c];
    }
  }
  return energy;
}

// centres of mass, bodies x 3
void ode_positions(const Peer* peer, double* out) {
  for (dBodyID body : peer->bodies) out = std::copy(dBodyGetPosition(body), dBodyGetPosition(body) + 3, out);
}
}
