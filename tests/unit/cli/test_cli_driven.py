"""What drives a run of `bough simulate`: functions of time, tables, motions of the gallery, contacts."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path

import numpy as np
import pytest

import bough
from bough import gallery
from bough.cli._functions import expression
from support import console


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pendulum with a motor on a rail that is moved, and a wheel."""
    monkeypatch.chdir(tmp_path)
    system = bough.System("driven")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    Path("driven.json").write_text(json.dumps(system.to_dict()))


def run(command: str) -> str:
    code, stdout, stderr = console.run(command)
    assert (code, stderr) == (0, ""), stderr
    return stdout


def error(command: str) -> str:
    code, stdout, stderr = console.run(command)
    assert (code, stdout) == (2, "")
    return stderr


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("2*sin(3*t)", 0.7, 2.0 * math.sin(2.1)),
        ("-t**2 + 1.5e-1/(1 + t)", 2.0, -4.0 + 0.05),
        ("sqrt(t) - cos(pi*t) + tan(t)", 0.25, 0.5 - math.cos(0.25 * math.pi) + math.tan(0.25)),
        ("+3", 9.0, 3.0),
        ("exp(-t) + log(t) + abs(1 - t)", 2.0, math.exp(-2.0) + math.log(2.0) + 1.0),
        ("min(t, 1) + max(0, 2*t, t**2)", 3.0, 1.0 + 9.0),
    ],
)
def test_an_expression_is_computed(text: str, at: float, value: float) -> None:
    assert expression(text, "--u torque")(at) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__import__('os').system('true')", "neither a number, t, an operation"),
        ("open(t)", "'open' has no meaning here"),
        ("t.real", "'t.real' is neither a number"),
        ("[t][0]", "is neither a number"),
        ("(lambda: t)()", "is neither a number"),
        ("sin(t, 2)", "sin takes one number"),
        ("sin(*t)", "sin takes one number"),
        ("min(t)", "min takes two numbers or more"),
        ("max(*t, 1)", "max takes two numbers or more"),
        ("min(t, 1, key=2)", "min takes two numbers or more"),
        ("t^2", "a power written with ^"),
        ("True", "'True' is neither a number"),
        ("'a'", "is neither a number"),
        ("1j*t", "is neither a number"),
        ("snn(t)", "'snn' has no meaning here; the nearest is 'sin'"),
        ("sin(t", "not a number or an expression"),
        ("nan", "'nan' has no meaning here; the nearest is 'tan'"),
        ("1" + "0" * 400, "not a number or an expression"),
        ("-" * 60 + "t", "operations nested more than 50 deep"),
        ("(" * 5000 + "t" + ")" * 5000, "not a number or an expression"),
    ],
)
def test_what_is_not_arithmetic_is_refused(text: str, found: str) -> None:
    with pytest.raises(bough.BoughError) as caught:
        expression(text, "--u torque")
    assert found in caught.value.found


@pytest.mark.parametrize("text", ["1/t", "log(t)", "sqrt(-1 - t)", "(t - 1)**0.5", "9.0**9**9**9"])
def test_a_result_that_is_not_finite_is_said_with_its_time(text: str) -> None:
    said = error(f"bough simulate driven.json --u torque={shlex.quote(text)}")
    assert "found: the result is not a finite number at t = 0 s" in said


def test_functions_of_time_drive_inputs_and_kinematic_variables() -> None:
    run("bough simulate driven.json --u 'torque=2*sin(3*t)' --k 'rail=0.1*sin(2*t)' --duration 1 -o run.npz")
    found = bough.load_trajectory("run.npz")
    functions = {
        "u": {"torque": lambda t: 2.0 * math.sin(3.0 * t)},
        "k": {"rail": lambda t: 0.1 * math.sin(2.0 * t)},
    }
    expected = bough.simulate(found.model, duration=1.0, dt=0.01, **functions)
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.u, expected.u)
    assert "the same bit for bit" in run("bough simulate run.npz")


