"""Every system of the gallery: its file, its start, its run, and its place in the command line."""

from __future__ import annotations

import inspect
import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.io.system_file import parse_system, system_text
from support import console
from support.messages import check_message

EVERY = pytest.mark.parametrize("entry", gallery.entries(), ids=lambda entry: entry.name)


def test_the_list_is_that_of_the_functions() -> None:
    functions = {
        name
        for name in gallery.__all__
        if inspect.isfunction(getattr(gallery, name))
        and inspect.signature(getattr(gallery, name)).return_annotation == "System"
    }
    assert functions - {"system"} == set(gallery.names())
    assert len(gallery.names()) == len(set(gallery.names())) == 42


@EVERY
def test_its_name_and_documentation(entry: gallery.Entry) -> None:
    assert entry.function is getattr(gallery, entry.name)
    assert entry.function().name == entry.name
    text = inspect.getdoc(entry.function)
    assert text is not None
    for parameter in entry.parameters:
        assert parameter in text.split("Parameters", 1)[1]


@EVERY
def test_the_file_is_the_function(entry: gallery.Entry) -> None:
    """Run `python -m bough.gallery` after a change of a function."""
    made, read = entry.function().to_dict(), bough.load(entry.file).to_dict()
    begin, started = made.pop("start"), read.pop("start")
    assert read == made
    assert started.keys() == begin.keys()
    for key in begin:  # computed by functions of the system's library, which may differ in the last digit
        assert started[key] == pytest.approx(begin[key], rel=1e-13, abs=1e-13)


def test_there_is_no_other_file() -> None:
    folder = gallery.entries()[0].file.parent
    assert {path.stem for path in folder.iterdir()} == set(gallery.names())


@EVERY
def test_text_reads_back_as_the_same_system(entry: gallery.Entry) -> None:
    system = entry.function()
    again = parse_system(system_text(system))
    assert again.to_dict() == system.to_dict()
    assert bough.System.from_dict(json.loads(json.dumps(system.to_dict()))).to_dict() == system.to_dict()
    assert again.build() == system.build()


@EVERY
def test_numbers_are_as_a_person_would_write_them(entry: gallery.Entry) -> None:
    """0.003, and not 0.0029999999999999996: no number is next to a short one."""
    for text in set(re.findall(r"\d+\.\d{14,}(?:e-?\d+)?", system_text(entry.function()))):
        value = float(text)
        short = float(f"{value:.12g}")
        assert short == value or abs(short - value) > 8 * math.ulp(value), text


@EVERY
def test_ten_seconds_without_a_warning(entry: gallery.Entry) -> None:
    model = entry.function().build()
    assert model.start.duration == 10.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bough.simulate(model)
    assert run.status == "finished"
    assert run.statistics["coarse"] == run.statistics["halvings"] == 0
    assert np.abs(run.constraint_error()).max(initial=0.0) < 1e-12
    assert np.ptp(run.q, axis=0).max() > 1e-3  # it moves


@EVERY
def test_the_start_meets_the_constraints(entry: gallery.Entry) -> None:
    model = entry.function().build()
    q, v = model.configuration(model.start.q), model._vector(model.start.v, "v")
    assert np.abs(model.constraint(q)).max(initial=0.0) < 1e-13
    assert np.abs(model.constraint_dq(q) @ v).max(initial=0.0) < 1e-13


LARGE = ("humanoid", "marionette", "ragdoll", "spatial_cable")  # take seconds
SOME = [
    pytest.param(entry, marks=pytest.mark.verify if entry.name in LARGE else (), id=entry.name)
    for entry in gallery.entries()
]


@pytest.mark.parametrize("entry", SOME)
def test_it_is_sound(entry: gallery.Entry) -> None:
    model = entry.function().build()
    assert bough.check(model, q=model.configuration(model.start.q), show=False).ok


def test_load_by_name() -> None:
    assert bough.load("gallery:four_bar").to_dict() == gallery.four_bar().to_dict()
    assert bough.load("gallery:pendulum", n=3.0).to_dict() == gallery.pendulum(3).to_dict()
    assert bough.load("gallery:hanging_cable", shape="catenary").start.q != gallery.hanging_cable().start.q


