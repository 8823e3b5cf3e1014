"""Basins of a magnetic pendulum: over which of three magnets a bob comes to rest, by where it is let go.

    python magnetic_pendulum.py [FILE.png [SIZE]]

The magnets attract like 1/r², with a distance of 0.3 below the plane of the bob; a spring pulls it to the middle. A
turn by a third of a circle maps the picture to itself, with the magnets exchanged.
"""

import sys

import numpy as np

import bough

size = int(sys.argv[2]) if len(sys.argv) > 2 else 12
system = bough.System("magnetic pendulum", gravity=None)
bob = system.world.tx("x").ty("y", name="bob", mass=1.0)
turns = 2 * np.pi * np.arange(3) / 3
magnets = np.stack([np.cos(turns), np.sin(turns)], axis=1)
for number, (x, y) in enumerate(magnets):
    magnet = system.world.tx(x).ty(y).tz(-0.3, name=f"magnet {number}")
    system.add(bough.CentralGravity(magnet, bob, mu=1.0))
for name in ("x", "y"):
    system.add(bough.ConfigurationSpring(name, stiffness=0.2))
system.add(bough.Damping(0.3))
problem = bough.Problem(system.build(), duration=30.0, dt=0.02, every=5)

radii, around = np.linspace(0.2, 1.8, size), 2 * np.pi * np.arange(3 * size) / (3 * size)
r, phi = np.meshgrid(radii, around, indexing="ij")
starts = np.stack([r * np.cos(phi), r * np.sin(phi)], axis=-1).reshape(-1, 2)
study = bough.ensemble(problem, {"q": starts})
ends = study.q[:, -1]
basin = np.linalg.norm(ends[:, None] - magnets, axis=2).argmin(axis=1).reshape(size, 3 * size)
print(study)
print("runs that end at each magnet:", np.bincount(basin.ravel()))
turned = (np.roll(basin, -size, axis=1) - 1) % 3
print(f"{(turned == basin).mean():.0%} of the starts agree with the start a third of a circle further")
assert (turned == basin).mean() > 0.9  # near the edges of the basins, round-off decides
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(subplot_kw={"projection": "polar"}, layout="constrained")
    axes.pcolormesh(around, radii, basin, shading="nearest")
    axes.set_yticks([])
    figure.savefig(sys.argv[1], dpi=150)
