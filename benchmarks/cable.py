"""A cable of 34 variables with its far end held by two constraints: 30 s at steps of 0.02 s.

17 segments of one angle and one length each, elastic and with bending stiffness, fixed at one end and pinned
at the other, released from the shape of a sine with a little damping along the segments. A system of this
size took 79.9 s for 30 s of motion in [NM] section VII.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave

SEGMENTS, LENGTH, MASS = 17, 0.1, 0.02
AXIAL, BENDING = 200.0, 1e-3
DT, STEPS = 0.02, 1500


def rows() -> Iterator[Row]:
    model = cable()
    start = model.assemble(_sine(), hold=[name for name in model.variables if name.startswith("stretch")])
    real = Contender("bough", lambda: bough.simulate(model, start, duration=STEPS * DT, dt=DT), STEPS)
    timings = interleave([real], seconds=10.0, rounds=(5, 20))
    speed = DT * 1e9 / timings["bough"].median
    notes = {"bough": f"{speed:.0f} x real time"}
    yield Row("cable", "34 variables", "step", timings, ours="bough", peer=None, target=None, notes=notes)


def cable() -> bough.Model:
    """A chain of segments, each turned by an angle and stretched along its own x axis."""
    system = bough.System("cable")
    frame, place = system.world.frame("anchor"), system.world.tx(0.9 * SEGMENTS * LENGTH, name="pin")
    for k in range(SEGMENTS):
        end = frame.ry(f"angle {k}").tx(LENGTH).tx(f"stretch {k}", name=f"node {k}", mass=MASS)
        system.add(bough.BeamElement(frame, end, length=LENGTH, axial=AXIAL, bending=BENDING))
        frame = end
    system.add(bough.PointConstraint(frame, place, axes=((1, 0, 0), (0, 0, 1))))
    system.add(bough.Damping({f"stretch {k}": 0.05 for k in range(SEGMENTS)}))
    return system.build()


def _sine() -> dict[str, float]:
    slopes = 0.9 * np.cos(np.linspace(0.0, np.pi, SEGMENTS))
    return {f"angle {k}": float(d) for k, d in enumerate(np.diff(slopes, prepend=0.0))}
