"""The parts of a variational step by themselves: derivatives of the rule, and solves with the matrix of a step."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import bough
from bough import gallery
from bough._core import core
from support.finite_difference import assert_derivative
from support.product import Case, motion
from support.transforms import Array

DT, T = 0.03, 0.4
METHODS = {"midpoint": (0, 0.5), "alpha=0.3": (0, 0.3), "trapezoidal": (1, 0.5)}


class Step(NamedTuple):
    """A step of a model: where it begins and ends, and its inputs."""

    model: bough.Model
    q0: Array
    q1: Array
    u: Array


def step(model: bough.Model, q: Array, u: float = 0.0) -> Step:
    """Both ends on the constraints, where the rows of Dh have no other joints than those of their support."""
    q1 = model.assemble(q + DT * np.sin(1.0 + 1.3 * np.arange(model.nq)), t=T + DT).q
    return Step(model, q, q1, np.full(model.nu, u))


def of_case(kind: str, shape: str, joints: int, **flags: Any) -> Step:
    given = {"rows": False, "kinematic": False, "shared": False, **flags}
    moving = motion(Case(kind, shape, joints, **given))
    return step(moving.model, moving.arguments["q"], 1.7)


def evaluated(x: Step, method: str) -> Any:
    parts = core.StepParts(x.model._core, *METHODS[method])
    parts.evaluate(T, DT, x.q0, x.q1, x.u)
    return parts


def values(parts: Any, n: int) -> tuple[Array, Array]:
    D1, D2 = np.empty((2, n))
    parts.values(D1, D2)
    return D1, D2


def slots(parts: Any, n: int) -> dict[str, Array]:
    """dD1/dq0, dD1/dq1, dD2/dq0, dD2/dq1."""
    found = np.empty((4, n, n))
    parts.derivatives(*found)
    return dict(zip(("D1_0", "D1_1", "D2_0", "D2_1"), found, strict=True))


RULES = {
    "pendulum": lambda: step(gallery.pendulum(3).build(), np.array([0.4, -0.7, 0.2])),
    "spring": lambda: of_case("LinearSpring", "branched", 5),
    "wrench, shared and kinematic": lambda: of_case("BodyWrench", "chain", 5, kinematic=True, shared=True),
    "drag, floating": lambda: of_case("Drag", "free", 3),
    "servo": lambda: of_case("Servo", "chain", 3),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", RULES)
def test_derivatives_of_the_rule(name: str, method: str) -> None:
    """(M3), (M5), (Z3), (Z4) against differences of (M1), (M2), (Z1), (Z2).

    The rules of servos are left as they are at q0, so that dD1/dq0 and dD2/dq0 are not compared with them.
    """
    x = RULES[name]()
    n = x.model.nq
    found = slots(evaluated(x, method), n)
    for slot, at in (("0", x.q0), ("1", x.q1)):
        if name == "servo" and slot == "0" and method != "trapezoidal":
            continue

        def both(q: Array, slot: str = slot) -> Array:
            ends = {"q0": x.q0, "q1": x.q1, f"q{slot}": q}
            return np.concatenate(values(evaluated(x._replace(**ends), method), n))

        df = np.concatenate((found[f"D1_{slot}"], found[f"D2_{slot}"])).T
        assert_derivative(both, df, at, step=0.02, what=f"of (D1, D2) by q{slot}")


def lift(segments: int) -> Step:
    model = gallery.scissor_lift(segments, theta=math.pi / 2 - 0.3).build()
    return step(model, model.assemble(q=model.start.q).q)


def chain_with_loop(rows: int) -> Step:
    """Three links whose end is held by so many rows, of which at most two are independent."""
    system = bough.System("loop")
    frame = system.world
    for k in range(4):
        turned = frame.ry(f"a{k}", ratio=(1.0, -0.5, 2.0, 1.0)[k])
        frame = turned.tz(-0.5, name=f"link{k}", mass=1.0, inertia=(0.1, 0.2, 0.3))
    q = np.array([0.4, 0.3, -0.2, 0.5])
    anchor = system.world.fixed(system.build().pose("link3", q), name="anchor")
    for axis in [(1, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, -2)][:rows]:
        system.add(bough.PointConstraint(frame, anchor, axis=axis))
    return step(system.build(), q)


MATRICES = {
    **RULES,
    "one row": lambda: chain_with_loop(1),
    "two rows": lambda: chain_with_loop(2),
    "lift of 1": lambda: lift(1),
    "lift of 6": lambda: lift(6),
    "wires and springs": lambda: of_case("LinearSpring", "branched", 20, rows=True),
    "wires, shared": lambda: of_case("LinearDamper", "branched", 8, rows=True, shared=True),
    "weld, floating, kinematic": lambda: of_case("WeldConstraint", "free", 11, rows=True, kinematic=True),
}


def system_of(x: Step, method: str) -> tuple[Any, Array, Array, Array]:
    """The parts, Dh(q0), Dh(q1) and T = [K, -Dh0^T; Dh1, 0], all as arrays."""
    parts, nd = evaluated(x, method), x.model.nd
    Dh0, Dh1 = x.model.constraint_dq(x.q0, t=T), x.model.constraint_dq(x.q1, t=T + DT)
    K = slots(parts, x.model.nq)["D1_1"][:nd, :nd]
    zero = np.zeros((len(Dh0), len(Dh0)))
    return parts, Dh0, Dh1, np.block([[K, -Dh0[:, :nd].T], [Dh1[:, :nd], zero]])


def solved(x: Step, parts: Any, Dh0: Array, Dh1: Array, B: Array, transposed: bool) -> Array:
    """X of T X = B or T^T X = B, by the core."""
    nd = x.model.nd
    first, second = np.array(B[:nd].T, order="C"), np.array(B[nd:].T, order="C")
    assert parts.solve(Dh0, Dh1, first, second, transposed)
    return np.concatenate((first.T, second.T))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MATRICES)
def test_solves_are_those_of_the_dense_matrix(name: str, method: str) -> None:
    """Several right-hand sides at once, with T and with its transpose, whichever way T is factored.

    Round-off is that of a backward stable solve: the residual is small beside the terms that cancel in it.
    """
    x = MATRICES[name]()
    parts, Dh0, Dh1, matrix = system_of(x, method)
    B = np.random.default_rng(3).normal(size=(len(matrix), 5))
    for transposed in (False, True):
        X, A = solved(x, parts, Dh0, Dh1, B, transposed), matrix.T if transposed else matrix
        size = np.abs(A) @ np.abs(X) + np.abs(B)
        assert np.max(np.abs(A @ X - B) / size) < 1e-11
        alone = solved(x, parts, Dh0, Dh1, B[:, 2:3], transposed)
        assert np.array_equal(alone[:, 0], X[:, 2])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [3, 4])
def test_dependent_rows(rows: int, method: str) -> None:
    """With rows that depend on each other the solve is a linear map F, and the transposed solve is F^T.

    For right-hand sides that T can reach, F solves; of all multipliers it takes the least.
    """
    x = chain_with_loop(rows)._replace(q1=chain_with_loop(rows).q0)
    parts, Dh0, Dh1, matrix = system_of(x, method)
    size, nd = len(matrix), x.model.nd
    F = solved(x, parts, Dh0, Dh1, np.eye(size), False)
    assert np.max(np.abs(solved(x, parts, Dh0, Dh1, np.eye(size), True) - F.T)) < 1e-12 * np.max(np.abs(F))
    B = matrix @ np.random.default_rng(4).normal(size=(size, 3))
    X = F @ B
    assert np.max(np.abs(matrix @ X - B)) < 1e-11 * np.max(np.abs(B))
    null = np.linalg.svd(Dh0[:, :nd])[0][:, 2:]
    assert np.max(np.abs(null.T @ X[nd:])) < 1e-11 * np.max(np.abs(X[nd:]))
    R = matrix.T @ np.random.default_rng(5).normal(size=(size, 3))
    assert np.max(np.abs(matrix.T @ (F.T @ R) - R)) < 1e-11 * np.max(np.abs(R))
