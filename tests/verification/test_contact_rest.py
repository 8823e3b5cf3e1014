"""Bodies at rest on contacts: a step changes no bit, repeats itself, and ends as soon as anything pushes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough import gallery

G = 9.81
ANGLE, LEG, WEIGHT = 0.5, 0.4, 3.0 * G


def trestle(friction: float) -> bough.Model:
    """A beam on two legs whose angles gears hold, one of them by a torque: without friction nothing else does."""
    system = bough.System("trestle")
    beam = system.world.tx("x").tz("z").ry("tilt", name="beam", mass=2.0, inertia=(0.02, 0.02, 0.02))
    for side, x in (("left", -0.3), ("right", 0.3)):
        beam.tx(x).ry(side, name=side, mass=0.5, inertia=(0.01, 0.01, 0.01))
        foot = bough.PlaneContact(side, points=[(0.0, 0.0, -LEG)], friction=friction, name=f"{side} foot")
        system.add(foot)
    system.add(bough.GearConstraint({"left": 1.0, "right": -1.0}, offset=2.0 * ANGLE, name="spread"))
    system.add(bough.GearConstraint({"left": 1.0, "right": 1.0}, name="even"))
    return system.build()


def block() -> bough.System:
    system = bough.System("block")
    body = system.world.tx("x").tz("z").ry("tilt", name="block", mass=1.0, inertia=(0.01, 0.01, 0.01))
    feet = [(-0.1, 0.0, -0.05), (0.1, 0.0, -0.05)]
    system.add(bough.PlaneContact(body, points=feet, friction=0.4, name="feet"))
    return system


def two_boxes() -> bough.Model:
    system = gallery.stack(n=2, apart=0.0)
    system.add(bough.ConfigurationForce("place1_tx", "push"))
    return system.build()


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_gears_and_contacts_rest_together(friction):
    model = trestle(friction)
    start = {"z": LEG * math.cos(ANGLE), "left": ANGLE, "right": -ANGLE}
    run = bough.simulate(model, q=start, duration=5.0, dt=0.01)
    assert (run.q[3:] == run.q[3]).all()
    assert (run.p[3:] == run.p[3]).all()
    assert np.abs(run.q[3] - run.q[0]).max() < 1e-14
    assert run.statistics["iterations"] <= 3  # what presses is found in the first steps
    torque = 0.5 * WEIGHT * LEG * math.sin(ANGLE)
    for name in ("left foot", "right foot"):
        assert run.contact_force(name).normal[-2] == pytest.approx(0.5 * WEIGHT, rel=1e-12)
    rubs = run.contact_force("left foot").tangent[-2] if friction else np.zeros(1)
    held = abs(run.lam[-2, 0]) + np.abs(rubs).max() * LEG * math.cos(ANGLE)  # together they hold the legs
    assert held == pytest.approx(torque, rel=1e-12)
    assert abs(run.lam[-2, 1]) < 1e-12 * torque


def test_a_step_at_rest_repeats_itself_as_it_would_be_computed():
    """A step from a state alone is always computed. A run that repeats steps has the same bits, also after a push."""
    model, dt = two_boxes(), 0.01
    q = model.neutral()
    q[[2, 9]] = 0.05, 0.15
    push = np.zeros((200, 1))
    push[60:70], push[90:120] = 1.5, 6.0  # what friction holds, and more than that
    run = bough.simulate(model, q=q, u=push, duration=2.0, dt=dt)
    for first, last in ((5, 60), (65, 70), (75, 90), (150, 200)):
        assert (run.q[first : last + 1] == run.q[first]).all()
        assert (run.p[first : last + 1] == run.p[first]).all()
    assert np.abs(run.q[:91] - q).max() < 1e-15
    assert run.q[120, 7] > 0.01
    vi = bough.MidpointVI(model, dt=dt)
    state = vi.start(q=q)
    for i in range(200):
        state = vi.step(state, u=push[i])
        np.testing.assert_array_equal(state.q, run.q[i + 1])
        np.testing.assert_array_equal(state.p, run.p[i + 1])
    again = bough.simulate(model, q=q, u=push, duration=2.0, dt=dt)
    assert again == run


def test_rest_ends_when_a_force_of_time_exceeds_friction():
    class Late(bough.Force):
        def force(self, at):
            return [4.5 if at.t > 1.0 else 0.0, 0.0, 0.0]

        def force_dq(self, at):
            return np.zeros((3, 3))

        force_dv = force_dq

    system = block()
    system.add(Late())
    run = bough.simulate(system.build(), q={"z": 0.05}, duration=2.0, dt=0.01)
    assert (run["x"][1:100] == run["x"][1]).all()
    assert abs(run["x"][1]) < 1e-17
    a = 4.5 - 0.4 * G
    assert run.q[-1, 0] == pytest.approx(0.5 * a, rel=0.02)  # it starts within one step of 1 s
    assert run.v[-1, 0] == pytest.approx(a, rel=0.01)


@pytest.mark.parametrize("kind", ["kinematic", "function"])
def test_rest_ends_when_a_wall_comes(kind):
    """The wall stands at x = -0.1 until 1 s and comes with 0.4 t^2: it hits the block at 1.5 s and takes it along."""
    wall = bough.PiecewisePolynomial((0.0, 1.0, 2.0), ((-0.1,), (-0.1, 0.0, 0.4)))
    system = block()
    system.add(
        bough.JointLimit("x", lower=bough.kinematic("wall") if kind == "kinematic" else wall, name="wall")
    )
    k = {"wall": lambda t: float(wall(t))} if kind == "kinematic" else None
    run = bough.simulate(system.build(), q={"z": 0.05}, k=k, duration=2.0, dt=0.01)
    assert (run["x"][1:140] == run["x"][1]).all()
    assert abs(run["x"][1]) < 1e-17
    assert run.impacts[0].t == pytest.approx(1.5, abs=1e-3)
    assert run["x"][-1] == pytest.approx(0.3, abs=1e-6)


def test_rest_goes_on_at_another_step():
    model = two_boxes()
    q = model.neutral()
    q[[2, 9]] = 0.05, 0.15
    first = bough.simulate(model, q=q, duration=0.5, dt=0.01)
    then = bough.simulate(model, q=first[-1], duration=0.5, dt=0.02)
    assert (then.q[1:] == then.q[1]).all()
    assert np.abs(then.q[1] - q).max() < 1e-15
    lower = sum(then.contact_force(name).normal[-2] for name in model.gaps if name.startswith("layer0"))
    assert lower == pytest.approx(2.0 * G, rel=1e-12)
