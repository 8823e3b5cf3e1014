"""Exact derivatives of a variational step, against central differences of the step itself."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.control import Step
from support.finite_difference import slope, slopes
from support.product import Case, motion
from support.product_elements import FORCES, HOLONOMIC, POTENTIALS, U
from support.step_checks import DT, METHODS, assert_close, loop, stepped, tangent
from support.transforms import Array

FREE = {"rows": False, "kinematic": False, "shared": False}


def differences(step: Step, x: Array, c: Array, moves: Array, h: float = 1e-5) -> tuple[Array, Array]:
    """Central differences, of the second and fourth power of h left out, of (x1, lam) along moves, by rows."""
    nx = len(x)

    def at(size: float) -> Array:
        s = np.concatenate([x, c]) + size * moves
        return np.concatenate([step(s[:, :nx], s[:, nx:]), step.multipliers(s[:, :nx], s[:, nx:])], axis=1)

    D = slope(at, h)
    return D[:, :nx], D[:, nx:]


def assert_derivatives(step: Step, x: Array, c: Array, tolerance: float = 1e-7) -> None:
    """Dense, forward, backward, and of the constraint forces."""
    nx = len(x)
    A, B = step.jacobians(x, c)
    J = np.concatenate([A, B], axis=1)
    L = np.concatenate(step.multiplier_jacobians(x, c), axis=1)
    moves = tangent(step, x)
    dx1, dlam = differences(step, x, c, moves)
    nq = step.model.nq
    assert_close(moves @ J[:nq].T, dx1[:, :nq], tolerance, "q1")
    assert_close(moves @ J[nq:].T, dx1[:, nq:], tolerance, "p1")
    assert_close(moves @ L.T, dlam, tolerance, "lam")
    random = np.random.default_rng(0)
    ds = random.normal(size=len(moves)) @ moves
    tight = 1e-12 if step.integrator.order <= 4 else 1e-11  # the round-off of nine parts
    if isinstance(step.integrator, bough.TrapezoidalVI) and step.integrator.order == 4:
        # five parts, off the constraints far larger than their product: round-off is that of the parts
        part = Step(step.model, DT, integrator="trapezoidal")
        tight = max(tight, 1e-14 * float(np.abs(np.hstack(part.jacobians(x, c))).max()))
    assert_close(step.jvp(x, c, ds[:nx], ds[nx:]), J @ ds, tight, "jvp")
    w = random.normal(size=nx)
    assert_close(moves @ np.concatenate(step.vjp(x, c, w)), moves @ J.T @ w, tight, "vjp")
    A1, B1 = step.jacobians(x, c, x1=step(x, c))
    assert_close(A1, A, 1e-10, "A with a known end")
    assert_close(B1, B, 1e-10, "B with a known end")


@pytest.mark.parametrize("method", [name for name in METHODS if name != "order=6"])
@pytest.mark.parametrize("kinematic", [False, True])
@pytest.mark.parametrize("kind", HOLONOMIC)
def test_constraints(kind: str, kinematic: bool, method: str) -> None:
    case = Case(kind, "branched", 8 if kind != "WeldConstraint" else 11, **{**FREE, "kinematic": kinematic})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        assert_derivatives(*stepped(case, **METHODS[method]))


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("kind", [*POTENTIALS, *FORCES])
def test_elements(kind: str, method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        case = Case(kind, "chain", 5, rows=True, kinematic=True, shared=False)
        assert_derivatives(*stepped(case, **METHODS[method]))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("flags", ["rows", "shared", "kinematic", "free"])
def test_trees(flags: str, method: str) -> None:
    shape = "free" if flags == "free" else "branched"
    case = Case("BodyWrench", shape, 7, **{**FREE, **({} if flags == "free" else {flags: True})})
    assert_derivatives(*stepped(case, **METHODS[method]))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [2, 3, 4])
def test_dependent_rows(rows: int, method: str) -> None:
    """(DF7): along the constraints, whichever rows hold them, and the same motion of two rows and of four."""
    model, q = loop(rows)
    step = Step(model, DT, **METHODS[method])
    x = step.state(q, model.assemble(q, v=np.array([0.3, -0.2, 0.5, 0.1])).v)
    assert_derivatives(step, x, np.array([0.7]), 2e-7)


@pytest.mark.parametrize("method", ["midpoint", "alpha=0.3", "trapezoidal", "order=4"])
def test_symplectic(method: str) -> None:
    """(DF8): without forces and constraints A^T Omega A = Omega."""
    model = gallery.pendulum(6).build()
    step = Step(model, 0.02, **METHODS[method])
    A, _ = step.jacobians(step.state(np.linspace(0.3, 1.2, 6), np.linspace(-1.0, 2.0, 6)))
    n = model.nq
    Omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert np.max(np.abs(A.T @ Omega @ A - Omega)) < 1e-11 * max(1.0, np.max(np.abs(A)) ** 2)


@pytest.mark.parametrize("rows", [2, 3])
def test_momenta_across_the_constraints(rows: int) -> None:
    """(DF6): they have no effect."""
    model, q = loop(rows)
    step = Step(model, DT)
    A, _ = step.jacobians(step.state(q), [0.7])
    across = model.constraint_dq(q)[:, : model.nd].T
    assert np.max(np.abs(A[:, model.nq :] @ across)) < 1e-11 * np.max(np.abs(A))


def test_long_chain_by_the_tree() -> None:
    """Above 64 variables the columns come from solves along the tree."""
    model = gallery.pendulum(70).build()
    step = Step(model, 0.005)
    x = step.state(np.linspace(0.1, 0.4, 70), np.zeros(70))
    A, _ = step.jacobians(x)
    w = np.random.default_rng(1).normal(size=140)
    assert_close(step.vjp(x, None, w)[0], A.T @ w, 1e-9, "vjp")
    moves = np.zeros((3, 140))
    moves[0, 5] = moves[1, 60] = moves[2, 100] = 1.0
    assert_close(moves @ A.T, differences(step, x, np.zeros(0), moves)[0], 1e-7, "A")


@pytest.mark.parametrize("off", [1e-12, 1e-10, 1e-8])
def test_ends_known_to_some_digits(off: float) -> None:
    """A given end is corrected to round-off, and the derivatives are those at the corrected one."""
    model = gallery.pendulum(6).build()
    step = Step(model, DT)
    x = step.state(np.linspace(0.2, 0.9, 6), v=np.linspace(2.0, -3.0, 6))
    x1 = step(x)
    near = x1 + off * np.random.default_rng(3).normal(size=len(x1))
    for found, expected in zip(step.jacobians(x, x1=near), step.jacobians(x, x1=x1), strict=True):
        assert_close(found, expected, 1e-12, "an end that is off")


def test_batches_and_threads() -> None:
    """Bit for bit the same, however a batch is split and whichever thread computes it."""
    step = Step(gallery.pendulum(3).build(), DT)
    q = np.random.default_rng(2).normal(size=(2, 4, 3))
    x = np.array([[step.state(a) for a in row] for row in q])
    A, B = step.jacobians(x)
    assert A.shape == (2, 4, 6, 6)
    assert B.shape == (2, 4, 6, 0)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(step.jacobians(x[1, 2])[0]))
    thread.start()
    thread.join()
    assert np.array_equal(found[0], A[1, 2])
    assert np.array_equal(step(x)[1, 2], step(x[1, 2]))


@pytest.mark.parametrize(("dt", "parts"), [(0.05, 2), (0.1, 6)])
def test_halved_steps(dt: float, parts: int) -> None:
    """A step that is made in halves is differentiated as it was made, with the force over all of it."""
    model, q = loop(2)
    step = Step(model, dt, max_halvings=6)
    x = step.state(q, model.assemble(q, v=np.array([30.0, -20.0, 50.0, 10.0])).v)
    step(x, [0.7])
    assert len(step._kernel().parts) == parts
    assert_derivatives(step, x, np.array([0.7]))


def assert_linearization(vi: Any, state: Any, u: Array, k: Array) -> None:
    """The blocks of `linearize` by u, k, dt against differences of `vi.step`, also of v."""
    found = vi.linearize(state, u=u, k=k)
    # Steps of the differences: what an input moves is little and nearly linear, so that round-off asks for a long one.
    steps = {"u": 1e-2, "k": 1e-3, "dt": 1e-4}

    def end(du: float = 0.0, dk: float = 0.0, ddt: float = 0.0) -> dict[str, Array]:
        after = vi.step(state, u=u + du, k=k + dk, dt=vi.dt + ddt)
        return {"q": after.q, "p": after.p, "v": after.v, "lam": after.lam}

    for by, argument in (("u", "du"), ("k", "dk"), ("dt", "ddt")):
        for of, expected in slopes(lambda s, argument=argument: end(**{argument: s}), steps[by]).items():
            block = getattr(found, f"{of}_d{by}")
            given = block if by == "dt" else block.sum(axis=1)
            assert_close(given, expected, 1e-7, f"{of}_d{by}")
    after = vi.step(state, u=u, k=k)
    assert np.max(np.abs(found.q - after.q)) < 1e-10


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [False, True])
def test_linearize_a_state_with_history(rows: bool, method: str) -> None:
    """After some steps, when lam belongs to two steps of different length; by u, k and dt."""
    options = {**METHODS[method]}
    kind = {"midpoint": bough.MidpointVI, "trapezoidal": bough.TrapezoidalVI}[
        options.pop("integrator", "midpoint")
    ]
    moving = motion(Case("BodyWrench", "chain", 6, rows=rows, kinematic=True, shared=False))
    model = moving.model
    vi = kind(model, DT, **options)
    state = vi.start(moving.arguments["q"], moving.arguments["v"])
    k = state.q[model.nd :]
    for n in range(4):
        state = vi.step(state, u=np.full(model.nu, U), k=k + 0.002 * (n + 1))
    assert_linearization(vi, state, np.full(model.nu, U), k + 0.011)


def test_moving_constraint_by_dt() -> None:
    """A length that is a function of time enters through h_t."""
    system = bough.System("winch", gravity=(0, 0, -9.81))
    bob = system.world.tx("x").tz("z", name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("x", "push"))
    length = bough.Sinusoid(1.0, 0.2, 3.0, 0.4)
    system.add(bough.DistanceConstraint(bob, system.world.fixed(np.eye(4), name="hook"), length, name="wire"))
    model = system.build()
    r = float(length(0.0))
    for vi in (
        bough.MidpointVI(model, 0.02),
        bough.TrapezoidalVI(model, 0.02),
        bough.TrapezoidalVI(model, 0.02, order=4),
        bough.MidpointVI(model, 0.02, order=6),
    ):
        state = vi.start({"x": r * np.sin(0.4), "z": -r * np.cos(0.4)})
        state = vi.step(state, u=[0.3])
        assert_linearization(vi, state, np.array([0.3]), np.zeros(0))


def test_force_of_time_by_dt() -> None:
    system = bough.System("driven")
    system.world.tx("x", name="cart", mass=2.0)
    system.add(bough.FunctionForce("x", lambda t, q, v: np.sin(5.0 * t) - 0.3 * v["x"] ** 3))
    model = system.build()
    for vi in (
        bough.MidpointVI(model, 0.05),
        bough.TrapezoidalVI(model, 0.05),
        bough.TrapezoidalVI(model, 0.05, order=4),
        bough.MidpointVI(model, 0.05, order=6),
    ):
        state = vi.step(vi.start({"x": 0.2}, {"x": 1.0}))
        assert_linearization(vi, state, np.zeros(0), np.zeros(0))


def test_start_by_velocity() -> None:
    """Blocks by q at fixed v and by v, against differences of steps that start with velocities."""
    model = gallery.pendulum(3).build()
    vi = bough.MidpointVI(model, 0.02)
    q, v, h = np.array([0.4, -0.3, 0.9]), np.array([1.0, -0.5, 0.3]), 1e-5
    found = vi.linearize(vi.start(q, v)).by_velocity
    for by, moved in (("q", lambda a: (q + a, v)), ("v", lambda a: (q, v + a))):
        for of in ("q", "v"):
            for i, e in enumerate(np.eye(3)):
                one, minus = (getattr(vi.step(vi.start(*moved(s * h * e))), of) for s in (1.0, -1.0))
                assert_close(
                    getattr(found, f"{of}_d{by}")[:, i], (one - minus) / (2.0 * h), 1e-7, f"{of}_d{by}"
                )


def test_refusals() -> None:
    model = gallery.pendulum(2).build()
    with pytest.raises(bough.ModelError, match="only steps of variational integrators have derivatives"):
        Step(model, 0.01, "rk4")
    vi = bough.MidpointVI(model, 0.01)
    with pytest.raises(AttributeError, match="blocks are named"):
        getattr(vi.linearize(vi.start()), "q_dx")  # noqa: B009
    step = Step(model, 0.01)
    with pytest.raises(bough.ModelError, match="shape"):
        step.jacobians(np.zeros(3))
    model, q = loop(2)
    step = Step(model, 0.05)
    speeds = (0.0, 60.0) * np.array([[3.0, -2.0, 5.0, 1.0]]).T
    still, fast = (step.state(q, model.assemble(q, v=v).v) for v in speeds.T)
    with pytest.raises(bough.ConvergenceError, match="in row 1 of the batch"):
        step.jacobians([still, fast])


def test_stiff_servo_is_refused() -> None:
    system = bough.System("arm")
    arm = system.world.ry("angle").tz(-1.0, name="arm", mass=1.0)
    system.add(bough.Servo("angle", kp=1e6, kd=1e3, target="target"))
    del arm
    step = Step(system.build(), 0.05)
    with pytest.raises(bough.ModelError, match="servo so stiff"):
        step.jacobians(step.state({"angle": 0.1}), [0.5])
