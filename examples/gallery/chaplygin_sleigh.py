"""Chaplygin's sleigh: whatever it starts with, its energy ends in its speed along a straight line."""

import numpy as np

import bough
from bough import gallery

for turn in (1.0, 3.0, -6.0):
    run = bough.simulate(gallery.chaplygin_sleigh(turn=turn).build(), duration=20.0)
    limit = np.sqrt(2.0 * run.energy()[0])
    print(
        f"{turn:4.0f} rad/s: {np.hypot(*run.v[-1, :2]):.4f} m/s at last, all of its energy is {limit:.4f} m/s"
    )
