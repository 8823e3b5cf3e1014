"""A point on a line that is fixed to a frame."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import LineConstraint, System, kinematic
from support.constraint_checks import assert_constraint, two_arms


@pytest.mark.parametrize(
    "element",
    [
        LineConstraint("a", "b", (1, 2, -1), origin=(0.1, 0.2, 0.3)),
        LineConstraint("a", "world", (0, 0, 1)),
        LineConstraint("world", "c", (0, 1, 1)),
    ],
    ids=lambda element: f"{element.a} on {element.b}",
)
def test_derivatives(element: LineConstraint) -> None:
    assert_constraint(element)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 2), (1, 1, 1), (1e-9, 1.0, 0.3)])
def test_across(axis: tuple[float, float, float]) -> None:
    line = LineConstraint("a", "b", axis)
    three = np.array([*line.across, line.axis])
    assert np.allclose(three @ three.T, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(three) > 0.0


def test_value() -> None:
    """The distance from the line."""
    system = two_arms()
    system.add(LineConstraint("a", "b", (1, 2, -1), origin=(0.1, 0.2, 0.3), name="rail"))
    model = system.build()
    assert model.constraints == ("rail[0]", "rail[1]")
    q = np.random.default_rng(2).normal(size=model.nq)
    a, b = model.pose("a", q), model.pose("b", q)
    local = b[:3, :3].T @ (a[:3, 3] - b[:3, 3]) - (0.1, 0.2, 0.3)
    distance = np.linalg.norm(np.cross(local, (1, 2, -1))) / np.sqrt(6.0)
    assert np.linalg.norm(model.constraint(q)) == pytest.approx(distance, rel=1e-13)


def test_bead_on_a_wire() -> None:
    """A straight wire: constant acceleration, exact also in discrete time."""
    axis = np.array([2.0, 1.0, -2.0]) / 3.0
    system = System("wire")
    bead = system.world.tx("x").ty("y").tz("z", name="bead", mass=0.1)
    wire = system.add(LineConstraint(bead, "world", tuple(axis), origin=(0, 0, 1)))
    run = bough.simulate(system.build(), q={"z": 1.0}, duration=1.0, dt=0.01)
    s = 0.5 * 9.81 * (2.0 / 3.0) * run.t**2
    assert np.allclose(run.q, np.array([0, 0, 1]) + s[:, None] * axis, rtol=0, atol=1e-11)
    push = run.lam[1:] @ np.array(wire.across)
    assert np.allclose(push, 0.1 * 9.81 * (np.array([0, 0, 1]) + 2.0 / 3.0 * axis), rtol=1e-8)


def test_bead_on_a_wire_that_turns() -> None:
    """A wire inclined by b that turns with w about the vertical: d2s/dt2 = w^2 sin(b)^2 s - g cos(b)."""
    w, b, g, s0 = 2.0, 0.8, 9.81, 2.5
    system = System("turning wire")
    hub = system.world.rz(kinematic("angle"), name="hub")
    bead = system.world.tx("x").ty("y").tz("z", name="bead", mass=0.3)
    system.add(LineConstraint(bead, hub, (np.sin(b), 0, np.cos(b))))
    run = bough.simulate(
        system.build(),
        q={"x": s0 * np.sin(b), "z": s0 * np.cos(b)},
        v={"y": w * s0 * np.sin(b)},
        k={"angle": lambda t: w * t},
        duration=1.0,
        dt=0.01,
        integrator="dop853",
    )
    rate = w * np.sin(b)
    rest = g * np.cos(b) / rate**2
    s = rest + (s0 - rest) * np.cosh(rate * run.t)
    assert np.allclose(run["x"], s * np.sin(b) * np.cos(w * run.t), rtol=0, atol=1e-8)
    assert np.allclose(run["y"], s * np.sin(b) * np.sin(w * run.t), rtol=0, atol=1e-8)
    assert np.allclose(run["z"], s * np.cos(b), rtol=0, atol=1e-8)
