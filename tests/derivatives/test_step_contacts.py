"""Derivatives of steps with contacts whose statuses do not change, against differences of steps and of runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import bough
from bough.control import Step
from bough.integrators.contact_made import stepped
from bough.integrators.contact_smoothing import SmoothedContacts
from support.finite_difference import slope, slopes
from support.step_checks import assert_close
from support.transforms import Array

DT = 0.01
NORMAL = (0.2, 0.1, 1.0)


class Case(NamedTuple):
    """A system, a start, inputs, and after how many steps its contacts have settled."""

    system: bough.System
    q: dict[str, float]
    v: dict[str, float]
    u: tuple[float, ...]
    settled: int = 3


def stopped() -> Case:
    """An arm whose elbow is pressed against its limit."""
    system = bough.System("stopped", gravity=(0.0, 0.0, -9.81))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    upper.ry("elbow").tz(-0.4, name="lower", mass=0.6, inertia=(0.02, 0.03, 0.01))
    system.add(bough.JointLimit("elbow", upper=0.4))
    system.add(bough.ConfigurationForce("elbow", "torque"))
    system.add(bough.ConfigurationForce("shoulder", "swing"))
    return Case(system, {"shoulder": 0.3, "elbow": 0.4}, {"shoulder": 0.8}, (6.0, 0.4))


def sled(planar: bool, friction: float = 0.2) -> Case:
    """A body that slides on a plane, with a pendulum on it."""
    system = bough.System("sled", gravity=(0.0, 0.0, -9.81))
    frame = system.world.tx("x") if planar else system.world.tx("x").ty("y")
    body = frame.tz("z", name="body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    body.ry("swing").tz(-0.3, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PlaneContact("body", friction=friction, normal=NORMAL))
    system.add(bough.ConfigurationForce("x", "push"))
    system.add(bough.ConfigurationForce("swing", "torque"))
    v = {"x": 3.0, "swing": 0.5} | ({} if planar else {"y": -2.0})
    v["z"] = -(0.2 * v["x"] + 0.1 * v.get("y", 0.0))
    return Case(system, {}, v, (1.0, 0.2))


def propped() -> Case:
    """An arm whose tip sticks to a plane."""
    system = bough.System("propped", gravity=(0.0, 0.0, -9.81))
    frame = system.world.tz(1.0)
    for i, length in enumerate((0.6, 0.5, 0.4)):
        frame = frame.ry(f"a{i}").tz(-length, name=f"link{i}", mass=1.0, inertia=(0.02, 0.02, 0.01))
        system.add(bough.ConfigurationForce(f"a{i}", f"t{i}"))
    q = {"a0": 0.5, "a1": -0.8, "a2": 0.5}
    height = float(system.build().pose("link2", q)[2, 3])
    system.add(bough.PlaneContact("link2", origin=(0.0, 0.0, height), friction=2.0))
    return Case(system, q, {}, (-6.0, 3.0, 4.0))


def hung() -> Case:
    """A pendulum on a taut string."""
    system = bough.System("hung", gravity=(0.0, 0.0, -9.81))
    bob = system.world.tx("x").ty("y").tz("z", name="bob", mass=1.0, inertia=(0.01, 0.01, 0.01))
    hook = system.world.tz(1.0, name="hook")
    system.add(bough.String(bob, hook, 1.0))
    system.add(bough.ConfigurationForce("x", "push"))
    return Case(system, {"x": 0.6, "z": 0.2}, {"y": 0.7}, (0.3,))


def brake(speed: float) -> Case:
    """Joints with dry friction, sliding or at rest, and a row beside them."""
    system = bough.System("brake", gravity=(0.0, 0.0, -9.81))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    lower = upper.ry("elbow").tz(-0.4, name="lower", mass=0.6, inertia=(0.02, 0.03, 0.01))
    lower.ry("wrist").tz(-0.2, name="hand", mass=0.3, inertia=(0.01, 0.01, 0.01))
    system.add(bough.DryFriction("shoulder", 0.4))
    system.add(bough.DryFriction("wrist", 30.0))
    model = system.build()
    q = {"shoulder": 0.3, "elbow": 0.5, "wrist": 0.2}
    hook = system.world.tx(2.0, name="hook")
    length = float(np.linalg.norm(model.pose("lower", q)[:3, 3] - (2.0, 0.0, 0.0)))
    system.add(bough.DistanceConstraint("lower", hook, length))
    system.add(bough.ConfigurationForce("shoulder", "swing"))
    return Case(system, q, {"shoulder": speed}, (9.0,))


def box(slides: bool) -> Case:
    """A box that rests on its four corners, whose rows depend on each other, or a stool that slides on three feet.

    On four feet the forces, and with slips of different directions the motion too, would not be determined.
    """
    system = bough.System("box", gravity=(0.0, 0.0, -9.81))
    system.world.free("base", name="body", mass=2.0, inertia=(0.02, 0.03, 0.04))
    system.add(bough.BodyWrench("body", fx="push", tz="twist"))
    feet = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    system.add(bough.PlaneContact("body", points=tuple(feet[:3] if slides else feet), friction=0.3))
    v = {"base_tx": 1.0, "base_ty": 0.3, "base_rz": 0.5} if slides else {}
    return Case(system, {"base_tz": 0.1}, v, (8.0 if slides else 2.0, 0.2))


def on_a_table(ball: bool) -> Case:
    """A box at rest, or a ball that slides and turns, on another box: contacts of features."""
    system = bough.System("on a table", gravity=(0.0, 0.0, -9.81))
    body = system.world.free("base", name="body", mass=2.0, inertia=(0.02, 0.03, 0.04))
    system.add(bough.BodyWrench("body", fx="push", tz="twist"))
    table = system.world.tz(-0.5, name="table")
    shape: Any = bough.Sphere(0.1) if ball else bough.Box((0.4, 0.3, 0.2))
    system.add(bough.Contact(body, shape, against=(table, bough.Box((4.0, 4.0, 1.0))), friction=0.3))
    v = {"base_tx": 1.0, "base_ty": 0.3, "base_rz": 0.5} if ball else {}
    return Case(system, {"base_tz": 0.1}, v, (2.0, 0.2))


CASES: dict[str, Callable[[], Case]] = {
    "limit": stopped,
    "slides": lambda: sled(True),
    "slides in space": lambda: sled(False),
    "without friction": lambda: sled(False, 0.0),
    "sticks": propped,
    "string": hung,
    "dry friction": lambda: brake(-2.0),
    "box rests": lambda: box(False),
    "stool slides": lambda: box(True),
    "box rests on a box": lambda: on_a_table(False),
    "ball slides on a box": lambda: on_a_table(True),
}


TURNING = (
    "slides in space",
    "stool slides",
    "ball slides on a box",
)  # slips whose direction changes: s⁻ is a state too


def started(case: Case) -> tuple[bough.MidpointVI, Any]:
    model = case.system.build()
    vi = bough.MidpointVI(model, DT)
    v = np.array([case.v.get(name, 0.0) for name in model.variables])
    if model.nc:
        v = np.array(model.assemble(case.q, v=v).v)
    return vi, vi.start(case.q, v)


def end(state: Any) -> dict[str, Array]:
    return {"q": np.asarray(state.q), "p": np.asarray(state.p), "lam": np.asarray(state.lam)}


@pytest.mark.parametrize("name", CASES)
def test_by_controls_and_dt(name: str) -> None:
    """Of a step from a state with its history."""
    case = CASES[name]()
    vi, state = started(case)
    u = np.array(case.u)
    for _ in range(case.settled):
        state = vi.step(state, u=u)
    found, h = vi.linearize(state, u=u), 2e-4  # less loses digits to round-off, more to curvature
    assert np.abs(found.q - vi.step(state, u=u).q).max() < 1e-14

    for i in range(vi.model.nu):
        e = np.eye(vi.model.nu)[i]
        expected = slopes(lambda s, e=e: end(vi.step(state, u=u + s * e)), h)
        for of, values in expected.items():
            assert_close(getattr(found, f"{of}_du")[:, i], values, 1e-7, f"{of}_du")
    expected = slopes(lambda s: end(vi.step(state, u=u, dt=DT + s)), 1e-5)
    for of, values in expected.items():
        assert_close(getattr(found, f"{of}_ddt"), values, 1e-7, f"{of}_ddt")


@pytest.mark.parametrize("name", [name for name in CASES if name not in TURNING])
def test_along_a_run(name: str) -> None:
    """The derivatives of all steps together, by inputs that change in all of them: A and B."""
    case = CASES[name]()
    vi, begin = started(case)
    u, steps, h = np.array(case.u), 12, 1e-3
    model = vi.model
    for _ in range(case.settled):
        begin = vi.step(begin, u=u)
    S = np.zeros((model.nv + model.nd, model.nu))
    state = begin
    for _ in range(steps):
        found = vi.linearize(state, u=u)
        S = found.A @ S + found.B
        state = vi.step(state, u=u)

    def run(change: Array) -> Array:
        at = begin
        for _ in range(steps):
            at = vi.step(at, u=u + change)
        return np.concatenate([at.q, np.asarray(at.p)])

    for i in range(model.nu):
        e = np.eye(model.nu)[i]
        expected = slope(lambda s, e=e: run(s * e), h)
        assert_close(S[: model.nv, i], expected[: model.nv], 1e-7, "q")
        assert_close(S[model.nv :, i], expected[model.nv :], 1e-7, "p")


@pytest.mark.parametrize("name", ["limit", "slides", "slides in space", "without friction", "hung"])
def test_by_states(name: str) -> None:
    """A `Step` from starts that touch and do not approach, along moves that leave it so."""
    case = (CASES | {"hung": hung})[name]()
    model = case.system.build()
    step, u = Step(model, DT), np.array(case.u)
    q0 = np.array([case.q.get(variable, 0.0) for variable in model.variables])
    v0 = np.array([case.v.get(variable, 0.0) for variable in model.variables])
    along = np.linalg.svd(model.gap_dq(q0))[2][len(model.gaps) :]
    x0, random = step.state(q0, v0), np.random.default_rng(4)
    A, B = step.jacobians(x0, u)
    for _ in range(4):
        dq, dv = (random.normal(size=len(along)) @ along for _ in range(2))
        if name == "hung":  # whose gap is curved: along the motion it has, and all velocities
            dq, dv = np.zeros(model.nv), dv

        def at(size: float, dq: Array = dq, dv: Array = dv) -> Array:
            return step.state(q0 + size * dq, v0 + size * dv)

        dx, expected = slope(at, 1e-4), slope(lambda s, at=at: step(at(s), u), 1e-4)
        assert_close(A[: model.nv] @ dx, expected[: model.nv], 1e-7, "q")
        assert_close(A[model.nv :] @ dx, expected[model.nv :], 1e-7, "p")
        assert_close(step.jvp(x0, u, dx), A @ dx, 1e-12, "jvp")
    w = random.normal(size=len(x0))
    assert_close(np.concatenate(step.vjp(x0, u, w)), np.concatenate([A, B], axis=1).T @ w, 1e-12, "vjp")


def falling() -> bough.System:
    system = bough.System("falling", gravity=(0.0, 0.0, -9.81))
    system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", restitution=0.5))
    return system


def test_open_contacts_do_not_matter() -> None:
    step = Step(falling().build(), DT)
    A, _ = step.jacobians(step.state({"z": 1.0}))
    assert_close(A, np.array([[1.0, DT], [0.0, 1.0]]), 1e-12, "A")


def test_refusals() -> None:
    """An impact at the start, and what steps with contacts do not have."""
    model = falling().build()
    step = Step(model, DT)
    with pytest.raises(bough.ModelError, match="an impact at the start of the step"):
        step.jacobians([0.0, -1.0])
    x = step.state({"z": 1.0})
    with pytest.raises(bough.ModelError, match=r"contacts, such as .*, beside second derivatives"):
        step.hessian(x, None, x)
    with pytest.raises(bough.ModelError, match=r"beside another rule than the midpoint rule of order 2"):
        Step(model, DT, integrator="trapezoidal")
    system = bough.System("ball")
    system.world.floating("base", name="body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.PlaneContact("body"))
    with pytest.raises(bough.ModelError, match="beside balls"):
        Step(system.build(), DT)


SMOOTHED = (
    "limit",
    "slides",
    "slides in space",
    "without friction",
    "hung",
    "box rests",
    "ball slides on a box",
)


def smoothed_end(step: Step, x: Array, u: Array, kappa: float) -> Array:
    """(q1, p1) of the smoothed step, by its own equations."""
    kernel = SmoothedContacts(step.integrator, kappa)
    state, inputs, _ = kernel._given(0.0, x, u)
    made = kernel._made(stepped(step.integrator, state, inputs, u[step.model.nu :], DT))
    alpha, model = step.integrator.alpha, step.model
    q, v = (1.0 - alpha) * made.q0 + alpha * made.q1, (made.q1 - made.q0) / DT
    f = model.L_dq(q, v) + model.generalized_force(q, v, inputs)
    return np.concatenate([made.q1, (0.5 * DT * f + model.L_dv(q, v))[: model.nd]])


@pytest.mark.parametrize("kappa", [1e-3, 1e-6])
@pytest.mark.parametrize("name", [*SMOOTHED, "falls", "near"])
def test_smoothed(name: str, kappa: float) -> None:
    """Against differences of the smoothed step, in all directions that do not penetrate the start."""
    if name in ("falls", "near"):
        model, u = falling().build(), np.zeros(0)
        q0, v0 = np.array([0.002 if name == "near" else 0.5]), np.array([-1.0])
    else:
        case = (CASES | {"hung": hung})[name]()
        model, u = case.system.build(), np.array(case.u)
        q0 = np.array([case.q.get(variable, 0.0) for variable in model.variables])
        v0 = np.array([case.v.get(variable, 0.0) for variable in model.variables])
    step, nv = Step(model, DT), model.nv
    along = np.eye(nv) if name in ("falls", "near") else np.linalg.svd(model.gap_dq(q0))[2][1:]
    if name == "box rests":
        along = along[3:]
    x0, random = step.state(q0, v0), np.random.default_rng(4)
    A, B = step.jacobians(x0, u, smoothing=kappa)
    dq, dv = (random.normal(size=len(along)) @ along for _ in range(2))
    if name == "hung":
        dq = np.zeros(nv)
    if name == "box rests":
        dv = np.zeros(nv)

    def at(size: float) -> Array:
        return step.state(q0 + size * dq, v0 + size * dv)

    h = 1e-4  # round-off of p, divided by dt and by h, is 1e-10 of the least slopes here; the fourth order leaves 2e-9
    expected, dx = slope(lambda s: smoothed_end(step, at(s), u, kappa), h), slope(at, h)
    assert_close(A[:nv] @ dx, expected[:nv], 1e-7, "q")
    assert_close(A[nv:] @ dx, expected[nv:], 1e-7, "p")
    for i in range(model.nu):
        e = np.eye(model.nu)[i]
        expected = slope(lambda s, e=e: smoothed_end(step, x0, u + s * e, kappa), 1e-3)
        assert_close(B[:nv, i], expected[:nv], 1e-7, "q by u")
        assert_close(B[nv:, i], expected[nv:], 1e-7, "p by u")
    assert_close(step.jvp(x0, u, dx, smoothing=kappa), A @ dx, 1e-12, "jvp")
    w = random.normal(size=len(x0))
    assert_close(step.vjp(x0, u, w, smoothing=kappa)[0], A.T @ w, 1e-12, "vjp")


@pytest.mark.parametrize("name", ["limit", "slides", "sticks", "hung"])
def test_less_smoothing_is_the_step_itself(name: str) -> None:
    """For small κ, first derivatives by inputs are those at fixed statuses, to first order in κ."""
    case = (CASES | {"hung": hung})[name]()
    model = case.system.build()
    step, u = Step(model, DT), np.array(case.u)
    x = step.state(case.q, case.v)
    B = step.jacobians(x, u)[1]
    off = [
        np.abs(step.jacobians(x, u, smoothing=kappa)[1] - B).max() / np.abs(B).max() for kappa in (1e-8, 1e-9)
    ]
    assert off[1] < 1e-4
    assert off[0] / off[1] == pytest.approx(10.0, rel=0.02)


def test_smoothing_sees_contacts_that_are_near() -> None:
    """Above the plane nothing is felt at fixed statuses; smoothed, a push of the plane falls with the distance."""
    model = falling().build()
    step = Step(model, DT)
    felt = [step.jacobians(step.state({"z": z}), smoothing=1e-4)[0][1, 0] for z in (0.05, 0.1, 0.2)]
    assert felt[0] < 2.0 * felt[1] < 4.0 * felt[2] < 0.0  # the momentum falls with the height: d(κ/φ)/dφ < 0
    assert abs(step.jacobians(step.state({"z": 0.05}))[0][1, 0]) < 1e-12
    pendulum = bough.System("pendulum")
    pendulum.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    free = Step(pendulum.build(), DT)
    with pytest.raises(bough.ModelError, match="a model without contacts"):
        free.jacobians(free.state(), smoothing=1e-3)
    with pytest.raises(bough.ModelError, match="smoothing"):
        step.jacobians(step.state({"z": 1.0}), smoothing=-1.0)
