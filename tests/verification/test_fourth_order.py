"""order=4: the composed step is of fourth order, symplectic, and holds constraints."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import gallery
from bough.errors import ModelError


def double_pendulum() -> bough.Model:
    system = bough.System("double pendulum")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, mass=1.0)
    return system.build()


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
def test_order(method: str) -> None:
    model, start = double_pendulum(), {"a": 1.0, "b": 0.5}
    truth = bough.simulate(model, start, duration=2.0, dt=0.5, integrator="dop853", rtol=1e-13, atol=1e-13).q[
        -1
    ]
    errors = [
        np.max(
            np.abs(
                bough.simulate(model, start, duration=2.0, dt=dt, order=4, integrator=method).q[-1] - truth
            )
        )
        for dt in (0.04, 0.02, 0.01)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4.0) < 0.15), slopes


def test_symplectic() -> None:
    """The Jacobian of the step map leaves the canonical form as it is."""
    vi = bough.MidpointVI(double_pendulum(), 0.05, order=4, tolerance=1e-13)
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    def step(z: np.ndarray) -> np.ndarray:
        state = vi.step(vi.start(q=z[:2], p=z[2:]))
        return np.concatenate([state.q, state.p])

    z, h = np.array([0.4, -0.7, 0.8, 0.3]), 1e-3
    steps = h * np.eye(4)
    D = np.column_stack(
        [
            (8.0 * (step(z + e) - step(z - e)) - (step(z + 2 * e) - step(z - 2 * e))) / (12.0 * h)
            for e in steps
        ]
    )
    assert np.max(np.abs(D.T @ J @ D - J)) < 1e-9


@pytest.mark.parametrize(("theta", "bound"), [(np.pi / 2 - 0.2, 1e-3), (0.6, 1e-2)])
def test_scissor_lift(theta: float, bound: float) -> None:
    """Through the configuration where all loops lose rank, on the exact motion ([JM09] Fig. 11)."""
    run = bough.simulate(gallery.scissor_lift(5, theta=theta).build(), duration=10.0, dt=0.01, order=4)
    exact = gallery.scissor_lift_angle(run.t, 5, theta=theta)
    assert np.max(np.abs(run["theta"] - exact)) < bound / 10
    assert np.max(np.abs(run.constraint_error())) < 1e-13


def test_constraint_forces_are_those_of_the_motion() -> None:
    """A bob on a wire of length 1: the wire carries m (v^2 - g z), and lam tells it to second order."""
    system = bough.System("wire")
    bob = system.world.tx("x").tz("z", name="bob", mass=2.0)
    system.add(bough.DistanceConstraint(bob, system.world.frame("hook"), 1.0))
    model, start = system.build(), {"x": np.sin(0.9), "z": -np.cos(0.9)}
    errors = []
    for dt in (0.01, 0.005):
        run = bough.simulate(model, start, duration=2.0, dt=dt, order=4)
        tension = 2.0 * (np.sum(run.v**2, axis=1) - 9.81 * run["z"])
        errors.append(np.max(np.abs(run.lam[:, 0] + tension)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 2e-3


def test_rerun_and_settings() -> None:
    run = bough.simulate(double_pendulum(), {"a": 1.0}, duration=0.5, dt=0.01, order=4)
    assert run.settings["order"] == 4
    assert run.rerun() == run


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"order": 3}, "an order that there is not"),
        ({"order": 4, "alpha": 0.4}, "a rule that is not symmetric"),
    ],
)
def test_bad_order(settings: dict[str, float], text: str) -> None:
    with pytest.raises(ModelError, match=text):
        bough.simulate(double_pendulum(), duration=1.0, dt=0.1, **settings)
