"""A snakeboard moves without touching the ground with anything but its wheels: by turning rotor and axles."""

import bough
from bough import gallery

for twist in (0.3, 0.6, 1.2):
    run = bough.simulate(gallery.snakeboard(twist=twist).build())
    print(f"rotor from {twist:.1f} rad: {run['x'][-1]:6.3f} m in {run.t[-1]:.0f} s")
