"""An elliptic orbit for a thousand periods: the energy does not drift, the ellipse turns slowly."""

import numpy as np

import bough
from bough import gallery

model = gallery.kepler().build()
period = 2.0 * np.pi
for duration in (10 * period, 1000 * period):
    run = bough.simulate(model, duration=duration, dt=period / 600)
    energy = run.energy()
    momentum = run.angular_momentum()[:, 2]
    print(
        f"{duration / period:5.0f} periods: energy from {energy.min():.7f} to {energy.max():.7f} J,"
        f" angular momentum within {np.ptp(momentum):.1e} kg m²/s"
    )
