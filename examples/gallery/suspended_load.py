"""34 variables and two constraints, 30 s at steps of 0.02 s: the size of the example in [NM] section VII."""

import numpy as np

import bough
from bough import gallery

model = gallery.suspended_load().build()
run = bough.simulate(model, duration=30.0)
place, energy = run.pose("load")[:, :3, 3], run.energy()
print(f"{model.nd} variables, {model.nc} rows: {run.statistics['wall_time']:.3f} s for {run.t[-1]:g} s")
print(f"the load swings from x = {place[:, 0].min():.2f} to {place[:, 0].max():.2f} m")
drift = np.abs(energy - energy[0]).max()
print(f"energy within {drift:.1e} J, kinetic up to {run.kinetic_energy().max():.1f} J")
