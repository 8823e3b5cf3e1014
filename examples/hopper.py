"""A hopper stands, jumps to a given height by inputs planned through the contact of its foot, and lands on a damper."""

import numpy as np

import bough
from bough.control import Effort

model = bough.gallery.hopper().build()
standing = {"height": 0.0, "leg": 0.5 - 3.0 * 9.81 / 600.0}  # the spring holds the body
apex = {"height": 0.25, "leg": 0.5}

jump = bough.control.optimize(
    model, q=standing, v={}, duration=0.6, dt=0.03, cost=Effort(1e-3), end=apex, smoothing=0.1
)
off = next(t for t, status in zip(jump.t, jump.contact_status[:, 0], strict=True) if status == "open")
print(f"largest thrust {np.abs(jump.u).max():.1f} N; in the air after {off:.2f} s")
print(f"the apex is missed by {jump.statistics['end_missed']:.0e}")
assert jump.statistics["end_missed"] < 1e-8
assert jump["height"].min() > -1e-12

landing = bough.simulate(
    model, q=jump.q[-1], u=lambda t, state: [-40.0 * state.v["leg"]], duration=3.0, dt=0.01
)
print(f"lands after {landing.impacts[0].t:.3f} s, and stands still: {np.abs(landing.v[-1]).max() < 1e-3}")
assert abs(landing["height"][-1]) < 1e-12
