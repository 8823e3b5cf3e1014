"""Derivatives of a step by the parameters of its model, against differences of steps of models with other values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough
from bough.control import Step
from support.finite_difference import slope, slopes
from support.parametric import arm
from support.product import Case
from support.product_elements import FORCES, HOLONOMIC, POTENTIALS
from support.step_checks import METHODS, assert_close, stepped
from support.transforms import Array

H = 1e-3  # of the differences, of sixth order


def end(step: Step, x: Array, c: Array) -> Array:
    return np.concatenate([step(x, c), step.multipliers(x, c)])


def differences(step: Step, x: Array, c: Array, options: dict[str, Any], name: str) -> Array:
    """d(x1, lam)/dtheta by steps of models with other values of one parameter."""
    value = step.model.parameters[name]
    h = H * max(abs(value), 0.1)

    def at(size: float) -> Array:
        other = step.model.with_parameters(**{name: value + size})
        return end(Step(other, step.dt, **options), x, c)

    if (
        value == 0.0
    ):  # which may not become negative; what does not depend on it is the round-off of forces over H
        return slope(at, H, one_sided=True)
    return slope(at, h, order=6)


def assert_parameters(case: Case, tolerance: float = 1e-7, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        step, x, c = stepped(case, parametric=True, **options)
        J = np.concatenate([step.parameter_jacobian(x, c), step.multiplier_parameter_jacobian(x, c)])
        assert len(step.model.parameters) >= 3
        for i, name in enumerate(step.model.parameters):
            assert_close(J[:, i], differences(step, x, c, options, name), tolerance, f"{case} by {name}")
    w = np.random.default_rng(5).normal(size=len(x))
    assert_close(step.parameter_vjp(x, c, w), w @ J[: len(x)], 1e-11, "parameter_vjp")


@pytest.mark.parametrize("kind", [kind for kind in (*POTENTIALS, *FORCES) if not kind.startswith("user")])
def test_elements(kind: str) -> None:
    assert_parameters(Case(kind, "chain", 3, rows=False, kinematic=False, shared=True))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["LinearSpring", "Drag"])
def test_methods(kind: str, method: str) -> None:
    assert_parameters(Case(kind, "branched", 4, rows=False, kinematic=False, shared=True), **METHODS[method])


@pytest.mark.parametrize("kind", HOLONOMIC)
def test_constraints(kind: str) -> None:
    size = 11 if kind == "WeldConstraint" else 5
    assert_parameters(Case(kind, "chain", size, rows=False, kinematic=size == 5, shared=False))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kinematic", [False, True])
def test_constraints_and_forces_with_all_methods(kinematic: bool, method: str) -> None:
    case = Case("BodyWrench", "branched", 6, rows=True, kinematic=kinematic, shared=False)
    assert_parameters(case, **METHODS[method])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wire", [False, True])
def test_formulas(wire: bool, method: str) -> None:
    model = arm(wire).build()
    step = Step(model, 0.02, **METHODS[method])
    begin = model.assemble([0.3, -0.2, 0.5], [0.4, 0.2, -0.6])
    x, c = step.state(begin.q, begin.v), np.array([0.3])
    J = np.concatenate([step.parameter_jacobian(x, c), step.multiplier_parameter_jacobian(x, c)])
    for i, name in enumerate(model.parameters):
        assert_close(J[:, i], differences(step, x, c, METHODS[method], name), 1e-7, name)
    some = step.parameter_jacobian(np.array([x, x]), c, ("g", "ratio"))
    places = [tuple(model.parameters).index(name) for name in ("g", "ratio")]
    assert np.array_equal(some[1], J[: len(x), places])


@pytest.mark.parametrize("held", ["p", "v"])
@pytest.mark.parametrize("wire", [False, True])
def test_linearize(wire: bool, held: str) -> None:
    """Blocks by theta, at fixed momenta and at fixed velocities of the start."""
    model = arm(wire).build()
    begin = model.assemble([0.3, -0.2, 0.5], [0.4, 0.2, -0.6])
    u = np.array([0.3])
    vi = bough.MidpointVI(model, 0.02)
    state = vi.start(begin.q, begin.v)
    found = vi.linearize(state, u)
    if held == "v":
        found = found.by_velocity
    rows = ("q", "p", "v") if held == "p" else ("q", "p", "v", "lam")
    names = [
        name
        for name in model.parameters
        if not wire or name not in ("length", "angle", "wire", "screw", "ratio")
    ]

    def ends(name: str, value: float) -> dict[str, Array]:
        other = bough.MidpointVI(model.with_parameters(**{name: value}), 0.02)
        start = other.start(begin.q, begin.v) if held == "v" else other.start(begin.q, p=state.p)
        after = other.step(start, u)
        return {of: np.asarray(getattr(after, of)) for of in rows}

    for name in names:
        value, i = model.parameters[name], list(model.parameters).index(name)
        h = 1e-3 * max(abs(value), 0.1)
        by = slopes(lambda s, name=name, a=value: ends(name, a + s), h, one_sided=value == 0.0)
        for of in rows:
            assert_close(getattr(found, f"{of}_dtheta")[:, i], by[of], 1e-7, f"{of}_dtheta by {name}")


def test_by_the_closed_form() -> None:
    """A mass on a spring: one midpoint step solves a linear equation, whose derivatives are known."""
    system = bough.System("oscillator", gravity=(0, 0, 0))
    system.world.tx("x", name="mass", mass=system.parameter("mass", 2.0))
    system.add(bough.ConfigurationSpring("x", system.parameter("stiffness", 30.0)))
    step = Step(system.build(), 0.1)
    q, p, m, k, dt = 0.7, 1.3, 2.0, 30.0, 0.1
    # m (q1 - q)/dt + dt k (q + q1)/4 = p
    top, below = p + q * (m / dt - dt * k / 4.0), m / dt + dt * k / 4.0
    by_m = (q / dt) / below - top / below**2 / dt
    by_k = (-q * dt / 4.0) / below - top / below**2 * dt / 4.0
    found = step.parameter_jacobian([q, p])
    assert np.allclose(found[0], [by_m, by_k], rtol=1e-11, atol=0.0)


def test_a_parameter_that_does_nothing_and_none_at_all() -> None:
    system = arm(False)
    system.parameter("unused", 3.0)
    step = Step(system.build(), 0.01)
    assert not step.parameter_jacobian(step.state(), None, "unused").any()
    bare = Step(bough.gallery.pendulum(2).build(), 0.01)
    assert bare.parameter_jacobian(bare.state()).shape == (4, len(bare.model.parameters))


def test_refusals() -> None:
    step = Step(arm(False).build(), 0.01)
    with pytest.raises(bough.ModelError, match="length"):
        step.parameter_jacobian(step.state(), None, ["lenght"])
    system = bough.System("turned")
    rest = system.parameter("rest", 0.0)
    link = system.world.rx("a").ry("b").tz(-1.0, name="link", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.TorsionSpring(link, system.world.fixed(np.eye(4), name="still"), 2.0, rest=rest))
    with pytest.raises(bough.ModelError, match="parameter rest in 'rest' of TorsionSpring"):
        system.build()
    system = bough.System("known once")
    system.world.rx("a").tz(-1.0, name="b", mass=1.0)
    system.add(Once("b", "world", system.parameter("stiffness", 2.0)))
    step = Step(system.build(), 0.01)
    with pytest.raises(bough.ModelError, match="no model at values around 2: only 2 N"):
        step.parameter_jacobian(step.state())


class Once(bough.LinearSpring):
    """A spring of one stiffness only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stiffness != 2.0:
            raise bough.ModelError(asked="another stiffness", found="only 2 N/m is known", do="take 2 N/m")
