"""A marionette walks, waves and bows: it is moved only by its strings and the frame they hang from.

python marionette.py [FOLDER]        writes a page that plays in any browser and a plot of the walk there
"""

import sys
from pathlib import Path

import numpy as np

import bough
from bough import gallery

model = gallery.marionette().build()
print(f"marionette: {model.nd} dynamic and {model.nk} kinematic variables, {model.nc} strings")
runs = {name: bough.simulate(model, k=gallery.marionette_motion(name)) for name in ("walk", "wave", "bow")}
for name, run in runs.items():
    seconds, steps = run.statistics["wall_time"], run.statistics["steps"]
    (x, _, z), hand = run.pose("head")[:, :3, 3].T, run.pose("right hand")[:, 2, 3]
    pull, apart = -run.lam[:-1], np.abs(run.constraint_error()).max()
    print(f"{name}: {steps} steps of {run.settings['dt']:g} s in {seconds:.3f} s")
    high = f"head {z.min():.2f} to {z.max():.2f} m high, right hand up to {hand.max():.2f} m"
    print(f"  {x[-1] - x[0]:.2f} m forward, {high}")
    print(f"  strings hold to {apart:.0e} m, and each pulls with {pull.min():.2f} to {pull.max():.1f} N")
    assert pull.min() > 0.0  # every string pulls all the time

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    print(bough.export_html(runs["walk"], folder / "marionette.html"))
    runs["walk"].plot().savefig(folder / "marionette.png", dpi=120)
    print(folder / "marionette.png")
