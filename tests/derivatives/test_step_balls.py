"""Derivatives of steps with balls: by turns in their own axes, against differences along `step.integrate`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough.control import Step
from support.balls import branched, chain, floating_arm, heavy_top, state_of
from support.finite_difference import slope, slopes
from support.product import NOT_WITH_BALLS, Case, motion
from support.product_elements import FORCES, HOLONOMIC, POTENTIALS, U
from support.step_checks import DT, assert_close
from support.transforms import Array


def driven() -> bough.System:
    """A branched tree with springs, dampers, torques, a wrench and a servo of a hinge."""
    system = branched()
    for element in (
        bough.LinearSpring("palm", "crown", stiffness=20.0, rest_length=0.2),
        bough.LinearDamper("palm", "crown", coefficient=0.4),
        bough.Damping({"trunk": 0.2, "elbow": 0.3, "hand": 0.1}),
        bough.BodyWrench("palm", fx="thrust", tz="twist"),
        bough.ConfigurationForce("trunk_wx", "torque"),
        bough.Servo("elbow", kp=5.0, kd=0.3, target="elbow_target"),
    ):
        system.add(element)
    return system


def lifted() -> bough.System:
    """A ball on a slide that is prescribed, with a hinge behind it."""
    system = bough.System("lifted", gravity=(0.0, 0.0, -9.81))
    hook = system.world.tz(bough.kinematic("lift"))
    body = hook.ball("swing").tz(
        -0.5, name="body", mass=1.0, inertia=(0.02, 0.03, 0.012), com=(0.02, 0.0, 0.1)
    )
    body.rx("flap").ty(0.2, name="flap", mass=0.3, inertia=(0.01, 0.01, 0.02))
    system.add(bough.ConfigurationForce("flap", "motor"))
    return system


def closed(rows: int) -> bough.System:
    """Three links on balls whose end is held at a point, by so many rows of which three are independent."""
    system = chain(3)
    model = system.build()
    q, _ = state_of(model, 5)
    anchor = system.world.fixed(model.pose("link2", q), name="anchor")
    system.add(bough.PointConstraint("link2", anchor, name="pin"))
    if rows > 3:
        system.add(bough.PointConstraint("link2", anchor, axis=(1.0, 2.0, 3.0), name="again"))
    system.add(bough.BodyWrench("link1", fy="push"))
    return system


def held_far() -> bough.System:
    """A floating body on a string, with an arm."""
    system = floating_arm()
    model = system.build()
    q, _ = state_of(model, 5)
    hook = system.world.tx(2.0).tz(3.0, name="hook")
    length = float(np.linalg.norm(model.pose("lower", q)[:3, 3] - (2.0, 0.0, 3.0)))
    system.add(bough.DistanceConstraint("lower", hook, length, name="string"))
    return system


SYSTEMS: dict[str, Callable[[], bough.System]] = {
    "top": heavy_top,
    "floating": floating_arm,
    "driven": driven,
    "kinematic": lifted,
    "closed": lambda: closed(3),
    "string": held_far,
}
METHODS: dict[str, dict[str, Any]] = {"order=2": {}, "order=4": {"order": 4}, "order=6": {"order": 6}}


def stepped(system: bough.System, **options: Any) -> tuple[Step, Array, Array]:
    model = system.build()
    step = Step(model, DT, **options)
    q, v = state_of(model, 5)
    if model.nc:
        v = np.array(model.assemble(q, v=v).v)
    v[model.nd :] = 0.0
    x = step.state(q, v)
    k1 = x[model.nq - model.nk : model.nq] + 0.3 * DT
    return step, x, np.concatenate([np.linspace(0.4, 0.9, model.nu), k1])


def moves_of(step: Step, x: Array) -> Array:
    """All moves of (x, c), or those along the constraints if these depend on each other."""
    model, size = step.model, len(step.moves) + len(step.controls)
    Dh = model.constraint_dq(x[: model.nq]) if model.nc else np.zeros((0, model.nv))
    rank = np.linalg.matrix_rank(Dh, tol=1e-9) if model.nc else 0
    if rank == model.nc:
        return np.eye(size)
    out = np.zeros((size - rank, size))
    out[: model.nv - rank, : model.nv] = np.linalg.svd(Dh)[2][rank:]
    out[model.nv - rank :, model.nv :] = np.eye(size - model.nv)
    return out


def differences(step: Step, x: Array, c: Array, moves: Array, h: float = 1e-5) -> tuple[Array, Array]:
    """Central differences of fourth order of the end, by its own moves, and of the constraint forces."""
    nx, end = len(step.moves), step(x, c)

    def at(size: float) -> Array:
        xs = step.integrate(np.tile(x, (len(moves), 1)), size * moves[:, :nx])
        cs = c + size * moves[:, nx:]
        off = step.difference(np.tile(end, (len(moves), 1)), step(xs, cs))
        return np.concatenate([off, step.multipliers(xs, cs)], axis=1)

    D = slope(at, h)
    return D[:, :nx], D[:, nx:]


def assert_derivatives(step: Step, x: Array, c: Array, tolerance: float = 1e-7) -> None:
    nx, nv = len(step.moves), step.model.nv
    A, B = step.jacobians(x, c)
    J = np.concatenate([A, B], axis=1)
    L = np.concatenate(step.multiplier_jacobians(x, c), axis=1)
    moves = moves_of(step, x)
    dx1, dlam = differences(step, x, c, moves)
    assert_close(moves @ J[:nv].T, dx1[:, :nv], tolerance, "q1")
    assert_close(moves @ J[nv:].T, dx1[:, nv:], tolerance, "p1")
    assert_close(moves @ L.T, dlam, tolerance, "lam")
    random = np.random.default_rng(0)
    ds, w = random.normal(size=len(moves)) @ moves, random.normal(size=nx)
    tight = 1e-12 if step.integrator.order <= 4 else 1e-11  # the round-off of nine parts
    assert_close(step.jvp(x, c, ds[:nx], ds[nx:]), J @ ds, tight, "jvp")
    assert_close(moves @ np.concatenate(step.vjp(x, c, w)), moves @ J.T @ w, tight, "vjp")
    A1, B1 = step.jacobians(x, c, x1=step(x, c))
    assert_close(A1, A, 1e-10, "A with a known end")
    assert_close(B1, B, 1e-10, "B with a known end")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_derivatives(name: str, method: str) -> None:
    assert_derivatives(*stepped(SYSTEMS[name](), **METHODS[method]))


@pytest.mark.parametrize("method", ["order=2", "order=4"])
def test_dependent_rows(method: str) -> None:
    assert_derivatives(*stepped(closed(4), **METHODS[method]), 2e-7)


@pytest.mark.parametrize("method", ["order=2", "order=4"])
@pytest.mark.parametrize("build", [heavy_top, branched, floating_arm])
def test_symplectic(build: Callable[[], bough.System], method: str) -> None:
    """With momenta along the axes of balls the form is dp ∧ n, and −P × n for turns of a ball with momentum P."""
    step, x, c = stepped(build(), **METHODS[method])
    model = step.model
    A, _ = step.jacobians(x, c)

    def form(state: Array) -> Array:
        n = model.nv
        out = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
        for i, _ in model._balls.values():
            a, b, d = state[model.nq + i : model.nq + i + 3]
            out[i : i + 3, i : i + 3] = [[0.0, d, -b], [-d, 0.0, a], [b, -a, 0.0]]
        return out

    off = A.T @ form(step(x, c)) @ A - form(x)
    assert np.max(np.abs(off)) < 1e-11 * max(1.0, np.max(np.abs(A)) ** 2)


def parametric() -> bough.System:
    """Balls, a hinge and a string whose lengths, masses and stiffness are parameters."""
    system = bough.System("parametric", gravity=(0.0, 0.0, -9.81))
    length, mass = system.parameter("length", 0.5), system.parameter("mass", 1.2)
    stiffness, wire = system.parameter("stiffness", 8.0), system.parameter("damping", 0.3)
    upper = system.world.ball("shoulder").tz(-length, name="upper", mass=mass, inertia=(0.02, 0.03, 0.012))
    lower = (
        upper.ry("elbow")
        .tx(0.4 * length)
        .ball("wrist")
        .tz(-0.3, name="lower", mass=0.4, inertia=(0.01, 0.02, 0.015))
    )
    system.add(
        bough.LinearSpring(lower, system.world.tx(1.0, name="wall"), stiffness=stiffness, rest_length=0.3)
    )
    system.add(bough.Damping({"shoulder": wire, "elbow": 0.1}))
    system.add(bough.BodyWrench(lower, fx="thrust"))
    return system


@pytest.mark.parametrize("method", METHODS)
def test_parameters(method: str) -> None:
    step, x, c = stepped(parametric(), **METHODS[method])
    J, end = step.parameter_jacobian(x, c), step(x, c)
    for i, (name, value) in enumerate(step.model.parameters.items()):
        h = 1e-3 * abs(value)

        def at(size: float, name: str = name, value: float = value) -> Array:
            other = Step(step.model.with_parameters(**{name: value + size}), DT, **METHODS[method])
            return step.difference(end, other(x, c))

        assert_close(J[:, i], slope(at, h), 1e-7, name)
    w = np.random.default_rng(5).normal(size=len(step.moves))
    assert_close(step.parameter_vjp(x, c, w), w @ J, 1e-11, "parameter_vjp")


@pytest.mark.parametrize("method", ["order=2", "order=4"])
@pytest.mark.parametrize("name", ["driven", "kinematic", "closed"])
def test_linearize_with_history(name: str, method: str) -> None:
    """Blocks by u, k and dt of q, p, v and lam after some steps, against differences of `vi.step`."""
    step, x, c = stepped(SYSTEMS[name](), **METHODS[method])
    model, vi = step.model, step.integrator
    nu, k = model.nu, x[model.nq - model.nk : model.nq]
    state = vi.start(x[: model.nq], p=x[model.nq :])
    for n in range(3):
        state = vi.step(state, u=c[:nu], k=k + 0.002 * (n + 1))
    k = k + 0.009
    found, after = vi.linearize(state, u=c[:nu], k=k), vi.step(state, u=c[:nu], k=k)
    assert np.max(np.abs(model.difference(after.q, found.q))) < 1e-10
    steps = {
        "u": 1e-3,
        "k": 1e-3,
        "dt": 1e-4,
    }  # long enough for the round-off of lam, which is that of accelerations

    def end(by: str, size: float) -> dict[str, Array]:
        moved = {"u": c[:nu], "k": k, "dt": vi.dt}
        moved[by] = moved[by] + size
        at = vi.step(state, **moved)
        return {"q": model.difference(after.q, at.q), "p": at.p, "v": at.v, "lam": at.lam}

    for by, h in steps.items():
        for of, expected in slopes(lambda s, by=by: end(by, s), h).items():
            block = getattr(found, f"{of}_d{by}")
            assert_close(block if by == "dt" else block.sum(axis=1), expected, 1e-7, f"{of}_d{by}")


@pytest.mark.parametrize("name", ["driven", "closed", "floating"])
def test_start_by_velocity(name: str) -> None:
    """Blocks by q at fixed v and by v; with constraints along them."""
    step, x, _ = stepped(SYSTEMS[name]())
    model, vi = step.model, step.integrator
    q, v, h = x[: model.nq], step.velocity(x), 1e-5
    found, after = vi.linearize(vi.start(q, v)), vi.step(vi.start(q, v))
    found = found.by_velocity
    along = np.eye(model.nv)
    if model.nc:
        along = np.linalg.svd(model.constraint_dq(q))[2][model.nc :]
        with pytest.raises(bough.ModelError):
            vi.start(model.integrate(q, 0.1 * np.ones(model.nv)), v)
        by = "v"
        ends = [[vi.step(vi.start(q, v + s * h * e)) for s in (1.0, -1.0)] for e in along]
        for e, (one, minus) in zip(along, ends, strict=True):
            assert_close(found.v_dv @ e, (one.v - minus.v) / (2.0 * h), 1e-7, f"v_d{by}")
        return
    for by in ("q", "v"):
        ends = [
            [
                vi.step(vi.start(*((model.integrate(q, s * h * e), v) if by == "q" else (q, v + s * h * e))))
                for s in (1.0, -1.0)
            ]
            for e in along
        ]
        dq = [model.difference(after.q, a.q) - model.difference(after.q, b.q) for a, b in ends]
        assert_close(getattr(found, f"q_d{by}"), np.transpose(dq) / (2.0 * h), 1e-7, f"q_d{by}")
        dv = [a.v - b.v for a, b in ends]
        assert_close(getattr(found, f"v_d{by}"), np.transpose(dv) / (2.0 * h), 1e-7, f"v_d{by}")


@pytest.mark.parametrize("options", [{}, {"every": 7}, {"order": 4}], ids=["", "checkpoints", "order=4"])
def test_whole_runs(options: dict[str, Any]) -> None:
    """The gradient of a scalar of a run, by start, inputs and parameters; and forward against backward."""
    step, x, c = stepped(parametric())
    model, nq = step.model, step.model.nq
    q0, v0 = x[:nq], step.velocity(x)
    arguments = {"duration": 0.305, "dt": 0.01, **options}

    def simulated(dq: Array, dv: Array, u: float, **parameters: float) -> bough.Trajectory:
        other = model.with_parameters(**parameters) if parameters else model
        return bough.simulate(other, model.integrate(q0, dq), v0 + dv, u=[u], **arguments)

    zero, u = np.zeros(model.nv), float(c[0])
    run = simulated(zero, zero, u)
    random = np.random.default_rng(1)
    of = {"q": random.normal(size=(len(run), model.nv)), "v": random.normal(size=(len(run), model.nv))}

    def scalar(*moved: Any, **parameters: float) -> float:
        other = simulated(*moved, **parameters)
        moves = model.difference(np.asarray(run.q), np.asarray(other.q))
        return float((of["q"] * moves).sum() + (of["v"] * np.asarray(other.v)).sum())

    gradient, forward = run.sensitivity(of=of), run.sensitivity()
    for by in ("q", "v"):
        expected = [
            slope(lambda s, e=e: scalar(*((s * e, zero) if by == "q" else (zero, s * e)), u), 1e-4)  # noqa: B023
            for e in np.eye(model.nv)
        ]
        assert_close(getattr(gradient, by), np.array(expected), 1e-7, by)
    assert_close(gradient.u.sum(), np.array(slope(lambda s: scalar(zero, zero, u + s), 1e-3)), 1e-7, "u")
    for name, value in model.parameters.items():
        expected_slope = slope(lambda s, n=name, a=value: scalar(zero, zero, u, **{n: a + s}), 1e-3 * value)
        assert_close(np.array(gradient.parameters[name]), np.array(expected_slope), 1e-7, name)
    for by, found in (("q", gradient.q), ("v", gradient.v), ("theta", list(gradient.parameters.values()))):
        total = sum(np.einsum("ri,rij->j", of[a], getattr(forward, f"{a}_d{by}")) for a in ("q", "v"))
        assert_close(total, np.array(found), 1e-10, f"forward by {by}")


def crossed(step: Step, covector: Array, moves: Array) -> Array:
    """covector·(nᵢ × nⱼ) over all pairs of moves, with n their turns of a ball, summed over balls."""
    out = np.zeros((len(moves), len(moves)))
    for i, _ in step.model._balls.values():
        n = moves[:, i : i + 3]
        out += np.cross(n[:, None], n[None]) @ covector[i : i + 3]
    return out


def assert_second_derivatives(step: Step, x: Array, c: Array) -> None:
    """Against differences of vjp along turns, whose part that is not symmetric is that of the brackets of turns."""
    nx, moves, h = len(step.moves), moves_of(step, x), 1e-4
    w = np.random.default_rng(3).normal(size=nx)
    H, g = step.hessian(x, c, w), step.vjp(x, c, w)[0]
    along = moves @ H @ moves.T
    assert_close(along, along.T, 1e-12, "symmetry")

    def gradients(size: float) -> Array:
        xs = step.integrate(np.tile(x, (len(moves), 1)), size * moves[:, :nx])
        return np.concatenate(step.vjp(xs, c + size * moves[:, nx:], w), axis=-1)

    ends = moves @ np.concatenate(step.jacobians(x, c), axis=1).T
    brackets = 0.5 * (crossed(step, g, moves) - crossed(step, w, ends))
    assert_close(along + brackets, slope(gradients, h) @ moves.T, 1e-7, "hessian")
    ds = moves[0] + 0.5 * moves[-1]
    assert_close(np.concatenate(step.hvp(x, c, w, ds[:nx], ds[nx:])), H @ ds, 1e-12, "hvp")


@pytest.mark.parametrize("method", ["order=2", "order=4"])
@pytest.mark.parametrize("name", [*SYSTEMS, "dependent rows"])
def test_second_derivatives(name: str, method: str) -> None:
    assert_second_derivatives(
        *stepped((SYSTEMS | {"dependent rows": lambda: closed(4)})[name](), **METHODS[method])
    )


def test_second_derivatives_of_far_turns() -> None:
    """Beyond the series of the geodesic."""
    step, x, c = stepped(heavy_top())
    q = x[: step.model.nq]
    x = step.state(q, [40.0, 45.0, -30.0])
    assert np.linalg.norm(step.model.difference(q, step(x, c)[: step.model.nq])) > 1.1
    assert_second_derivatives(step, x, c)


@pytest.mark.parametrize("kinematic", [False, True])
@pytest.mark.parametrize("kind", [k for k in (*POTENTIALS, *FORCES, *HOLONOMIC) if k not in NOT_WITH_BALLS])
def test_second_derivatives_of_elements(kind: str, kinematic: bool) -> None:
    size = 11 if kind == "WeldConstraint" else 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        moving = motion(Case(kind, "floating", size, rows=False, kinematic=kinematic, shared=False), False)
        model = moving.model
        step = Step(model, DT)
        x = step.state(moving.arguments["q"], moving.arguments["v"])
        c = np.concatenate([np.full(model.nu, U), x[model.nq - model.nk : model.nq] + 0.3 * DT])
        assert_second_derivatives(step, x, c)


@pytest.mark.parametrize("name", ["driven", "string"])
def test_second_derivatives_are_those_of_the_difference(name: str) -> None:
    """Of w·difference(x1, step(integrate(x, dx), c + dc)), along single directions."""
    step, x, c = stepped(SYSTEMS[name]())
    nx, end, h = len(step.moves), step(x, c), 2e-3
    random = np.random.default_rng(7)
    w, directions = random.normal(size=nx), random.normal(size=(6, nx + len(c)))
    H = step.hessian(x, c, w)

    def at(size: float) -> Array:
        xs = step.integrate(np.tile(x, (6, 1)), size * directions[:, :nx])
        return step.difference(np.tile(end, (6, 1)), step(xs, c + size * directions[:, nx:])) @ w

    values = [at(a * h) for a in (-3, -2, -1, 0, 1, 2, 3)]
    expected = np.tensordot(np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]), values, 1) / (
        180.0 * h * h
    )
    assert_close(np.einsum("ki,ij,kj->k", directions, H, directions), expected, 1e-6, "second differences")


@pytest.mark.parametrize("build", [driven, parametric, lambda: closed(3)])
def test_check_compares_steps(build: Callable[[], bough.System]) -> None:
    found = bough.check(build().build(), states=2, steps=True, show=False)
    assert found.ok, found.wrong
    assert {row.derivative for row in found.rows if row.element == "step"} >= {"jacobians", "hessian"}
