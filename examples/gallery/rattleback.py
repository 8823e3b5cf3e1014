"""A rattleback spun the wrong way stops and turns back; spun the other way it goes on."""

import bough
from bough import gallery

for spin in (-5.0, 5.0):
    run = bough.simulate(gallery.rattleback(spin=spin).build())
    rate = run["v.place_wz"]
    print(
        f"spun at {spin:4.1f} rad/s: between {rate.min():5.1f} and {rate.max():5.1f}, {rate[-1]:5.1f} at the end"
    )
