"""Trailers settle behind a car on a circle, each on a smaller one."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.trailer(trailers=3).build(), duration=60.0)
radius = 2.0 / np.tan(0.25)
for i in range(1, 4):
    radius = np.sqrt(radius**2 - 3.0**2)
    print(f"trailer {i}: hitch {run[f'hitch{i}'][-1]:.4f} rad, on a circle of {radius:.3f} m")
