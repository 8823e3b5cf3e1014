"""Monte Carlo of a thrown T-handle: how far it flies is certain, how it is turned when it lands is not.

The spin is about the intermediate axis, which is unstable: spins that differ by a few percent lead to quite
different orientations, while the flight of the centre of mass follows the parabola in every run.
"""

import numpy as np

import bough

system = bough.System("T-handle", gravity=(0, 0, -9.81))
handle = system.world.floating("handle", name="handle", mass=0.3, inertia=(3e-4, 2e-4, 4e-4))
problem = bough.Problem(
    system.build(), duration=0.8, dt=0.002, every=400, v={"handle_tx": 3.0, "handle_tz": 0.4 * 9.81}
)

random = np.random.default_rng(2)
count = 400
table = {
    "v.handle_tx": random.normal(3.0, 0.03, count),
    "v.handle_wx": random.normal(15.0, 0.2, count),
    "v.handle_wy": random.normal(0.0, 0.1, count),
    "v.handle_wz": random.normal(0.0, 0.1, count),
}


def landing(run: bough.Trajectory) -> dict[str, float]:
    """How far it flew, its height, and the angle between the spin axis and where it was."""
    pose = run.pose("handle")[-1]
    return {"distance": pose[0, 3], "height": pose[2, 3], "tilt": np.arccos(np.clip(pose[0, 0], -1, 1))}


study = bough.ensemble(problem, samples=table, keep=landing)
for name in ("distance", "height", "tilt"):
    summary = study.summary(name)
    print(f"{name:9} mean {summary['mean']:.4f}, std {summary['std']:.4f}")
assert np.abs(study["distance"] - 0.8 * table["v.handle_tx"]).max() < 1e-9
assert np.abs(study["height"]).max() < 1e-9
