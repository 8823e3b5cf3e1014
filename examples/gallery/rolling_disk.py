"""A disk that leans turns into its lean: the faster it rolls, the wider its path."""

import numpy as np

import bough
from bough import gallery

for spin in (4.0, 6.0, 10.0):
    run = bough.simulate(gallery.rolling_disk(spin=spin, turn=0.0).build(), duration=5.0)
    width = np.ptp(run.q[:, :2], axis=0).max()
    print(
        f"{spin:4.0f} rad/s: leans by {run['lean'].min():5.2f} to {run['lean'].max():5.2f} rad,"
        f" path {width:5.1f} m wide"
    )
