"""A parameter study without a new build: the period of a rod that swings about a point along its length.

The period of a thin rod of length L about a point at the distance s from its centre is
2 pi sqrt((L²/12 + s²) / (g s)); it is smallest for s = L / sqrt(12), which the study finds.
"""

import math

import numpy as np

import bough

system = bough.System("rod", gravity=(0, 0, -9.81))
length, mass = system.parameter("length", 1.0), system.parameter("mass", 2.0)
distance = system.parameter("distance", 0.4)
moment = mass * length**2 / 12
system.world.ry("angle", name="rod", mass=mass, com=(0, 0, -distance), inertia=(moment, moment, 0))
model = system.build()
print(model)


def period(model: bough.Model) -> float:
    """The time between two passages of the lowest point, in small swings, doubled."""
    run = bough.simulate(model, {"angle": 1e-3}, duration=3.0, dt=0.002, order=4)
    angle = run["angle"]
    falls = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    rises = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    first, second = (
        run.t[i] + (run.t[i + 1] - run.t[i]) * angle[i] / (angle[i] - angle[i + 1])
        for i in (falls[0], rises[0])
    )
    return float(2 * (second - first))


distances = np.linspace(0.2, 0.4, 21)
periods = [period(model.with_parameters(distance=s)) for s in distances]
for s, found in list(zip(distances, periods, strict=True))[::5]:
    expected = 2 * math.pi * math.sqrt((1 / 12 + s**2) / (9.81 * s))
    print(f"distance {s:.2f} m: period {found:.5f} s, by the formula {expected:.5f} s")
    assert abs(found - expected) < 1e-5
best = distances[int(np.argmin(periods))]
print(f"shortest period at {best:.2f} m; by the formula {1 / math.sqrt(12):.4f} m")
assert abs(best - 1 / math.sqrt(12)) <= 0.01
