"""A chain of pendulums: how long ten seconds of motion take, from 1 to 64 links ([JM08] Fig. 3)."""

import numpy as np

import bough
from bough import gallery

for n in (1, 2, 4, 8, 16, 32, 64):
    run = bough.simulate(gallery.pendulum(n, angle=0.1).build())
    energy = run.energy()
    drift = np.abs(energy - energy[0]).max() / run.kinetic_energy().max()
    seconds = run.statistics["wall_time"]
    print(f"{n:3d} links: {seconds:.4f} s, energy within {drift:.1e} of the largest kinetic energy")
