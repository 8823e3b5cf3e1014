"""Derivatives of steps and runs with contacts by parameters, against differences over models with other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import bough
from bough.control import Step
from support.finite_difference import slope, slopes
from support.step_checks import assert_close
from support.transforms import Array

DT = 0.01


class Case(NamedTuple):
    """A system with parameters, and a motion of it."""

    system: bough.System
    q: dict[str, float]
    v: dict[str, float]
    u: tuple[float, ...] = ()
    steps: int = 30


def ball() -> Case:
    """Restitution, mass and drag of a ball that bounces."""
    system = bough.System("ball", gravity=(0.0, 0.0, -9.81))
    system.world.tx("x").tz("z", name="ball", mass=system.parameter("mass", 2.0))
    system.add(bough.PlaneContact("ball", restitution=system.parameter("restitution", 0.8)))
    system.add(bough.Drag("ball", system.parameter("drag", 0.3)))
    return Case(system, {"z": 0.2}, {"x": 1.0, "z": -0.5}, steps=60)


def puck() -> Case:
    """Friction, mass and push of a puck on a slope, whose direction turns, and that hits a stop."""
    system = bough.System("puck", gravity=(0.0, 0.0, -9.81))
    system.world.tx("x").ty("y").tz("z", name="body", mass=system.parameter("mass", 2.0))
    friction, e = system.parameter("friction", 0.2), system.parameter("restitution", 0.7)
    system.add(bough.PlaneContact("body", friction=friction, normal=(0.5, 0.0, 1.0)))
    system.add(bough.JointLimit("y", upper=system.parameter("stop", 0.15), restitution=e))
    system.add(bough.ConfigurationForce("y", "push"))
    return Case(system, {}, {"y": 1.0}, (0.3,), 40)


def stopping() -> Case:
    """A slider with a pendulum that friction brings to rest."""
    system = bough.System("stopping", gravity=(0.0, 0.0, -9.81))
    body = system.world.tx("x").tz("z", name="body", mass=2.0)
    length = system.parameter("length", 0.3)
    body.ry("swing").tz(-length, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PlaneContact("body", friction=system.parameter("friction", 0.3)))
    return Case(system, {"swing": 0.2}, {"x": 0.4, "swing": 0.4}, steps=25)


def brake() -> Case:
    """Dry friction in a joint, beside a row that has a length."""
    system = bough.System("brake", gravity=(0.0, 0.0, -9.81))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    lower = upper.ry("elbow").tz(-0.4, name="lower", mass=system.parameter("mass", 0.6))
    lower.ry("wrist").tz(-0.2, name="hand", mass=0.3, inertia=(0.01, 0.01, 0.01))
    system.add(bough.DryFriction("shoulder", system.parameter("dry", 0.4)))
    system.add(bough.JointLimit("wrist", upper=0.203, restitution=system.parameter("restitution", 0.4)))
    model = system.build()
    q = {"shoulder": 0.3, "elbow": 0.5, "wrist": 0.2}
    hook = system.world.tx(2.0, name="hook")
    wire = float(np.linalg.norm(model.pose("lower", q)[:3, 3] - (2.0, 0.0, 0.0)))
    system.add(bough.DistanceConstraint("lower", hook, wire))
    start = system.build().assemble(q, v={"shoulder": -1.0, "wrist": 4.0})
    v = dict(zip(model.variables, map(float, start.v), strict=True))
    return Case(system, dict(zip(model.variables, map(float, start.q), strict=True)), v, steps=20)


CASES: dict[str, Callable[[], Case]] = {"ball": ball, "puck": puck, "stopping": stopping, "brake": brake}


def rows(run: bough.Trajectory) -> dict[str, Array]:
    return {of: np.asarray(getattr(run, of)) for of in "qpv"}


@pytest.mark.parametrize("name", CASES)
def test_runs(name: str) -> None:
    """Through impacts, stops and slips that turn; the start (q, v) is held."""
    case = CASES[name]()
    model = case.system.build()

    def run(**changes: float) -> bough.Trajectory:
        near = model.with_parameters(**{key: model.parameters[key] + x for key, x in changes.items()})
        return bough.simulate(
            near, case.q, case.v, u=np.array(case.u) if case.u else None, duration=case.steps * DT, dt=DT
        )

    whole = run()
    assert whole.impacts or name == "stopping"
    found = whole.sensitivity()
    for i, key in enumerate(found.names):
        expected = slopes(lambda s, key=key: rows(run(**{key: s})), 1e-4)
        for of, values in expected.items():
            # stops are located to 1e-9 of the slip before them, which the difference divides by 1e-4
            assert_close(getattr(found, f"{of}_dtheta")[..., i], values, 1e-5, f"{of} by {key}")
    random = np.random.default_rng(2)
    of = {key: random.normal(size=values.shape) for key, values in rows(whole).items()}
    gradient = whole.sensitivity(of=of)
    for i, key in enumerate(found.names):
        sums = [(of[key] * getattr(found, f"{key}_dtheta")[..., i]).sum() for key in of]
        assert_close(np.array(gradient.parameters[key]), np.array(sum(sums)), 1e-10, key)


@pytest.mark.parametrize("name", CASES)
def test_steps(name: str) -> None:
    """Single steps along the motion, at fixed momenta: `parameter_jacobian`, and `_dtheta` of `linearize`."""
    case = CASES[name]()
    model = case.system.build()
    vi, u = bough.MidpointVI(model, DT), np.array(case.u)
    state = vi.start(case.q, case.v)
    step = Step(model, DT)
    x, h = np.concatenate([state.q, np.asarray(state.p)]), 1e-4

    def ends(key: str, s: float) -> Array:
        near = model.with_parameters(**{key: model.parameters[key] + s})
        return Step(near, DT)(x, u)

    found = step.parameter_jacobian(x, u)
    for i, key in enumerate(model.parameters):
        assert_close(found[:, i], slope(lambda s, key=key: ends(key, s), h, order=6), 1e-7, key)
    w = np.random.default_rng(0).normal(size=len(x))
    assert_close(step.parameter_vjp(x, u, w), w @ found, 1e-12, "vjp")
    kept: Any = step.parameter_jacobian(x, u, names=[])
    assert kept.shape == (len(x), 0)
    for _ in range(3):
        blocks = vi.linearize(state, u=u)
        assert blocks.q_dtheta.shape == (model.nv, len(model.parameters))
        state = vi.step(state, u=u)
