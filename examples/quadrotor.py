"""A planar quadrotor holds its place in gusts: thrusts in its own axes, drag, feedback, a spline."""

import numpy as np
from scipy.interpolate import PchipInterpolator

import bough

MASS, MOMENT, ARM, GRAVITY = 1.2, 0.02, 0.25, 9.81

system = bough.System("quadrotor", gravity=(0, 0, -GRAVITY))
body = system.world.tx("x").tz("z").ry("pitch", name="body", mass=MASS, inertia=(MOMENT, MOMENT, 2 * MOMENT))
system.add(bough.PointForce(body, fz="front", point=(ARM, 0, 0), axes="body"))
system.add(bough.PointForce(body, fz="back", point=(-ARM, 0, 0), axes="body"))
system.add(bough.Drag(body, coefficient=0.05, wind=("gust", 0, 0)))
model = system.build()


def controller(t: float, state: bough.State) -> tuple[float, float]:
    """Two thrusts that bring x and z back to zero: lean into the error, then level out."""
    x, z, pitch = state.q
    vx, vz, turn = state.v
    lift = MASS * (GRAVITY - 6.0 * z - 4.0 * vz)
    lean = np.clip(-0.4 * x - 0.4 * vx, -0.4, 0.4)
    moment = MOMENT * (60.0 * (lean - pitch) - 15.0 * turn)
    return (lift - moment / ARM) / 2, (lift + moment / ARM) / 2


gust = PchipInterpolator([0.0, 2.0, 4.0, 6.0, 8.0, 15.0], [0.0, 0.0, 6.0, -4.0, 0.0, 0.0])
run = bough.simulate(
    model,
    duration=15.0,
    dt=0.01,
    u={
        "front": lambda t, state: controller(t, state)[0],
        "back": lambda t, state: controller(t, state)[1],
        "gust": gust,
    },
)
print(f"blown {np.abs(run['x']).max():.2f} m away, {np.abs(run['z']).max():.3f} m up or down")
print(f"at the end {abs(run['x'][-1]):.4f} m from its place, pitch {run['pitch'][-1]:.5f} rad")
