"""The summary that ends a run of the command line."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

import bough
from bough.cli._summary import Summary
from support import console
from support.console import output
from support.small_systems import driven, pendulum, write_all


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with some models."""
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path)


def test_summary_of_a_run() -> None:
    text = output("bough simulate pendulum.json --q angle=0.5 --duration 2 -o run")
    assert console.masked(text) == (
        "pendulum: finished at t = 2 s, 200 steps of 0.01 s, integrator midpoint\n"
        "  run time           ...\n"
        "  energy drift       6e-06 J at most, 5e-06 of the largest kinetic energy\n"
        "  Newton iterations  ...\n"
        "  written            run.npz\n"
    )
    saved = bough.load_trajectory("run.npz")
    assert saved == bough.simulate(pendulum().build(), {"angle": 0.5}, duration=2.0)


def test_summary_of_steps_that_were_too_coarse() -> None:
    motion = bough.simulate(pendulum().build(), {"angle": 0.5}, duration=1.0)
    motion.statistics["coarse"] = 3
    text = "  coarse steps       3 ended far from where the motion led: compare with a smaller --dt"
    assert Summary(motion).text().splitlines()[-1] == text
    assert Summary(motion).data()["coarse_steps"] == 3


def test_the_warning_of_coarse_steps_is_in_the_summary() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = output("bough simulate pendulum.json --q angle=2 --duration 5 --dt 0.5")
    (line,) = (line for line in text.splitlines() if line.startswith("  coarse steps "))
    assert re.search(r"the energy of 'pendulum' is off by \d+% of .*; try dt = 0\.\d+$", line)


def test_summary_of_what_broke() -> None:
    system = bough.System("wires")
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.DistanceConstraint(ball, "world", 1.0, name="wire"))
    settings = {"duration": 0.5, "integrator": "velocity", "break_above": {"wire": 5.0}}
    motion = bough.simulate(system.build(), {"z": -1.0}, **settings)
    lines = Summary(motion).text().splitlines()
    assert lines[3].startswith("  constraint error  ")
    assert Summary(motion).data()["constraint_error"]["max"] < 1e-15
    assert lines[5:] == ["  broken            wire at t = 0.01 s"]
    assert Summary(motion).data()["broken"] == [{"name": "wire", "t": 0.01}]


@pytest.mark.parametrize("name", [None, "roll"])  # also the name of a variable
def test_summary_of_a_contact_that_broke(name: str | None) -> None:
    system = bough.System("ball")
    system.world.tz("z").ry("roll", name="ball", mass=1.0, inertia=(0.4, 0.4, 0.4))
    motion = bough.simulate(
        system.build(),
        duration=0.5,
        integrator="velocity",
        contacts=bough.Rolling("ball", 1.0, height=-1.0, name=name),
        break_above={name or "Rolling of ball": 1.0},
    )
    assert Summary(motion).text().splitlines()[-1] == (
        f"  broken        {name or 'Rolling of ball'} at t = 0.01 s"
    )


def test_summary_of_a_joint_that_broke() -> None:
    system = bough.System("rod")
    system.world.ry("angle").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    settings = {"duration": 0.5, "integrator": "velocity", "break_above": {"angle": 5.0}}
    text = Summary(bough.simulate(system.build(), **settings)).text()
    assert text.splitlines()[-1] == (
        "  broken        joint angle at t = 0.01 s: energy and constraint error after it are those of q,"
        " not of the bodies"
    )


def test_summary_of_a_system_with_forces() -> None:
    text = output("bough simulate driven.json --u torque=1 --duration 1 --dt 0.1 --integrator dop853")
    lines = console.masked(text).splitlines()
    assert lines[0].startswith("driven: finished at t = 1 s, ")
    assert lines[0].endswith(" steps, recorded every 0.1 s, integrator dop853")
    end = bough.simulate(driven().build(), u={"torque": 1.0}, duration=1.0, integrator="dop853").energy()[-1]
    assert lines[2] == f"  energy    from -9.81 J to {end:.6g} J: forces or prescribed motions do work"


def test_summary_does_not_take_round_off_at_rest_for_energy() -> None:
    system = bough.System("pendulum")
    system.world.tz(0.3).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.Damping(0.1))
    motion = bough.simulate(system.build(), {"angle": 1e-8}, duration=1.0)
    energy = motion.energy()
    assert energy.max() - energy[0] > motion.kinetic_energy().max()
    assert Summary(motion).data()["energy"]["impossible_rise"] is None
    assert Summary(motion).text().splitlines()[2].endswith("J: forces or prescribed motions do work")


def test_summary_of_energy_that_forces_cannot_give() -> None:
    system = pendulum()
    system.add(bough.Damping(0.1))
    with pytest.warns(bough.CoarseStepWarning):
        motion = bough.simulate(
            system.build(), {"angle": 1.0}, duration=100.0, dt=5.0, integrator="trapezoidal"
        )
    energy = motion.energy()
    rise = energy.max() - energy[0]
    assert Summary(motion).text().splitlines()[2].split(maxsplit=1)[1] == (
        f"from {energy[0]:.6g} J to {energy[-1]:.6g} J: it rose by {rise:.2g} J, which its forces cannot do:"
        " compare with a smaller --dt"
    )
    fine = bough.simulate(system.build(), {"angle": 1.0}, duration=1.0)
    assert Summary(fine).text().splitlines()[2].endswith(" J: forces or prescribed motions do work")


def test_energy_that_impacts_took_is_told() -> None:
    """A ball of 1 kg from 1 m keeps 0.64 of its energy at the first bounce and of that at the second."""
    system = bough.System("ball")
    system.world.tz("height", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", restitution=0.8, name="floor"))
    system.start = bough.Start(q={"height": 1.0}, duration=1.5, dt=0.01)
    Path("ball.json").write_text(json.dumps(system.to_dict()))
    code, stdout, stderr = console.run("bough simulate ball.json")
    assert code == 0, stderr
    (line,) = [line for line in stdout.splitlines() if line.startswith("  energy ")]
    left, lost = 9.81 * 0.64**2, 9.81 * (1.0 - 0.64**2)
    assert f"from 9.81 J to {left:.6g} J: lost {lost:.3g} J by impact; error of the steps" in line
    code, stdout, stderr = console.run("bough simulate ball.json --json")
    assert json.loads(stdout)["energy"]["lost"] == {"impact": pytest.approx(lost, rel=1e-12)}


def test_contacts_that_are_closed_at_the_end_are_told() -> None:
    """A block that slides, one that friction holds, and a ball in the air."""
    system = bough.System("three", gravity=(0.0, 0.0, -9.81))
    for name, friction in (("ice", 0.01), ("rubber", 0.8), ("air", 0.0)):
        system.world.tx(f"{name}_x").tz(f"{name}_z", name=name, mass=1.0)
        system.add(bough.PlaneContact(name, friction=friction, name=f"{name} floor"))
    system.start = bough.Start(q={"air_z": 2.0}, v={"ice_x": 1.0}, duration=0.5, dt=0.01)
    Path("three.json").write_text(json.dumps(system.to_dict()))
    code, stdout, stderr = console.run("bough simulate three.json")
    assert code == 0, stderr
    (line,) = [line for line in stdout.splitlines() if line.startswith("  contacts ")]
    assert line.split(maxsplit=1)[1] == "at the end 'rubber floor' holds, and 'ice floor' slides"
    data = json.loads(console.run("bough simulate three.json --json")[1])
    assert data["contacts"] == {"ice floor": "slide", "rubber floor": "stick"}
    assert "contacts " not in console.run("bough simulate gallery:pendulum --duration 0.1")[1]
