"""A point on a plane that is fixed to a frame."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import PlaneConstraint, Sinusoid, System
from support.constraint_checks import assert_constraint, two_arms


@pytest.mark.parametrize(
    "element",
    [
        PlaneConstraint("a", "b", (1, 2, -1), origin=(0.1, 0.2, 0.3)),
        PlaneConstraint("a", "world", (1, 2, -1), origin=(0.1, 0.2, 0.3), offset=Sinusoid(0.2, 3.0, 0.1)),
        PlaneConstraint("world", "c", (0, 0, 1)),
    ],
    ids=lambda element: f"{element.a} on {element.b}",
)
def test_derivatives(element: PlaneConstraint) -> None:
    assert_constraint(element)


def test_value() -> None:
    system = two_arms()
    system.add(PlaneConstraint("a", "b", (3, 0, 4), origin=(0.1, 0.2, 0.3), offset=0.5))
    model = system.build()
    q = np.random.default_rng(2).normal(size=model.nq)
    a, b = model.pose("a", q), model.pose("b", q)
    local = b[:3, :3].T @ (a[:3, 3] - b[:3, 3]) - (0.1, 0.2, 0.3)
    assert model.constraint(q) == pytest.approx([0.6 * local[0] + 0.8 * local[2] - 0.5], abs=1e-14)


def test_block_on_a_slope() -> None:
    """s = g sin(slope) t^2 / 2 down the slope, pressed with m g cos(slope): exact also in discrete time."""
    slope, mass, g = 0.4, 2.0, 9.81
    system = System("slope")
    block = system.world.tx("x").ty("y").tz("z", name="block", mass=mass)
    system.add(PlaneConstraint(block, "world", (np.sin(slope), 0, np.cos(slope)), origin=(0, 0, 1)))
    run = bough.simulate(system.build(), q={"z": 1.0}, v={"y": 0.3}, duration=2.0, dt=0.01)
    s = 0.5 * g * np.sin(slope) * run.t**2
    assert np.allclose(run["x"], s * np.cos(slope), rtol=0, atol=1e-11)
    assert np.allclose(run["z"], 1.0 - s * np.sin(slope), rtol=0, atol=1e-11)
    assert np.allclose(run["y"], 0.3 * run.t, rtol=0, atol=1e-11)
    assert np.allclose(run.lam[1:], mass * g * np.cos(slope), rtol=1e-8)
    assert np.allclose(run.energy(), run.energy()[0], rtol=1e-10)


def test_shaken_table() -> None:
    """On a table that moves as A sin(w t) the block presses with m (g - A w^2 sin(w t))."""
    amplitude, w, mass = 0.05, 6.0, 2.0
    system = System("table")
    block = system.world.tx("x").tz("z", name="block", mass=mass)
    system.add(PlaneConstraint(block, "world", (0, 0, 1), offset=Sinusoid(amplitude, w)))
    model = system.build()
    run = bough.simulate(model, v={"x": 1.0}, duration=1.0, dt=0.01, integrator="dop853")
    assert run.v[0] == pytest.approx([1.0, amplitude * w])
    assert np.allclose(run["z"], amplitude * np.sin(w * run.t), rtol=0, atol=1e-9)
    assert np.allclose(run["x"], run.t, rtol=0, atol=1e-10)
    assert np.allclose(run.lam[:, 0], mass * (9.81 - amplitude * w**2 * np.sin(w * run.t)), rtol=1e-9)
    discrete = bough.simulate(model, v={"x": 1.0}, duration=1.0, dt=0.01)
    assert np.allclose(discrete["z"], amplitude * np.sin(w * discrete.t), rtol=0, atol=1e-13)
    assert np.abs(discrete.constraint_error()).max() < 1e-14
