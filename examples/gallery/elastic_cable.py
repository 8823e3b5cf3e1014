"""An elastic cable of beam elements between two fixed points ([NM] Fig. 5 and 6)."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.elastic_cable().build())
middle = run.pose("node5")[:, 2, 3]
for t in (0.0, 1.5, 3.0):
    print(f"t = {t:g} s: the middle is at {middle[np.argmin(np.abs(run.t - t))]:+.4f} m")
error = np.abs(run.constraint_error()).max()
print(f"the fixed end is off by {error:.1e} m at most, over {len(run)} instants")
assert error <= 1e-13
