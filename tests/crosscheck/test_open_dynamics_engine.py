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

needs_ode = pytest.mark.skipif(library() is None, reason="ODE is not installed (Debian package libode-dev)")

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


def slides(links: int, dt: float, own_pins: bool) -> Array:
    """[L] attempt 2 in the plane, written out with a dense matrix A M^-1 A^T.

    C is the distance of two pins. Its rate is measured, and its force acts, either at each body's own pin (C
    in world axes) or at the pin of the lower body for both (C in axes that turn with the upper one).
    """
    x, top = np.zeros((links, 3)), np.zeros(2)  # x, z and angle of each link
    for n, angle in enumerate(np.cumsum(start(links))):
        down = np.array([-np.sin(angle), -np.cos(angle)])
        x[n] = *(top + 0.5 * down), angle
        top = top + down
    v = np.zeros(3 * links)
    inverse_mass, force = np.tile([1.0, 1.0, 1.0 / INERTIA], links), np.tile([0.0, -9.81, 0.0], links)
    for _ in range(round(DURATION / dt)):
        A, C = np.zeros((2 * links, 3 * links)), np.zeros(2 * links)
        upper = 0.5 * np.stack(
            [np.sin(x[:, 2]), np.cos(x[:, 2])], axis=-1
        )  # from the centre to the upper pin
        for n in range(links):
            pin, other = x[n, :2] + upper[n], np.zeros(2)
            A[2 * n : 2 * n + 2, 3 * n : 3 * n + 3] = [[1, 0, upper[n, 1]], [0, 1, -upper[n, 0]]]
            if n > 0:
                other = x[n - 1, :2] - upper[n - 1]
                arm = (other if own_pins else pin) - x[n - 1, :2]
                A[2 * n : 2 * n + 2, 3 * n - 3 : 3 * n] = [[-1, 0, -arm[1]], [0, -1, arm[0]]]
            C[2 * n : 2 * n + 2] = pin - other
        free = v + dt * inverse_mass * force
        lam = np.linalg.solve(A * inverse_mass @ A.T, -ERP / dt * C - A @ free)
        v = free + inverse_mass * (A.T @ lam)
        x = x + dt * v.reshape(-1, 3)
    return np.stack([x[:, 0], np.zeros(links), x[:, 1]], axis=-1)


@pytest.mark.parametrize("links", [2, 10])
def test_velocity_is_the_slides_with_one_pin_for_both_bodies(links: int) -> None:
    assert np.abs(ours(links, 0.01)[0] - slides(links, 0.01, own_pins=False)).max() < 1e-12


@needs_ode
@pytest.mark.parametrize("links", [2, 10])
def test_ode_is_the_slides_with_a_pin_for_each_body(links: int) -> None:
    assert np.abs(theirs(links, 0.01) - slides(links, 0.01, own_pins=True)).max() < 1e-12


@needs_ode
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


@needs_ode
def test_other_error_reductions() -> None:
    """The comparison can fail: another ERP is another trajectory."""
    same = np.abs(ours(10, 0.01, 0.8)[0] - theirs(10, 0.01, 0.8)).max()
    other = np.abs(ours(10, 0.01, 0.8)[0] - theirs(10, 0.01, 0.2)).max()
    assert same < 2e-5
    assert other > 10.0 * same


@needs_ode
def test_first_order_turns_are_a_small_part_of_the_difference() -> None:
    places, _ = ours(10, 0.01)
    exact, rough = theirs(10, 0.01), theirs(10, 0.01, exact=False)
    assert np.abs(exact - rough).max() < 0.2 * np.abs(places - exact).max()
