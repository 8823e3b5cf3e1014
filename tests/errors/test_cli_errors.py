"""What the command line says to bad usage and bad files: exact texts, exit codes, no traceback."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pytest

import bough
from support import console


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, a run and some broken files."""
    monkeypatch.chdir(tmp_path)
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    Path("pendulum.json").write_text(json.dumps(system.to_dict()))
    bough.simulate(system.build(), duration=0.1).save("run.npz")
    system.add(bough.DistanceConstraint("bob", "world", 1.5, name="wire"))
    Path("wire.json").write_text(json.dumps(system.to_dict()))
    Path("broken.json").write_text('{\n  "name": pendulum\n}\n')
    Path("list.json").write_text("[1, 2]")
    Path("latin.json").write_bytes(b'{"name": "\xe9"}')
    Path("deep.json").write_text("[" * 100_000)
    Path("wrong.json").write_text('{"name": "x", "frames": [{"parent": 3, "transform": "tz"}]}')
    Path("broken.sexp").write_text('(system\n  (ry "angle"\n    (tz -1,0 (mass 1))))\n')
    Path("folder").mkdir()
    return tmp_path


USAGE = {
    "bough simulate pendulum.json --q angle": (
        "--q angle",
        "not a name and a value with = between them",
        "write it like --q angle=0.5",
    ),
    "bough simulate pendulum.json --v =2": (
        "--v =2",
        "not a name and a value with = between them",
        "write it like --v 2=0.5",
    ),
    "bough simulate pendulum.json --q angle=1 --q angle=2": (
        "--q angle=2",
        "'angle' has a value already",
        "give each name once",
    ),
    "bough simulate pendulum.json --q angle=much": (
        "--q angle=much",
        "'much' is not a finite number",
        "write it like --q angle=0.5",
    ),
    "bough assemble pendulum.json --q angle=nan": (
        "--q angle=nan",
        "'nan' is not a finite number",
        "write it like --q angle=0.5",
    ),
    "bough info pendulum.json --q angel=1": (
        "variable 'angel' in q of model 'pendulum'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "bough simulate pendulum.json --u torque=1": (
        "u in a simulation of model 'pendulum'",
        "model 'pendulum' has no inputs",
        "leave u out, or add a force with an input, such as ConfigurationForce('joint', 'torque')",
    ),
    "bough simulate pendulum.json --html run.mp4": (
        "'run.mp4' in --html",
        "a name that ends in '.mp4'",
        "give a name that ends in .html",
    ),
    "bough simulate pendulum.json --html none/run.html": (
        "--html 'none/run.html'",
        "there is no folder 'none'",
        "give the path of a file in a folder that exists",
    ),
    "bough view pendulum.json --v angle=1": (
        "--v for 'pendulum.json'",
        "nothing that is simulated",
        "add --live",
    ),
    "bough view run.npz --q angle=1": (
        "--q with the run 'run.npz'",
        "a run is shown as it was recorded",
        "leave --q out, or add --live to simulate its model",
    ),
    "bough view pendulum.json --q angel=1": (
        "variable 'angel' in q of model 'pendulum'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "bough view pendulum.json --port 99999": (
        "port=99999 in view of 'pendulum'",
        "not the number of a port",
        "give a whole number from 1024 to 65535, or 0 for any free one",
    ),
    "bough simulate pendulum.json --param L=1": (
        "--param L for 'pendulum.json'",
        "its system has no parameters",
        "leave --param out",
    ),
    "bough simulate pendulum.json --integrator midpiont": (
        "integrator 'midpiont' in a simulation of model 'pendulum'",
        "no integrator has this name; the nearest is 'midpoint'",
        "correct the spelling",
    ),
    "bough simulate pendulum.json --dt 0": (
        "dt=0.0 in a simulation of model 'pendulum'",
        "dt is zero",
        "give a step above zero, in seconds, such as dt=0.01",
    ),
    "bough simulate run.npz --dt 0.1": (
        "--dt with the run 'run.npz'",
        "a run is repeated as it was, with its own start and settings",
        "leave --dt out, or continue the run with --duration; to change something, write out its model:"
        " bough convert run.npz model.sexp",
    ),
    "bough simulate run.npz --q angle=1": (
        "--q with the run 'run.npz'",
        "a run is repeated as it was, with its own start and settings",
        "leave --q out, or continue the run with --duration; to change something, write out its model:"
        " bough convert run.npz model.sexp",
    ),
    "bough simulate run.npz --duration 1 --q angle=1": (
        "--q with the run 'run.npz'",
        "a run is continued from its last instant",
        "leave --q out, or simulate the model: bough convert run.npz model.sexp",
    ),
    "bough simulate pendulum.json -o nowhere/run.npz": (
        "-o 'nowhere/run.npz'",
        "there is no folder 'nowhere'",
        "give the path of a file in a folder that exists",
    ),
    "bough simulate pendulum.json -o run.hdf5": (
        "-o 'run.hdf5'",
        "the suffix '.hdf5', of no kind of file that holds a trajectory",
        "use one of '.npz', '.csv', '.nc'",
    ),
    "bough simulate pendulum.json --plot run.txt": (
        "--plot 'run.txt'",
        "the suffix '.txt'",
        "use one of '.png', '.pdf', '.svg'",
    ),
    "bough video run.npz --size 640": (
        "--size 640",
        "not a width and a height with x between them",
        "write it like --size 1280x720",
    ),
    "bough video run.npz -o film.avi": (
        "export_video('film.avi')",
        "the suffix '.avi'",
        "end the path in .mp4 or .gif or .webp",
    ),
    "bough plot run.npz -o picture": (
        "-o 'picture'",
        "a path without suffix",
        "use one of '.png', '.pdf', '.svg'",
    ),
    "bough plot run.npz --panel energies": (
        "panel 'energies' in plot() of a trajectory of 'pendulum'",
        "no panel has this name; the nearest is 'energy'",
        "correct the spelling",
    ),
    "bough convert pendulum.json run.csv": (
        "convert 'pendulum.json' to 'run.csv'",
        "the suffix '.csv'",
        "use one of '.sexp', '.json'",
    ),
    "bough convert run.npz folder": (
        "convert 'run.npz' to 'folder'",
        "a path without suffix",
        "use one of '.npz', '.csv', '.nc', '.sexp', '.json'",
    ),
    "bough assemble wire.json --hold bob": (
        "variable 'bob' in hold of assemble() of model 'pendulum'",
        "no variable has this name; the names are 'angle'",
        "use one of these names",
    ),
}