MESSAGES: dict[str, tuple[Any, str, str, str]] = {
    "unknown system": (
        lambda: bough.load("gallery:pendulm"),
        "system 'pendulm' in the gallery",
        "no system has this name; the nearest is 'pendulum'",
        "correct the spelling",
    ),
    "unknown parameter": (
        lambda: bough.load("gallery:pendulum", links=3),
        "parameter 'links' in gallery system 'pendulum'",
        "no parameter has this name; the names are 'n', 'length', 'mass', 'inertia', 'angle'",
        "use one of these names",
    ),
    "a word for a number": (
        lambda: bough.load("gallery:pendulum", n="three"),
        "n='three' in gallery system 'pendulum'",
        "n is not a number",
        "give n as a number",
    ),
    "half a link": (
        lambda: gallery.pendulum(2.5),  # type: ignore[arg-type]
        "n=2.5 in gallery.pendulum()",
        "n is not a whole number above zero",
        "give n as 1, 2, 3, ...",
    ),
    "a taut cable": (
        lambda: gallery.cable(fixed=True),
        "fixed=True in gallery.cable()",
        "an inextensible cable that is stretched between its ends cannot move",
        "give elastic= as well, or use gallery.hanging_cable()",
    ),
    "a short cable": (
        lambda: gallery.hanging_cable(span=2.0, length=1.5),
        "span=2 and length=1.5 of a hanging cable",
        "the points are not nearer to each other than the cable is long",
        "give a span above zero and below the length",
    ),
    "another shape": (
        lambda: gallery.hanging_cable(shape="line"),
        "shape='line' in gallery.hanging_cable()",
        "it is neither 'arc' nor 'catenary'",
        "give one of these",
    ),
    "a slow gyroscope": (
        lambda: gallery.gyroscope(spin=10.0),
        "spin=10 in gallery.gyroscope()",
        "it is too slow for a steady precession",
        "give a spin of at least 25.22 rad/s",
    ),
    "a loop that does not close": (
        lambda: gallery.four_bar(coupler=0.1),
        "links of 0.1 m and 0.8 m to a point 1.04403 m away",
        "the point is out of their reach",
        "give other lengths or another start",
    ),
    "another rotation": (
        lambda: gallery.humanoid(rotation="euler"),
        "rotation='euler' in gallery.humanoid()",
        "neither 'angles' nor 'ball'",
        "give rotation='ball' for joints without gimbal lock, or 'angles'",
    ),
    "another motion": (
        lambda: gallery.marionette_motion("run"),
        "motion 'run' in marionette_motion()",
        "no motion has this name; the names are 'walk', 'wave', 'bow'",
        "use one of these names",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str) -> None:
    check_message(*MESSAGES[case])


def test_a_misspelt_attribute() -> None:
    assert not hasattr(gallery, "marionete")
    with pytest.raises(AttributeError) as caught:
        gallery.pendulm  # noqa: B018
    assert str(caught.value) == (
        "system or function 'pendulm' in bough.gallery\n"
        "  found: no system or function has this name; the nearest is 'pendulum'\n"
        "  do: correct the spelling"
    )


def test_the_command_lists_them() -> None:
    code, text, _ = console.run("bough gallery")
    assert code == 0
    lines = text.splitlines()
    assert lines[0].split() == ["name", "what", "variables", "paper"]
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[1:]] == list(gallery.names())
    data = json.loads(console.run("bough gallery --json")[1])
    marionette = next(row for row in data if row["name"] == "marionette")
    assert marionette == {
        "name": "marionette",
        "what": "a puppet on seven strings",
        "variables": list(gallery.marionette().variables),
        "parameters": ["height", "mass", "damping"],
        "paper": "[JM08] VIII",
    }


def test_the_command_lists_some_of_them_with_their_parameters() -> None:
    code, text, _ = console.run("bough gallery kepler screw_jack")
    assert code == 0
    lines = text.splitlines()
    assert lines[0].split() == ["name", "what", "variables", "paper", "parameters"]
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == ["kepler", "screw_jack"]
    data = json.loads(console.run("bough gallery kepler --json")[1])
    assert [row["name"] for row in data] == ["kepler"]
    assert console.run("bough gallery pendulm") == (
        2,
        "",
        "error: system 'pendulm' in the gallery\n"
        "  found: no system has this name; the nearest is 'pendulum'\n"
        "  do: correct the spelling\n",
    )


def test_every_command_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "gallery:four_bar"
    for command in (
        f"bough simulate {name} --param speed=3 -o run.npz --plot run.png",
        f"bough info {name}",
        f"bough check {name}",
        f"bough assemble {name} --q crank=0.5 --hold crank",
        f"bough convert {name} four_bar.sexp",
    ):
        code, _, stderr = console.run(command)
        assert (code, stderr) == (0, ""), command
    assert bough.load_trajectory("run.npz").model == gallery.four_bar(speed=3.0).build()
    assert bough.load("four_bar.sexp").to_dict() == gallery.four_bar().to_dict()
