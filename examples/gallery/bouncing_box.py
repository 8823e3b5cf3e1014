"""What a thrown box loses in impacts and by friction until it lies still."""

import bough
from bough import gallery

run = bough.simulate(gallery.bouncing_box().build())
lost = run.energy_lost()
hits = sum(impact.energy_lost > 1e-9 for impact in run.impacts)  # at rest, round-off makes others
print(f"{hits} impacts, {lost['impact'][-1]:.3f} J lost in them and {lost['friction'][-1]:.3f} J by friction")
print(f"it lies still: speed {abs(run.v[-1]).max():.0e}, height {run['place_tz'][-1]:.9f} m")
