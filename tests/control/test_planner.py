"""Motions of least effort: first-order conditions, IPOPT, replay, limits, closed forms."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import bough
from bough.control import _report
from support import casadi_planner as oracle
from support import console
from support.floating import END, START, satellite, satellite_bodies

TARGET = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_matrix()
Q = np.concatenate((np.zeros(6), START))
DURATION, STEPS = 5.0, 40


def attitude_error(run, target=TARGET):
    reached = run.model.pose("base", run.q[-1])[:3, :3]
    return np.abs(reached - target).max()


def replayed(run, **start):
    return bough.simulate(
        run.model, run.q[0], u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced", **start
    )


@pytest.mark.parametrize("method", [bough.control.reorient, bough.control.plan])
@pytest.mark.parametrize("guesses", [1, 8])
def test_satellite(method, guesses):
    run = method(satellite().build(), TARGET, Q, r=END, duration=DURATION, steps=STEPS, guesses=guesses)
    assert run.status == "finished"
    assert run.statistics["first_order"] < 1e-8
    assert attitude_error(run) < 1e-8
    np.testing.assert_allclose(run.q[-1, 6:], END, atol=1e-8)
    # the base is where the centre of mass says, up to the error of the rule
    assert run.statistics["drift"] < 2e-3
    again = replayed(run)
    np.testing.assert_allclose(again.q, run.q, atol=1e-9)
    # at rest: exactly with forces for efforts, to the order of the rule with accelerations
    assert np.abs(again.p[-1]).max() < (1e-7 if method is bough.control.plan else 1e-3)


def test_rerun(tmp_path):
    """A plan, saved or not, is simulated with its inputs."""
    model = satellite().build()
    run = bough.control.plan(model, TARGET, Q, r=END, duration=DURATION, steps=20, guesses=1)
    again = run.rerun()
    np.testing.assert_allclose(again.q, run.q, atol=1e-9)
    np.testing.assert_allclose(again.v, run.v, atol=1e-9)
    assert "made_by" not in again.settings
    path = run.save(tmp_path / "plan.npz")
    assert bough.load_trajectory(path).rerun() == again == again.rerun()
    code, text, _ = console.run(f"bough simulate {path}")
    assert code == 0
    differs = f"{np.abs(again.q - run.q).max():.2g}"
    assert text.splitlines()[1] == (
        f"  start              that of a plan, with its inputs; q differs from it by {differs} at most"
    )
    found = json.loads(console.run(f"bough simulate {path} --json")[1])
    assert found["planned"] == np.abs(again.q - run.q).max()
    assert found["repeated"] is None


@pytest.mark.parametrize("bounds", [None, (-2.0, 2.0)], ids=["no limits", "limits"])
def test_not_worse_than_ipopt(bounds):
    A = oracle.connection(satellite_bodies(), 3)
    model = satellite().build()
    np.testing.assert_allclose(np.array(A(START)), model.connection(START)[:3], atol=1e-14)
    low, high = bounds or (None, None)
    run = bough.control.reorient(
        model, TARGET, Q, r=END, duration=DURATION, steps=STEPS, lower=low, upper=high
    )
    effort, _ = oracle.solve(A, START, END, TARGET, DURATION, STEPS, bounds)
    assert run.statistics["effort"] < 1.01 * effort


def test_same_minimum_as_ipopt():
    """Where both find the same motion, they agree to the tolerance of IPOPT."""
    target = Rotation.from_rotvec((0.0, 1.2, 0.3)).as_matrix()
    A = oracle.connection(satellite_bodies(), 3)
    run = bough.control.reorient(satellite().build(), target, Q, r=END, duration=DURATION, steps=20)
    effort, r = oracle.solve(A, START, END, target, DURATION, 20, None, guess=run.q[:, 6:])
    assert abs(run.statistics["effort"] / effort - 1.0) < 1e-8
    np.testing.assert_allclose(run.q[:, 6:], r, atol=1e-6)


def test_more_guesses_are_not_worse():
    """Guesses are ranked by the forces that are asked for: the least accelerations here need more force."""
    target = Rotation.from_rotvec((0.0, 1.2, 0.3)).as_matrix()
    options = {"r": END, "duration": DURATION, "steps": 30}
    one, two = (
        bough.control.plan(satellite().build(), target, Q, guesses=number, **options).statistics["effort"]
        for number in (1, 2)
    )
    assert two <= one * (1 + 1e-6)


@pytest.mark.parametrize("method", [bough.control.reorient, bough.control.plan])
def test_shape_alone_is_the_cubic(method):
    """Without an attitude, and with a base so heavy that it stays, each joint moves along a cubic."""
    system = bough.System("heavy", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=1e9, inertia=(1e9, 1e9, 1e9))
    base.rz("joint").tx(0.5, mass=2.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.ConfigurationForce("joint", "torque"))
    run = method(system.build(), None, r={"joint": 1.2}, duration=2.0, steps=50)
    s = run.t / 2.0
    # the discrete optimum of forces held during steps differs from the cubic by O(dt²)
    np.testing.assert_allclose(run["joint"], 1.2 * (3 * s**2 - 2 * s**3), atol=2e-3)
    inertia = 0.1 + 2.0 * 0.25
    exact = 6.0 * 1.2**2 / 2.0**3 * (inertia**2 if method is bough.control.plan else 1.0)
    assert run.statistics["effort"] == pytest.approx(exact, rel=2e-3)


def test_planar_turn_by_a_wheel():
    """A wheel turns a hub about their common axis: the angles are in the ratio of the inertias."""
    system = bough.System("wheel", gravity=(0, 0, 0))
    hub = system.world.free("hub", name="base", mass=5.0, inertia=(1.0, 1.0, 2.0))
    hub.rz("wheel", mass=1.0, inertia=(0.05, 0.05, 0.1))
    system.add(bough.ConfigurationForce("wheel", "torque"))
    target = Rotation.from_rotvec((0.0, 0.0, 0.5)).as_matrix()
    run = bough.control.plan(system.build(), target, free="wheel", duration=3.0, steps=30)
    assert attitude_error(run, target) < 1e-8
    # each Cayley step turns by 2 atan(angle/2), with a wheel that moves about the same in every step
    wheel = brentq(lambda a: a - 0.5 * 2.1 / 0.1, 0.0, 20.0)
    assert run["wheel"][-1] == pytest.approx(-wheel, rel=1e-3)


def test_limits_hold_and_bind():
    model = satellite().build()
    options = {"r": END, "duration": DURATION, "steps": 25, "guesses": 3}
    free = bough.control.plan(model, TARGET, Q, **options)
    effort = 0.9 * np.abs(free.u).max()
    velocity = 0.95 * np.abs(np.diff(free.q[:, 6:], axis=0)).max() / free.t[1]
    run = bough.control.plan(model, TARGET, Q, effort=effort, velocity=velocity, **options)
    u = np.diff(run.q[:, 6:], axis=0) / run.t[1]
    assert np.abs(run.u).max() <= effort * (1 + 1e-6)
    assert np.abs(u).max() <= velocity * (1 + 1e-6)
    assert np.isclose(np.abs(run.u).max(), effort, rtol=1e-4) or np.isclose(
        np.abs(u).max(), velocity, rtol=1e-4
    )
    assert run.statistics["effort"] >= free.statistics["effort"] * (1 - 1e-9)
    assert attitude_error(run) < 1e-8


def test_momentum_is_kept_and_replayed():
    model = satellite().build()
    v = np.zeros(9)
    v[3:6] = (0.2, 0.1, -0.3)
    v[:3] = -model.linear_momentum(Q, v) / model.total_mass
    run = bough.control.plan(model, TARGET, Q, v=v, r=END, duration=DURATION, steps=30, guesses=1)
    assert attitude_error(run) < 1e-8
    again = replayed(run, v=v)
    np.testing.assert_allclose(again.q, run.q, atol=1e-6)
    np.testing.assert_allclose(run.rerun().q, again.q, atol=1e-11)
    # the joints are at rest relative to the base at the end
    np.testing.assert_allclose(run.v[-1, 6:], 0.0, atol=1e-6)


def test_closed_shape_turns_the_base():
    """The arm ends as it began: the straight line says nothing, loops are tried without being asked for."""
    target = Rotation.from_rotvec((0.0, 0.0, 0.3)).as_matrix()
    run = bough.control.reorient(satellite().build(), target, Q, duration=DURATION, steps=30, guesses=1)
    np.testing.assert_allclose(run.q[-1, 6:], START, atol=1e-8)
    assert attitude_error(run, target) < 1e-8
    assert np.abs(run.q[:, 6:] - START).max() > 0.1


def test_a_line_tells_where_the_search_is(monkeypatch):
    """In a terminal after a second (here at once); it passes."""
    shown = io.StringIO()
    monkeypatch.setattr(_report, "appears", lambda shown: 0.0)
    monkeypatch.setattr(_report, "_console", lambda: Console(file=shown, force_terminal=True, width=150))
    bough.control.reorient(satellite().build(), TARGET, Q, r=END, duration=1.0, steps=10, guesses=2)
    assert "control.reorient() of model 'satellite': the best on all steps, iteration" in shown.getvalue()


def test_progress_is_shown(capsys):
    bough.control.reorient(satellite().build(), None, Q, r=END, duration=1.0, steps=10, progress=True)
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == "control.reorient() of model 'satellite'"
    assert shown[1] == "guess 1 of 1 on 10 steps"
    assert shown[2] == " iteration       effort   first order   end missed  limits missed   step"
    assert shown[3].split()[0] == "0"
