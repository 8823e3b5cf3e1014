"""Optimal control through contacts: smoothed steps and their derivatives, a push, a jump, messages."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import gallery
from bough.control import Effort, Step, optimize
from bough.control._costs import Setting
from bough.control._smoothed import SmoothedEnds, SmoothedSteps
from bough.errors import ModelError
from support.finite_difference import derivative

G = 9.81


def block(*, corners: bool = False) -> bough.Model:
    """A block of 1 kg on dry ground, pushed along it."""
    system = bough.System("block")
    if corners:
        points = [(-0.1, 0.0, -0.05), (0.1, 0.0, -0.05)]
        system.world.tx("x").tz("z").ry("tilt", name="block", mass=1.0, inertia=(0.01, 0.01, 0.01))
        system.add(bough.PlaneContact("block", points=points, friction=0.5, name="ground"))
    else:
        system.world.tx("x").tz("z", name="block", mass=1.0)
        system.add(bough.PlaneContact("block", friction=0.5, name="ground"))
    system.add(bough.ConfigurationForce("x", "push"))
    return system.build()


PUSH = {"duration": 0.8, "dt": 0.04, "cost": Effort(1.0), "end": {"x": 0.3}, "smoothing": 1e-3}


@pytest.mark.parametrize("kappa", [1e-2, 1e-4])
def test_derivatives_of_smoothed_steps(kappa: float) -> None:
    model, t, dt = gallery.hopper().build(), 0.1, 0.02
    steps = SmoothedSteps(Step(model, dt).integrator, kappa)
    x, c = np.array([0.01, 0.45, 0.3, -0.4]), np.array([-12.0])
    made = steps.step(t, dt, x, c, None)

    def end(z: np.ndarray) -> np.ndarray:
        found = steps.step(t, dt, z[:4], z[4:], made)
        return np.concatenate([found.q1, found.p1])

    J, _ = steps.derivatives(made)
    expected = derivative(end, np.concatenate([x, c]), step=1e-4)[0].T
    assert np.abs(J - expected).max() < 1e-7 * np.abs(expected).max()


def test_derivatives_of_smoothed_friction_and_ends() -> None:
    model, dt = block(corners=True), 0.02
    steps = SmoothedSteps(Step(model, dt).integrator, 1e-4)
    x, c = np.array([0.1, 0.0502, 1e-3, 0.2, -0.05, 0.01]), np.array([6.0])
    made = steps.step(0.0, dt, x, c, None)

    def end(z: np.ndarray) -> np.ndarray:
        found = steps.step(0.0, dt, z[:6], z[6:], made)
        return np.concatenate([found.q1, found.p1])

    expected = derivative(end, np.concatenate([x, c]), step=1e-4)[0].T
    assert np.abs(steps.derivatives(made)[0] - expected).max() < 1e-6 * np.abs(expected).max()
    ends = SmoothedEnds(Setting(model, dt, np.array([0.0, dt]), "test"), steps, {"x": 0.1}, True, None)
    expected = derivative(ends.values, x, step=1e-5)[0].T
    assert np.abs(ends.jacobian(x) - expected).max() < 1e-7 * np.abs(expected).max()


def test_push_of_a_block_to_a_place() -> None:
    """u = 2 m μ g (1 − t/T) until the block stops at T, x = μ g T²/6: from u(T) = 0 and v(T) = 0."""
    run = optimize(block(), **PUSH)
    T = np.sqrt(6.0 * 0.3 / (0.5 * G))
    assert run.statistics["cost"] == pytest.approx((2.0 * 0.5 * G) ** 2 * T / 6.0, rel=2e-3)
    assert abs(run["x"][-1] - 0.3) < 1e-8
    assert np.abs(run.v[-1]).max() < 1e-12
    assert np.abs(run.gaps()).max() < 1e-12
    assert set(run.contact_status[:, 0]) == {"slide", "stick"}
    assert run.contact_status[-1, 0] == "stick"
    line = np.maximum(2.0 * 0.5 * G * (1.0 - (run.t[:-1] + 0.02) / T), 0.0)
    assert np.abs(run.u[:-1, 0] - line)[1:].max() < 0.1
    assert run == run.rerun()


def test_push_within_limits() -> None:
    run = optimize(block(), **PUSH, effort={"push": 8.0})
    assert np.abs(run.u).max() <= 8.0
    assert abs(run["x"][-1] - 0.3) < 1e-8
    assert np.abs(run.v[-1]).max() < 1e-12


def test_push_of_corners_that_stop_at_once() -> None:
    """Two contacts of one body stop in the same instant, which has no derivative: those of smoothed steps do."""
    run = optimize(block(corners=True), q={"z": 0.05}, **PUSH)
    assert abs(run["x"][-1] - 0.3) < 1e-8
    assert np.abs(run.v[-1]).max() < 1e-12
    assert np.abs(run["tilt"]).max() < 1e-12


def test_jump_to_a_height() -> None:
    """From standing to the apex: the foot leaves the ground, and all is at rest a quarter of a metre above it."""
    model = gallery.hopper().build()
    stand = {"height": 0.0, "leg": 0.5 - 3.0 * G / 600.0}
    run = optimize(
        model,
        q=stand,
        v={},
        duration=0.6,
        dt=0.03,
        cost=Effort(1e-3),
        end={"height": 0.25, "leg": 0.5},
        smoothing=0.1,
    )
    assert np.abs(run.q[-1] - [0.25, 0.5]).max() < 1e-8
    assert np.abs(run.v[-1]).max() < 1e-7
    assert run["height"].min() > -1e-12
    ground = run.contact_status[:, model.gaps.index("ground")]
    assert (ground[0], ground[-1]) == ("stick", "open")
    work = np.sum(run.u[:-1, 0] * np.diff(run["leg"]))  # of the thrust, all of it in the height at last
    lifted = (3.3 * 0.25 + 3.0 * (0.5 - stand["leg"])) * G - 300.0 * (0.5 - stand["leg"]) ** 2
    assert work - sum(impact.energy_lost for impact in run.impacts) == pytest.approx(lifted, rel=0.02)


def test_messages() -> None:
    model = block()
    given = {key: value for key, value in PUSH.items() if key != "smoothing"}
    with pytest.raises(ModelError, match=r"(?s)contacts, such as 'ground'.*give smoothing=1e-3"):
        optimize(model, **given)
    with pytest.raises(ModelError, match="no second derivatives"):
        optimize(model, **PUSH, method="newton")
    with pytest.raises(ModelError, match="smoothing"):
        optimize(model, **given, smoothing=-1.0)
    with pytest.raises(ModelError, match="all variables, at a place where 'ground' is closed"):
        optimize(model, **{**PUSH, "end": {"x": 0.3, "z": 0.0}})
    cart = gallery.cart_pole().build()
    with pytest.raises(ModelError, match="a model without contacts, whose steps are smooth"):
        optimize(cart, duration=1.0, dt=0.1, cost=Effort(1.0), smoothing=1e-3)
