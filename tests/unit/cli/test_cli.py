"""The commands, read as a user and as a program reads them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.cli._app import show_json
from bough.model.check import Check, Checked
from support import console
from support.console import output
from support.mechanisms import closed_chain
from support.small_systems import driven, pendulum, stretched, write_all


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with some models."""
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path)


def data(command: str, code: int = 0) -> dict:
    return json.loads(output(f"{command} --json", code))


def test_options_reach_the_simulation() -> None:
    text = "--q angle=0.5 --q rail=0.1 --v angle=-1 --u torque=2 --dt 0.02 --every 5 --integrator TRAPEZOIDAL"
    output(f"bough simulate driven.json {text} --duration 1 -o run.npz")
    expected = bough.simulate(
        driven().build(),
        {"angle": 0.5, "rail": 0.1},
        {"angle": -1.0},
        u={"torque": 2.0},
        dt=0.02,
        every=5,
        duration=1.0,
        integrator="trapezoidal",
    )
    assert bough.load_trajectory("run.npz") == expected


@pytest.mark.parametrize("model", ["pendulum", "closed_chain"])
@pytest.mark.parametrize("integrator", ["midpoint", "dop853"])
def test_a_run_is_repeated_bit_for_bit(model: str, integrator: str) -> None:
    output(f"bough simulate {model}.json --duration 1 --every 3 --integrator {integrator} -o run.npz")
    text = output("bough simulate run.npz -o again.npz")
    assert "  start " in text
    assert "that of the file; the run is the same bit for bit\n" in text
    assert bough.load_trajectory("again.npz") == bough.load_trajectory("run.npz")


@pytest.mark.parametrize("integrator", ["midpoint", "rk4", "dop853"])
def test_a_run_is_continued(integrator: str) -> None:
    start = f"bough simulate pendulum.json --q angle=0.5 --integrator {integrator} --every 2"
    output(f"{start} --duration 1 -o first")
    output(f"{start} --duration 3 -o whole")
    text = output("bough simulate first.npz --duration 2 -o both")
    assert "that of the file, which ended at t = 1 s and is continued\n" in text
    assert (
        f"finished at t = 3 s, 300 steps of 0.01 s, integrator {integrator}" in text or integrator == "dop853"
    )
    both, whole = bough.load_trajectory("both.npz"), bough.load_trajectory("whole.npz")
    np.testing.assert_allclose(both.t, whole.t, rtol=0, atol=1e-13)
    np.testing.assert_allclose(both.q, whole.q, rtol=0, atol=1e-9)
    assert both.settings["every"] == 2
    assert [part["duration"] for part in both.settings["joined"]] == [1.0, 2.0]
    assert "the run is the same bit for bit\n" in output("bough simulate both.npz")


def test_a_continued_run_holds_its_inputs() -> None:
    model = driven().build()
    bough.simulate(model, u=lambda t: [0.1 * t] * model.nu, duration=0.5).save("run.npz")
    found = data("bough simulate run.npz --duration 0.5 --dt 0.02 -o both")
    assert found["continued"] == 0.5
    both = bough.load_trajectory("both.npz")
    assert both.t[-1] == 1.0
    assert len(both) == 51 + 25
    held = np.broadcast_to(0.1 * 0.49, (26, model.nu))
    np.testing.assert_allclose(both.u[50:], held, rtol=1e-12)
    assert "inputs hold their last values" in output("bough simulate run.npz --duration 0.1").replace(
        "inputs and kinematic variables hold", "inputs hold"
    )


def test_a_run_that_does_not_repeat_is_noticed() -> None:
    bough.simulate(pendulum().build(), {"angle": 0.5}, duration=1.0).save("run.npz")
    contents = dict(np.load("run.npz"))
    contents["q"] = contents["q"] * (1.0 + np.arange(len(contents["q"]))[:, None] * 1e-15)
    np.savez("run.npz", **contents)
    assert "that of the file; the run differs from it in some bits\n" in output("bough simulate run.npz")
    assert data("bough simulate run.npz")["repeated"] is False


