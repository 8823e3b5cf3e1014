"""A gymnast on a high bar, stiff and loose: the planar human of [JM09] Fig. 2."""

import numpy as np

import bough
from bough import gallery

for stiffness in (1.0, 3.0, 30.0):
    run = bough.simulate(gallery.planar_human(stiffness=stiffness).build())
    feet = run.pose("left foot")[:, :3, 3]
    grip = np.linalg.norm(run.lam[:-1, :2] + run.lam[:-1, 2:], axis=1)
    weight = 9.81 * run.model.total_mass
    print(
        f"{stiffness:4.0f} N m/rad for each kg: feet up to {feet[:, 2].max():+.2f} m beside the bar's height,"
        f" the hands bear up to {grip.max() / weight:.1f} times the weight"
    )
