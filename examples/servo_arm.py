"""An arm with servos far stiffer than its step is short, beside the same gains in a sampled controller.

kp dt² is thousands of times the inertia of a joint. The servos are part of the equations of a step and hold
the pose; the controller, whose torque is held for a step, ends in an error at once.
"""

import numpy as np

import bough

kp, kd, dt = 1e7, 1e4, 0.01
pose = np.array([0.9, -0.6, 0.4])


def arm(servos: bool) -> bough.Model:
    """Three links of 0.4 m and 1 kg."""
    system = bough.System("servo-arm")
    link = system.world
    for i in range(3):
        link = link.ry(f"joint{i}").tz(-0.4, name=f"link{i}", mass=1.0, inertia=(0.02, 0.02, 0.002))
        if servos:
            system.add(bough.Servo(f"joint{i}", kp, kd, target=f"pose{i}", effort=60.0))
        else:
            system.add(bough.ConfigurationForce(f"joint{i}", f"torque{i}"))
    return system.build()


def controller(t: float, state: bough.State) -> np.ndarray:
    """The same law, sampled at the start of each step."""
    return kp * (pose - state.q) - kd * state.v


run = bough.simulate(arm(servos=True), u=pose, duration=3.0, dt=dt)
error = np.abs(run.q[-1] - pose).max()
print(f"servos: after {run.t[-1]:g} s the largest error is {error:.1e} rad")
assert error < 60.0 / kp

message = ""
try:
    bough.simulate(arm(servos=False), u=controller, duration=3.0, dt=dt)
except bough.ConvergenceError as failure:
    message = str(failure)
print(f"sampled controller: {message}")
assert "step" in message
