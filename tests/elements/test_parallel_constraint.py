"""An axis of one frame parallel to an axis of another."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import ParallelConstraint, System
from support.constraint_checks import assert_constraint, two_arms


@pytest.mark.parametrize(
    "element",
    [
        ParallelConstraint("a", "b", (1, 2, -1), (0.3, 0, 1)),
        ParallelConstraint("a", "world", (0, 0, 1)),
        ParallelConstraint("b", "c", (0, 1, 1)),
    ],
    ids=lambda element: f"{element.a} and {element.b}",
)
def test_derivatives(element: ParallelConstraint) -> None:
    assert_constraint(element)


def test_value() -> None:
    """The sine of the angle between the axes."""
    system = two_arms()
    system.add(ParallelConstraint("a", "b", (1, 2, -1), (0.3, 0, 1)))
    model = system.build()
    q = np.random.default_rng(2).normal(size=model.nq)
    u = model.pose("a", q)[:3, :3] @ (1, 2, -1) / np.sqrt(6.0)
    w = model.pose("b", q)[:3, :3] @ (0.3, 0, 1) / np.sqrt(1.09)
    assert np.linalg.norm(model.constraint(q)) == pytest.approx(np.linalg.norm(np.cross(u, w)), rel=1e-13)


def test_a_tumbling_body_is_kept_upright() -> None:
    """It turns with constant speed about the axis and falls; the bearing gives the moment w x I w."""
    w = 3.0
    inertia = np.array([[0.4, 0.0, 0.1], [0.0, 0.5, -0.05], [0.1, -0.05, 0.3]])
    system = System("upright")
    body = system.world.free(("x", "y", "z", "rz", "ry", "rx"), name="body", mass=1.0, inertia=inertia)
    upright = system.add(ParallelConstraint(body, "world", (0, 0, 1)))
    run = bough.simulate(system.build(), v={"x": 0.5, "rz": w}, duration=1.0, dt=0.01, integrator="dop853")
    assert np.allclose(run["rz"], w * run.t, rtol=0, atol=1e-9)
    assert np.allclose(run.q[:, 4:], 0.0, rtol=0, atol=1e-9)
    assert np.allclose(run["x"], 0.5 * run.t, rtol=0, atol=1e-9)
    assert np.allclose(run["z"], -0.5 * 9.81 * run.t**2, rtol=0, atol=1e-8)
    turn = run.pose("body")[:, :3, :3]
    spin = np.array([0, 0, w])
    moment = np.cross(spin, turn @ inertia @ spin)
    given = sum(run.lam[:, [k]] * np.cross((0, 0, 1), upright.across[k]) for k in range(2))
    assert np.allclose(given, moment, rtol=0, atol=1e-8)
    assert np.allclose(run.energy(), run.energy()[0], rtol=1e-9)
