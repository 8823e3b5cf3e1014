"""Balls beside hinges, and a floating base beside Euler angles, in the same engine.

Chains have the links of `pendulum`, 1 m with 1 kg and inertia 0.1 at their lower ends, straight at 45 degrees to
the vertical; on balls they also turn about the vertical at the start, so that the motion is not plane. Before the
clock, a chain of balls that starts in the plane of the hinges is shown to move as they do. All hinges of these have
one axis, and trees that move in a plane have a factorisation of their own; beside them are hinges about y and x in
turn, which have a general tree as balls do, and so nothing that planes save. The humanoid is that of
the gallery with its start, without weight. 2000 steps of 0.01 s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import bough
from benchmarks.harness import Contender, Row, interleave, require_equal
from bough.model.model import Model

SIZES = (5, 10, 20)
DT = 0.01
STEPS = 2000
ANGLE = math.pi / 4
SPIN = 0.3  # rad/s about the vertical


def rows() -> Iterator[Row]:
    for n in SIZES:
        hinges, balls = _chain(n, "ry"), _chain(n, "ball")
        _verify(hinges, balls)
        ours = ("balls", _run(balls, q={"j0": (0.0, ANGLE, 0.0)}, v={"j0": (-0.7 * SPIN, 0.0, 0.7 * SPIN)}))
        yield _row(f"N = {n}", ours, ("hinges", _run(hinges, q={"j0": ANGLE})), 2.2)
        crossed = _run(_chain(n, "ry", "rx"), q={"j0": ANGLE}, v={"j1": SPIN})
        yield _row(f"N = {n}, in space", ours, ("crossed hinges", crossed), None)
    floating, angles = (bough.gallery.humanoid(rotation=way).build() for way in ("ball", "angles"))
    yield _row("humanoid", ("floating", _run(floating)), ("angles", _run(angles)), 1.1)


def _chain(n: int, *joints: str) -> Model:
    system = bough.System(f"{n} joints")
    frame: Any = system.world
    for i in range(n):
        frame = getattr(frame, joints[i % len(joints)])(f"j{i}").tz(
            -1.0, name=f"link{i}", mass=1.0, inertia=(0.1, 0.1, 0.1)
        )
    return system.build()


def _verify(hinges: Model, balls: Model) -> None:
    """In the plane, a step of balls is that of hinges."""
    last = f"link{hinges.nv - 1}"
    ends = [
        bough.simulate(model, q={"j0": q}, duration=1.0, dt=DT).pose(last)[-1]
        for model, q in ((hinges, ANGLE), (balls, (0.0, ANGLE, 0.0)))
    ]
    require_equal("end of the chain", *ends)


def _run(model: Model, **start: Any) -> Callable[[], bough.Trajectory]:
    return lambda: bough.simulate(model, **start, duration=STEPS * DT, dt=DT)


def _row(
    system: str,
    ours: tuple[str, Callable[[], bough.Trajectory]],
    beside: tuple[str, Callable[[], bough.Trajectory]],
    target: float | None,
) -> Row:
    contenders = [Contender(name, run, STEPS) for name, run in (ours, beside)]
    notes = {
        name: f"{run().statistics['iterations'] / STEPS:.2f} iterations a step"
        for name, run in (ours, beside)
    }
    return Row(
        "balls", system, "step", interleave(contenders, seconds=6.0), ours[0], beside[0], target, notes
    )
