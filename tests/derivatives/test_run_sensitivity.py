"""Derivatives of a whole run against differences of runs, and its two directions against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.finite_difference import slope
from support.parametric import arm
from support.step_checks import assert_close
from support.transforms import Array

METHODS: dict[str, dict[str, Any]] = {
    "midpoint": {},
    "trapezoidal": {"integrator": "trapezoidal"},
    "checkpoints": {"every": 7},
    "order=4": {"integrator": "trapezoidal", "order": 4, "every": 5},
    "stages": {"order": 4},
    "stages, checkpoints": {"order": 6, "every": 7},
}
DURATION, DT = 0.305, 0.01  # the last step is shorter
MOVES_ROWS = ("length", "angle", "wire", "screw", "ratio")  # parameters that move the start off a wire


class Motion:
    """A run with random weights of its rows."""

    def __init__(self, model: bough.Model, options: dict[str, Any], **arguments: Any) -> None:
        self.model, self.options, self.arguments = model, options, arguments
        self.run = self.simulate()
        random = np.random.default_rng(1)
        self.of = {name: random.normal(size=getattr(self.run, name).shape) for name in "qpv"}

    def simulate(self, model: bough.Model | None = None, **changes: Any) -> bough.Trajectory:
        arguments = {**self.arguments, **changes}
        return bough.simulate(model or self.model, **arguments, duration=DURATION, dt=DT, **self.options)

    def scalar(self, **changes: Any) -> float:
        run = self.simulate(**changes)
        return float(sum((w * np.asarray(getattr(run, name))).sum() for name, w in self.of.items()))


def moving_arm(wire: bool, method: str) -> Motion:
    model = arm(wire).build()
    begin = model.assemble([0.3, -0.2, 0.5], [0.4, 0.2, -0.6])
    u = np.random.default_rng(0).normal(size=(31, 1))
    return Motion(model, METHODS[method], q=begin.q, v=begin.v, u=u)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wire", [False, True])
def test_gradient_by_parameters_and_inputs(wire: bool, method: str) -> None:
    motion = moving_arm(wire, method)
    gradient = motion.run.sensitivity(of=motion.of)
    for name, value in motion.model.parameters.items():
        if value == 0.0 or (wire and name in MOVES_ROWS):
            continue
        expected = slope(
            lambda h, n=name, x=value: motion.scalar(model=motion.model.with_parameters(**{n: x + h})),
            1e-4 * max(abs(value), 0.1),
        )
        assert_close(np.array(gradient.parameters[name]), np.array(expected), 1e-7, name)
    u = motion.arguments["u"]
    du = np.random.default_rng(2).normal(size=u.shape)
    expected = slope(lambda h: motion.scalar(u=u + h * du), 1e-2, order=6)
    assert_close(np.array((gradient.u * du).sum()), np.array(expected), 1e-7, "u")


@pytest.mark.parametrize("method", ["midpoint", "checkpoints"])
def test_gradient_by_the_start(method: str) -> None:
    motion = moving_arm(False, method)
    gradient = motion.run.sensitivity(of=motion.of)
    for name in ("q", "v"):
        x = np.asarray(motion.arguments[name])
        move = np.array([0.3, -0.8, 0.5])
        expected = slope(lambda h, n=name, x=x, move=move: motion.scalar(**{n: x + h * move}), 1e-4)
        assert_close(np.array(getattr(gradient, name) @ move), np.array(expected), 1e-7, name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wire", [False, True])
def test_forward_and_backward_agree(wire: bool, method: str) -> None:
    motion = moving_arm(wire, method)
    gradient, forward = motion.run.sensitivity(of=motion.of), motion.run.sensitivity()

    def contracted(by: str) -> Array:
        blocks = [np.einsum("ri,rij->j", w, getattr(forward, f"{of}_d{by}")) for of, w in motion.of.items()]
        return np.sum(blocks, axis=0)

    assert forward.names == tuple(motion.model.parameters)
    assert_close(contracted("theta"), np.array(list(gradient.parameters.values())), 1e-8, "parameters")
    for by in ("q", "v", "p"):
        assert_close(contracted(by), getattr(gradient, by), 1e-8, by)
    assert_close(contracted("u"), gradient.u.sum(axis=0), 1e-8, "u")


def test_checkpoints_change_nothing() -> None:
    """The gradient of the last row is the same from all rows or from a few."""
    found = []
    for every in (1, 7, 100):
        motion = moving_arm(True, "midpoint")
        run = motion.simulate(every=every)
        last = np.zeros_like(run.q)
        last[-1] = (1.0, -0.5, 0.3)
        gradient = run.sensitivity(of={"q": last}, parameters=["mass", "g"])
        found.append(
            np.concatenate([gradient.q, gradient.p, gradient.u[:, 0], list(gradient.parameters.values())])
        )
    assert_close(found[1], found[0], 1e-8, "every=7")
    assert_close(found[2], found[0], 1e-8, "every=100")


def test_kinematic_variables() -> None:
    system = bough.System("cart")
    cart = system.world.tx(bough.kinematic("x"), name="cart", mass=1.0)
    cart.ry("angle").tz(-system.parameter("length", 0.7), name="bob", mass=0.4)
    nodes = np.linspace(0.0, 0.3, 32)
    k = 0.2 * np.sin(5.0 * nodes)[:, None]
    motion = Motion(system.build(), {}, q={"angle": 0.4}, k=k)
    of = {"q": motion.of["q"], "p": motion.of["p"]}
    motion.of = of
    gradient = motion.run.sensitivity(of=of)
    for node in (3, 17, 31):
        e = np.zeros_like(k)
        e[node] = 1.0
        expected = slope(lambda h, e=e: motion.scalar(k=k + h * e), 1e-3, order=6)
        assert_close(np.array(gradient.k[node, 0]), np.array(expected), 1e-7, f"k at node {node}")
    shift = motion.run.sensitivity().q_dk[-1]
    moved = [np.asarray(motion.simulate(k=k + h, q={"angle": 0.4}).q)[-1] for h in (1e-4, -1e-4)]
    assert_close(shift[:, 0], (moved[0] - moved[1]) / 2e-4, 1e-7, "a shift of k")


def test_a_linear_motion() -> None:
    """The derivative of n steps of a linear system is the n-th power of that of one."""
    system = bough.System("oscillator", gravity=(0, 0, 0))
    system.world.tx("x", name="mass", mass=2.0)
    system.add(bough.ConfigurationSpring("x", 30.0))
    model = system.build()
    run = bough.simulate(model, q=[0.7], v=[0.2], duration=0.5, dt=0.05)
    forward = run.sensitivity()
    one = bough.MidpointVI(model, 0.05)
    A = one.linearize(one.start([0.7])).A
    last = np.linalg.matrix_power(A, 10)
    assert np.allclose(forward.q_dq[-1, 0, 0], last[0, 0], rtol=1e-11)
    assert np.allclose(forward.p_dp[-1, 0, 0], last[1, 1], rtol=1e-11)
    assert np.allclose(forward.v_dv[-1, 0, 0], last[1, 1], rtol=1e-11)


def test_refusals() -> None:
    motion = moving_arm(False, "midpoint")
    with pytest.raises(bough.ModelError, match="whose steps have no derivatives"):
        bough.simulate(motion.model, q=[0.1, 0.2, 0.3], duration=0.1, dt=0.01, integrator="rk4").sensitivity()
    with pytest.raises(bough.ModelError, match="by q, p and v of the run"):
        motion.run.sensitivity(of={"lam": np.zeros((32, 0))})
    with pytest.raises(bough.ModelError, match="shape"):
        motion.run.sensitivity(of={"q": np.zeros(3)})
    with pytest.raises(bough.ModelError, match="mass"):
        motion.run.sensitivity(parameters=["mas"])
    with pytest.raises(AttributeError, match="blocks are named"):
        getattr(motion.run.sensitivity(), "q_dx")  # noqa: B009
    with pytest.raises(bough.ModelError, match="a part of a run"):
        motion.run[:5].sensitivity()