def test_json_of_a_run() -> None:
    found = data("bough simulate closed_chain.json --duration 1 -o run.csv --plot run.svg")
    assert list(found) == [
        "file",
        "model",
        "status",
        "integrator",
        "dt",
        "duration",
        "steps",
        "instants",
        "run_time",
        "real_time_factor",
        "energy",
        "constraint_error",
        "joint_drift",
        "broken",
        "iterations_per_step",
        "coarse_steps",
        "assembled",
        "moved",
        "repeated",
        "planned",
        "continued",
        "motion",
        "start",
        "end",
        "events",
        "contacts",
        "written",
        "error",
    ]
    expected = bough.simulate(closed_chain(), duration=1.0, assemble=True)
    names = expected.model.variables
    assert found["start"]["q"] == dict(zip(names, expected.q[0].tolist(), strict=True))
    assert found["end"] == {
        "t": 1.0,
        "q": dict(zip(names, expected.q[-1].tolist(), strict=True)),
        "v": dict(zip(names, expected.v[-1].tolist(), strict=True)),
    }
    energy = expected.energy()
    assert found["energy"]["drift"] == np.abs(energy - energy[0]).max()
    assert found["energy"]["conserved"] is True
    assert found["constraint_error"]["max"] == np.abs(expected.constraint_error()).max()
    assert found["constraint_error"]["relative"] < 1e-13
    assert found["assembled"] is True
    assert found["moved"] == [
        {"name": name, "given": 0.0, "became": value} for name, value in found["start"]["q"].items()
    ]
    assert found["repeated"] is None
    assert found["error"] is None
    assert found["written"] == ["run.csv", "run.svg"]
    assert (found["steps"], found["instants"], found["status"]) == (100, 101, "finished")
    assert Path("run.svg").read_text().startswith("<?xml")


def test_json_has_finite_numbers_only(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"a": [float("inf"), 1.0], "b": {"c": float("nan")}, "d": "ω"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [None, 1.0], "b": {"c": None}, "d": "ω"}
    assert "NaN" not in text


def test_a_failed_run_keeps_what_it_computed() -> None:
    Path("wire.json").write_text(json.dumps(stretched().to_dict()))
    code, stdout, stderr = console.run("bough simulate wire.json --duration 3 -o run.npz")
    assert code == 1
    assert stdout.splitlines()[0].startswith("stretched: failed at t = 1.95 s, 195 steps of 0.01 s")
    assert stdout.splitlines()[-1] == "  written            run.npz"
    assert stderr.startswith(
        "error: step 196 of 300 of a simulation of model 'stretched', from t = 1.95 to 1.96\n"
        "  found: Newton's method did not converge"
    )
    assert stderr.endswith("  do: take a smaller --dt, or look at the motion before it with -o or --plot\n")
    saved = bough.load_trajectory("run.npz")
    assert (saved.status, len(saved)) == ("failed", 196)
    found = data("bough simulate wire.json --duration 3", 1)
    assert found["status"] == "failed"
    assert list(found["error"]) == ["kind", "asked", "found", "do"]
    assert found["error"]["kind"] == "ConvergenceError"
    assert found["energy"]["conserved"] is False
    again = data("bough simulate run.npz", 1)
    assert (again["status"], again["repeated"]) == ("failed", True)


def test_info() -> None:
    assert output("bough info doubled.json") == (
        "doubled: 3 frames, 2 dynamic and 0 kinematic variables, mass 1 kg\n"
        "world\n"
        "└─ tx(x)\n"
        "   └─ tz(z)  'slider'  mass 1\n"
        "\n"
        "  q  variable  kind     moves\n"
        "  0  x         dynamic  tx #1\n"
        "  1  z         dynamic  tz slider\n"
        "\n"
        "  body    mass  inertia\n"
        "  slider  1     point\n"
        "\n"
        "  lam  constraint       name   on             values\n"
        "  0    PointConstraint  rail   slider, world  axis (0, 0, 1)\n"
        "  1    PointConstraint  again  slider, world  axis (0, 0, 1)\n"
        "\n"
        "mobility 1: 2 dynamic variables less 1 independent of 2 constraint rows\n"
        "\n"
        "suggestions\n"
        "  - 'again' depends on the constraints before it: the motion is well defined, but the constraint"
        " forces are not\n"
    )


def test_info_of_other_systems() -> None:
    assert output("bough info pendulum.json").endswith("\nmobility 1: 1 dynamic variable, no constraints\n")
    assert output("bough info driven.json").endswith(
        "\nsuggestions\n"
        "  - 'rail' stays at zero unless --q gives another value\n"
        "  - 'torque' is zero unless --u gives a value\n"
    )


def test_json_of_info() -> None:
    found = data("bough info closed_chain.json")
    assert found["mobility"] == 3
    assert found["assembled"] is True
    assert found["dynamic"] == ["J", "H", "K", "M", "A", "C", "E"]
    assert found["mass"] == 7.0
    assert len(found["constraints"]) == 4
    assert found["redundant"] == []
    assert found["suggestions"] == [
        "the start (zero unless --q says otherwise) is off the constraints: simulate assembles it first, and"
        " `bough assemble closed_chain.json` shows the result"
    ]
    assert data("bough info doubled.json")["redundant"] == ["again"]


