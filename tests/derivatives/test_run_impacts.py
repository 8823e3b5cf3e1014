"""Derivatives of whole runs with impacts, against differences of runs and in closed form."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import bough
from support.finite_difference import slopes
from support.step_checks import assert_close
from support.transforms import Array

G = 9.81


class Motion(NamedTuple):
    """A run, by its arguments."""

    system: bough.System
    q: dict[str, float]
    v: dict[str, float]
    duration: float
    dt: float
    moves: tuple[str, ...]  # variables that the start may move by

    def run(self, u: float = 0.0, **changes: float) -> bough.Trajectory:
        model = self.system.build()
        q, v = dict(self.q), dict(self.v)
        for name, change in changes.items():
            kind, variable = name.split("_")
            values = q if kind == "q" else v
            values[variable] = values.get(variable, 0.0) + change
        return bough.simulate(model, q, v, u=np.full(model.nu, u), duration=self.duration, dt=self.dt)


def ball(e: float) -> Motion:
    system = bough.System("ball", gravity=(0.0, 0.0, -G))
    system.world.tz("z", name="ball", mass=2.0)
    system.add(bough.PlaneContact("ball", restitution=e))
    system.add(bough.ConfigurationForce("z", "lift"))
    return Motion(system, {"z": 0.5}, {"z": -0.3}, 1.2, 0.01, ("z",))


def stop(e: float) -> Motion:
    """A double pendulum whose elbow hits a stop from both sides."""
    system = bough.System("stop", gravity=(0.0, 0.0, -G))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    upper.ry("elbow").tz(-0.4, name="lower", mass=0.6, inertia=(0.02, 0.03, 0.01))
    system.add(bough.JointLimit("elbow", lower=-0.5, upper=0.4, restitution=e))
    system.add(bough.ConfigurationForce("shoulder", "swing"))
    return Motion(system, {"shoulder": 0.3, "elbow": 0.2}, {"elbow": 3.0}, 0.5, 0.01, ("shoulder", "elbow"))


def slider() -> Motion:
    """A body that slides, hits a stop, bounces back and comes to rest."""
    system = bough.System("slider", gravity=(0.0, 0.0, -G))
    system.world.tx("x").tz("z", name="body", mass=2.0)
    system.add(bough.PlaneContact("body", friction=0.3))
    system.add(bough.JointLimit("x", upper=0.1, restitution=0.7))
    system.add(bough.ConfigurationForce("x", "push"))
    return Motion(system, {}, {"x": 1.0}, 0.5, 0.01, ("x",))


def puck() -> Motion:
    """A puck on a slope, whose direction of sliding turns: a state of its own, from one step to the next."""
    system = bough.System("puck", gravity=(0.0, 0.0, -G))
    system.world.tx("x").ty("y").tz("z", name="body", mass=2.0)
    system.add(bough.PlaneContact("body", friction=0.2, normal=(0.5, 0.0, 1.0)))
    system.add(bough.JointLimit("y", upper=0.2, restitution=0.7))
    system.add(bough.ConfigurationForce("y", "push"))
    return Motion(system, {}, {"y": 1.0}, 0.5, 0.01, ("y",))


def lifted() -> Motion:
    """A body that slides under a bob that turns, and is lifted by it: while it lets go, it restarts at its nodes."""
    system = bough.System("lifted", gravity=(0.0, 0.0, -G))
    body = system.world.tx("x").tz("z", name="body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    body.ry("swing").tz(-0.3, name="bob", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PlaneContact("body", friction=0.2))
    system.add(bough.ConfigurationForce("swing", "motor"))
    return Motion(system, {"swing": 1.04}, {"x": 2.0, "swing": 16.0}, 0.3, 0.01, ("swing",))


MOTIONS: dict[str, Callable[[], Motion]] = {
    "ball": lambda: ball(0.8),
    "ball that stays": lambda: ball(0.0),
    "stop": lambda: stop(0.0),
    "stop that gives back": lambda: stop(0.8),
    "slider": slider,
    "puck": puck,
    "lifted": lifted,
}


def rows(run: bough.Trajectory) -> dict[str, Array]:
    return {of: np.asarray(getattr(run, of)) for of in "qpv"}


@pytest.mark.parametrize("name", MOTIONS)
def test_against_differences(name: str) -> None:
    """Rows that no impact falls on differ smoothly; impacts are sharp, but located to round-off."""
    motion = MOTIONS[name]()
    run = motion.run()
    assert run.impacts or (name == "lifted" and run.contact_status[-1, 0] == "open")
    found = run.sensitivity()
    changes = [*(f"{kind}_{variable}" for kind in "qv" for variable in motion.moves), "u"]
    for change in changes:
        expected = slopes(lambda s, change=change: rows(motion.run(**{change: s})), 1e-6)
        kind, _, variable = change.partition("_")
        column = run.model.index(variable) if variable else 0
        for of, values in expected.items():
            block = getattr(found, f"{of}_d{kind}")[..., column]
            assert_close(block, values, 2e-6, f"{of} by {change}")


@pytest.mark.parametrize("name", MOTIONS)
def test_backward_is_the_transpose_of_forward(name: str) -> None:
    run = MOTIONS[name]().run()
    whole, random = run.sensitivity(), np.random.default_rng(2)
    of = {name: random.normal(size=getattr(run, name).shape) for name in "qpv"}
    gradient = run.sensitivity(of=of)
    for by, value in (("q", gradient.q), ("v", gradient.v), ("u", gradient.u.sum(axis=0))):
        blocks = {name: getattr(whole, f"{name}_d{by}") for name in "qpv"}
        expected = sum(np.einsum("ri,rij->j", of[name], block) for name, block in blocks.items())
        assert_close(value, expected, 1e-11, by)


def test_bounces_in_closed_form() -> None:
    """After n bounces the speed at the plane is eⁿ V with V² = V0² + 2 g z0; then v is linear in t."""
    e, motion = 0.8, ball(0.8)
    run = motion.run()
    V = np.sqrt(0.3**2 + 2.0 * G * 0.5)
    first = (V - 0.3) / G
    times = first + 2.0 * V / G * np.cumsum([0.0, e, e * e])
    found = run.sensitivity()
    for n, (begin, end) in enumerate(itertools.pairwise(times), start=1):
        flight = (run.t > begin) & (run.t < end)
        by_z = G / V  # of V; of the first impact 1/V
        time_by_z = 1.0 / V + 2.0 / G * by_z * (e * (n > 1))
        v_by_z = e**n * by_z + G * time_by_z
        assert_close(found.v_dq[flight, 0, 0], np.full(flight.sum(), v_by_z), 1e-9, f"after {n}")


def test_linearize_is_that_of_the_steps() -> None:
    """The products of A and B of all steps are the derivatives of the run."""
    run = stop(0.8).run()
    A, B = bough.control.linearize(run)
    whole, S = run.sensitivity(), np.zeros((A.shape[1], B.shape[2]))
    for i in range(len(A)):
        S = A[i] @ S + B[i]
    assert_close(S[: run.model.nv], whole.q_du[-1], 1e-12, "q")


def test_refusals() -> None:
    """A body that hits two planes at once."""
    system = bough.System("corner", gravity=(0.0, 0.0, -G))
    system.world.tx("x").tz("z", name="body", mass=2.0)
    system.add(bough.PlaneContact("body", normal=(1, 0, 1), restitution=0.5))
    system.add(bough.PlaneContact("body", normal=(-1, 0, 1), restitution=0.5))
    run = bough.simulate(system.build(), q={"z": 0.1}, duration=0.3, dt=0.01)
    with pytest.raises(bough.ModelError, match="2 contacts that close at once"):
        run.sensitivity()
