"""A hopper loses the kinetic energy of its foot at every landing, so that it hops lower each time."""

import bough
from bough import gallery

run = bough.simulate(gallery.hopper().build())
for impact in run.impacts[:4]:
    if "ground" in impact.contacts:
        v = impact.v_before[run.model.index("height")]
        print(f"{impact.t:.3f} s: the foot lands at {-v:.3f} m/s, {impact.energy_lost:.4f} J are lost")