SUFFIX = (
    "give a file that ends with .sexp (s-expressions), .urdf, .xml (MJCF) or .json (a description), a run"
    " (.npz), or gallery:NAME"
)
FILES = {
    "bough info nothing.json": (
        "file 'nothing.json'",
        "no such file or directory",
        "correct the path, or make this possible",
    ),
    "bough info broken.json": (
        "broken.json:2:11: description",
        "not JSON: Expecting value",
        "correct the file at this place",
    ),
    "bough info list.json": (
        "list.json: description",
        "not a JSON object",
        "give a description made by System.to_dict()",
    ),
    "bough info latin.json": (
        "latin.json: description",
        "not UTF-8 text",
        "give a description made by System.to_dict()",
    ),
    "bough info deep.json": (
        "deep.json: description",
        "not JSON that can be read",
        "give a description made by System.to_dict()",
    ),
    "bough info wrong.json": (
        "wrong.json: frame 1 of a description",
        "parent 3",
        "give the number of an earlier frame: 0 (world)",
    ),
    "bough plot nothing.npz": (
        "trajectory file 'nothing.npz'",
        "no such file",
        "give the path of an .npz file written by run.save(path)",
    ),
    "bough plot pendulum.json": (
        "bough plot pendulum.json",
        "a model, not a run of it",
        "simulate it first: bough simulate pendulum.json -o run.npz, then bough plot run.npz",
    ),
    "bough video gallery:pendulum": (
        "bough video gallery:pendulum",
        "a model, not a run of it",
        "simulate it first: bough simulate gallery:pendulum -o run.npz, then bough video run.npz",
    ),
    "bough info model.txt": (
        "model 'model.txt'",
        "the suffix '.txt'",
        SUFFIX,
    ),
    "bough simulate pendulum": (
        "model 'pendulum'",
        "a path without a suffix",
        SUFFIX,
    ),
}


