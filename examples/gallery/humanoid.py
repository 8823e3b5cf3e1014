"""A person without weight ([JM08] Fig. 1): whatever the limbs do, the momenta stay."""

import numpy as np

import bough
from bough import gallery

model = gallery.humanoid().build()
print(f"{model.nd} variables, {model.total_mass:g} kg")
for integrator in ("midpoint", "dop853"):
    run = bough.simulate(model, duration=5.0, integrator=integrator)
    linear, angular = run.linear_momentum(), run.angular_momentum()
    moved = np.abs(linear - linear[0]).max(), np.abs(angular - angular[0]).max()
    assert integrator == "dop853" or max(moved) < 1e-12
    print(
        f"{integrator}: momentum changes by {moved[0]:.1e} kg m/s, angular momentum by {moved[1]:.1e} kg m²/s"
    )
