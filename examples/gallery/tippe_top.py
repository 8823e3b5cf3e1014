"""A tippe top turns upside down: the friction of its sliding contact lifts its centre of mass."""

import numpy as np

import bough
from bough import gallery

model = gallery.tippe_top().build()
run = bough.simulate(model, every=10)
up = run.pose("centre")[:, 2, 2]  # the cosine between its axis and the vertical
height = run.pose("body")[:, 2, 3]
print(f"upside down after {run.t[np.argmax(up < -0.8)]:.2f} s")
print(
    f"its centre of mass rises from {1e3 * height[0]:.1f} to {1e3 * height.max():.1f} mm, while energy only falls"
)
energy = run.energy()
assert up[0] > 0.9
assert up.min() < -0.8
assert np.diff(energy).max() < 1e-4 * energy[0]
