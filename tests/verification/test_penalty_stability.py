"""Explicit penalties explode where theory says: at the largest eigenvalue of the linearised stiff system."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bough
from support.transforms import Array

K, K_ANGULAR = 4e4, 1e4


def chain(links: int) -> bough.Model:
    """Rods of 1 m on hinges about y, without gravity: they stay where they are."""
    system = bough.System("rods", gravity=(0, 0, 0))
    frame = system.world
    for n in range(links):
        hinge = frame.ry(f"q{n}")
        hinge.tz(-0.5, name=f"rod{n}", mass=1.0 + n, inertia=(0.3, 0.1, 0.4))
        frame = hinge.tz(-1.0)
    return system.build()


def largest_eigenvalue(links: int) -> float:
    """Of M^-1 A^T K A for a chain that hangs straight, row by row from the geometry of its pins.

    A hinge about y holds the pin in three directions and the turns about x and z.
    """
    M = np.zeros((6 * links, 6 * links))
    rows: list[Array] = []
    stiffness: list[float] = []
    for n in range(links):
        M[6 * n : 6 * n + 6, 6 * n : 6 * n + 6] = np.diag([0.3, 0.1, 0.4, *(3 * [1.0 + n])])
        for direction in np.eye(3):
            row = np.zeros(6 * links)
            for body, arm, sign in ((n, 0.5, 1.0), (n - 1, -0.5, -1.0)):
                if body >= 0:  # velocity of the pin: v + omega x (0, 0, arm)
                    row[6 * body + 3 : 6 * body + 6] = sign * direction
                    row[6 * body : 6 * body + 3] = sign * np.cross((0.0, 0.0, arm), direction)
            rows.append(row)
            stiffness.append(K)
        for axis in (0, 2):
            row = np.zeros(6 * links)
            row[6 * n + axis] = 1.0
            if n > 0:
                row[6 * (n - 1) + axis] = -1.0
            rows.append(row)
            stiffness.append(K_ANGULAR)
    A = np.array(rows)
    return float(np.linalg.eigvals(np.linalg.solve(M, A.T * stiffness @ A)).real.max())


def reported(links: int, damping: float) -> float:
    """The largest stable dt of the message about one that is not."""
    with pytest.raises(bough.ModelError, match="penalty-explicit") as caught:
        run(links, 1.0, damping)
    found = re.search(r"the largest stable dt is ([0-9.e+-]+) s", caught.value.found)
    assert found is not None
    return float(found[1])


def run(links: int, dt: float, damping: float, duration: float | None = None) -> bough.Trajectory:
    return bough.simulate(
        chain(links),
        v=np.full(links, 1e-3),
        duration=400 * dt if duration is None else duration,
        dt=dt,
        integrator="penalty-explicit",
        stiffness=K,
        angular_stiffness=K_ANGULAR,
        damping=damping,
    )


@pytest.mark.parametrize("damping", [0.0, 10.0])
@pytest.mark.parametrize("links", [1, 2, 5])
def test_limit(links: int, damping: float) -> None:
    kappa, eta = largest_eigenvalue(links), damping / K
    limit = np.sqrt(eta**2 + 4.0 / kappa) - eta
    assert abs(reported(links, damping) / limit - 1.0) < 0.005  # three digits are printed
    assert np.abs(run(links, 0.99 * limit, damping).bodies.drift).max() < 1e-4


def test_the_limit_of_the_recursion_itself() -> None:
    """(MB1): where roots of z^2 - (2 - h eta kappa - h^2 kappa) z + 1 - h eta kappa leave the circle."""
    kappa, eta = 1e6, 3e-4
    limit = np.sqrt(eta**2 + 4.0 / kappa) - eta
    for factor, stable in ((0.999, True), (1.001, False)):
        h = factor * limit
        roots = np.roots([1.0, -(2.0 - h * eta * kappa - h * h * kappa), 1.0 - h * eta * kappa])
        assert (np.abs(roots).max() < 1.0) == stable


def test_explodes_just_above_the_limit() -> None:
    """The engine is asked to step above the limit: it starts below, then the stiffness stays and dt grows."""
    model = chain(2)
    limit = reported(2, 0.0)
    engine = bough.MaximalEngine(
        model, 0.9 * limit, "penalty-explicit", stiffness=K, angular_stiffness=K_ANGULAR, damping=0.0
    )
    engine.start(v={"q0": 1e-3, "q1": 1e-3})
    engine.dt = 1.02 * limit

    def many_steps() -> None:
        for _ in range(5000):
            engine.step()

    with pytest.raises(bough.ConvergenceError, match="the joints came apart") as caught:
        many_steps()
    assert np.isfinite(engine.position).all()
    assert f"the largest stable dt was {limit:.3g} s at the start" in caught.value.found


def test_a_limit_that_falls_during_the_motion_is_reported_there() -> None:
    """A slider that runs out on a rod: the lever of the pin grows, and the frequency of its spring."""
    system = bough.System("slider", gravity=(0, 0, 0))
    rod = system.world.ry("turn").tx(0.1, name="rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    rod.tx("out", name="slider", mass=0.5, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    options = {"integrator": "penalty-explicit", "stiffness": 1e4, "angular_stiffness": 1e4, "damping": 0.0}
    with pytest.raises(bough.ModelError) as caught:
        bough.simulate(model, duration=1.0, dt=1.0, **options)
    found = re.search(r"largest stable dt is ([0-9.e+-]+) s", caught.value.found)
    assert found is not None
    dt = 0.97 * float(found[1])
    with pytest.raises(bough.ConvergenceError, match="the joints came apart") as failed:
        bough.simulate(model, v={"turn": 0.01, "out": 2.0}, duration=4.0, dt=dt, **options)
    run = failed.value.trajectory
    assert run is not None
    assert run.t[-1] > 0.0
    assert np.isfinite(run.q).all()
    here = re.search(r"at the start and is ([0-9.e+-]+) s here", failed.value.found)
    assert here is not None
    assert float(here[1]) < dt
