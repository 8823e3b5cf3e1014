"""A marionette walks, waves and bows: it is moved only by its strings and the frame they hang from.

python marionette.py [FOLDER]        writes a page and a plot of the walk there, for any browser
"""

import sys
from pathlib import Path

import numpy as np

import bough
from bough import gallery

model = gallery.marionette().build()
print(f"{model.nd} dynamic and {model.nk} kinematic variables, {model.nc} strings")
for name in ("walk", "wave", "bow"):
    run = bough.simulate(model, k=gallery.marionette_motion(name))
    head, hand = run.pose("head")[:, :3, 3], run.pose("right hand")[:, :3, 3]
    speed = run.t[-1] / run.statistics["wall_time"]
    print(
        f"{name}: {run.t[-1]:g} s, {speed:.0f} times faster than real time;"
        f" head {head[:, 2].min():.2f} to {head[:, 2].max():.2f} m high,"
        f" right hand up to {hand[:, 2].max():.2f} m, {head[-1, 0] - head[0, 0]:.2f} m forward"
    )
    assert np.abs(run.constraint_error()).max() < 1e-12
    assert run.lam[:-1].max() < 0.0  # every string pulls all the time

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    run = bough.simulate(model, k=gallery.marionette_motion("walk"))
    print(bough.export_html(run, folder / "marionette.html"))
    run.plot().savefig(folder / "marionette.png", dpi=120)
    print(folder / "marionette.png")
