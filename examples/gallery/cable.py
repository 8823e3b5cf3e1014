"""An inextensible cable falls from level ([NM] Fig. 4): where its end is at 0, 2 and 4 seconds."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.cable(10).build(), duration=4.0)
for t in (0.0, 2.0, 4.0):
    row = int(np.argmin(np.abs(run.t - t)))
    nodes = [run.model.pose(f"node{i}", run.q[row])[:3, 3] for i in range(1, 11)]
    print(f"t = {t:g} s:", "  ".join(f"({x:+.2f}, {z:+.2f})" for x, _, z in nodes))
