"""An arm with servos far stiffer than its step is short, beside a sampled controller of the same law.

The servos are part of the equations of a step and hold the pose even if kp dt² is thousands of times the inertia of
a joint. The torque of the controller is held for a step. Its gains are far lower, yet kd dt is more than five times
the smallest eigenvalue of the mass matrix: each step reverses that motion and makes it faster, until one fails with an
error that says so.
"""

import numpy as np

import bough

dt = 0.01
servo_gains = 1e7, 1e4  # kp, kd
sampled_gains = 100.0, 20.0
pose = np.array([0.9, -0.6, 0.4])


def arm(servos: bool) -> bough.Model:
    """Three links of 0.4 m and 1 kg."""
    system = bough.System("servo-arm")
    link = system.world
    for i in range(3):
        link = link.ry(f"joint{i}").tz(-0.4, name=f"link{i}", mass=1.0, inertia=(0.02, 0.02, 0.002))
        if servos:
            system.add(bough.Servo(f"joint{i}", *servo_gains, target=f"pose{i}", effort=60.0))
        else:
            system.add(bough.ConfigurationForce(f"joint{i}", f"torque{i}"))
    return system.build()


def controller(t: float, state: bough.State) -> np.ndarray:
    """The law of the servos, sampled at the start of each step."""
    kp, kd = sampled_gains
    return kp * (pose - state.q) - kd * state.v


run = bough.simulate(arm(servos=True), u=pose, duration=3.0, dt=dt)
error = np.abs(run.q[-1] - pose).max()
print(f"servos: after {run.t[-1]:g} s the largest error is {error:.1e} rad")
assert error < 60.0 / servo_gains[0]

message = ""
try:
    bough.simulate(arm(servos=False), u=controller, duration=3.0, dt=dt)
except bough.ConvergenceError as failure:
    message = str(failure)
print(f"sampled controller: {message}")
assert "before it, feedback drove input" in message
assert "inputs are held for a step" in message