@pytest.mark.parametrize("command", [*USAGE, *FILES])
def test_message(command: str) -> None:
    asked, found, do = {**USAGE, **FILES}[command]
    code, stdout, stderr = console.run(command)
    lines = stderr.splitlines()
    assert (lines[0], lines[-2], lines[-1]) == (f"error: {asked}", f"  found: {found}", f"  do: {do}")
    assert (code, stdout) == (2, "")


def test_an_error_in_a_model_file_points_at_it() -> None:
    code, stdout, stderr = console.run("bough simulate broken.sexp")
    assert (code, stdout) == (2, "")
    lines = stderr.splitlines()
    assert lines[0].startswith("error: broken.sexp:3:9: ")
    assert lines[1:3] == ["        (tz -1,0 (mass 1))))", "            ^"]


def test_a_model_that_cannot_be_built_still_shows_its_tree() -> None:
    system = bough.System("weightless")
    system.world.ry("angle")
    Path("weightless.json").write_text(json.dumps(system.to_dict()))
    code, stdout, stderr = console.run("bough info weightless.json")
    assert code == 2
    assert "└─ ry(angle)\n" in stdout
    assert stderr.startswith("error: build 'weightless'\n  found: the mass matrix is singular")


@pytest.mark.parametrize("command", ["simulate", "assemble"])
def test_constraints_that_cannot_be_met_are_a_failed_run(command: str) -> None:
    code, stdout, stderr = console.run(f"bough {command} wire.json")
    assert (code, stdout) == (1, "")
    assert stderr == (
        "error: assemble() of model 'pendulum'\n"
        "  found: no configuration meets constraint 'wire'; at the closest one found, angle = 0,"
        " 'wire' is off by -0.5 m\n"
        "  do: correct the constraint or the frames it connects, or start from a q nearer to a solution\n"
    )


@pytest.mark.parametrize("command", ["bough simulate", "bough walk pendulum.json", "bough info --fast x"])
def test_usage_that_is_not_known(command: str) -> None:
    code, stdout, stderr = console.run(command)
    assert (code, stdout) == (2, "")
    assert stderr.startswith("Usage: bough")


def test_what_an_importer_leaves_out_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str, *, floating: bool = False) -> bough.System:
        warnings.warn(f"{path}: read but not used: limits ('knee')", UserWarning, stacklevel=2)
        system = bough.System("leg", gravity=(0.0, 0.0, -1.0) if floating else None)
        system.world.ry("knee").tz(-1.0, mass=1.0)
        return system

    monkeypatch.setattr(bough, "load", load, raising=False)
    code, stdout, stderr = console.run("bough simulate leg.urdf --param floating=true --json")
    assert (code, stderr) == (0, "warning: leg.urdf: read but not used: limits ('knee')\n")
    assert json.loads(stdout)["energy"]["start"] == -1.0
    code, stdout, stderr = console.run("bough simulate leg.urdf --param length=2")
    assert (code, stdout, stderr) == (
        2,
        "",
        "error: --param length for 'leg.urdf'\n"
        "  found: a parameter that this kind of file does not have\n"
        "  do: leave it out, or correct the spelling\n",
    )


def test_missing_xarray_is_said_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    code, stdout, stderr = console.run("bough simulate pendulum.json --duration 1e9 -o run.nc")
    assert (code, stdout) == (2, "")
    assert "  found: the package xarray is not installed\n" in stderr
