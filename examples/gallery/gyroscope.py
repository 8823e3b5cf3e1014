"""A gyroscope: steady precession, and nutation when it is only let go."""

import numpy as np

import bough
from bough import gallery

model = gallery.gyroscope().build()
steady = bough.simulate(model)
dropped = bough.simulate(model, v={"precession": 0.0})
for name, run in (("steady", steady), ("let go", dropped)):
    turn = run["precession"][-1] / (2 * np.pi)
    print(f"{name}: {turn:.3f} turns in 10 s, nutation {np.ptp(run['nutation']):.2e} rad")
