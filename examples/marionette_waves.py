"""A marionette learns to wave: the motion of its hand is given, its strings and control frame are found."""

import numpy as np

import bough
from bough.control import Effort, Track

model = bough.gallery.marionette().build()
wanted = bough.simulate(model, k=bough.gallery.marionette_motion("wave"), duration=1.0, dt=0.02)

cost = [Track(wanted, frames=["right hand"], weight=100.0), Effort(0.01)]
run = bough.control.optimize(
    model, q=wanted.q[0], duration=1.0, dt=0.02, cost=cost, rest=False, tolerance=1e-4, method="gauss-newton"
)
places = [one.pose("right hand")[:, :3, 3] for one in (wanted, run)]
travel = np.linalg.norm(places[0] - places[0][0], axis=1).max()
missed = np.linalg.norm(places[0] - places[1], axis=1).max()
print(f"the hand travels {travel:.3f} m and misses its path by {missed:.4f} m")
assert missed < 0.2 * travel
