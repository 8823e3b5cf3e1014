"""Two rods, one upon the other, swing up on a cart."""

import numpy as np

import bough
from bough.control import Effort

system = bough.System("double pendulum on a cart", gravity=(0, 0, -9.81))
cart = system.world.tx("x", name="cart", mass=1.0)
lower = cart.ry("lower").tz(0.3, name="first", mass=0.2, inertia=(0.006, 0.006, 1e-4))
lower.tz(0.3).ry("upper").tz(0.3, name="second", mass=0.2, inertia=(0.006, 0.006, 1e-4))
system.add(bough.ConfigurationForce("x", "force"))
model = system.build()

run = bough.control.optimize(
    model,
    q={"lower": np.pi},
    duration=4.0,
    dt=0.025,
    cost=Effort(0.1),
    end={"x": 0.0, "lower": 0.0, "upper": 0.0},
)
print(f"{run.statistics['iterations']} iterations, cost {run.statistics['cost']:.3f}")
print(f"largest force {np.abs(run.u).max():.2f} N, end missed by {run.statistics['end_missed']:.1e}")
assert np.abs(run.q[-1]).max() < 1e-5
