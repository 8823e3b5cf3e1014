"""Steps one by one are those of a run, bit for bit: by `step`, by a runner, after a pickle, in other hands."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery

STEPS = 120


def lively() -> tuple[bough.Model, dict[str, Any], float]:
    """A chain whose steps are halved now and then."""
    system = bough.System("chain")
    frame = system.world
    for i in range(8):
        frame = frame.ry(f"q{i}").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    q = np.random.default_rng(3).uniform(-2.5, 2.5, 8)
    return system.build(), {"q": q}, 0.04


def driven() -> tuple[bough.Model, dict[str, Any], float]:
    """A pushed and damped arm on a prescribed slide, its tip on a line that moves."""
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    tip = elbow.ry("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    system.add(bough.Damping(0.3))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    lift = bough.Sinusoid(amplitude=0.1, frequency=2.0)
    system.add(bough.PointConstraint(tip, system.world.tz(-1.2), axis=(0, 0, 1), offset=lift))
    model = system.build()
    return model, {"q": np.asarray(model.assemble({"shoulder": 0.5}).q)}, 0.01


def servo() -> tuple[bough.Model, dict[str, Any], float]:
    """An arm with a servo that runs into its limit."""
    system = bough.System("servo")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    system.add(bough.Servo("shoulder", kp=400.0, kd=40.0, target="target", effort=12.0))
    return system.build(), {}, 0.01


def closed() -> tuple[bough.Model, dict[str, Any], float]:
    model = gallery.closed_chain().build()
    return model, {}, 0.01


def redundant() -> tuple[bough.Model, dict[str, Any], float]:
    """An arm whose tip is held on a line twice: every few steps the factorisation tries in vain to do without."""
    system = bough.System("redundant")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    tip = elbow.ry("forearm").tz(-1.0, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    line = system.world.tz(-1.5)
    for _ in range(2):
        system.add(bough.PointConstraint(tip, line, axis=(0, 0, 1)))
    model = system.build()
    return model, {"q": np.asarray(model.assemble({"shoulder": 0.8, "forearm": -1.0}).q)}, 0.01


def stiff() -> tuple[bough.Model, dict[str, Any], float]:
    """A leg with toes on a spring that swing with a period of a few steps: guesses follow a recurrence."""
    system = bough.System("leg")
    frame = system.world
    for i in range(3):
        frame = frame.ry(f"q{i}").tz(-0.5, mass=1.0, inertia=(0.1, 0.1, 0.1))
    frame.ry("toes").tx(0.1, mass=0.2, inertia=(1e-3, 1e-3, 1e-3))
    system.add(bough.ConfigurationSpring("toes", stiffness=20.0))
    return system.build(), {"q": {"q0": 1.0, "q1": 0.5, "toes": 0.3}}, 0.01


CASES: dict[str, Callable[[], tuple[bough.Model, dict[str, Any], float]]] = {
    f.__name__: cache(f) for f in (lively, driven, servo, closed, redundant, stiff)
}
METHODS: dict[str, Callable[[bough.Model, float], Any]] = {
    "midpoint": lambda model, dt: bough.MidpointVI(model, dt),
    "alpha": lambda model, dt: bough.MidpointVI(model, dt, alpha=0.4),
    "order 4": lambda model, dt: bough.MidpointVI(model, dt, order=4),
    "order 6": lambda model, dt: bough.MidpointVI(model, dt, order=6),
    "trapezoidal": lambda model, dt: bough.TrapezoidalVI(model, dt),
    "composed": lambda model, dt: bough.TrapezoidalVI(model, dt, order=4),
}


class Motion:
    """A run of a case, and what its steps were driven by."""

    def __init__(self, case: str, method: str) -> None:
        self.model, start, dt = CASES[case]()
        self.method, self.dt = METHODS[method], dt
        self.vi = self.method(self.model, dt)
        model = self.model
        self.u = np.random.default_rng(0).uniform(-3.0, 3.0, (STEPS, model.nu))
        self.k = 0.1 * np.sin(0.1 * np.arange(STEPS + 1.0))[:, None] * np.ones(model.nk)
        driving = {name: value for name, value in (("u", self.u), ("k", self.k)) if value.size}
        settings = {name: value for name, value in self.vi.settings.items() if name != "dt"}
        self.run = bough.simulate(model, **start, **driving, **settings, duration=STEPS * dt, dt=dt)
        vk = {name: float(self.run.v[0][name]) for name in model.kinematic}
        self.start = self.vi.start(**start, **({"v": vk} if vk else {}))

    def driving(self, i: int) -> dict[str, Any]:
        """The arguments of step i."""
        given = {"u": self.u[i]} if self.model.nu else {}
        return {**given, "k": self.k[i + 1]} if self.model.nk else given

    def is_at(self, i: int, state: Any) -> bool:
        """Whether a state is that after i steps of the run."""
        run = self.run
        same = np.array_equal(state.q, run.q[i]) and np.array_equal(state.p, run.p[i])
        if i > 0 and not self.vi._staged:
            same = same and np.array_equal(state.lam, run.lam[i - 1])
        return bool(same)


motion = cache(Motion)
everything = [
    pytest.mark.parametrize("case", CASES),
    pytest.mark.parametrize("method", METHODS),
    pytest.mark.filterwarnings("ignore::bough.BoughWarning"),
]


def every(test: Any) -> Any:
    for mark in everything:
        test = mark(test)
    return test


@every
def test_steps_are_those_of_a_run(case: str, method: str) -> None:
    m = motion(case, method)
    state = m.start
    for i in range(STEPS):
        state = m.vi.step(state, **m.driving(i))
        assert m.is_at(i + 1, state), i


@every
def test_a_state_is_all_that_a_step_needs(case: str, method: str) -> None:
    """Each step by another integrator than the one before, and every tenth state pickled."""
    m = motion(case, method)
    hands = [m.method(m.model, m.dt) for _ in range(3)]
    state = m.start
    for i in range(STEPS):
        state = hands[i % 3].step(state, **m.driving(i))
        if i % 10 == 0:
            state = pickle.loads(pickle.dumps(state))
            hands[1].step(m.start, **m.driving(0))  # something else in between
        assert m.is_at(i + 1, state), i


@every
def test_a_runner_makes_the_same_steps(case: str, method: str) -> None:
    m = motion(case, method)
    runner = m.vi.runner(m.start)
    q = runner.q
    assert m.is_at(0, runner)
    for i in range(STEPS):
        runner.step(**m.driving(i))
        assert runner.q is q
        assert m.is_at(i + 1, runner), i
    assert runner.state == m.vi.runner(runner.state).state


@every
def test_lists_and_mappings_make_the_same_steps(case: str, method: str) -> None:
    """What the core cannot read as it is goes through Python, to the same bits."""
    m = motion(case, method)
    state, runner = m.start, m.vi.runner(m.start)
    for i in range(STEPS):
        u = dict(zip(m.model.inputs, m.u[i].tolist(), strict=True)) if i % 2 else m.u[i].tolist()
        k = dict(zip(m.model.kinematic, m.k[i + 1].tolist(), strict=True)) if i % 2 else m.k[i + 1].tolist()
        state = m.vi.step(state, u, k, np.array(m.dt))
        runner.step(u, k)
        assert m.is_at(i + 1, state), i
        assert m.is_at(i + 1, runner), i
