"""A pendulum on a horizontal circle, and a little beside it."""

import numpy as np

import bough
from bough import gallery

model = gallery.spherical_pendulum().build()
for extra in (0.0, 0.2):
    rate = model.start.v["roll"]
    run = bough.simulate(model, v={"roll": rate + extra})
    x, y, z = run.pose("bob")[:, :3, 3].T
    turns = np.ptp(np.unwrap(np.arctan2(y, x))) / (2 * np.pi)
    print(f"{extra:.1f} rad/s faster: {turns:.3f} turns in 10 s, height {z.min():.4f} to {z.max():.4f} m")
print(f"by sqrt(g / (l cos a)): {10 * np.sqrt(9.81 / np.cos(0.5)) / (2 * np.pi):.3f} turns")
