"""A quadruped with torques trots under linear feedback: gains that `lqr` finds for its legs hold them at a gait."""

import numpy as np

import bough
from bough import gallery

dt = 0.001
legs = gallery.quadruped(
    motors="torque", trunk="held"
).build()  # twelve joints on a trunk that is held in the air
robot = gallery.quadruped(motors="torque").build()

weights = {name: 3e6 for name in legs.dynamic} | {f"v.{name}": 300.0 for name in legs.dynamic}
weights |= {name: 1e7 for name in legs.dynamic if name.endswith("knee")}
hold = bough.control.lqr(legs, q=legs.neutral(), Q=weights, R=1.0, dt=dt)

gait = gallery.quadruped_motion("trot")


def wanted(t):
    """The angles of all joints; rolls stay at zero."""
    return np.array([gait[f"{name}_target"](t) if f"{name}_target" in gait else 0.0 for name in legs.dynamic])


def feedback(t, state):
    """The gains are those of the legs alone: the last of the coordinates and rates of the robot."""
    q, ahead = wanted(t), wanted(t + dt)
    off = np.concatenate([state.q[-12:] - q, state.v[-12:] - (ahead - q) / dt])
    return hold.c[0] - hold.K[0] @ off


run = bough.simulate(robot, u=feedback, duration=4.0, dt=dt)
place = run.pose("trunk")
print(f"{place[-1, 0, 3]:.2f} m forward in four seconds, at {(place[-1, 0, 3] - place[-1000, 0, 3]):.2f} m/s")
print(f"largest torque {np.abs(run.u[200:]).max():.0f} N m")
print(f"tilts by at most {np.degrees(np.abs(place[:, 2, :2]).max()):.1f} degrees")
assert place[-1, 0, 3] > 1.5
assert np.abs(place[:, 2, :2]).max() < 0.1