def test_check() -> None:
    assert console.masked(output("bough check doubled.json")) == (
        "doubled: sound\n"
        "  ok    derivatives  all ... agree with finite differences\n"
        "  ok    constraints  they hold at the configuration given\n"
        "  note  redundancy   1 of 2 rows are independent; superfluous: 'again'\n"
        "  ok    mass matrix  positive definite\n"
    )
    found = data("bough check closed_chain.json")
    assert found["ok"] is True
    assert list(found["checks"]) == ["derivatives", "constraints", "redundancy", "mass matrix"]


def test_check_finds_wrong_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Checked("tree", "L_dq", 1e-9, True, 5)
    wrong = Checked("Magnet", "hessian", 0.5, False, 5, "[0, 0] is 2, differences give 3")
    made = Check("pendulum", (right, wrong))
    monkeypatch.setattr("bough.cli.check.check", lambda *_, **__: made)
    assert output("bough check pendulum.json", 1).splitlines()[:2] == [
        "pendulum: something is wrong",
        "  wrong  derivatives  1 of 2: hessian of Magnet: [0, 0] is 2, differences give 3",
    ]


def test_check_finds_constraints_that_cannot_be_met() -> None:
    system = pendulum()
    system.add(bough.DistanceConstraint("bob", "world", 1.5, name="wire"))
    Path("wire.json").write_text(json.dumps(system.to_dict()))
    text = output("bough check wire.json", 1)
    assert text.startswith("pendulum: something is wrong\n")
    assert "  wrong  constraints  no configuration meets constraint 'wire'; at the closest one found" in text
    assert data("bough info wire.json")["mobility"] is None
    assert "mobility unknown: 1 dynamic variable, constraints that cannot be met" in output(
        "bough info wire.json"
    )


def test_check_finds_a_singular_mass_matrix() -> None:
    system = bough.System("weightless")
    system.world.ry("angle").tz(-1.0, name="bob")
    Path("weightless.json").write_text(json.dumps(system.to_dict()))
    assert output("bough check weightless.json", 1) == (
        "weightless: something is wrong\n"
        "  wrong  mass matrix  the mass matrix is singular: a motion of 'angle' moves no mass;"
        " give a frame outboard of it a mass or inertia that resists this motion, or make the variable kinematic"
        " or constant; a URDF file can be loaded with massless='merge' or massless=1e-6\n"
    )
    locked = bough.System("locked")
    locked.world.rz("a").ry("b").rx("c", name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    Path("locked.json").write_text(json.dumps(locked.to_dict()))
    assert output("bough check locked.json").startswith("locked: sound\n")
    text = output(f"bough check locked.json --q b={np.pi / 2}", 1)
    assert "  wrong  mass matrix  singular at the configuration checked; start elsewhere with --q" in text


def test_assemble() -> None:
    text = output("bough assemble doubled.json --q x=2 --q z=0.25 --v x=1 --v z=1")
    assert text == (
        "doubled: the constraints hold to 0\n"
        "  variable  guess  q  v\n"
        "  x         2      2  1\n"
        "  z         0.25   0  0\n"
    )
    found = data("bough assemble closed_chain.json --q J=0.3 --hold J")
    expected = closed_chain().assemble(q={"J": 0.3}, hold="J")
    assert found["q"] == dict(zip("JHKMACE", expected.q.tolist(), strict=True))
    assert found["constraint_error"] < 1e-13


def test_plot() -> None:
    output("bough simulate pendulum.json --duration 1 -o run.npz")
    assert output("bough plot run.npz") == "run.png\n"
    assert Path("run.png").read_bytes().startswith(b"\x89PNG")
    assert output("bough plot run.npz --panel energy -o energy.pdf") == "energy.pdf\n"
    assert Path("energy.pdf").read_bytes().startswith(b"%PDF")


def test_convert() -> None:
    output("bough simulate driven.json --duration 1 -o run.npz")
    assert output("bough convert run.npz run.csv") == "run.csv\n"
    assert Path("run.csv").read_text().startswith("t,q.angle,q.rail,v.angle,v.rail,p.angle,u.torque\n")
    for target in ("model.json", "model.sexp"):
        assert output(f"bough convert run.npz {target}") == f"{target}\n"
        assert output(f"bough convert {target} back.json") == "back.json\n"
        assert json.loads(Path("back.json").read_text()) == driven().to_dict()


@pytest.mark.parametrize(("word", "command"), [("run", "simulate"), ("sweep", "study"), ("render", "video")])
def test_commands_of_other_programs_get_the_name_they_have_here(word: str, command: str) -> None:
    result = CliRunner().invoke(app, [word, "driven.json"])
    assert result.exit_code == 2
    assert f"No such command {word!r}. Did you mean {command!r}?" in result.output
