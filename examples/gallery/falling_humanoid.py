"""A person falls, and after five seconds nothing moves any more, to round-off."""

import numpy as np

import bough
from bough import gallery

model = gallery.falling_humanoid().build()
run = bough.simulate(model)
moving = run.t[np.abs(run.v).max(axis=1) > 1e-9][-1]
print(
    f"{len(run.impacts)} impacts; at rest after {moving:.1f} s, to {np.abs(run.v[-1]).max():.0e} m/s or rad/s"
)
lost = {what: float(energy[-1]) for what, energy in run.energy_lost().items()}
print(
    f"lost {lost['impact']:.0f} J by impacts and {lost['friction']:.0f} J by friction, the rest in the joints"
)
assert np.ptp(run.q[-600:], axis=0).max() < 1e-12
