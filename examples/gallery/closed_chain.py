"""The closed chain of [JM09] Fig. 6 and 8: its energy stays, its loops stay closed."""

import numpy as np

import bough
from bough import gallery

system = gallery.closed_chain()
model = system.build()
print(f"{model.nd} angles, {model.nc} rows of constraints, mobility {model.mobility(model.assemble().q)}")

run = bough.simulate(model, duration=20.0)
energy = run.energy()
for part in np.array_split(np.arange(len(run)), 4):
    t, e = run.t[part], energy[part]
    print(
        f"t = {t[0]:5.2f} to {t[-1]:5.2f} s: energy {e.mean():.3f} J, from {e.min():.3f} to {e.max():.3f} J"
    )
print(f"largest error of a loop {np.abs(run.constraint_error()).max():.1e} m")
