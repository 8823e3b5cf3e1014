"""A ragdoll hangs by one hand: balls in its waist, back, neck and limbs turn in any direction, and no angle locks."""

import numpy as np

import bough
from bough import gallery

model = gallery.ragdoll().build()
run = bough.simulate(model)
print(f"{model.nv} rates, {model.nq} coordinates, {len(model.balls)} balls: {', '.join(model.balls)}")
turned = run.rotation("right_shoulder").magnitude()
print(f"the right shoulder turns by up to {np.degrees(turned.max()):.0f} degrees")
print(f"the hand stays in place to {np.abs(run.constraint_error()).max():.0e} m")
energy = run.energy()
print(f"its energy falls from {energy[0]:.1f} to {energy[-1]:.1f} J")
assert np.abs(run.constraint_error()).max() < 1e-12
assert energy[-1] < energy[0]
