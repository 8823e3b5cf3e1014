"""Derivatives through impacts: in closed form, and against differences of steps and of runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import bough
from bough.control import Step
from bough.integrators.contact_made import stepped
from support.finite_difference import slope, slopes
from support.step_checks import assert_close
from support.transforms import Array

DT = 0.02
G = 9.81


def ball(e: float, **given: Any) -> bough.System:
    """A ball above a plane."""
    system = bough.System("ball", gravity=(0.0, 0.0, -G))
    system.world.tz("z", name="ball", mass=2.0)
    system.add(bough.PlaneContact("ball", restitution=e, **given))
    system.add(bough.ConfigurationForce("z", "lift"))
    return system


@pytest.mark.parametrize("e", [0.0, 0.8, 1.0])
def test_bouncing_ball_in_closed_form(e: float) -> None:
    """The midpoint rule is exact in free fall: z = z0 + V0 s − g s²/2 to the impact at s, and after it."""
    z0, V0 = 0.004, -0.5
    step = Step(ball(e).build(), DT)
    x = step.state({"z": z0}, {"z": V0})
    A, _ = step.jacobians(x)
    V = -np.sqrt(V0**2 + 2.0 * G * z0)
    s = (V0 - V) / G
    by_z, by_V = -1.0 / V, -s / V  # of s
    rest = DT - s
    if e == 0.0:  # it stays on the plane, and p has half of what presses on it in the rest of the step
        expected = np.array([[0.0, 0.0], [0.5 * G * by_z, 0.5 * G * by_V]])
    else:
        V_by_z, V_by_V = -G * by_z, 1.0 - G * by_V
        speed = np.array([-e * V_by_z + G * by_z, -e * V_by_V + G * by_V])  # of the end
        place = np.array([-e * V_by_z * rest + e * V * by_z + G * rest * by_z, 0.0])
        place[1] = -e * V_by_V * rest + e * V * by_V + G * rest * by_V
        expected = np.array([place, speed])
    m = 2.0
    found = np.array([[A[0, 0], A[0, 1] * m], [A[1, 0] / m, A[1, 1]]])
    assert_close(found, expected, 1e-12, "A")
    if e == 1.0:  # energy is kept, and with it the area of phase space
        assert abs(np.linalg.det(A) - 1.0) < 1e-12
    if e == 0.8:
        assert abs(np.linalg.det(A) - e**2) < 1e-12


class Case(NamedTuple):
    """A system whose next step has an impact."""

    system: bough.System
    q: dict[str, float]
    v: dict[str, float]
    u: tuple[float, ...] = ()
    steps: bool = False  # whether steps come before it


def pendulum(e: float) -> Case:
    """A double pendulum whose elbow hits a stop."""
    system = bough.System("stop", gravity=(0.0, 0.0, -G))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    upper.ry("elbow").tz(-0.4, name="lower", mass=0.6, inertia=(0.02, 0.03, 0.01))
    system.add(bough.JointLimit("elbow", upper=0.4, restitution=e))
    system.add(bough.ConfigurationForce("elbow", "torque"))
    system.add(bough.ConfigurationForce("shoulder", "swing"))
    return Case(system, {"shoulder": 0.3, "elbow": 0.37}, {"shoulder": 0.8, "elbow": 3.0}, (1.0, 0.4))


def thrown(planar: bool, e: float, friction: float, rate: float) -> Case:
    """A body with a pendulum that is thrown on a slope: it slides, or sticks at once."""
    system = bough.System("thrown", gravity=(0.0, 0.0, -G))
    frame = system.world.tx("x") if planar else system.world.tx("x").ty("y")
    body = frame.tz("z", name="body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    body.ry("swing").tz(-0.3, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PlaneContact("body", friction=friction, restitution=e, normal=(0.2, 0.1, 1.0)))
    system.add(bough.ConfigurationForce("x", "push"))
    v = {"x": rate, "z": -2.0, "swing": 0.5} | ({} if planar else {"y": -0.7 * rate})
    return Case(system, {"z": 0.02}, v, (1.0,))


def closed(e: float) -> Case:
    """A four-bar whose crank hits a stop: rows of a loop beside the impact."""
    system = bough.System("four-bar", gravity=(0.0, 0.0, -G))
    crank = system.world.ry("crank").tz(0.4, name="a", mass=1.0, inertia=(0.02, 0.02, 0.01))
    crank.ry("coupler").tx(0.8, name="b", mass=1.0, inertia=(0.02, 0.02, 0.01))
    rocker = system.world.tx(0.9).ry("rocker").tz(0.5, name="c", mass=1.0, inertia=(0.02, 0.02, 0.01))
    system.add(bough.PointConstraint("b", rocker, axes=((1, 0, 0), (0, 0, 1))))
    system.add(bough.ConfigurationForce("crank", "motor"))
    start = system.build().assemble({"crank": 0.3, "coupler": -0.2, "rocker": 0.1}, v={"crank": 2.0})
    q = dict(zip(system.build().variables, map(float, start.q), strict=True))
    v = dict(zip(system.build().variables, map(float, start.v), strict=True))
    system.add(bough.JointLimit("crank", upper=q["crank"] + 0.015, restitution=e))
    return Case(system, q, v, (0.5,))


def driven() -> Case:
    """A ball above a hook that rises: the plane is kinematic, and moves within the step."""
    system = bough.System("driven", gravity=(0.0, 0.0, -G))
    system.world.tz("z", name="ball", mass=2.0)
    lift = system.world.tz(bough.kinematic("lift"), name="lift")
    system.add(bough.String("ball", lift, 0.5, restitution=0.6))
    return Case(system, {"z": -0.49, "lift": 0.0}, {"z": -1.0})


def resting(e: float) -> Case:
    """A slider that rests on a plane with friction and hits a stop."""
    system = bough.System("resting", gravity=(0.0, 0.0, -G))
    body = system.world.tx("x").tz("z", name="body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    body.ry("swing").tz(-0.3, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PlaneContact("body", friction=0.2))
    system.add(bough.JointLimit("swing", upper=0.05, restitution=e))
    system.add(bough.ConfigurationForce("x", "push"))
    return Case(system, {"x": 0.0, "swing": -0.1}, {"x": 1.5, "swing": 2.0}, (1.0,), True)


def stopping(dry: bool) -> Case:
    """A slider with a pendulum on it that comes to rest within the step, by the friction of a plane or of its joint."""
    system = bough.System("stopping", gravity=(0.0, 0.0, -G))
    body = system.world.tx("x")
    body = body.frame("body", mass=2.0) if dry else body.tz("z", name="body", mass=2.0)
    body.ry("swing").tz(-0.3, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.DryFriction("x", 6.0) if dry else bough.PlaneContact("body", friction=0.3))
    system.add(bough.ConfigurationForce("x", "push"))
    return Case(system, {"swing": 0.2}, {"x": 0.03, "swing": 0.4}, (0.2,))


def late(dry: bool) -> Case:
    """The same after a few steps."""
    case = stopping(dry)
    return case._replace(v={"x": 0.03 + 5 * DT * (3.0 if not dry else 2.6), "swing": 0.4}, steps=True)


CASES: dict[str, Callable[[], Case]] = {
    "stop": lambda: pendulum(0.0),
    "stop that gives back": lambda: pendulum(0.8),
    "slides": lambda: thrown(True, 0.5, 0.1, 3.0),
    "slides in space": lambda: thrown(False, 0.5, 0.1, 3.0),
    "stays and slides in space": lambda: thrown(False, 0.0, 0.1, 3.0),
    "sticks": lambda: thrown(True, 0.0, 3.0, 0.3),
    "loop": lambda: closed(0.0),
    "loop that gives back": lambda: closed(0.7),
    "driven": driven,
    "rests and hits": lambda: resting(0.0),
    "rests and bounces": lambda: resting(0.6),
    "stops": lambda: stopping(False),
    "stops by dry friction": lambda: stopping(True),
    "stops after some steps": lambda: late(False),
    "stops by dry friction after some steps": lambda: late(True),
}


def started(case: Case) -> tuple[bough.MidpointVI, Any, Array]:
    model = case.system.build()
    vi = bough.MidpointVI(model, DT)
    state, u = vi.start(case.q, case.v), np.array(case.u)
    while case.steps and not stepped(vi, state, u, np.zeros(0), DT).nodes:
        state = vi.step(state, u=u)
    return vi, state, u


def end(state: Any) -> dict[str, Array]:
    return {of: np.asarray(getattr(state, of)) for of in ("q", "p", "lam")}


@pytest.mark.parametrize("name", CASES)
def test_by_controls_and_dt(name: str) -> None:
    """Of a step from a state with its history, by inputs, kinematic variables and its length."""
    case = CASES[name]()
    vi, state, u = started(case)
    model = vi.model
    k = np.asarray(state.q)[model.nd :] + 0.01
    made = vi.step(state, u=u, k=k if model.nk else None)
    assert len(stepped(vi, state, u, k, DT).nodes) >= 3  # a part, what ends it, and a part
    found = vi.linearize(state, u=u, k=k if model.nk else None)
    assert np.array_equal(found.q, made.q)

    for i in range(model.nu):
        e = np.eye(model.nu)[i]
        for of, values in slopes(lambda s, e=e: end(vi.step(state, u=u + s * e)), 1e-3).items():
            assert_close(getattr(found, f"{of}_du")[:, i], values, 1e-7, f"{of}_du")
    for i in range(model.nk):
        e = np.eye(model.nk)[i]
        for of, values in slopes(lambda s, e=e: end(vi.step(state, u=u, k=k + s * e)), 1e-5).items():
            assert_close(getattr(found, f"{of}_dk")[:, i], values, 1e-7, f"{of}_dk")
    by_dt = slopes(lambda s: end(vi.step(state, u=u, k=k if model.nk else None, dt=DT + s)), 1e-5)
    for of, values in by_dt.items():
        assert_close(getattr(found, f"{of}_ddt"), values, 1e-7, f"{of}_ddt")


@pytest.mark.parametrize("name", [name for name in CASES if not CASES[name]().steps])
def test_by_states(name: str) -> None:
    """A `Step` by its start, along constraints."""
    case = CASES[name]()
    model = case.system.build()
    step, u = Step(model, DT), np.array(case.u)
    q0, v0 = (np.array([x.get(variable, 0.0) for variable in model.variables]) for x in (case.q, case.v))
    x0, random = step.state(q0, v0), np.random.default_rng(3)
    c = np.concatenate([u, q0[model.nd :]])
    A, B = step.jacobians(x0, c)
    touches = model.gap_dq(q0)[np.abs(model.gap(q0)) < 1e-12]
    held = np.concatenate([model.constraint_dq(q0), touches])
    free = np.linalg.svd(held)[2][len(held) :] if len(held) else np.eye(model.nv)
    for _ in range(3):
        dq, dv = (random.normal(size=len(free)) @ free for _ in range(2))
        dq[model.nd :] = dv[model.nd :] = 0.0

        def at(size: float, dq: Array = dq, dv: Array = dv) -> Array:
            q, v = q0 + size * dq, v0 + size * dv
            if model.nc:
                start = model.assemble(q, v=v)
                q, v = np.array(start.q), np.array(start.v)
            return step.state(q, v)

        dx, expected = slope(at, 1e-4), slope(lambda s: step(at(s), c), 1e-4)
        assert_close(A[: model.nv] @ dx, expected[: model.nv], 2e-7, "q")
        assert_close(A[model.nv :] @ dx, expected[model.nv :], 2e-7, "p")
        assert_close(step.jvp(x0, c, dx), A @ dx, 1e-12, "jvp")
    w = random.normal(size=len(x0))
    assert_close(np.concatenate(step.vjp(x0, c, w)), np.concatenate([A, B], axis=1).T @ w, 1e-12, "vjp")
