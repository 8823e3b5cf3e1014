"""`velocity` beside Open Dynamics Engine's `dWorldStep`: the same error reduction and step on a chain.

The two differ in where drift lets a hinge's force act (docs/theory/maximal.md): a torque force x drift, so
that their distance is of second order in dt, far below the first-order error of both.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.ode_chain import Chain, library

import bough
from support.transforms import Array

pytestmark = pytest.mark.skipif(library() is None, reason="ODE is not installed (Debian package libode-dev)")

ERP, INERTIA = 0.2, 0.1
DURATION = 0.5


def chain(links: int) -> bough.Model:
    system = bough.System("chain")
    frame = system.world
    for n in range(links):
        hinge = frame.ry(f"q{n}")
        hinge.tz(-0.5, name=f"link{n}", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA))
        frame = hinge.tz(-1.0)
    return system.build()


def start(links: int) -> Array:
    q = np.zeros(links)
    q[:2] = (0.8, 0.3)
    return q


def ours(links: int, dt: float, beta: float = ERP) -> tuple[Array, float]:
    """Centres of mass at the end, and the largest drift on the way."""
    run = bough.simulate(
        chain(links), start(links), duration=DURATION, dt=dt, integrator="velocity", beta=beta
    )
    assert run.bodies is not None
    return run.bodies.position[-1], float(run.bodies.drift[..., 0].max())


def theirs(links: int, dt: float, erp: float = ERP, exact: bool = True) -> Array:
    peer = Chain(np.cumsum(start(links)), INERTIA, erp, exact)
    peer.step(round(DURATION / dt), dt)
    return peer.positions()


@pytest.mark.parametrize("links", [2, 5, 10, 30])
def test_same_trajectory(links: int) -> None:
    distance, drift = [], []
    for dt in (0.01, 0.005):
        places, apart = ours(links, dt)
        distance.append(float(np.abs(places - theirs(links, dt)).max()))
        drift.append(apart)
    error = np.abs(ours(links, 0.01)[0] - ours(links, 1e-4)[0]).max()
    assert distance[0] < 0.1 * drift[0]
    assert distance[0] < 0.02 * error
    assert 3.0 < distance[0] / distance[1] < 8.0


def test_other_error_reductions() -> None:
    """The comparison can fail: another ERP is another trajectory."""
    same = np.abs(ours(10, 0.01, 0.8)[0] - theirs(10, 0.01, 0.8)).max()
    other = np.abs(ours(10, 0.01, 0.8)[0] - theirs(10, 0.01, 0.2)).max()
    assert same < 2e-5
    assert other > 10.0 * same


def test_first_order_turns_are_a_small_part_of_the_difference() -> None:
    places, _ = ours(10, 0.01)
    exact, rough = theirs(10, 0.01), theirs(10, 0.01, exact=False)
    assert np.abs(exact - rough).max() < 0.2 * np.abs(places - exact).max()
