"""What it takes to move kinematic variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough
from support.messages import check_message


def test_a_turned_rod() -> None:
    """τ = m l² φ'' + m g l sin φ, of a mass on a massless rod."""
    system = bough.System("rod")
    system.world.ry(bough.kinematic("angle")).tz(-0.5, mass=2.0)
    system.world.tx("other", mass=1.0)  # a model has something that is free to move
    run = bough.simulate(system.build(), k={"angle": lambda t: 0.3 * t**2}, duration=1.0, dt=0.01)
    expected = 2.0 * 0.25 * 0.6 + 2.0 * 9.81 * 0.5 * np.sin(run["angle"])
    np.testing.assert_allclose(run.drive_force()["angle"], expected, rtol=1e-9)


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "rk4", "dop853"])
@pytest.mark.parametrize("duration", [2.0, 1.9973])  # with a shorter last step
def test_the_rows_of_a_run_change_nothing(integrator: str, duration: float, tmp_path: Path) -> None:
    """It takes the prescribed motion at all steps: sparse rows, parts and files have it to dt², to their ends."""
    system = bough.System("rod")
    system.world.ry(bough.kinematic("angle")).tz(-0.5, mass=2.0)
    system.world.tx("other", mass=1.0)
    swing = {"angle": lambda t: np.sin(6.0 * t)}
    given = {"k": swing, "duration": duration, "integrator": integrator}
    run = bough.simulate(system.build(), dt=0.01, every=20, **given)
    force = run.drive_force()["angle"]
    expected = 2.0 * 0.25 * -36.0 * np.sin(6.0 * run.t) + 2.0 * 9.81 * 0.5 * np.sin(run["angle"])
    largest = np.abs(expected).max()
    np.testing.assert_allclose(force, expected, atol=4e-3 * largest)
    fine = bough.simulate(system.build(), dt=0.005, every=40, **given).drive_force()["angle"]
    assert np.abs(fine - expected).max() < 1.5e-3 * largest
    assert run[4:5].drive_force()["angle"] == force[4]
    run.save(tmp_path / "run.npz")
    assert (bough.load_trajectory(tmp_path / "run.npz").drive_force()["angle"] == force).all()


@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_the_work_of_a_drive_is_the_energy_of_its_loop(damping: float) -> None:
    """In a loop, with constraint forces: the power of the crank less the losses raises the energy, to dt²."""
    system = bough.System("four-bar")
    crank = system.world.ry(bough.kinematic("crank")).tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, name="rocker end", mass=0.4)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    if damping:
        system.add(bough.Damping(damping))
    model = system.build()
    start = model.assemble({"coupler": -0.6, "rocker": -1.6}).q

    def missing(dt: float) -> float:
        turn = {"crank": lambda t: 2.0 * np.pi * t}
        run = bough.simulate(model, start, k=turn, duration=1.0, dt=dt)
        power = run.drive_force()["crank"] * run.v["crank"]
        power = power - damping * (run.v[:, : model.nd] ** 2).sum(axis=1)
        gained = run.energy() - run.energy()[0]
        work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * dt)])
        return float(np.abs(work - gained)[5:-5].max() / np.ptp(gained))

    coarse, fine = missing(4e-3), missing(2e-3)
    assert fine < 1e-3
    assert coarse / fine > 3.0


def test_a_belt_carries_a_box() -> None:
    """Up a slope: the box slides until it is as fast as the belt, is carried, and slides again at a stop."""
    slope, friction, mass, speed = 0.15, 0.5, 12.0, 0.8
    system = bough.System("belt")
    incline = system.world.ry(-slope)
    belt = incline.tx(bough.kinematic("belt"), name="belt")
    incline.tx("x").tz("z", name="box", mass=mass)
    system.add(bough.PlaneContact("box", belt, friction=friction, name="top"))
    system.add(bough.JointLimit("x", upper=0.5, name="stop"))
    run = bough.simulate(system.build(), k={"belt": lambda t: speed * t}, duration=2.0, dt=0.01)
    drive, sliding = run.drive_force()["belt"], friction * mass * 9.81 * np.cos(slope)
    caught = speed / (sliding / mass - 9.81 * np.sin(slope))
    stopped = run.t[np.argmax(run["x"] > 0.5 - 1e-9)]
    early, carried, late = (
        run.t < caught - 0.02,
        (run.t > caught + 0.02) & (run.t < stopped - 0.02),
        run.t > 1.5,
    )
    np.testing.assert_allclose(drive[early], sliding, rtol=1e-9)
    np.testing.assert_allclose(drive[carried], mass * 9.81 * np.sin(slope), rtol=1e-9)
    np.testing.assert_allclose(drive[late], sliding, rtol=1e-9)


def test_a_trajectory_without_the_forces_of_its_contacts() -> None:
    system = bough.System("lift")
    table = system.world.tz(bough.kinematic("height"), name="table")
    system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", table, name="top"))
    run = bough.Trajectory(system.build(), [0.0, 1.0], [[0.1, 0.0], [0.2, 0.0]])
    check_message(
        run.drive_force,
        "the forces of contacts in a trajectory of model 'lift'",
        "a trajectory that does not record them",
        "use a run of bough.simulate",
    )