def test_a_table_of_a_run_drives_another_one() -> None:
    run("bough simulate driven.json --u torque=t --k rail=0.1*t**2 --duration 1 -o run.npz")
    run("bough convert run.npz run.csv")
    run("bough simulate driven.json --u run.csv --k run.csv --duration 1 -o again.npz")
    first, second = bough.load_trajectory("run.npz"), bough.load_trajectory("again.npz")
    np.testing.assert_allclose(second.q, first.q, rtol=0.0, atol=1e-12)  # times in the table are rounded


def test_between_the_rows_of_a_table_nothing_overshoots() -> None:
    Path("rail.csv").write_text("t, rail\n0.2,0\n0.5,1\n0.8,1\n")
    run("bough simulate driven.json --k rail.csv --duration 1 --dt 0.02 -o run.npz")
    found = bough.load_trajectory("run.npz")
    t, rail = found.t, found["rail"]
    assert np.interp([0.2, 0.5, 0.8], t, rail).tolist() == pytest.approx([0.0, 1.0, 1.0])
    assert (rail[t < 0.2] == 0.0).all()
    assert (rail[t > 0.8] == 1.0).all()
    assert rail.min() >= 0.0
    assert rail.max() <= 1.0
    assert (np.diff(rail) >= -1e-15).all()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rail\n1\n", "no column t in the first line"),
        ("", "no column t in the first line"),
        ("t,rail,rail\n0,1,2\n", "two columns with one name"),
        ("t,rail\n0,x\n", "rows that are not one finite number for each column"),
        ("t,rail\n0\n", "rows that are not one finite number for each column"),
        ("t,rail\n0,nan\n", "rows that are not one finite number for each column"),
        ("t,rail\n", "rows that are not one finite number for each column"),
        ("t,rail\n0,1\n0,2\n", "times that do not increase"),
        ("t,u.torque\n0,1\n", "no column for 'rail'"),
        ("t,rial\n0,1\n", "no column has this name; the nearest is 'rail'"),
    ],
)
def test_a_table_that_cannot_be_used(text: str, found: str) -> None:
    Path("rail.csv").write_text(text)
    assert found in error("bough simulate driven.json --k rail.csv")


def test_a_table_of_a_spreadsheet_begins_with_a_mark() -> None:
    Path("rail.csv").write_bytes("\ufefft,rail\r\n0,0.5\r\n".encode())
    run("bough simulate driven.json --k rail.csv --duration 0.1 -o run.npz")
    assert (bough.load_trajectory("run.npz")["rail"] == 0.5).all()


def test_a_table_in_the_place_of_a_value() -> None:
    text = error("bough simulate driven.json --k rail=rail.csv")
    assert "found: a file in the place of a value" in text
    assert "do: give the file alone, --k rail.csv, with columns t and rail" in text


def test_names_are_checked() -> None:
    assert "the nearest is 'torque'" in error("bough simulate driven.json --u torqe=sin(t)")
    assert "the nearest is 'rail'" in error("bough simulate driven.json --k rial=t")
    Path("both.csv").write_text("t,rail\n0,1\n")
    assert "'rail' has a value already" in error("bough simulate driven.json --k rail=1 --k both.csv")
    assert "no such file" in error("bough simulate driven.json --k nothing.csv")


def test_the_marionette_walks() -> None:
    text = run("bough simulate gallery:marionette --duration 3 -o walk.npz")
    assert "\n  motion             walk\n" in text
    walked = bough.load_trajectory("walk.npz")
    expected = bough.simulate(gallery.marionette().build(), k=gallery.marionette_motion("walk"), duration=3.0)
    np.testing.assert_array_equal(walked.q, expected.q)
    still = json.loads(run("bough simulate gallery:marionette --motion none --duration 0.1 --json"))
    assert still["motion"] is None
    assert still["end"]["q"]["control_tx"] == 0.0
    own = json.loads(run("bough simulate gallery:marionette --k control_tx=0.1*t**3 --duration 0.1 --json"))
    assert own["motion"] is None
    assert own["end"]["q"]["control_tx"] == pytest.approx(1e-4)
    both = json.loads(
        run("bough simulate gallery:marionette --motion bow --k control_rz=0.1*t**3 --duration 1 --json")
    )
    assert both["motion"] == "bow"
    assert both["end"]["q"]["control_rz"] == pytest.approx(0.1)


