"""The screw of [JM09] IV.D5, and the helical joint it makes."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import ScrewConstraint, System
from support.constraint_checks import assert_constraint


def test_derivatives() -> None:
    assert_constraint(ScrewConstraint("twist", "slide", pitch=0.3))


def screws(axis: tuple[float, float, float]) -> tuple[bough.Model, bough.Model]:
    """A body on a helical joint, and on a cylindrical one with the screw constraint."""
    pitch = 0.05
    joint, made = System("joint"), System("made")
    bodies = (
        joint.world.ry(0.3).helical("turn", axis, pitch=pitch),
        made.world.ry(0.3).cylindrical("turn", "advance", axis),
    )
    made.add(ScrewConstraint("turn", "advance", pitch))
    for body in bodies:
        arm = body.tx(0.4, name="arm", mass=1.0, inertia=(0.1, 0.2, 0.3))
        arm.ry("swing").tz(-0.5, name="bob", mass=0.5)
    return joint.build(), made.build()


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (1, 2, -1)])
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_is_the_helical_joint(axis: tuple[float, float, float], integrator: str) -> None:
    joint, made = screws(axis)
    assert made.nc == 1
    q, v = {"turn": 0.2, "swing": 0.4}, {"turn": 1.0, "swing": -0.5}
    settings = {"duration": 2.0, "dt": 0.01, "integrator": integrator}
    if integrator == "dop853":
        settings |= {"rtol": 1e-13, "atol": 1e-14}
    first = bough.simulate(joint, q=q, v=v, **settings)
    state = made.assemble(q={**q, "advance": 0.01}, v={**v, "advance": 0.05}, hold=("turn", "swing"))
    second = bough.simulate(made, q=state.q, v=state.v, **settings)
    for name in ("turn", "swing"):
        assert np.allclose(second[name], first[name], rtol=0, atol=1e-10)
    assert np.allclose(second["advance"], 0.05 * first["turn"], rtol=0, atol=1e-10)
    for frame in ("arm", "bob"):
        assert np.allclose(second.pose(frame), first.pose(frame), rtol=0, atol=1e-10)


def test_multiplier_and_closed_form() -> None:
    """A nut on a vertical thread: (I + m p^2) alpha = -m g p; the thread carries the rest of the weight."""
    mass, inertia, pitch, g = 2.0, 0.03, 0.02, 9.81
    system = System("nut")
    system.world.cylindrical("turn", "advance", name="nut", mass=mass, inertia=(inertia, inertia, inertia))
    system.add(ScrewConstraint("turn", "advance", pitch))
    run = bough.simulate(system.build(), duration=1.0, dt=0.01)
    alpha = -mass * g * pitch / (inertia + mass * pitch**2)
    assert np.allclose(run["turn"], 0.5 * alpha * run.t**2, rtol=0, atol=1e-12)
    assert np.allclose(run["advance"], 0.5 * pitch * alpha * run.t**2, rtol=0, atol=1e-12)
    assert np.allclose(run.lam[1:], -mass * (g + pitch * alpha), rtol=1e-8)
    assert np.allclose(run.lam[1:] * pitch, inertia * alpha, rtol=1e-8)
