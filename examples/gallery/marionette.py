"""A marionette walks, waves and bows: it is moved only by its strings and the frame they hang from.

python marionette.py [FOLDER]        writes a page that plays in any browser and a picture of the walk there
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
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
    page = folder / "marionette.html"  # three motions, coloured by what pulls, with plots under the picture
    print(bough.export_html(runs, page, follow="root", plots=["energy", "multiplier"], forces=True))
    walk = runs["walk"][200:601]  # four seconds, without the start
    figure = plt.figure(figsize=(13.0, 6.0), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.2, 1.0))
    walk.strobe(5, trace=["left knee", "right knee"], figure=left)
    angles, forces = right.subplots(2, 1, sharex=True)
    for side, color in (("left", "tab:blue"), ("right", "tab:red")):
        for joint, style in (("knee", "-"), ("hip_ry", "--")):
            label = f"{side} {joint.removesuffix('_ry')}"
            angles.plot(walk.t, np.degrees(walk[f"{side}_{joint}"]), style, color=color, label=label)
        for string, style in (("knee", "-"), ("head", "--")):
            pull = -walk.lam[:, model.constraints.index(f"{side}_{string} string")]
            forces.plot(walk.t, pull, style, color=color, label=f"{side} {string}")
    angles.set(ylabel="angle of the joint [degrees]")
    forces.set(xlabel="t [s]", ylabel="pull of the string [N]", ylim=(0.0, None))
    for axes in (angles, forces):
        axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
        axes.grid(alpha=0.3)
        axes.margins(x=0.0)
    figure.savefig(folder / "marionette.png", dpi=120)
    print(folder / "marionette.png")
