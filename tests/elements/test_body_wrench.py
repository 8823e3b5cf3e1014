"""A wrench in the axes of its frame."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree
from support.random_trees import random_state

# in the order of a wrench (angular, linear)
WRENCH = {"tx": "roll", "ty": -0.5, "tz": 2.0, "fx": 1.0, "fy": "side", "fz": 0.4}
U = {"side": 0.7, "roll": -1.3}
NUMBERS = np.array([-1.3, -0.5, 2.0, 1.0, 0.7, 0.4])


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.BodyWrench(frames[0], **WRENCH))
    system.add(bough.BodyWrench(frames[1], fx="side", ty=3.0))
    assert_force_derivatives(system, seed, U)


@pytest.mark.parametrize("seed", SEEDS)
def test_is_paired_with_the_body_velocity(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.BodyWrench(frames[0], **WRENCH))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    expected = model.jacobian(frames[0], q, kind="body").T @ NUMBERS
    np.testing.assert_allclose(model.generalized_force(q, v, U), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    system.add(bough.BodyWrench(frames[0], **WRENCH))
    assert_work_balance(system, lambda m, q, v: m.body_velocity(frames[0], q, v) @ NUMBERS, seed, U)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_thrust_on_a_spinning_body(integrator: str) -> None:
    # m x'' = f cos(w t), m y'' = f sin(w t)
    mass, force, spin, dt = 2.0, 3.0, 4.0, 0.002
    system = bough.System("puck", gravity=None)
    body = system.world.planar("puck", name="puck", mass=mass, inertia=(0.1, 0.1, 0.1))
    system.add(bough.BodyWrench(body, fx="thrust"))
    model = system.build()
    x, y, angle = model.variables
    run = bough.simulate(model, v={angle: spin}, u=[force], duration=2.0, dt=dt, integrator=integrator)
    size, turned = force / (mass * spin**2), spin * run.t
    error = 1e-8 if integrator == "dop853" else size * turned[-1] * (spin * dt) ** 2
    np.testing.assert_allclose(run[x], size * (1.0 - np.cos(turned)), rtol=0, atol=error)
    np.testing.assert_allclose(run[y], size * (turned - np.sin(turned)), rtol=0, atol=error)
    np.testing.assert_allclose(run[angle], turned, rtol=1e-9)


def test_plain_data_and_text() -> None:
    system, frames = tree(0)
    wrench = system.add(bough.BodyWrench(system.frame(frames[0]), fx="thrust", tz=np.float64(2), name="jet"))
    assert wrench.inputs() == ("thrust",)
    assert wrench.to_dict() == {
        "type": "BodyWrench",
        "name": "jet",
        "frame": frames[0],
        "fx": "thrust",
        "fy": 0.0,
        "fz": 0.0,
        "tx": 0.0,
        "ty": 0.0,
        "tz": 2.0,
    }
    assert bough.System.from_dict(system.to_dict()).elements == system.elements
    last = str(system).splitlines()[-1]
    assert last == f"BodyWrench 'jet'  {frames[0]}  fx 'thrust', fy 0, fz 0, tx 0, ty 0, tz 2"


def test_inputs_of_all_forces_are_shared_by_name() -> None:
    system, frames = tree(0)
    system.add(bough.HybridWrench(frames[0], fz="lift", tx="roll"))
    system.add(bough.BodyWrench(frames[0], fx="thrust", fy="lift"))
    assert system.build().inputs == ("lift", "roll", "thrust")
