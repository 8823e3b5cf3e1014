"""Chains in maximal coordinates: `velocity` against `dWorldStep` of Open Dynamics Engine, time of a step.

Links of 1 m with 1 kg and inertia 0.1 in the middle hang on hinges y, straight but for the first two; both
engines have the same error reduction and step. The two are compared first: by docs/theory/maximal.md they
differ by less than the drift of the joints.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bough
from benchmarks import ode_chain
from benchmarks.harness import Contender, Row, interleave
from benchmarks.systems import GRAVITY, Array
from bough.model.model import Model

SIZES = (10, 20, 50, 100, 200)
DT, ERP, INERTIA = 0.01, 0.2, 0.1
STEPS = 1000
OPS = 2e7  # n^3 times steps per round: large chains of ODE make fewer steps, whose cost is constant


def rows() -> Iterator[Row]:
    for n in SIZES:
        yield _row(n)


def _row(n: int) -> Row:
    model, q = _chain(n), _start(n)
    contenders = [
        Contender(
            "bough velocity",
            lambda: bough.simulate(model, q, duration=STEPS * DT, dt=DT, integrator="velocity", beta=ERP),
            STEPS,
        )
    ]
    notes = {}
    if ode_chain.library() is None:
        notes["ODE"] = ode_chain.MISSING
    else:
        _verify(n, model)
        steps = max(2, min(STEPS, int(OPS / n**3)))
        contenders.append(Contender("ODE", lambda: _peer(n).step(steps, DT), steps))
    timings = interleave(contenders, seconds=4.0)
    return Row(
        "maximal", f"N = {n}", "step", timings, ours="bough velocity", peer="ODE", target=1.0, notes=notes
    )


def _verify(n: int, model: Model) -> None:
    steps = 5
    run = bough.simulate(model, _start(n), duration=steps * DT, dt=DT, integrator="velocity", beta=ERP)
    peer = _peer(n)
    peer.step(steps, DT)
    assert run.bodies is not None
    distance, drift = np.abs(run.bodies.position[-1] - peer.positions()).max(), run.bodies.drift.max()
    if not distance < drift:
        raise AssertionError(f"chain {n}: {distance:.1e} m from ODE, where joints drift by {drift:.1e} m")


def _chain(n: int) -> Model:
    system = bough.System(f"chain {n}", gravity=GRAVITY)
    frame = system.world
    for i in range(n):
        hinge = frame.ry(f"q{i}")
        hinge.tz(-0.5, mass=1.0, inertia=(INERTIA, INERTIA, INERTIA))
        frame = hinge.tz(-1.0)
    return system.build()


def _start(n: int) -> Array:
    q = np.zeros(n)
    q[:2] = (0.8, 0.3)
    return q


def _peer(n: int) -> ode_chain.Chain:
    return ode_chain.Chain(np.cumsum(_start(n)), INERTIA, ERP, exact=True)
