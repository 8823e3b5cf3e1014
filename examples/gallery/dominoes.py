"""A row of dominoes falls: when each tile is hit first, and how all of them come to lie."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.dominoes().build(), duration=1.0)
for i in range(1, 3):
    hit = next(
        impact for impact in run.impacts if any(name.startswith(f"pair{i}") for name in impact.contacts)
    )
    tilt = np.degrees(2.0 * np.arcsin(run[f"place{i}_qy"][-1]))
    print(f"tile {i} is hit at {hit.t:.4f} s and comes to lie at {tilt:.1f} degrees")
print(f"{len(run.impacts)} impacts; at last the fastest moves at {np.abs(run.v[-1]).max():.0e}")
