"""Which torques swing a pendulum of two links from rest to a wanted pose: Gauss-Newton on exact derivatives.

The end of a motion depends on all inputs: forwards by steps, backwards by their Jacobians A and B.
"""

import numpy as np

import bough

system = bough.System("two links", gravity=(0, 0, -9.81))
elbow = system.world.ry("shoulder").tz(-0.5, name="elbow", mass=1.0)
elbow.ry("forearm").tz(-0.5, name="hand", mass=1.0)
for joint in ("shoulder", "forearm"):
    system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
step = bough.control.Step(system.build(), dt=0.02)

steps, start = 25, step.state()
wanted = np.array([1.2, -0.6, 0.0, 0.0])  # at rest, raised
torques = np.zeros((steps, 2))
for iteration in range(10):
    states = [start]
    for torque in torques:
        states.append(step(states[-1], torque))
    miss = wanted - states[-1]
    print(f"{iteration}: the end is missed by {np.abs(miss).max():.1e}")
    if np.abs(miss).max() < 1e-10:
        break
    A, B = step.jacobians(np.array(states[:-1]), torques, x1=np.array(states[1:]))
    sensitivity, blocks = np.eye(4), []
    for k in reversed(range(steps)):  # of the end by the inputs of each step
        blocks.append(sensitivity @ B[k])
        sensitivity = sensitivity @ A[k]
    J = np.concatenate(blocks[::-1], axis=1)
    torques += np.linalg.lstsq(J, miss, rcond=None)[0].reshape(steps, 2)

assert np.abs(miss).max() < 1e-10
