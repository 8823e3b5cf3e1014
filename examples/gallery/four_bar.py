"""A crank turns fully, a rocker swings: the path of a point of the coupler."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.four_bar().build())
print(
    f"crank: {np.ptp(run['crank']) / (2 * np.pi):.1f} turns, between {run.v[:, 0].min():.1f} and"
    f" {run.v[:, 0].max():.1f} rad/s"
)
print(f"rocker: from {run['rocker'].min():.3f} to {run['rocker'].max():.3f} rad")
path = run.pose("coupler")[:, :3, 3]
print(
    f"middle of the coupler: x {path[:, 0].min():.3f} to {path[:, 0].max():.3f} m,"
    f" z {path[:, 2].min():.3f} to {path[:, 2].max():.3f} m"
)
