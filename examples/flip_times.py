"""When a double pendulum that starts at rest first turns over, for a grid of starts: a picture of chaos.

    python flip_times.py [FILE.png [SIZE]]

A picture of 1000 x 1000 starts takes SIZE = 1000 and some minutes; by default it has 40 x 40. In the region in the
middle, 2 cos(first) + cos(second) > 1, there is too little energy to turn over.
"""

import sys

import numpy as np

import bough

size = int(sys.argv[2]) if len(sys.argv) > 2 else 40
system = bough.System("double pendulum", gravity=(0, 0, -9.81))
elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
problem = bough.Problem(system.build(), duration=10.0, dt=0.02)


def flip(run: bough.Trajectory) -> dict[str, float]:
    """The time at which the absolute angle of the second link first exceeds half a turn."""
    over = np.abs(run["a"] + run["b"]) > np.pi
    return {"flip": run.t[np.argmax(over)] if over.any() else np.inf}


angles = np.linspace(-3.0, 3.0, size)
first, second = np.meshgrid(angles, angles, indexing="ij")
# the axes of the picture are the absolute angles of the links
starts = np.stack([first, second - first], axis=-1).reshape(-1, 2)
study = bough.ensemble(problem, {"q": starts}, keep=flip)
times = study["flip"].reshape(size, size)
forbidden = 2 * np.cos(first) + np.cos(second) > 1
print(study)
print(
    f"{np.isfinite(times).mean():.0%} of the starts turn over within 10 s, the median after {np.median(times):.3g} s"
)
assert np.isinf(times[forbidden]).all()
assert np.isfinite(times).mean() > 0.3
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(layout="constrained")
    image = axes.pcolormesh(angles, angles, np.where(np.isfinite(times), times, np.nan).T, cmap="magma")
    figure.colorbar(image, label="first flip, s")
    axes.set(xlabel="first link, rad", ylabel="second link, rad", aspect="equal")
    figure.savefig(sys.argv[1], dpi=150)
