"""Design study of a four-bar: how the lengths of coupler and rocker change how far the rocker swings.

The crank of a crank-rocker turns; the rocker swings between the two positions in which crank and coupler are in one
line, at the distances coupler - crank and coupler + crank of its pin from the crank's pivot. The study finds
the swing by simulation and compares it with the law of cosines.
"""

import numpy as np

import bough

CRANK, GROUND = 0.3, 1.0
system = bough.System("four-bar", gravity=None)
coupler, rocker = system.parameter("coupler", 0.9), system.parameter("rocker", 0.8)
pin = system.world.ry("crank", mass=1.0, inertia=(0.3, 0.5, 0.3)).tx(CRANK)
end = pin.ry("coupler").tx(coupler, name="end", mass=0.1)
other = system.world.tx(GROUND).ry("rocker").tx(rocker, name="rocker end", mass=0.1)
system.add(bough.PointConstraint(end, other, axes=((1, 0, 0), (0, 0, 1))))
system.start = bough.Start(q={"coupler": -0.5, "rocker": -1.6})  # a guess: the rocker points up
model = system.build()
problem = bough.Problem(model, {"crank": -0.5}, {"crank": -6.0}, duration=2.5, dt=0.005, assemble=True)


def swing(run: bough.Trajectory) -> dict[str, float]:
    """How far the rocker swings while the crank turns."""
    return {"swing": np.ptp(run["rocker"]), "turns": np.ptp(run["crank"]) / (2 * np.pi)}


axes = {"parameter.coupler": np.linspace(0.85, 1.05, 5), "parameter.rocker": np.linspace(0.7, 0.9, 5)}
study = bough.ensemble(problem, axes, keep=swing)
b, c = np.meshgrid(*axes.values(), indexing="ij")


def angle(reach):
    """The angle of the rocker at this distance of its pin from the crank's pivot."""
    return np.arccos((GROUND**2 + c**2 - reach**2) / (2 * GROUND * c))


expected = angle(b + CRANK) - angle(b - CRANK)
print(study)
print("swing in degrees, coupler downwards, rocker to the right")
print(np.degrees(study["swing"]).round(1))
assert study.failed == []
assert (study["turns"] > 1).all()
assert np.abs(study["swing"] - expected).max() < 2e-3
