"""The elastic cable in space: it sags, and it swings across."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.spatial_cable().build())
middle = run.pose("node5")[:, :3, 3]
print(
    f"down to {middle[:, 2].min():.3f} m, across from {middle[:, 1].min():.3f} to {middle[:, 1].max():.3f} m"
)
energy = run.energy()
drift = np.abs(energy - energy[0]).max() / run.kinetic_energy().max()
print(f"energy within {drift:.1e} of the largest kinetic energy")
