"""Rods between two points hang in a catenary, the closer the more they are."""

import numpy as np

import bough
from bough import gallery

for segments in (5, 10, 20, 40):
    model = gallery.hanging_cable(segments).build()
    rest = model.equilibrium()
    nodes = np.array([model.pose(f"node{i}", rest.q)[:3, 3] for i in range(1, segments)])
    error = np.abs(nodes[:, 2] - gallery.catenary(nodes[:, 0], span=1.5, length=2.0)).max()
    print(f"{segments:2d} rods: off the catenary by {error:.1e} m, {rest.stability}")

run = bough.simulate(gallery.hanging_cable().build())
print(f"from an arc it swings by {np.ptp(run.pose('node10')[:, 2, 3]):.3f} m in the middle")