def test_motions_that_there_are_not() -> None:
    assert "the names are 'walk', 'wave', 'bow', 'none'" in error(
        "bough simulate gallery:marionette --motion run"
    )
    assert "this system has no motions of its own" in error("bough simulate driven.json --motion walk")
    run("bough simulate driven.json --duration 0.1 -o run.npz")
    assert "--motion with the run 'run.npz'" in error("bough simulate run.npz --motion walk")


def test_options_of_integrators() -> None:
    options = {"order": ("--order 4", 4), "alpha": ("--alpha 0.4", 0.4)}
    for name, (words, value) in options.items():
        run(f"bough simulate driven.json {words} --q angle=1 --duration 0.2 -o run.npz")
        assert bough.load_trajectory("run.npz").settings[name] == value
    assert "an option of 'velocity'" in error("bough simulate driven.json --beta 0.3")


def test_contacts() -> None:
    system = bough.System("wheel")
    centre = system.world.tx("x").ty("y").tz("z")
    centre.rz("turn").rx("lean").ry("spin", name="wheel", mass=1.0, inertia=(0.01, 0.02, 0.01))
    Path("wheel.json").write_text(json.dumps(system.to_dict()))
    wheel = '(rolling "wheel" (radius 0.3) (axis 0 1 0))'
    command = "bough simulate wheel.json --integrator velocity --beta 0.3 --q z=0.3 --v spin=3 --v x=0.9"
    rolled = json.loads(run(f"{command} --duration 1 --contact {shlex.quote(wheel)} --json"))
    assert rolled["end"]["q"]["x"] == pytest.approx(0.9, abs=1e-9)  # 3 rad of 0.3 m
    for wrong, said in (
        ('(roling "wheel")', "the nearest is 'rolling'"),
        ('(rolling "wheel")', "no radius"),
        ("wheel", 'write it like (rolling "wheel" (radius 0.3))'),
    ):
        assert said in error(f"{command} --contact {shlex.quote(wrong)}")


def test_orders_tolerances_and_events() -> None:
    """The same run as that of `simulate`, and its events are told."""
    system = bough.System("free")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    Path("free.json").write_text(json.dumps(system.to_dict()))
    model = system.build()
    for order in (4, 6, 8):
        run(f"bough simulate free.json --order {order} --q angle=1 --dt 0.05 --duration 1 -o run.npz")
        expected = bough.simulate(model, [1.0], duration=1.0, dt=0.05, order=order)
        np.testing.assert_array_equal(bough.load_trajectory("run.npz").q, expected.q)
    run("bough simulate free.json --tol 1e-9 --q angle=1 --duration 1 -o run.npz")
    chosen = bough.load_trajectory("run.npz")
    np.testing.assert_array_equal(chosen.t, bough.simulate(model, [1.0], duration=1.0, tol=1e-9).t)
    assert (chosen.settings["control"], chosen.settings["order"]) == ("reversible", 8)
    text = run(
        "bough simulate free.json --q angle=1 --order 8 --event 'pose bob z = -0.9 falling terminal'"
        " --event v.angle -o run.npz"
    )
    ended = bough.load_trajectory("run.npz")
    assert ended.status == "event"
    assert model.pose("bob", ended.q[-1])[2, 3] == pytest.approx(-0.9, abs=1e-14)
    assert "pose bob z = -0.9 falling" in text


@pytest.mark.parametrize(
    ("words", "asked", "found"),
    [
        ("--tol 1e-6 --dt 0.1", "tol=1e-06 and dt=0.1", "both a step and a tolerance that chooses it"),
        ("--tol 0", "tol=0.0", "a tolerance that is not above 1e-14 and below 1"),
        ("--order 3", "order=3", "order 3 is not available"),
        ("--event 'pose nothing z'", "frame 'nothing'", "no frame has this name"),
    ],
)
def test_orders_tolerances_and_events_that_there_are_not(words: str, asked: str, found: str) -> None:
    text = error(f"bough simulate driven.json {words} --duration 0.1")
    assert asked in text
    assert found in text
    assert "do: " in text
